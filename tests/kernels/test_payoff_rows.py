"""Terminals merged into rows of payoff entries, against sorting with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import regretless as rg
from regretless.kernels.coded_numbers import coded
from regretless.kernels.sequence_form import sequence_tracing
from regretless.layout.payoffs import payoff_arrays


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("terminals", [0, 1, 500])
def test_rows_as_sorting_gives_them(players: int, terminals: int) -> None:
    generator, each = np.random.default_rng(players), 6
    ends = (generator.integers(0, each, (terminals, players)) + np.arange(players) * each).astype(np.int32)
    reach, payoffs = generator.choice([0.25, 0.5], terminals), generator.choice([-1.0, 0.0, 2.0], (terminals, players))
    found = payoff_arrays(ends, coded(reach), coded(payoffs), players * each)
    worth: dict[tuple[int, ...], np.ndarray] = {}
    for end, row in zip(map(tuple, ends.tolist()), reach[:, None] * payoffs, strict=True):
        worth[end] = worth.get(end, 0.0) + row
    for player in range(players):
        for sequence in range(player * each, (player + 1) * each):
            rows = sorted((end, w[player]) for end, w in worth.items() if end[player] == sequence and w[player])
            entries = slice(int(found["entry_first"][sequence]), int(found["entry_first"][sequence + 1]))
            assert found["payoff"][entries].tolist() == [number for _, number in rows]
            others = [[s for p, s in enumerate(end) if p != player] for end, _ in rows]
            assert found["column"][:, entries].T.tolist() == others


def test_deep_games_are_traced_with_more_scratch(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = rg.build(rg.games.Leduc()).fingerprint
    monkeypatch.setattr(sequence_tracing, "FIRST_DEPTH", 1)
    assert rg.build(rg.games.Leduc()).fingerprint == expected
