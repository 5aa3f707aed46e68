"""How much forgetting costs: Dudo with the last m claims in mind, and why fixed-strategy iteration can afford it."""

import time

from pictures import COLOURS, finish, folder, in_full, panels

import regretless as rg

SIDES = 6 if in_full() else 3
ITERATIONS = 5_000 if in_full() else 300


def forgetting():
    """Exploitability in the real game, infosets and seconds, for every length of memory."""
    for recall in range(1, 5):
        began = time.perf_counter()
        run = rg.solve(rg.games.Dudo(1, SIDES, recall), rg.FSICFR(variant=rg.PDCFR_PLUS), iterations=ITERATIONS)
        spent = time.perf_counter() - began
        print(f"last {recall} claims: {run.infosets:,} infosets, exploitability {run.exploitability:.5f}, {spent:.0f}s")
        yield recall, run.exploitability, run.infosets, spent


def visits(game, method):
    """Positions visited and seconds of one iteration."""
    run = rg.solve(game, method, iterations=8)
    return run.history["nodes"][-1] / run.iterations, run.seconds / run.iterations


def growing():
    """Both ways of computing the same update, as there are more claims to make."""
    for sides in range(2, SIDES + 1):
        game = rg.games.Dudo(1, sides, 3)
        merged, walked = (visits(game, rg.FSICFR(merge=merge, listed=False)) for merge in (True, False))
        print(f"{2 * sides} claims: {merged[0]:,.0f} positions visited, path by path {walked[0]:,.0f}")
        yield (2 * sides, *merged, *walked)


def main():
    recalls, gaps, infosets, seconds = zip(*forgetting(), strict=True)
    claims, merged, quick, walked, slow = zip(*growing(), strict=True)
    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(8.4, 3.4))
    left.semilogy(recalls, gaps, "o-", color=COLOURS[0])
    for place_of, count, spent in zip(zip(recalls, gaps, strict=True), infosets, seconds, strict=True):
        left.annotate(f" {count:,} infosets\n {spent:.1f} s\n", place_of, fontsize=8)
    left.set(xlabel="claims remembered", ylabel="exploitability in the real game", xlim=(0.8, 5), ylim=(1e-3, 2))
    other, (axes,) = panels()
    for panel, long, short in ((right, walked, merged), (axes, slow, quick)):
        panel.semilogy(claims, long, "s--", color=COLOURS[1], label="recursive CFR: every path")
        panel.semilogy(claims, short, "o-", color=COLOURS[0], label="FSICFR: every position once")
        panel.set(xlabel="claims in the game", ylabel="seconds" if panel is axes else "positions visited")
    finish(figure, place / "forgetting.png")
    finish(other, place / "forgetting-seconds.png")


if __name__ == "__main__":
    main()
