"""How much forgetting costs: Dudo with the last m claims in mind, and why fixed-strategy iteration can afford it."""

import time

from pictures import COLOURS, finish, folder, in_full, panels

import regretless as rg

SIDES = 6 if in_full() else 3
ITERATIONS = 5_000 if in_full() else 300


def forgetting():
    """Exploitability in the real game, infosets and seconds, for every length of memory."""
    rows = []
    for recall in range(1, 5):
        began = time.perf_counter()
        run = rg.solve(rg.games.Dudo(1, SIDES, recall), rg.FSICFR(variant=rg.PDCFR_PLUS), iterations=ITERATIONS)
        rows.append((recall, run.exploitability, run.infosets, time.perf_counter() - began))
        print(f"the last {recall} claims: {run.infosets:,} infosets, exploitability {run.exploitability:.5f}, "
              f"{rows[-1][-1]:.1f} seconds")  # fmt: skip
    return rows


def visits(game, method):
    """Positions visited and seconds of one iteration."""
    run = rg.solve(game, method, iterations=3)
    began = time.perf_counter()
    more = rg.solve(game, method, iterations=8)
    seconds = (time.perf_counter() - began) / 8
    return float(more.history["nodes"][-1]) / more.iterations, min(seconds, run.seconds / run.iterations)


def growing():
    """Both ways of computing the same update, as there are more claims to make."""
    rows = []
    for sides in range(2, SIDES + 1):
        game = rg.games.Dudo(1, sides, 3)
        merged, walked = (visits(game, rg.FSICFR(merge=merge, listed=False)) for merge in (True, False))
        rows.append((2 * sides, *merged, *walked))
        print(f"{2 * sides} claims: {merged[0]:,.0f} positions visited, path by path {walked[0]:,.0f}")
    return rows


def main():
    costs, growth = forgetting(), growing()
    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(8.4, 3.4))
    recalls, gaps, infosets, seconds = zip(*costs, strict=True)
    left.semilogy(recalls, gaps, "o-", color=COLOURS[0])
    for recall, gap, count, spent in zip(recalls, gaps, infosets, seconds, strict=True):
        words = f"{count:,} infosets\n{spent:.1f} s"
        left.annotate(words, (recall, gap), textcoords="offset points", xytext=(6, 6), fontsize=8)
    left.set(xlabel="claims remembered", ylabel="exploitability in the real game", xticks=recalls, xlim=(0.8, 4.8))
    left.set_ylim(top=4 * max(gaps))
    left.set_title("Dudo, one die each: what forgetting costs", fontsize=10)
    claims, merged, quick, walked, slow = zip(*growth, strict=True)
    right.semilogy(claims, walked, "s--", color=COLOURS[1], label="recursive CFR: every path")
    right.semilogy(claims, merged, "o-", color=COLOURS[0], label="FSICFR: every position once")
    right.set(xlabel="claims in the game", ylabel="positions visited in an iteration")
    right.set_title("The same update, memory of three claims", fontsize=10)
    finish(figure, place / "forgetting.png")
    figure, (axes,) = panels()
    axes.semilogy(claims, slow, "s--", color=COLOURS[1], label="recursive CFR")
    axes.semilogy(claims, quick, "o-", color=COLOURS[0], label="FSICFR")
    axes.set(xlabel="claims in the game", ylabel="seconds per iteration")
    finish(figure, place / "forgetting-seconds.png")


if __name__ == "__main__":
    main()
