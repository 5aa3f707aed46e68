"""Two larger games: Leduc poker with 13 ranks, listed, and a round of Dudo with two dice each, too large to list."""

from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg

LEDUC = {"DCFR": rg.DCFR, "MCCFR external": rg.MCCFR(), "MCCFR outcome": rg.MCCFR(sampling="outcome")}
DUDO, COUNTS = rg.MCCFR(variant=rg.LINEAR_CFR, listed=False), (100, 300, 1_000, 3_000, 10_000, 30_000)


def solve_leduc():
    tree = rg.build(rg.games.Leduc(ranks=13))
    print(f"Leduc with 13 ranks: {tree.histories:,} histories, {tree.infosets:,} infosets")
    rg.compare(tree, LEDUC, iterations=1)  # compile first, so that no clock counts it
    runs = rg.compare(tree, LEDUC, seconds=20 if in_full() else 4).runs
    for name, run in runs.items():
        print(f"  {name}: exploitability {run.exploitability:.2g} after {run.iterations:,} iterations")
    return runs


def solve_dudo():
    game = rg.games.Dudo(dice=(2, 2))
    lines = 2 ** (4 * 6)  # any set of claims, made in rising order, and after all but the empty one perhaps dudo
    histories = 1 + 6 + 6**2 + 6**3 + 6**4 * (2 * lines - 1)
    print(f"Dudo with two dice each: {histories:,} histories, {21 * lines:,} infosets")
    runs = [rg.solve(game, DUDO, iterations=count, dtype="float32") for count in COUNTS[: 6 if in_full() else 4]]
    last = runs[-1]
    print(f"  {last.iterations:,} iterations met {last.infosets:,} infosets")
    state = game.root()
    for face in "1125":  # 1, 1 for player 0 and 2, 5 for player 1
        state = game.play(state, next(a for a in game.actions(state) if game.action_label(a) == f"roll {face}"))
    likely = sorted(last.strategy.at(state).items(), key=lambda claim: -claim[1])[:3]
    print("  with 1, 1 claim", ", ".join(f"{claim} ({probability:.0%})" for claim, probability in likely))
    results = [rg.match(game, last.strategy, run.strategy, hands=40_000) for run in runs[:-1]]
    for run, result in zip(runs, results, strict=False):
        print(f"  against {run.iterations:,} iterations: {result}")
    return runs, results


def main():
    leduc, (dudo, results) = solve_leduc(), solve_dudo()
    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.6, 3.9))
    for run, colour, style, name in zip(leduc.values(), COLOURS, STYLES, leduc, strict=False):
        left.loglog(run.history["seconds"], run.history["exploitability"], color=colour, linestyle=style, label=name)
    left.set(xlabel="seconds", ylabel="exploitability (chips per game)", title="Leduc with 13 ranks, listed")
    h, means = dudo[-1].history, [result.mean for result in results]
    counts, errors = [run.iterations for run in dudo[:-1]], [result.high - result.mean for result in results]
    band = h["exploitability_low"], h["exploitability_high"]
    right.fill_between(h["iteration"], *band, color=COLOURS[5], alpha=0.6, label="exploitability is at least (95 %)")
    right.errorbar(counts, means, errors, color=COLOURS[1], marker="s", label="loses to the longest run")
    right.axhline(0, color="black", linewidth=0.8)
    right.set(xscale="log", xlabel="iterations", ylabel="chips per game", title="Dudo, two dice each, not listed")
    finish(figure, place / "large-games.png")


if __name__ == "__main__":
    main()
