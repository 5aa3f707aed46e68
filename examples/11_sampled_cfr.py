"""Five ways to sample on Leduc poker: exploitability against the histories they touch, and what baselines do."""

import numpy as np
from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg
from regretless.method import Settings

SCHEMES = {  # with about how many histories an iteration touches
    "outcome": (rg.MCCFR(sampling="outcome"), 16),
    "average-strategy (β = 1000, τ = 100)": (rg.MCCFR(sampling="average-strategy", beta=1e3, tau=100), 40),
    "external": (rg.MCCFR(sampling="external"), 45),
    "chance": (rg.MCCFR(sampling="chance"), 110),
    "public-chance": (rg.MCCFR(sampling="public-chance"), 3200),
}
BASELINES = {"no baseline": None, "by infoset": "infoset", "by history": "history"}


def variances(tree, baseline, counts, draws=1_000):
    """Of the regrets that one iteration adds, summed over all actions, after each number of iterations: [counts]."""
    learner, found = rg.MCCFR(sampling="outcome", baseline=baseline).learner(tree, Settings(seed=1)), []
    for count in counts:
        learner.advance(count - learner.iteration)
        state = {name: array.copy() for name, array in learner.arrays().items()}
        added = np.empty((draws, len(learner.store.regret_at)))
        for draw in range(draws):  # from the same state, but with the draws of another iteration
            learner.restore(state, 10**9 + draw)
            learner.advance(1)
            added[draw] = (learner.store.values - state["values"])[learner.store.regret_at]
        learner.restore(state, count)
        found.append(added.var(axis=0).sum())
    return found


def main():
    tree, nodes = rg.build(rg.games.Leduc()), 10 ** (8 if in_full() else 7)
    runs = {name: rg.solve(tree, method, iterations=nodes // each) for name, (method, each) in SCHEMES.items()}
    for name, run in runs.items():
        print(f"{name:36} exploitability {run.exploitability:.4f}, {run.history['nodes'][-1]:,.0f} histories touched")
    counts = 10 ** np.arange(2, 7 if in_full() else 6)
    spread = {name: variances(tree, baseline, counts.tolist()) for name, baseline in BASELINES.items()}
    for name, found in spread.items():
        print(f"outcome sampling, {name}: variance {found[-1]:,.0f} after {counts[-1]:,} iterations")

    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.6, 3.9))
    for run, colour, style, name in zip(runs.values(), COLOURS, STYLES, runs, strict=False):
        left.loglog(run.history["nodes"], run.history["exploitability"], color=colour, linestyle=style, label=name)
    left.set(xlabel="histories touched", ylabel="exploitability (chips)", xlim=(1e3, None), title="Five schemes, Leduc")
    for found, colour, marker, name in zip(spread.values(), COLOURS, "os^", spread, strict=False):
        right.loglog(counts, found, color=colour, marker=marker, label=name)
    right.set(xlabel="iterations", ylabel="variance of regrets", ylim=(1e3, 1e5), title="Outcome sampling, baselines")
    finish(figure, place / "sampling.png")


if __name__ == "__main__":
    main()
