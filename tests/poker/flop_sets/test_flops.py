"""Sets of flops: what they are, and how near their means are to those of all 1,755 flops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.poker.cards.board_kinds import kinds_of
from regretless.poker.cards.deck import STANDARD
from regretless.poker.flop_sets import choosing
from regretless.poker.flop_sets.flops import all_flops, weights_of

SIZES = (25, 49, 95, 184)
RANGES = ("22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+", "22-99,A2s-AJs,K9s-KQs,Q9s+,J9s+,T8s+,97s+,86s+,76s,65s,KQo,QJo")
"""A raise and a call of it before the flop: ranges that were not used to choose."""


def test_all_flops() -> None:
    cards, deals = all_flops()
    assert len(cards) == 1_755 and deals.sum() == 22_100
    everything = rg.poker.flops()
    assert len(everything) == 1_755 and sum(everything.values()) == pytest.approx(1)


@pytest.mark.parametrize("count", SIZES)
def test_sets(count: int) -> None:
    chosen = rg.poker.flops(count)
    assert len(chosen) == count and sum(chosen.values()) == pytest.approx(1) and min(chosen.values()) > 0
    known = rg.poker.flops()
    assert set(chosen) <= set(known)
    assert chosen == pytest.approx(dict(zip(chosen, weights_of(list(chosen)), strict=True)))


@pytest.mark.parametrize(("count", "near"), [(25, 0.06), (49, 0.05), (95, 0.03), (184, 0.02)])
def test_kinds_are_as_frequent_as_among_all(count: int, near: float) -> None:
    def shares(flops: dict[str, float]) -> dict[str, float]:
        found: dict[str, float] = {}
        for board, weight in flops.items():
            for kind in kinds_of(STANDARD, STANDARD.cards(board))[:2]:
                found[kind] = found.get(kind, 0.0) + weight
        return found

    chosen, everything = shares(rg.poker.flops(count)), shares(rg.poker.flops())
    assert all(abs(chosen.get(kind, 0.0) - share) < near for kind, share in everything.items())


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="enumerates boards")
def test_equities_of_other_ranges() -> None:
    """The mean equity of ranges that were not used to choose, against that of all flops (exact before the flop)."""
    exact = rg.poker.equity(*RANGES, boards="all").a
    errors = []
    for count in (25, 49):
        means = pairs = 0.0
        for board, weight in rg.poker.flops(count).items():
            found = rg.poker.equity(*RANGES, board, boards="all")
            possible = _pairs(board)
            means += weight * possible * found.a
            pairs += weight * possible
        errors.append(abs(means / pairs - exact))
    assert errors[0] < 0.01 and errors[1] < 0.01


def _pairs(board: str) -> float:
    """Pairs of hands of both ranges that share no card with the board or each other."""
    one, other = (rg.poker.Range.parse(text).without(board).weights for text in RANGES)
    hands = STANDARD.hands(2)
    holds = np.zeros(52)
    for column in (0, 1):
        np.add.at(holds, hands[:, column], other)
    return float(one @ (other.sum() - holds[hands[:, 0]] - holds[hands[:, 1]] + other))


def test_weights_of_other_flops_count_deals() -> None:
    assert weights_of(["AsAhAd", "AsKsQs", "AsKh2c"]) == pytest.approx(np.array([4, 4, 24]) / 32)


def test_choosing_by_a_small_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of points on a line, the chosen ones with their weights have the mean of all."""
    monkeypatch.setattr(choosing, "STARTS", 2)
    flops, deals = all_flops()
    points = (flops[:, :1] - 20.0) / 30
    chosen, weights = choosing.choose(flops, points, deals.astype(float), 25)
    assert len(set(chosen.tolist())) == 25 and weights.sum() == pytest.approx(1)
    assert weights @ points[chosen, 0] == pytest.approx(np.average(points[:, 0], weights=deals), abs=0.01)


def test_spots(tmp_path: Path) -> None:
    spots = rg.poker.flop_spots(["As Kd 2c", "7h 7d 2s"], ("QQ+", "JJ+"), pot=10, stack=20)
    assert list(spots) == ["AsKd2c", "7h7d2s"]
    assert spots["7h7d2s"].first_board == STANDARD.cards("7h7d2s")
    file = tmp_path / "spot.toml"
    file.write_text('ranges = ["QQ+", "JJ+"]\npot = 10\nstack = 20\nsizes = "bet 50%"\n')
    assert len(rg.poker.read_flop_spots(file, 25)) == 25


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(rg.OptionError, match="25, 49, 95, 184, 1755 flops, got 30"):
        rg.poker.flops(30)
    with pytest.raises(rg.OptionError, match="a list of flops"):
        rg.poker.flop_spots("AsKd2c", ("QQ+", "JJ+"), pot=10, stack=20)
    with pytest.raises(rg.OptionError, match="3 cards wanted"):
        rg.poker.flop_spots(["AsKd"], ("QQ+", "JJ+"), pot=10, stack=20)
    file = tmp_path / "spot.toml"
    file.write_text('board = "As Kd 2c"\nranges = ["QQ+", "JJ+"]\npot = 10\nstack = 20\n')
    with pytest.raises(rg.FileError, match="has no board of its own"):
        rg.poker.read_flop_spots(file, 25)
    file.write_text('ranges = ["QQ+", "JJ+"]\npott = 10\nstack = 20\n')
    with pytest.raises(rg.FileError, match=r"spot\.toml.*pott"):
        rg.poker.read_flop_spots(file, 25)
