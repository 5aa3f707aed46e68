"""A whole match of Dudo: what every number of dice against every other is worth, worked up from the fewest dice."""

import sys
import time

from pictures import finish, folder, in_full, panels

import regretless as rg
from regretless.recall.dudo_round import Round

DICE, SIDES, ITERATIONS = (3, 6, 1_000) if in_full() else (2, 2, 100)


def told(match, pair, played):
    if sys.stderr.isatty():
        print(f"\r{pair[0]} against {pair[1]} dice: {played.iteration:,} iterations", end="", file=sys.stderr)


def projected():
    """What the rounds of a match with five dice would take, from a few iterations of each kind."""
    whole = 0.0
    for own in range(1, 6):
        for other in range(own, 6):
            played = Round((own, other), 6, 3, lambda lost, loser: 0.0, rg.CFR_PLUS)
            played.advance(1)
            began = time.perf_counter()
            played.advance(2)
            seconds = (time.perf_counter() - began) / 2 * ITERATIONS
            whole += seconds * (1 if own == other else 2)
            print(f"{own} against {other} dice: {played.infosets:,} infosets, {played.nbytes / 2**20:,.0f} MiB, "
                  f"{seconds / 60:.1f} minutes for {ITERATIONS:,} iterations")  # fmt: skip
    print(f"all 25 rounds: {whole / 3600:.1f} hours")


def main():
    match = rg.solve_dudo_match(DICE, sides=SIDES, recall=3, iterations=ITERATIONS, progress=told)
    print(f"{match}\n{int(match.infosets.sum()):,} infosets in {match.seconds.sum():.0f} seconds")
    if "--project" in sys.argv:
        projected()
    if (place := folder()) is not None:
        draw(match.value[1:, 1:], place / "dudo-match.png")


def draw(value, path):
    """The table as colours, with its numbers."""
    figure, (axes,) = panels(size=(4.6, 3.6))
    axes.imshow(value, cmap="RdBu", vmin=-1, vmax=1, origin="lower")
    for own, row in enumerate(value):
        for other, worth in enumerate(row):
            axes.text(other, own, f"{worth:+.2f}", ha="center", color="white" if abs(worth) > 0.55 else "black")
    axes.set_xticks(range(len(value)), range(1, len(value) + 1))
    axes.set_yticks(range(len(value)), range(1, len(value) + 1))
    axes.grid(visible=False)
    axes.set(xlabel="the other's dice", ylabel="dice of who begins", title="Dudo: value of the match to who begins")
    finish(figure, path)


if __name__ == "__main__":
    main()
