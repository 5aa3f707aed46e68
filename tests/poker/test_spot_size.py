"""The size of a spot is counted as its public tree would have it, without laying that out."""

from __future__ import annotations

import pytest

import regretless as rg
from regretless.poker import Spot
from regretless.poker.ranges.presets import STRONGEST_FIRST, top_hands
from regretless.poker.tree.spot_size import spot_size

WIDE = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,ATo+,KJo+"


@pytest.mark.parametrize(
    ("board", "ranges", "settings"),
    [
        ("Qs Jh 2h 7c 3d", (WIDE, WIDE), {}),
        ("Qs Jh 2h 7c", (WIDE, "QQ+,AhKh:0.5,77"), {}),
        ("Qs Qh 2h 2s", (WIDE, "QQ+,AK,T9s"), {"sizes": "bet 50%, raise 3x"}),
        ("Qs Jh 2h 7c", (WIDE, WIDE), {"isomorphism": False, "sizes": "bet 50%"}),
        ("Qh Jh 2h", ("AK,QQ", "AQ,JJ,T9s"), {"sizes": "bet 100%, raise none"}),
    ],
)
def test_counts_are_those_of_the_public_tree(board: str, ranges: tuple[str, str], settings: dict[str, object]) -> None:
    spot = Spot(board, ranges, pot=20, stack=60, **settings)  # type: ignore[arg-type]
    size, tree = spot_size(spot), spot.public_tree()
    assert (size.boards, size.infoset_actions, size.nodes) == (
        tree.boards,
        tree.infoset_actions,
        len(tree.betting_tree),
    )
    assert size.decisions == tuple(count.decisions for count in tree.betting_tree.counts)
    if len(tree.game.first_board) > 3:
        for dtype in ("float32", "int16"):
            assert size.bytes_needed(dtype) == pytest.approx(tree.bytes_needed(dtype), rel=0.1)


def test_a_betting_tree_that_is_too_large_is_refused() -> None:
    spot = Spot("Qs Jh 2h", ("AA", "KK"), pot=1, stack=10_000, sizes="bet 10% 20% 30% 40% 50%, raise 2x 3x 4x")
    with pytest.raises(rg.OptionError, match="the betting tree has"):
        spot_size(spot, most_nodes=1_000)
    with pytest.raises(rg.OptionError, match="deal one card"):
        spot_size(rg.poker.FlopHoldem())


def test_the_strongest_hands() -> None:
    assert len(set(STRONGEST_FIRST)) == 169
    shares = [top_hands(share).combos / 1326 for share in (0.001, 0.05, 0.3, 1.0)]
    assert shares[0] == 6 / 1326 and shares == sorted(shares) and shares[-1] == 1
    assert shares[1] <= 0.05 and 0.29 < shares[2] <= 0.3
    for wrong in (0, 1.5, "x"):
        with pytest.raises(rg.OptionError, match="a share of hands"):
            top_hands(wrong)  # type: ignore[arg-type]
