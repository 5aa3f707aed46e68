"""Features tell infosets apart, put the same thing in the same place, and can be stated by the game itself."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless as rg
from regretless.deep.games.features import infosets_of, label_features, tree_features

GAMES = [
    "kuhn", "kuhn:players=3", "leduc", "leduc:players=3,ranks=2", "one_card_poker", "liars_dice:sides=4",
    "dudo:sides=4", "goofspiel:cards=4", "goofspiel:cards=3,points=random", "blotto", "rps", "matching_pennies",
    "oshi_zumo:coins=5,size=1", "battle_of_the_sexes", "liars_dice:dice=2x1,sides=3", "dark_hex:size=2",
    "liar_die:sides=4",
]  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_all_infosets_of_a_player_differ(name: str) -> None:
    tree = rg.build(rg.games.by_name(name))
    features = tree_features(tree)
    assert features.dtype == np.uint8 and len(features) == tree.infosets
    for player in range(tree.players):
        own = features[tree.labels.owner == player]
        assert len(np.unique(own, axis=0)) == len(own)
    assert not np.any(features.min(axis=0) == features.max(axis=0)) or tree.infosets == 1


@given(
    st.lists(
        st.one_of(st.text("ab ", max_size=4), st.integers(0, 20), st.tuples(st.text("ab", max_size=2))), unique=True
    )
)
@settings(deadline=None)
def test_any_labels_differ(names: list[Hashable]) -> None:
    features = label_features(names, np.zeros(len(names), np.int64), 1)
    assert len(np.unique(features, axis=0)) == len(names)


def test_characters_are_one_hot_at_their_places() -> None:
    features = label_features(["Qs rc Jh", "Qs cc Jh", "Ks rc"], np.zeros(3, np.int64), 1)
    # Q or K; r or c; the board's two characters and its end: columns in the order of their first occurrence
    assert features.tolist() == [[1, 1, 1, 1, 1, 0, 0], [1, 0, 1, 1, 1, 1, 0], [0, 1, 0, 0, 0, 0, 1]]


def test_owners_of_a_shared_label_differ() -> None:
    tree = rg.build(rg.games.RockPaperScissors())
    assert len(np.unique(tree_features(tree), axis=0)) == 2


class Stated(rg.Game):
    """Matching pennies whose second player is told what kind of day it is."""

    def __init__(self, answers: dict[Hashable, Any]) -> None:
        self.answers = answers

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if len(state) == 2 else len(state)

    def actions(self, state: str) -> str:
        return "HT"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> int:
        return 10 + len(state)

    def payoffs(self, state: str) -> Sequence[float]:
        return (1, -1) if state[0] == state[1] else (-1, 1)

    def infoset_label(self, infoset: int) -> str:
        return f"player {infoset - 10}"

    def features(self, infoset: int) -> Any:
        return self.answers[infoset]


def test_a_game_states_its_features_from_what_infoset_returned() -> None:
    tree = rg.build(Stated({10: (0.5, 1), 11: [2, 3.25]}))
    assert infosets_of(tree) == [10, 11]
    features = tree_features(tree)
    assert features.dtype == np.float32 and features.tolist() == [[0.5, 1], [2, 3.25]]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({10: (1, 2), 11: (1,)}, "features(11) are 1 numbers, and 2 of 10"),
        ({10: (1, float("nan")), 11: (1, 2)}, "features(10) is no vector of finite numbers"),
        ({10: "many", 11: "more"}, "features(10) returned 'many', not numbers"),
        ({10: (), 11: ()}, "features(10) is no vector"),
    ],
)
def test_features_that_are_none(answers: dict[Hashable, Any], said: str) -> None:
    with pytest.raises(rg.GameError) as error:
        tree_features(rg.build(Stated(answers)))
    assert said in str(error.value)


def test_infosets_are_asked_at_a_history_of_each() -> None:
    tree = rg.build(rg.games.Leduc())
    labels = [tree.game.infoset_label(infoset) for infoset in infosets_of(tree)]
    assert labels == list(tree.labels.names)
