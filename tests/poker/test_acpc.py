"""Game definitions of the poker competition: what they mean, what OpenSpiel makes of them, mistakes by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from regretless.errors import FileError
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.betting.limit import KUHN, LEDUC, LIMIT_HOLDEM, Limit
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.formats.acpc_games import AcpcGame, read_game


def definition(**settings: object) -> str:
    """A definition with these settings; one that is True stands alone on its line."""
    lines = [key if value is True else f"{key} = {value}" for key, value in settings.items() if value is not None]
    return "\n".join(["GAMEDEF", *lines, "END GAMEDEF", ""])


KUHN_SETTINGS: dict[str, object] = {
    "limit": True,
    "numPlayers": 2,
    "numRounds": 1,
    "blind": "1 1",
    "raiseSize": 1,
    "firstPlayer": 1,
    "maxRaises": 1,
    "numSuits": 1,
    "numRanks": 3,
    "numHoleCards": 1,
    "numBoardCards": 0,
}
LEDUC_SETTINGS = KUHN_SETTINGS | {
    "numRounds": 2,
    "raiseSize": "2 4",
    "firstPlayer": "1 1",
    "maxRaises": "2 2",
    "numSuits": 2,
    "numBoardCards": "0 1",
}
HOLDEM_SETTINGS: dict[str, object] = {
    "limit": True,
    "numPlayers": 2,
    "numRounds": 4,
    "blind": "100 50",
    "raiseSize": "100 100 200 200",
    "firstPlayer": "2 1 1 1",
    "maxRaises": "3 4 4 4",
    "numSuits": 4,
    "numRanks": 13,
    "numHoleCards": 2,
    "numBoardCards": "0 3 1 1",
}
NO_LIMIT_SETTINGS = HOLDEM_SETTINGS | {
    "limit": None,
    "nolimit": True,
    "stack": "20000 20000",
    "raiseSize": None,
    "maxRaises": None,
}


def test_kuhn_and_leduc() -> None:
    kuhn, leduc = read_game(definition(**KUHN_SETTINGS)), read_game(definition(**LEDUC_SETTINGS))
    assert (kuhn.suits, kuhn.ranks, kuhn.deck, kuhn.hole_cards, kuhn.board_cards) == (1, 3, 3, 1, (0,))
    assert (leduc.suits, leduc.ranks, leduc.deck, leduc.hole_cards, leduc.board_cards) == (2, 3, 6, 1, (0, 1))
    for read, known in ((kuhn, KUHN), (leduc, LEDUC)):
        ours, theirs = read.betting.tree(), known.tree()
        assert ours.actions == theirs.actions
        np.testing.assert_array_equal(ours.win, theirs.win)


def test_limit_holdem_with_reversed_blinds() -> None:
    game = read_game(definition(**HOLDEM_SETTINGS))
    assert (game.deck, game.hole_cards, game.board_cards) == (52, 2, (0, 3, 1, 1))
    ours, theirs = game.betting.tree(), LIMIT_HOLDEM.tree()
    assert ours.actions == theirs.actions and ours.counts == theirs.counts
    np.testing.assert_array_equal(ours.win, theirs.win[:, ::-1])  # the seats are swapped
    assert ours.kind[0] == 1


def test_no_limit_holdem() -> None:
    game = read_game(definition(**NO_LIMIT_SETTINGS), sizes="bet pot, raise pot")
    betting = game.betting
    assert isinstance(betting, NoLimit)
    assert (betting.stack, betting.blinds, betting.openers, betting.least_bet) == (20_000, (100, 50), (1, 0, 0, 0), 100)
    tree = betting.tree()
    assert tree.actions[0] == ("fold", "call", "raise to 300")
    assert tree.actions[tree.find("raise call")] == ("check", "bet 600")


def test_layout_of_the_text(tmp_path: Path) -> None:
    """Case, order, equals signs, comments and further numbers do not matter; what is missing has a default."""
    text = """# a comment

gamedef
NUMROUNDS 1
numplayers=2
  blind = 1 1 0 0
# another
raisesize   1
maxraises = 1
NumSuits = 1
numRanks = 3
numHoleCards = 1
numBoardCards = 0 3 1 1
end gamedef
what follows is not read
"""
    assert read_game(text) == read_game(definition(**KUHN_SETTINGS))
    file = tmp_path / "kuhn.game"
    file.write_text(text)
    assert read_game(file) == read_game(str(file)) == read_game(text)


def test_stacks() -> None:
    short = read_game(definition(**HOLDEM_SETTINGS, stack="500 400")).betting
    assert isinstance(short, Limit) and short.stack == 400
    assert short.tree().paid.max() == 400
    uncapped = read_game(definition(**LEDUC_SETTINGS | {"maxRaises": None}, stack="20 20")).betting
    assert isinstance(uncapped, Limit) and uncapped.most_bets == (255, 255)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"numPlayers": 3}, "the game definition, line 3: the game is for 3 players; only games for 2 can be read"),
        ({"numRounds": 5}, "line 4: numRounds takes numbers from 1 to 4, got 5"),
        ({"numSuits": 0}, "line 9: numSuits takes numbers from 1 to 4, got 0"),
        ({"blind": "1"}, "line 5: blind needs 2 numbers, got 1"),
        ({"blind": "one two"}, "line 5: blind takes whole numbers, got 'one two'"),
        ({"blind": None}, "the game definition has no line blind, which needs 2 numbers"),
        ({"firstPlayer": "0"}, "line 7: firstPlayer takes numbers from 1 to 2, got 0"),
        ({"numBoardCards": "2"}, "line 12: 4 cards are dealt from a deck of 1 × 3 = 3"),
        ({"raisesSize": 5}, "line 13: there is no setting 'raisesSize': did you mean 'raiseSize'?"),
        ({"BLIND": "1 1"}, "line 13: blind is given twice, first in line 5"),
        ({"blind": "0 0"}, "the game definition: Limit needs a pot, blinds or an ante"),
        ({"stack": "1 1"}, "needs a stack above the 1 chips"),
        ({"limit": None, "nolimit": True}, "has no line stack, which needs 2 numbers"),
    ],
)
def test_mistakes(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        read_game(definition(**KUHN_SETTINGS | settings))
    assert sentence in str(caught.value)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*missing\.game: No such file"):
        read_game(tmp_path / "missing.game")
    (tmp_path / "bytes.game").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="is no text file, so it is no game definition"):
        read_game(tmp_path / "bytes.game")
    (tmp_path / "poem.game").write_text("roses\nare red\n")
    with pytest.raises(FileError, match=r"poem\.game, line 1: a game definition begins with GAMEDEF, not with 'roses'"):
        read_game(tmp_path / "poem.game")
    with pytest.raises(FileError, match="has no line END GAMEDEF"):
        read_game("GAMEDEF\nlimit\n")
    with pytest.raises(FileError, match="has no line GAMEDEF"):
        read_game("\n")


POT_OR_ALL_IN: dict[str, Any] = {"all_in_from": 1, "add_all_in": 0, "merge": 0}


@pytest.mark.peer
@pytest.mark.parametrize(
    "settings",
    [
        KUHN_SETTINGS,
        LEDUC_SETTINGS,
        HOLDEM_SETTINGS,
        HOLDEM_SETTINGS | {"numRounds": 2, "stack": "750 750"},
        NO_LIMIT_SETTINGS | {"numRounds": 2, "stack": "3000 3000"},
        NO_LIMIT_SETTINGS | {"numRounds": 3, "stack": "700 700", "blind": "50 100", "firstPlayer": "1 2 2"},
    ],
    ids=["kuhn", "leduc", "holdem", "short stacks", "no-limit", "no-limit, usual seats"],
)
def test_the_tree_is_openspiels(settings: dict[str, object]) -> None:
    """Fold, call and raise by turns, and what they pay, with one deal of the cards; no-limit: pot or all-in."""
    pyspiel = pytest.importorskip("pyspiel")
    text = definition(**settings)
    game = read_game(text, sizes="bet pot all-in, raise pot all-in")
    betting = game.betting
    if isinstance(betting, NoLimit):
        fields = {name: getattr(betting, name) for name in betting.__dataclass_fields__}
        game = AcpcGame(NoLimit(**fields | POT_OR_ALL_IN), game.suits, game.ranks, game.hole_cards, game.board_cards)
    tree = game.betting.tree()
    state = pyspiel.universal_poker.load_universal_poker_from_acpc_gamedef(text).new_initial_state()
    waiting = [(0, state)]
    met = 0
    while waiting:
        node, state = waiting.pop()
        met += 1
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        while tree.kind[node] == DEAL:
            node = int(tree.first_child[node])
            met += 1
        if state.is_terminal():
            outcomes = [tree.win[node], tree.tie[node], tree.lose[node]]
            assert tree.kind[node] > DEAL and state.returns()[0] in [outcome[0] for outcome in outcomes]
            if tree.kind[node] == SHOWDOWN:
                assert state.returns()[1] in [outcome[1] for outcome in outcomes]
            continue
        assert state.current_player() == tree.kind[node]
        assert len(state.legal_actions()) == tree.children[node]
        first = int(tree.first_child[node])
        waiting += [(first + place, state.child(action)) for place, action in enumerate(state.legal_actions())]
    assert met == len(tree)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"maxRaises": 1_000_000}, "line 8: maxRaises takes numbers from 0 to 255, got 1000000"),
        ({"raiseSize": "9" * 400}, "raiseSize takes numbers up to 1,000,000,000,000, got '9999"),
        ({"raiseSize": "9" * 5_000}, "raiseSize takes numbers up to 1,000,000,000,000, got '9999"),
        ({"raiseSize": 9_999_999_999_999}, "raiseSize takes numbers from 1 to 1,000,000,000,000, got 9999999999999"),
        ({"blind": "-" + "9" * 400 + " 1"}, "blind takes numbers up to"),
        ({"stack": f"{10**13} 1"}, "stack takes numbers from 1 to 1,000,000,000,000"),
        ({"numPlayers": "9" * 13}, "numPlayers takes numbers from 1 to 10, got 9999999999999"),
        ({"numHoleCards": 10**9}, "numHoleCards takes numbers from 1 to 3, got 1000000000"),
        ({"numBoardCards": 10**9}, "numBoardCards takes numbers from 0 to 3, got 1000000000"),
        ({"blind": "1 " * 100_000 + "much"}, "blind takes whole numbers, got '1 1 1"),
        ({"blind": "² 1"}, "blind takes whole numbers, got '² 1'"),
        ({"x" * 100_000: 1}, "there is no setting 'xxxx"),
        ({"=": "="}, "there is no setting '"),
    ],
)
def test_hostile_numbers(settings: dict[str, object], sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        read_game(definition(**KUHN_SETTINGS | settings))
    assert sentence in str(caught.value) and len(str(caught.value)) < 400


def test_large_definitions_are_not_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="is too large for a game definition: at most 1,000,000 characters"):
        read_game("GAMEDEF\n" + "#\n" * 1_000_000)
    (tmp_path / "large.game").write_text("GAMEDEF\n" + "#\n" * 1_000_000)
    with pytest.raises(FileError, match=r"large\.game is too large for a game definition: at most 1,000,000 bytes"):
        read_game(tmp_path / "large.game")
