"""Five ways to sample on Leduc poker: exploitability against the histories they touch, and what baselines do."""

import numpy as np
from pictures import COLOURS, finish, folder, in_full, panels

import regretless as rg
from regretless.methods import Settings, learner_for

SCHEMES = {  # and how many histories one iteration touches, about
    "outcome": (rg.MCCFR(sampling="outcome"), 16),
    "average-strategy (β = 1000, τ = 100)": (rg.MCCFR(sampling="average-strategy", beta=1e3, tau=100), 40),
    "external": (rg.MCCFR(sampling="external"), 45),
    "chance": (rg.MCCFR(sampling="chance"), 110),
    "public-chance": (rg.MCCFR(sampling="public-chance"), 3200),
}
BASELINES = {"no baseline": None, "by infoset": "infoset", "by history": "history"}


def variances(tree, baseline, counts, draws=1_000):
    """Of the regrets that one iteration adds, summed over all actions, after so many iterations: [counts]."""
    learner, found = learner_for(rg.MCCFR(sampling="outcome", baseline=baseline), tree, Settings(seed=1)), []
    for count in counts:
        learner.advance(count - learner.iteration)
        state = {name: array.copy() for name, array in learner.arrays().items()}
        added = []
        for draw in range(draws):  # from the same state, another iteration number draws other cards
            learner.restore(state, 10**9 + draw)
            learner.advance(1)
            added.append((learner.store.values - state["values"])[learner.store.spot])
        learner.restore(state, count)
        found.append(np.var(added, axis=0).sum())
    return found


def main():
    tree, nodes = rg.build(rg.games.Leduc()), 10**8 if in_full() else 10**7
    runs = {name: rg.solve(tree, method, iterations=nodes // each) for name, (method, each) in SCHEMES.items()}
    for name, run in runs.items():
        per_iteration = run.history["nodes"][-1] / run.iterations
        print(f"{name:36} {per_iteration:7,.0f} histories an iteration, exploitability {run.exploitability:.4f}")
    counts = 10 ** np.arange(2, 7 if in_full() else 6)
    spread = {name: variances(tree, baseline, counts.tolist()) for name, baseline in BASELINES.items()}
    for name, found in spread.items():
        print(f"outcome sampling, {name}: variance {found[-1]:,.0f} after {counts[-1]:,} iterations")

    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.6, 3.9))
    for number, (name, run) in enumerate(runs.items()):
        x, y = run.history["nodes"], run.history["exploitability"]
        left.loglog(x, y, color=COLOURS[number], linestyle=["-", "--", "-.", ":", (0, (5, 1, 1, 1))][number], label=name)
    left.set(xlabel="histories touched", ylabel="exploitability (chips per game)", title="Leduc poker, five schemes")
    for number, (name, found) in enumerate(spread.items()):
        right.loglog(counts, found, color=COLOURS[number], marker="os^"[number], label=name)
    right.set(xlabel="iterations", ylabel="variance of one iteration's regrets", title="Outcome sampling, baselines")
    finish(figure, place / "sampling.png")


if __name__ == "__main__":
    main()
