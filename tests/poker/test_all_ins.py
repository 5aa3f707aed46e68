"""All-ins before the last street: tables of equities against dealing the cards.

`test_vector_solver` checks the same walks against games expanded history by history.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_vector_solver import raked_spot, three_streets, uneven_range

import regretless as rg
from conftest import INTERPRETED
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.kernels.public.layout import SolveState
from regretless.poker import Deck, NoLimit, PublicGame, Range, Spot
from regretless.poker.solving.cpu_walker import NO_STEP, Walker
from regretless.poker.tree import all_in_tables
from regretless.poker.tree.betting_arrays import betting_arrays
from regretless.poker.tree.public_tree import PublicTree

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")


def monotone() -> PublicGame:
    """Classes of up to six hands, rake, and ranges of different sizes that suits leave alone."""
    deck = Deck("89TJQKA", "shdc")
    betting = NoLimit(pot=10, stack=30, streets=3, sizes="bet 80%, raise all-in", rake=0.05, rake_cap=1)
    ranges = (Range.parse("QQ+,AKo,JTs", deck), Range.parse("TT,99,AQs,AQo:0.5,KJs", deck))
    return PublicGame(deck, 2, (1, 1), betting, "As Ts 8s", ranges)


def uneven_flop() -> PublicGame:
    deck = Deck("9TJQKA", "shdc")
    betting = NoLimit(pot=10, stack=25, streets=3, sizes="bet 50% 100%, raise all-in")
    return PublicGame(
        deck, 2, (1, 1), betting, "As 9d 9h",
        (uneven_range(deck, 30, 5, "As 9d 9h"), uneven_range(deck, 17, 6, "As 9d 9h")),
    )  # fmt: skip


GAMES: dict[str, Any] = {
    "raked turn": raked_spot,
    "flop": three_streets,
    "monotone, raked": monotone,
    "unequal ranges": uneven_flop,
    "three cards": lambda: PublicGame(Deck("TJQKA", "sh"), 3, (1,), NoLimit(pot=4, stack=9, streets=2), "As Th"),
}


def values(tree: PublicTree, dtype: str, dealt: bool, learning: bool = False) -> np.ndarray:
    """Values at the root, of the best response and of some strategy or of an iteration, and regrets and averages."""
    generator = np.random.default_rng(1)
    source = (generator.random(tree.numbers) * (generator.random(tree.numbers) < 0.6)).astype(dtype)
    regret, average = source.copy(), source.copy()
    state = SolveState(regret, None, average, None, np.zeros(tree.boards, np.int64), None)
    walker = Walker(tree, dtype, 2, tree.betting if dealt else None)
    step = np.array([0.5, 0.5, -np.inf, 0, 0, 0, 1, 1]) if learning else NO_STEP
    out = []
    for player in range(2):
        root = walker.walk(player, state, source, learning, step)
        rows = [root.value[0]] if learning else [root.value[0], root.played[0]]
        out += [row[: tree.book.arrays.count[player, 0]].copy() for row in rows]
    return np.concatenate([*out, regret, average])


@pytest.mark.parametrize("learning", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_tables_give_the_values_of_dealt_cards(name: str, learning: bool) -> None:
    tree = GAMES[name]().public_tree()
    assert (tree.all_in_layout.all_ins.node >= 0).any()
    expected = values(tree, "float64", dealt=True, learning=learning)
    assert np.abs(values(tree, "float64", dealt=False, learning=learning) - expected).max() < 1e-12 * tree.game.pot * 10


@pytest.mark.parametrize("isomorphism", [True, False])
def test_a_real_turn_in_32_bits(isomorphism: bool) -> None:
    spot = Spot(
        "Qs Jh 2h 7c", ("QQ+,AK", "JJ-88,AQs,KQs"), pot=100, stack=200, sizes="bet 100%", isomorphism=isomorphism
    )
    tree = spot.public_tree()
    expected = values(tree, "float32", dealt=True)
    assert np.abs(values(tree, "float32", dealt=False) - expected).max() < 2e-5 * np.abs(expected).max()


def test_each_entry_counts_wins_less_losses() -> None:
    """AsAh against 7c7d on Qs Jh 2h 7h, river by river: only an ace or a heart that pairs no card beats the set."""
    spot = Spot("Qs Jh 2h 7h", ("AsAh", "7c7d"), pot=100, stack=100, sizes="bet all-in")
    tree = spot.public_tree()
    wins = sum(
        (card[0] == "A" or card[1] == "h") and card[0] not in "QJ27"
        for card in (rank + suit for rank in "23456789TJQKA" for suit in "shdc")
        if card not in ("Qs", "Jh", "2h", "7h", "As", "Ah", "7c", "7d")
    )
    assert tree.all_in_layout.all_ins.table[0] == wins - (44 - wins)


def test_lines_that_are_all_in_are_not_walked() -> None:
    tree = uneven_flop().public_tree()
    short, full = tree.all_in_layout.betting, tree.betting
    dropped = tree.order.all_in >= 0
    assert dropped.any() and np.all(full.kind[dropped] >= DEAL)
    assert np.all(short.line_in[dropped] == -1)
    assert short.street_lines[-1] == np.count_nonzero(tree.order.begins & ~dropped)
    for player in range(2):
        shown = short.lane_show[player]
        assert not dropped[shown[shown >= 0]].any()
        assert np.count_nonzero(shown >= 0) == np.count_nonzero((full.kind == SHOWDOWN) & ~dropped)


def test_each_street_can_be_left_to_dealing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tables are too large, only the earlier streets have them; with no memory for any, cards are dealt."""
    tree = uneven_flop().public_tree()
    expected, fewest = values(tree, "float64", dealt=True), tree.all_in_layout.betting.street_lines
    flop = int(all_in_tables.board_bytes(tree.book.arrays, 0).sum())
    monkeypatch.setattr(all_in_tables, "LARGEST_SHARE", 0.0)
    for memory, streets in ((flop, 1), (flop - 1, 0)):
        monkeypatch.setattr(all_in_tables, "FREE_BYTES", memory)
        assert all_in_tables.tabulated_streets(tree) == streets
        fresh = uneven_flop().public_tree()
        assert all_in_tables.table_bytes(fresh) == (flop if streets else 0)
        assert np.abs(values(fresh, "float64", dealt=False) - expected).max() < 1e-10
    lines = betting_arrays(tree.betting_tree, tree.order, tabulated=1).street_lines
    assert fewest[-1] < lines[-1] < tree.betting.street_lines[-1]


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_results_do_not_depend_on_threads(dtype: str) -> None:
    spot = Spot("Qs Jh 2h 7c", ("TT+,AK,AQ", "JJ-55,AQs,KQ"), pot=100, stack=300, sizes="bet 75%, raise all-in")
    runs = [rg.solve(spot, rg.DCFR, iterations=4, dtype=dtype, threads=threads) for threads in (1, 2)]
    assert runs[0].exploitability == runs[1].exploitability
    assert np.array_equal(runs[0].arrays["regret"], runs[1].arrays["regret"])
