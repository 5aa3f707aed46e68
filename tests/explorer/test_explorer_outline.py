"""The public outline of games: against hand-counted public histories, and its defining property on random games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from conftest import built
from random_games import RandomGame
from regretless.apps.views.outline import HIDDEN, Outline, outline_of
from regretless.game import CHANCE
from regretless.subgames.public_states import public_states, steps_of


def titles(outline: Outline) -> list[str]:
    return [outline.title(node) for node in range(len(outline))]


def names(outline: Outline, node: int) -> set[str]:
    return {str(outline.tree.labels.names[infoset]) for infoset in outline.infosets(node)}


def test_kuhn() -> None:
    outline = outline_of(built("kuhn"))
    assert titles(outline) == ["start", "pass", "bet", "pass bet"]
    assert [names(outline, node) for node in range(4)] == [
        {"J", "Q", "K"}, {"Jp", "Qp", "Kp"}, {"Jb", "Qb", "Kb"}, {"Jpb", "Qpb", "Kpb"},
    ]  # fmt: skip
    assert outline.mover.tolist() == [0, 1, 1, 0]
    assert outline.ends.tolist() == [0, 6, 12, 12]
    assert outline.below.tolist() == [12, 6, 3, 3]


def test_kuhn_for_three_has_one_node_for_each_line_of_betting() -> None:
    outline = outline_of(built("kuhn:players=3"))
    assert len(outline) == 48 // 4  # every node has the four cards
    assert all(len(outline.infosets(node)) == 4 for node in range(len(outline)))


def test_leduc_shows_the_board_and_hides_the_cards() -> None:
    """Betting of a round: 6 decision nodes that 5 lines leave without a fold; 6 boards; the rest is arithmetic."""
    outline = outline_of(built("leduc"))
    decisions = [node for node in range(len(outline)) if outline.mover[node] >= 0]
    deals = [node for node in range(len(outline)) if outline.mover[node] == CHANCE]
    assert len(deals) == 5
    assert len(decisions) == 6 + 5 * 6 * 6
    assert {outline.name(child) for child in outline.children[deals[0]]} == {"Js", "Jh", "Qs", "Qh", "Ks", "Kh"}
    node = outline.find(outline.address(decisions[-1]))
    assert node == decisions[-1]
    assert len(outline.infosets(node)) == 5  # no player holds the board's card


def test_dice_are_never_public() -> None:
    outline = outline_of(built("liars_dice:sides=3"))
    assert len(outline) == 2**6  # any set of the six claims but the highest alone can be followed; with the empty one
    assert all(len(outline.infosets(node)) == 3 for node in range(len(outline)))


def test_hidden_moves_have_no_names() -> None:
    outline = outline_of(built("rps"))
    assert titles(outline) == ["start", "hidden move"]
    goofspiel = outline_of(built("goofspiel:cards=3"))
    after = goofspiel.children[goofspiel.children[0][0]]
    assert len({goofspiel.name(node) for node in after}) == len(after) == 5  # won, lost, and three ways to be equal
    assert goofspiel.mover[0] == 0


def test_who_moves_may_be_hidden() -> None:
    outline = outline_of(built("dark_hex:size=2"))
    assert set(outline.mover.tolist()) <= {0, 1, HIDDEN}
    assert outline.below[0] >= built("dark_hex:size=2").infosets


@pytest.mark.parametrize("address", ["9", "0-0-0", "-", "0-", "x", "0--0", "١", "00000000000"])
def test_an_address_that_leads_nowhere(address: str) -> None:
    assert outline_of(built("kuhn")).find(address) is None


@given(st.integers(0, 10_000))
def test_no_infoset_is_cut_and_nodes_form_a_tree(seed: int) -> None:
    """What defines public states, on random games: the mover cannot distinguish histories of one infoset, so they
    lie in one state (of their length); and histories in one state come from one state."""
    tree = rg.build(RandomGame(seed))
    steps = steps_of(tree)
    state = public_states(tree, steps)
    h = tree.listing
    depth = np.zeros(tree.histories, np.int64)
    for length, level in enumerate(steps.levels):
        depth[level] = length
    where = {}
    for history in np.flatnonzero(h.mover >= 0).tolist():
        key = (int(h.index[history]), int(depth[history]))
        assert where.setdefault(key, int(state[history])) == state[history]
    above: dict[tuple[int, int], int] = {}
    for history in np.flatnonzero((state >= 0) & (steps.parent >= 0)).tolist():
        key = (int(depth[history]), int(state[history]))
        assert above.setdefault(key, int(state[steps.parent[history]])) == state[steps.parent[history]]
    outline = outline_of(tree)
    assert sorted(i for node in range(len(outline)) for i in outline.infosets(node)) == list(range(tree.infosets))
    assert all(outline.find(outline.address(node)) == node for node in range(len(outline)))
