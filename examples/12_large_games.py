"""Two larger games, solved: Leduc poker with 13 ranks, listed, and a round of Dudo with two dice each, never listed.

Solved means: a best response to the strategy wins at most `SOLVED` chips a game.
"""

from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg

SOLVED = 0.005
SAMPLED = {"MCCFR external": rg.MCCFR(), "MCCFR outcome": rg.MCCFR(sampling="outcome")}
DUDO = rg.MCCFR(variant=rg.LINEAR_CFR, listed=False)
COUNTS, DTYPE = ((100, 1_000, 10_000, 30_000), "float32") if in_full() else ((30, 100, 300, 1_000), "float64")


def solve_leduc():
    tree = rg.build(rg.games.Leduc(ranks=13))
    print(f"Leduc with 13 ranks: {tree.histories:,} histories, {tree.infosets:,} infosets")
    rg.compare(tree, SAMPLED | {"DCFR": rg.DCFR}, iterations=1)  # compile first, so that no clock counts it
    exact = rg.solve(tree, rg.DCFR, until=SOLVED, seconds=None if in_full() else 2)
    runs = {"DCFR": exact, **rg.compare(tree, SAMPLED, seconds=exact.seconds).runs}
    for name, run in runs.items():
        print(f"  {name}: exploitability {run.exploitability:.2g} after {run.iterations:,} iterations")
    return runs


def solve_dudo(sides):
    game, lines = rg.games.Dudo(dice=(2, 2), sides=sides), 2 ** (4 * sides)  # any set of claims, in rising order …
    histories = 1 + sides + sides**2 + sides**3 + sides**4 * (2 * lines - 1)  # … and then perhaps dudo
    infosets = sides * (sides + 1) // 2 * lines
    print(f"Dudo with two {sides}-sided dice each: {histories:,} histories, {infosets:,} infosets")
    rg.solve_round(rg.games.Dudo(sides=2), iterations=1)  # compile first
    rg.solve("dudo:sides=2", DUDO, iterations=1, dtype=DTYPE)
    solved = rg.solve_round(game, until=SOLVED)
    print(f"  CFR+ on vectors: exploitability {solved.exploitability:.4f} after {solved.iterations} iterations")
    print("  the value is from {:.4f} to {:.4f}".format(*solved.value))
    runs = [rg.solve(game, DUDO, iterations=count, dtype=DTYPE) for count in COUNTS]
    exact = [rg.exploitability(game, run.strategy) for run in runs]
    print(f"  MCCFR: exploitability {exact[-1]:.2g} after {COUNTS[-1]:,} iterations, at {runs[-1].infosets:,} infosets")
    return solved.history, [run.seconds for run in runs], exact


def main():
    leduc, (h, seconds, exact) = solve_leduc(), solve_dudo(6 if in_full() else 3)
    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.6, 3.9))
    for run, colour, style, name in zip(leduc.values(), COLOURS, STYLES, leduc, strict=False):
        left.loglog(run.history["seconds"], run.history["exploitability"], color=colour, linestyle=style, label=name)
    right.loglog(h["seconds"], h["exploitability"], color=COLOURS[0], marker=".", label="CFR+ on vectors of hands")
    right.loglog(seconds, exact, color=COLOURS[1], linestyle="--", marker="s", label="MCCFR external, linear")
    for panel, title in ((left, "Leduc with 13 ranks, listed"), (right, "Dudo, two dice each, not listed")):
        panel.axhline(SOLVED, color="black", linewidth=0.8)
        panel.set(xlabel="seconds", ylabel="exploitability (chips per game)", title=title)
    finish(figure, place / "large-games.png")


if __name__ == "__main__":
    main()
