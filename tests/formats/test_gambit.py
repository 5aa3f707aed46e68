"""Gambit files: what we write we read back and Gambit solves alike; bad files are told by line."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from gambit_peer import gambit_value
from regretless.errors import FileError, GameError
from regretless.formats import read_efg, write_efg
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games import BattleOfTheSexes, Blotto, Goofspiel, Kuhn, Leduc, OneCardPoker
from regretless.linter import check_game

TWO_PLAYERS = 'EFG 2 R "tiny" { "Ann" "Bob" }\n"a comment"\n'


def same_game(one: Game, other: Game) -> bool:
    """Whether two games have equal trees, labels, chances and payoffs."""
    waiting = [(one.root(), other.root())]
    infosets: dict[Any, Any] = {}
    while waiting:
        a, b = waiting.pop()
        mover = one.player(a)
        if mover != other.player(b):
            return False
        if mover == TERMINAL:
            if list(one.payoffs(a)) != list(other.payoffs(b)):
                return False
            continue
        ours, theirs = one.actions(a), other.actions(b)
        if [str(one.action_label(x)) for x in ours] != [str(other.action_label(x)) for x in theirs]:
            return False
        if mover == CHANCE and list(one.chance(a)) != pytest.approx(list(other.chance(b)), abs=1e-15):
            return False
        if mover != CHANCE:
            label = str(one.infoset_label(one.infoset(a)))
            if label != other.infoset_label(other.infoset(b)):
                return False
            if infosets.setdefault((mover, one.infoset(a)), other.infoset(b)) != other.infoset(b):
                return False
        waiting += [(one.play(a, x), other.play(b, y)) for x, y in zip(ours, theirs, strict=True)]
    return True


@pytest.mark.parametrize(
    "game",
    [Kuhn(), Kuhn(players=3), Leduc(), OneCardPoker(deck=5), BattleOfTheSexes(), Goofspiel(cards=3)],
    ids=repr,
)
def test_round_trip(game: Game, tmp_path: Path) -> None:
    write_efg(game, tmp_path / "game.efg")
    back = read_efg(tmp_path / "game.efg")
    assert back.title == repr(game) and back.players == game.players
    assert same_game(game, back)
    write_efg(back, tmp_path / "again.efg", title=back.title)
    assert (tmp_path / "again.efg").read_text() == (tmp_path / "game.efg").read_text()
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["again.efg", "game.efg"]


def test_what_is_read_passes_the_linter(tmp_path: Path) -> None:
    write_efg(Kuhn(), tmp_path / "kuhn.efg")
    game = read_efg(tmp_path / "kuhn.efg")
    report = check_game(pickle.loads(pickle.dumps(game)))
    assert report.ok and (report.histories, report.infosets) == (58, 12)
    assert repr(game) == "EfgGame(title='Kuhn(players=2)', player_names=('player 0', 'player 1'))"


@pytest.mark.peer
@pytest.mark.parametrize(
    ("game", "value"),
    [
        (Kuhn(), Fraction(-1, 18)),
        (OneCardPoker(deck=4), Fraction(-1, 24)),
        (OneCardPoker(deck=5), Fraction(-1, 15)),
        (Blotto(soldiers=3, fields=2), Fraction(0)),
    ],
    ids=repr,
)
def test_gambit_solves_it_to_the_same_value(game: Game, value: Fraction, tmp_path: Path) -> None:
    pygambit = pytest.importorskip("pygambit")
    write_efg(game, tmp_path / "game.efg")
    theirs = pygambit.read_efg(str(tmp_path / "game.efg"))
    for solve in (pygambit.nash.lp_solve, pygambit.nash.lcp_solve):
        assert Fraction(str(gambit_value(theirs, solve(theirs, rational=True)))) == value


@pytest.mark.peer
def test_what_gambit_writes_is_read(tmp_path: Path) -> None:
    pygambit = pytest.importorskip("pygambit")
    write_efg(Kuhn(), tmp_path / "ours.efg")
    pygambit.read_efg(str(tmp_path / "ours.efg")).to_efg(str(tmp_path / "theirs.efg"))
    assert same_game(Kuhn(), read_efg(tmp_path / "theirs.efg"))


class Odd(Game):
    """Labels with everything that needs care, and chances that are no simple fractions."""

    players = 1

    def root(self) -> Any:
        return ()

    def player(self, state: Any) -> int:
        return [CHANCE, 0, TERMINAL][len(state)]

    def actions(self, state: Any) -> Any:
        return ['say "hi"', "a  b", "a b", "♠", "back\\slash", ""]

    def play(self, state: Any, action: Any) -> Any:
        return (*state, action)

    def infoset(self, state: Any) -> Any:
        return state

    def infoset_label(self, infoset: Any) -> Any:
        return "one\nline" if infoset[0] == "♠" else "one line"

    def chance(self, state: Any) -> Any:
        raw = [0.1234567890123, 0.2, 0.3, 0.1, 0.2]
        return [*raw, 1 - sum(raw)]

    def payoffs(self, state: Any) -> Any:
        return [0.1 if state[0] == "♠" else 1 / 3 + 1e-12]


def odd_file(folder: Path) -> Path:
    write_efg(Odd(), folder / "odd.efg")
    return folder / "odd.efg"


def test_odd_labels_and_numbers(tmp_path: Path) -> None:
    game = read_efg(odd_file(tmp_path))
    assert game.actions(0) == ('say "hi"', "a b", "a b #3", "U+2660", "back/slash", "#6")
    below = [game.play(0, action) for action in game.actions(0)]
    labels = [game.infoset_label(game.infoset(node)) for node in below]
    assert labels[0] == "one line" and len(set(labels)) == len(labels)
    infoset = game.nodes[0].infoset
    assert infoset is not None and sum(infoset.probabilities) == 1
    assert game.chance(0) == pytest.approx(Odd().chance(()), abs=1e-15)
    assert game.payoffs(game.play(below[3], "#6")) == [0.1]
    assert game.payoffs(game.play(below[0], "#6")) == [1 / 3 + 1e-12]


@pytest.mark.peer
def test_gambit_reads_odd_labels(tmp_path: Path) -> None:
    pygambit = pytest.importorskip("pygambit")
    game = pygambit.read_efg(str(odd_file(tmp_path)))
    if hasattr(game, "root"):  # Gambit 16
        actions = [action.label for action in game.root.infoset.actions]
    else:
        actions = game.get_actions(pygambit.H.path())
    assert actions[:2] == ['say "hi"', "a b"]


def test_outcomes_before_the_end_add_up_and_may_be_repeated_by_number(tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    path.write_text(
        TWO_PLAYERS
        + 'c "deal" 1 "" { "red" .25 "black" 3/4 } 1 "ante" { -1 -1 }\n'
        + 'p "" 1 7 "knows red" { "stay" "go" } 0\n'
        + 't "" 2 "won" { 3, 1e0 }\n'
        + 't "" 1\n'
        + 'p "" 1 7 0\n'
        + 't "" 0\n'
        + 't "" 2 "won"\n'
    )
    game = read_efg(path)
    assert game.player_names == ("Ann", "Bob") and game.chance(0) == [0.25, 0.75]
    assert [game.payoffs(node) for node in (2, 3, 5, 6)] == [[2, 0], [-2, -2], [-1, -1], [2, 0]]
    assert game.infoset(1) == game.infoset(4) == (0, 7)
    assert game.infoset_label((0, 7)) == "knows red"


def test_infosets_without_names_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "game.efg"
    path.write_text(TWO_PLAYERS + 'p "" 1 1 "" { "" "x" "x" } 0\n' + 'p "" 1 2 "" { "a" } 0\nt "" 0\nt "" 0\nt "" 0\n')
    game = read_efg(path)
    assert game.actions(0) == ("#1", "x #2", "x #3")
    assert [game.infoset_label((0, number)) for number in (1, 2)] == ["#1", "#2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file ends too early"),
        ('NFG 1 R "other"', 'line 1: a Gambit game begins with EFG 2 R "title"'),
        ('EFG 2 R "x" { }\n', "line 1: the game has no players"),
        ('EFG 2 R "x { "A" }\n', "a text in quotes is needed, not A|a list in braces"),
        ('EFG 2 R "x" { "A" "B\n', "line 1: a quoted text does not end"),
        (TWO_PLAYERS, "line 2: the file ends, but there are no nodes"),
        (TWO_PLAYERS + 'x "" 1', "line 3: a node begins with c, p or t, not with x"),
        (TWO_PLAYERS + 'p "" 3 1 "" { "a" } 0', "line 3: player 3 does not exist, there are 2"),
        (TWO_PLAYERS + 'p "" 1 1 0', "line 3: infoset 1 appears for the first time and needs its actions"),
        (TWO_PLAYERS + 'p "" 1 1 "" { } 0', "line 3: a move needs at least one action"),
        (TWO_PLAYERS + 'p "" one 1 "" { "a" } 0', "line 3: a whole number is needed, not one"),
        (
            TWO_PLAYERS + 'p "" 1 1 "" { "a" "b" } 0\nt "" 0\n',
            "line 4: the file ends, but nodes above still lack children",
        ),
        (TWO_PLAYERS + 'p "" 1 1 "" { "a" } 0\np "" 1 1 "" { "b" } 0', "line 4: infoset 1 has the actions b"),
        (TWO_PLAYERS + 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0', "line 3: the probabilities sum to 0.83333"),
        (TWO_PLAYERS + 'c "" 1 "" { "a" 3/2 "b" -1/2 } 0', "line 3: the probability -1/2 is negative"),
        (TWO_PLAYERS + 'c "" 1 "" { "a" half } 0', "line 3: a number is needed, not half"),
        (TWO_PLAYERS + 'c "" 1 "" { "a" 1/0 } 0', "line 3: a number is needed, not 1/0"),
        (TWO_PLAYERS + 't "" 1', "line 3: outcome 1 appears for the first time and needs its payoffs"),
        (TWO_PLAYERS + 't "" 1 "" { 1 }', "line 3: outcome 1 has 1 payoffs for 2 players"),
        (TWO_PLAYERS + 't "" 0\nt "" 0', "line 3: the game is complete, but the file goes on"),
        (
            TWO_PLAYERS + 'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1, 1 }\nt "" 1 "" { 1, 2 }\n',
            "line 5: outcome 1 has other payoffs than where it appeared first",
        ),
    ],
)
def test_malformed_files_are_told_by_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.efg"
    path.write_text(text)
    with pytest.raises(FileError, match=message) as caught:
        read_efg(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot read .*No such file"):
        read_efg(tmp_path / "none.efg")
    (tmp_path / "binary.efg").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError, match="is no text file"):
        read_efg(tmp_path / "binary.efg")
    with pytest.raises(FileError, match="cannot write"):
        write_efg(Kuhn(), tmp_path / "binary.efg" / "kuhn.efg")
    with pytest.raises(FileError, match="it is a folder"):
        write_efg(Kuhn(), tmp_path)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    class Infinite(Odd):
        def payoffs(self, state: Any) -> Any:
            return [float("inf")]

    path = tmp_path / "game.efg"
    path.write_text("kept")
    with pytest.raises(GameError, match="inf is no finite number"):
        write_efg(Infinite(), path)
    assert path.read_text() == "kept" and list(tmp_path.iterdir()) == [path]


def test_a_path_is_a_game_too(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.efg"
    write_efg(Kuhn(), path)
    assert rg.build(path).fingerprint == rg.build(str(path)).fingerprint
