"""Gambit files made to hang or to break the reader: one sentence within seconds, or a game."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import regretless as rg
from regretless.errors import FileError
from regretless.formats import read_efg

HEAD = 'EFG 2 R "x" { "A" "B" }\n'
SECONDS = 5.0  # of processor time


def refused(path: Path, text: str) -> str:
    path.write_text(text)
    began = time.process_time()
    with pytest.raises(FileError) as caught:
        read_efg(path)
    assert time.process_time() - began < SECONDS
    said = str(caught.value)
    assert said.startswith(f"{path}, line ") and "\n" not in said and len(said) < 600 + len(str(path))
    return said


@pytest.mark.parametrize(
    ("number", "message"),
    [
        ("1e999999999", "the number 1e999999999 has too many digits"),
        ("1e-999999999", "the number 1e-999999999 has too many digits"),
        ("1e" + "9" * 5_000, "has too many digits"),
        ("9" * 5_000, "has too many digits"),
        ("1/" + "9" * 5_000, "has too many digits"),
        ("0." + "1" * 100_000, "has too many digits"),
        ("1e151", "payoffs beyond 1e+150 in size cannot be summed"),
        ("-1e308", "payoffs beyond 1e+150 in size cannot be summed"),
        ("9" * 3_499, "payoffs beyond 1e+150 in size cannot be summed"),
        ("inf", "a number is needed, not inf"),
        ("nan", "a number is needed, not nan"),
        ("1_000", "a number is needed, not 1_000"),
        ("0x10", "a number is needed, not 0x10"),
        ("1/0", "a number is needed, not 1/0"),
        ("1//2", "a number is needed, not 1//2"),
    ],
)
def test_numbers(tmp_path: Path, number: str, message: str) -> None:
    assert message in refused(tmp_path / "x.efg", f'{HEAD}t "" 1 "" {{ {number} 0 }}\n')


@pytest.mark.parametrize("number", ["1e300", "3", "9" * 3_499])
def test_probabilities_above_one(tmp_path: Path, number: str) -> None:
    said = refused(tmp_path / "x.efg", f'{HEAD}c "" 1 "" {{ "a" {number} "b" 0 }} 0\n')
    assert "is above 1" in said


def test_whole_numbers(tmp_path: Path) -> None:
    for number in ("9" * 5_000, "9" * 19, "1.0", "1e3", "one"):
        assert "a whole number is needed" in refused(tmp_path / "x.efg", f'{HEAD}p "" {number} 1 "" {{ "a" }} 0\n')
        assert "a whole number is needed" in refused(tmp_path / "x.efg", f'{HEAD}t "" {number}\n')


def test_too_many_players(tmp_path: Path) -> None:
    names = '"A" ' * 100_000
    assert "has 100,000 players, and 128 are the most" in refused(tmp_path / "x.efg", f'EFG 2 R "x" {{ {names} }}\n')


def test_denominators_do_not_grow_without_end(tmp_path: Path) -> None:
    """A play passes a thousand outcomes whose denominators of 1,000 digits have no common factor."""
    lines = [f'p "" 1 {n} "" {{ "a" }} {n} "" {{ 1/{10**1_000 + n} 1 }}\n' for n in range(1, 1_001)]
    path = tmp_path / "x.efg"
    path.write_text(HEAD + "".join(lines) + 't "" 0\n')
    began = time.process_time()
    game = read_efg(path)
    assert time.process_time() - began < SECONDS
    assert game.payoffs(1_000)[1] == 1_000


def test_many_probabilities_of_many_digits(tmp_path: Path) -> None:
    """Their exact sum would have millions of digits."""
    moves = " ".join(f'"{n}" {10**1_000 + n}/{2_000 * (10**1_000 + n) + 1}' for n in range(2_000))
    path = tmp_path / "x.efg"
    path.write_text(f'{HEAD}c "" 1 "" {{ {moves} }} 0\n' + 't "" 0\n' * 2_000)
    began = time.process_time()
    assert rg.build(read_efg(path)).terminals == 2_000
    assert time.process_time() - began < SECONDS


def test_a_game_20_000_moves_deep(tmp_path: Path) -> None:
    lines = [f'p "" {1 + n % 2} {n} "" {{ "a" }} 0\n' for n in range(20_000)]
    path = tmp_path / "x.efg"
    path.write_text(HEAD + "".join(lines) + 't "" 1 "" { 1 -1 }\n')
    tree = rg.build(read_efg(path))
    assert tree.histories == 20_001
    assert rg.value(tree, rg.Strategy.uniform(tree)) == 1.0


def test_a_move_with_20_000_actions(tmp_path: Path) -> None:
    names = " ".join(f'"{n}"' for n in range(20_000))
    path = tmp_path / "x.efg"
    path.write_text(f'{HEAD}p "" 1 1 "" {{ {names} }} 0\n' + 't "" 0\n' * 20_000)
    began = time.process_time()
    assert rg.build(read_efg(path)).terminals == 20_000
    assert time.process_time() - began < 2 * SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        HEAD + "{" * 100_000,
        HEAD + 'p "" 1 1 "" ' + "{" * 100_000,
        HEAD + '"' * 100_001,
        HEAD + 'x' * 100_000,
        HEAD + 'p "' + "\\" * 100_001,
        HEAD + 'c "" 1 "" { "a" 1 "b\n\n' + "b" * 1_000 + '" x } 0',
        HEAD + 'p "" 1 1 "" { ' + '"a" ' * 1_000 + '} 0\np "" 1 1 "" { ' + '"b" ' * 1_000 + "} 0",
    ],
)  # fmt: skip
def test_shapes(tmp_path: Path, text: str) -> None:
    refused(tmp_path / "x.efg", text)


def test_an_endless_game_is_not_written(tmp_path: Path) -> None:
    class Endless(rg.games.Kuhn):
        def player(self, state: object) -> int:
            return 0

        def actions(self, state: object) -> tuple[int, ...]:
            return (0, 1)

        def play(self, state: object, action: int) -> object:
            return 0

        def infoset(self, state: object) -> int:
            return 0

    with pytest.raises(rg.GameError, match="random plays had not ended"):
        rg.write_efg(Endless(), tmp_path / "x.efg")
    assert not any(tmp_path.iterdir())
