"""Subgames of limit hold'em solved again: what the opponent wins by a best response, before and after, exactly.

    python -m benchmarks.hulh_resolving [FILE.abs] [--boards 3200] [--iterations 200] [--note "what else ran"]

The blueprint is public chance sampling on an abstraction with 169-200-200-200 buckets: that of the file, or one that is
built first. It is solved for a few minutes only, because it is there to be improved. Each subgame is then solved again
with all cards, for both players, by each method.

Both columns of means are over the opponent's hands, in thousandths of a big blind: "arriving" weights a hand by how
often the blueprint's opponent comes with it, "every hand" takes all hands of the opponent alike. Safety is the column
of the worst hand: from 0 on, no hand wins more than against the blueprint.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import regretless as rg
from benchmarks.record import circumstances, write
from regretless.poker.resolving.resolve import METHODS

SUBGAMES = (
    ("raise call / bet call", "Qs Jh 2h 7c"),
    ("call check / check check", "8s 8d 3c Kh"),
    ("raise call / bet call / check bet call", "Qs Jh 2h 7c 4d"),
)


def blueprint_of(path: str | None, boards: int) -> rg.Run:
    """Limit hold'em with an abstraction, solved for a while."""
    game = rg.poker.LimitHoldem()
    made = rg.poker.load_abstraction(path) if path else rg.poker.abstract(game, buckets=(169, 200, 200, 200), seed=1)
    method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=16)
    return rg.solve(rg.poker.LimitHoldem(abstraction=made), method, iterations=boards // 16, seed=1)


def measured(run: rg.Run, line: str, board: str, method: str, iterations: int) -> list[dict[str, Any]]:
    """A row for each player who is solved again."""
    spent = time.process_time()
    found = rg.poker.resolve(run, line, board, method, iterations=iterations)
    spent = time.process_time() - spent
    gaps = [1_000 * rg.exploitability(found.game, one) / 100 for one in (found.blueprint, found.strategy)]
    rows = []
    for player, known in found.margins.items():
        margins = known.margins
        rows.append(
            {
                "after": line,
                "board": board,
                "solved again": f"player {player}",
                "method": method,
                "opponent wins, arriving: before": f"{10 * known.value_before:.0f}",
                "after it": f"{10 * known.value_after:.0f}",
                "less, every hand": f"{10 * known.mean:.0f}",
                "less, worst hand": f"{10 * known.smallest:.1f}",
                "hands that win more": f"{int((margins < 0).sum())} of {len(margins):,}",
                "at most lost in the whole game, mbb/g": f"{10 * known.most_lost:.1e}",
                "subgame's exploitability, mbb: before": f"{gaps[0]:.0f}",
                "with both": f"{gaps[1]:.0f}",
                "processor, both players": f"{spent:.0f} s",
            }
        )
    return rows


def main() -> None:
    """Solve a blueprint, solve its subgames again, and write the table."""
    read = argparse.ArgumentParser()
    read.add_argument("abstraction", nargs="?")
    read.add_argument("--boards", type=int, default=3_200)
    read.add_argument("--iterations", type=int, default=200)
    read.add_argument("--note", default="")
    given = read.parse_args()
    about = circumstances() | {
        "blueprint": f"public chance sampling, {given.boards:,} boards",
        "subgames": f"{given.iterations} iterations of DCFR for each player",
        "note": given.note,
    }
    run = blueprint_of(given.abstraction, given.boards)
    rows = []
    for line, board in SUBGAMES:
        for method in METHODS:
            rows += measured(run, line, board, method, given.iterations)
            print(rows[-2:], flush=True)
    write("hulh-resolving", rows, about)


if __name__ == "__main__":
    main()
