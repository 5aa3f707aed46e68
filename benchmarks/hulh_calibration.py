"""Exact exploitability of strategies of limit hold'em that look at no cards, against published figures.

    python -m benchmarks.hulh_calibration [--threads 2] [--note "what else ran"]

All 1,755 flops are measured for each strategy. The published figures are those of Johanson, Waugh, Bowling & Zinkevich
2011, table 1: the mean of both seats' best-response values. The result is also kept in results/hulh/calibration.json.
Compiling is done before, on two flops.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import regretless as rg
from benchmarks.record import circumstances, write
from regretless.reproduce.rows.limit_holdem import BLIND, ROWS

KEPT = Path(__file__).parents[1] / "results" / "hulh" / "calibration.json"


def measured(game: rg.poker.LimitHoldem, name: str, published: float, threads: int) -> dict[str, Any]:
    """Measure one strategy."""
    fold, call, raise_ = BLIND[name]
    strategy = rg.poker.card_blind(game, fold=fold, call=call, raise_=raise_)
    rg.exploitability(game, strategy, flops=2, threads=threads, progress=False)
    clock, processor = time.perf_counter(), time.process_time()
    found: Any = rg.exploitability(game, strategy, threads=threads, progress=False)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return {
        "strategy": name,
        "mbb/g": round(found.mbb, 6),
        "published": published,
        "difference": round(found.mbb - published, 4),
        "small blind wins, chips": round(found.best_responses[0], 6),
        "big blind wins, chips": round(found.best_responses[1], 6),
        "flops": found.flops,
        "clock, s": round(clock, 1),
        "processor, s": round(processor, 1),
    }


def main() -> None:
    """Measure the four strategies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--note")
    given = parser.parse_args()
    about = circumstances() | ({"note": given.note} if given.note else {})
    game, rows = rg.poker.LimitHoldem(), []
    for expected in ROWS[0].expected:
        rows.append(measured(game, expected.name, expected.number, given.threads))
        write("hulh-calibration", rows, about)
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(json.dumps({**about, "threads": given.threads, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
