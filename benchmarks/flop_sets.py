"""How far the averages over sets of flops are from those over all 1,755 flops, on a solved game.

    python -m benchmarks.flop_sets                   # solves flop hold'em: 2.3 GB, some minutes of two cores
    python -m benchmarks.flop_sets fhp.run           # a run of flop hold'em in a file

The game is flop hold'em, solved exactly on all flops. Both players' first decisions on the flop are looked at after
each line of play that leads there and is played often enough to matter: the frequency of a bet, the EV and the EV of
the hands that bet, both as shares of the pot. A row is a set: the error of its weighted average of each figure against
that over all flops, as root mean square and at most, and the same for as many flops drawn at random, in the mean over
`DRAWS` draws. Flops are weighted by their weights in the set times the probability with which the line comes there.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt

import regretless as rg
from benchmarks.record import circumstances, write
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.results.aggregates import Aggregate

Array = npt.NDArray[Any]

GOAL = 0.5
"""Exploitability at which the solve stops, chips: 5 mbb."""
LINES = ("call check", "raise call", "call raise call", "raise raise call", "call raise raise call")
SETS = (25, 49, 95, 184)
DRAWS = 200


def solved(path: str | None) -> Any:
    """The run that is looked at."""
    if path is not None:
        return rg.load(path)
    game: Any = rg.poker.FlopHoldem()
    return rg.solve(game, rg.DCFR_PLUS, until=GOAL, dtype="float32", progress=True)


def keys(boards: list[str]) -> list[tuple[int, ...]]:
    """The smallest image of each flop when suits are exchanged."""
    images = np.sort(Symmetry(STANDARD, 2).cards[:, [STANDARD.cards(board) for board in boards]], axis=-1)
    return [min(map(tuple, images[:, at].tolist())) for at in range(len(boards))]


def figures_of(table: Aggregate) -> tuple[list[str], Array, Array]:
    """Names [figures], values [figures, boards] and the weight of each figure on each board for one deal of it."""
    bet = table.actions.index("bet")
    assert table.ev is not None and table.action_ev is not None
    each = table.reach / table.deals
    values = np.stack([table.frequencies[:, bet], table.ev / table.pot, table.action_ev[:, bet] / table.pot])
    betting = np.nan_to_num(each * table.frequencies[:, bet])
    return ["bet", "EV", "EV of bets"], values, np.stack([each, each, betting])


def averages(values: Array, each: Array, weights: Array) -> Array:
    """[figures] weighted means over flops; boards that are never reached have no value and no weight."""
    full = each * weights
    return np.asarray((np.nan_to_num(values) * full).sum(axis=1) / full.sum(axis=1))


def measured(run: Any) -> list[dict[str, Any]]:
    """A row for each set and kind of figure."""
    tables = []
    for line in LINES:
        for at in (f"{line} /", f"{line} / check"):
            begin = time.perf_counter()
            tables.append(run.strategy.by_board(at, ev=True))
            print(f"{at}: {len(tables[-1])} flops, {time.perf_counter() - begin:.0f} s", flush=True)
    number = {key: at for at, key in enumerate(keys(list(tables[0].boards)))}
    deals = tables[0].deals.astype(float)
    found = [figures_of(table) for table in tables]
    exact = np.array([averages(values, each, deals) for _, values, each in found])  # [nodes, figures]
    rng = np.random.default_rng(1)
    rows = []
    for count in SETS:
        chosen = rg.poker.flops(count)
        weights = np.zeros(len(deals))
        weights[[number[key] for key in keys(list(chosen))]] = list(chosen.values())
        errors = np.array([averages(values, each, weights) for _, values, each in found]) - exact
        drawn = np.zeros((DRAWS, *errors.shape))
        for draw in range(DRAWS):
            hits = np.bincount(rng.choice(len(deals), count, p=deals / deals.sum()), minlength=len(deals))
            drawn[draw] = np.array([averages(values, each, hits.astype(float)) for _, values, each in found]) - exact
        for figure, name in enumerate(found[0][0]):
            rows.append(
                {
                    "flops": count,
                    "figure": name,
                    "root mean square, %": f"{100 * np.sqrt((errors[:, figure] ** 2).mean()):.2f}",
                    "largest, %": f"{100 * np.abs(errors[:, figure]).max():.2f}",
                    "as many at random, %": f"{100 * np.sqrt((drawn[:, :, figure] ** 2).mean()):.2f}",
                }
            )
    return rows


def main() -> None:
    """Solve or load, measure, write."""
    about, run = circumstances(), solved(sys.argv[1] if len(sys.argv) > 1 else None)
    about |= {"run": f"{run.method.name}, {run.iterations} iterations, exploitability {run.exploitability:.3g} chips"}
    write("flop_sets", measured(run), about)


if __name__ == "__main__":
    main()
