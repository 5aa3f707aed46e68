"""Positions instead of histories: how many, whose infosets, and which games have no graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from forgetful import Circle, Pile, Weather

import regretless as rg
from regretless.game import Game
from regretless.recall.deal_blocks import blocks_of
from regretless.recall.graph import SHARED, graph_of


@pytest.mark.parametrize(("recall", "infosets"), [(1, 78), (2, 474), (3, 1_794)])
def test_dudo_has_the_published_infosets(recall: int, infosets: int) -> None:
    graph = graph_of(rg.games.Dudo(recall=recall))
    assert graph.infosets == infosets
    assert graph.zero_sum
    shared = graph.labels.owner == SHARED
    assert shared.sum() > infosets / 2
    assert {graph.labels.names[i] for i in np.flatnonzero(graph.labels.owner == 0)} >= set("123456")


@pytest.mark.parametrize(
    ("game", "positions", "infosets"),
    [
        (rg.games.Kuhn(), 58, 12),  # states that tell everything are histories
        (Pile(6), 12, 6),
        (rg.games.LiarDie(recall=2), 322, 57),
    ],
    ids=repr,
)
def test_counts(game: Game, positions: int, infosets: int) -> None:
    graph = graph_of(game)
    assert (graph.positions, graph.infosets) == (positions, infosets)


@pytest.mark.parametrize("game", [rg.games.Dudo(sides=3, recall=2), Weather(), rg.games.Leduc()], ids=repr)
def test_moves_lead_onwards(game: Game) -> None:
    form = graph_of(game).form
    above = np.repeat(np.arange(len(form.mover)), np.diff(form.first_edge))
    assert np.all(form.child > above)
    assert form.mover[0] == game.player(game.root())
    chance = np.flatnonzero(form.mover == rg.CHANCE)
    sums = np.add.reduceat(form.chance, form.first_edge[:-1][np.diff(form.first_edge) > 0])
    moving = np.flatnonzero(np.diff(form.first_edge) > 0)
    assert np.allclose(sums[np.isin(moving, chance)], 1.0)


def test_only_deals_make_blocks() -> None:
    assert blocks_of(graph_of(rg.games.Leduc())) is None  # a card is dealt later
    assert blocks_of(graph_of(rg.games.LiarDie(sides=3, recall=2))) is None  # the die is rolled anew
    assert blocks_of(graph_of(rg.games.Kuhn(players=3))) is None
    assert blocks_of(graph_of(Pile())) is None
    blocks = blocks_of(graph_of(rg.games.Kuhn()))
    assert blocks is not None
    assert np.allclose(np.sort(blocks.deal, axis=1), [0, 1 / 6, 1 / 6]) and np.all(blocks.ways0 == 2)


def test_dice_that_fall_alike_are_one_hand() -> None:
    blocks = blocks_of(graph_of(rg.games.Dudo(dice=(2, 1), sides=2, recall=1)))
    assert blocks is not None
    assert blocks.deal.shape == (3, 2)
    assert sorted(blocks.deal.sum(axis=1)) == [0.25, 0.25, 0.5]
    assert sorted(blocks.ways0) == [2, 2, 4]


# -- games without a graph --------------------------------------------------------------------------------------------


def test_a_cycle_is_named() -> None:
    with pytest.raises(rg.GameError) as error:
        rg.solve(Circle(), rg.FSICFR(), iterations=1)
    said = str(error.value)
    assert said.startswith("Circle goes in a cycle: ")
    for place in "abcd":
        assert f"'{place}') (on) → " in said
    assert "again; let states count the moves" in said


def test_a_step_back_is_named() -> None:
    with pytest.raises(
        rg.GameError, match=r"goes in a cycle: \(0, \d\) \([12]\) → \(0, \d\) \([12]\) → \(0, \d\) again"
    ):
        graph_of(Refilled())


class Refilled(Pile):
    """A pile that may be filled up again."""

    def actions(self, state: Any) -> Any:
        return (1, 2)

    def play(self, state: Any, action: Any) -> Any:
        return (state[0], min(state[1] + 1, 6)) if action == 2 and state[1] < 6 else (state[0], state[1] - 1)


def test_states_must_be_hashable() -> None:
    class Listed(Pile):
        def root(self) -> Any:
            return [0, self.pile]

    with pytest.raises(rg.GameError, match="cannot be hashed"):
        graph_of(Listed())


def test_different_actions_are_shown() -> None:
    class Mixed(Pile):
        def infoset(self, state: Any) -> Any:
            return "somewhere"

    with pytest.raises(rg.GameError, match=r"infoset 'somewhere' offers \[1, 2\] after the root but \[1\] after"):
        graph_of(Mixed(3))


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"payoffs": lambda self, state: (1,)}, "payoffs returned"),
        ({"player": lambda self, state: 7}, "player returned 7"),
        ({"actions": lambda self, state: ()}, "actions returned nothing"),
        ({"actions": lambda self, state: (1, 1)}, "one is named twice"),
        ({"infoset_label": lambda self, infoset: "x"}, "gives two infosets the name 'x'"),
        ({"player": lambda self, state: rg.CHANCE if state[1] else rg.TERMINAL, "chance": lambda self, state: (2,)},
         "is no distribution"),
    ],
)  # fmt: skip
def test_broken_games(answer: dict[str, Any], sentence: str) -> None:
    kind = type("Broken", (Pile,), answer)
    with pytest.raises(rg.GameError, match=sentence):
        graph_of(kind(4))


def test_the_linter_names_the_engine() -> None:
    report = rg.check_game(rg.games.Dudo(sides=2, recall=1))
    assert any(note.startswith("imperfect recall") and "rg.FSICFR()" in note for note in report.notes)
    assert not any("FSICFR" in note for note in rg.check_game(rg.games.Kuhn()).notes)


def test_a_graph_speaks_for_itself() -> None:
    graph = graph_of(Pile(4))
    assert repr(graph).startswith("<Graph of Pile: 8 positions, 4 infosets")
    assert graph.fingerprint == graph_of(Pile(4)).fingerprint != graph_of(Pile(5)).fingerprint
    assert rg.solve(graph, rg.FSICFR(), iterations=2).fingerprint == graph.fingerprint
