"""`regretless play`: a person at a terminal, typed in advance."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from explored import saved, solved
from rich.console import Console

import regretless as rg
from regretless.apps.cli import main
from regretless.apps.play.board_opponent import BoardOpponent
from regretless.apps.play.table import Table
from regretless.apps.play.terminal import amount, play_hand, read_action, signed

Play = Callable[..., str]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, empty_folder: Path) -> Play:
    """Play with what is typed; returns what is printed."""
    saved(empty_folder, "kuhn.run")

    def played(typed: str, *words: str, code: int = 0) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        out = io.StringIO()
        with redirect_stdout(out), pytest.raises(SystemExit) as ended:
            main(["play", *words])
        assert (ended.value.code or 0) == code
        return out.getvalue()

    return played


def test_hands_that_were_asked_for(play: Play) -> None:
    said = play("bet\n" * 20, "kuhn.run", "--hands", "3", "--seed", "1", "--seat", "0")
    assert "Hand 3" in said and "Hand 4" not in said
    assert "you are player 0" in said
    assert "same deals" in said and "mistakes" in said
    assert said == play("2\n" * 20, "kuhn.run", "--hands", "3", "--seed", "1", "--seat", "0")  # by number the same


@pytest.mark.parametrize("typed", ["q\n", "quit\n", "", "bet\nq\n", "\n\nq\n"])
def test_quitting_keeps_the_score(play: Play, typed: str) -> None:
    said = play(typed, "kuhn.run", "--seed", "3", "--seat", "1")
    finished = said.count("the strategy with your cards")
    assert (f"hands       {finished}" in said) if finished else "No hand was finished" in said


def test_ctrl_c_ends_cleanly(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["pass", "pass"])

    def interrupted(prompt: str) -> str:
        for word in typed:
            return word
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert "same deals" in play("", "kuhn.run", "--seed", "3")


def test_asking_for_an_explanation(play: Play) -> None:
    said = play("?\nbet\nq\n", "kuhn.run", "--seed", "1", "--seat", "0")
    assert "most likely" in said and "EV" in said
    explained = play("bet\nq\n", "kuhn.run", "--seed", "1", "--seat", "0", "--explain")
    assert "→ you" in explained and "at " in explained


def test_words_that_are_no_moves(play: Play) -> None:
    said = play("raise\n3\np\nq\n", "kuhn.run", "--seed", "1", "--seat", "0")
    assert "'raise' is none of: 1 pass  2 bet" in said and "'3' is none of" in said


def test_a_game_by_its_name(play: Play) -> None:
    said = play("call\n" * 9, "leduc:ranks=2", "--hands", "1", "--seed", "1")
    assert "exploitability" in said and "you hold [" in said


def test_dice_boards_and_bids(play: Play, empty_folder: Path) -> None:
    assert "⚀" in (said := play("1x1\nliar\n" * 20, "liars_dice:sides=3", "--hands", "8", "--seed", "2")) or "⚁" in said
    assert "a b" in play("a1\nb1\na2\nb2\n" * 5, "dark_hex:size=2", "--hands", "1", "--seed", "2")
    assert "prize" in play("3\n2\n1\n" * 5, "goofspiel:cards=3", "--hands", "2", "--seed", "2")
    saved(empty_folder, "three.run", solved("kuhn:players=3", 20))
    assert "of 3" in play("pass\n" * 9, "three.run", "--hands", "1", "--seed", "1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nosuch.run",), "there is no game named 'nosuch.run'"),
        (("kuhn.run", "--seat", "5"), "a seat is 0 to 1, random or alternate, got '5'"),
        (("broken.run",), "not a regretless file"),
        (("own.run",), "--game mygame.py:Guess opens it"),
    ],
)
def test_mistakes(
    play: Play, empty_folder: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (empty_folder / "broken.run").write_bytes(b"nothing")
    import dataclasses

    dataclasses.replace(solved("kuhn"), game="mygame.py:Guess").save(empty_folder / "own.run")
    play("q\n", *words, code=2)
    assert said in capsys.readouterr().err


def test_what_a_word_means() -> None:
    assert read_action("BET", ["pass", "bet"]) == 1
    assert read_action("", ["pass", "bet"]) is None
    assert read_action("b", ["bet 33", "bet 75"]) is None
    assert read_action("bet 7", ["bet 33", "bet 75"]) == 1
    assert read_action("1", ["2", "3"]) is None
    assert (amount(2.0), amount(0.1234), signed(-2), signed(0.0), signed(1.5)) == ("2", "0.123", "−2", "0", "+1.500")


def test_hands_that_end_before_the_first_move_are_printed() -> None:
    """An opponent who always folds ends every hand at once where he begins."""
    game = rg.poker.FlopHoldem()
    opponent = BoardOpponent(rg.poker.card_blind(game, fold=1))
    out = io.StringIO()
    table = Table(opponent, seat="1", seed=1, hands=3)
    assert table.turn is None
    console = Console(file=out, width=120)
    play_hand(console, table, explain=False)
    table.deal()
    play_hand(console, table, explain=False)
    said = out.getvalue()
    assert "Hand 1 · you are player 1" in said and "Hand 2" in said and said.count("You win 50") == 2
    assert "choices cost" not in said and table.score.cost == 0 and table.score.complete
