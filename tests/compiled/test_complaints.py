"""What cannot be compiled ends in one sentence: method, file, line, the line itself, and why."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import mistakes
import pytest

import regretless as rg
from conftest import INTERPRETED
from regretless.compiled import compile_game

pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiles games")

WORDS = {
    "UsesDict": (r"UsesDict\.play", "other = {0: 1, 1: 0}", "it uses a dict"),
    "UsesNames": (r"UsesNames\.infoset", "NAMES", "NAMES is a dict"),
    "UsesSet": (r"UsesSet\.actions", "seen = ", "it uses a set"),
    "UsesText": (r"UsesText\.root", 'return ""', "it uses text"),
    "FormatsText": (r"FormatsText\.infoset", "return f", "it uses text"),
    "NamedActions": (r"NamedActions\.actions", "self.moves", "self.moves holds a str, 'left'"),
    "HalfActions": (r"HalfActions\.actions", "def actions", "it returns the action 0.5"),
    "CallsItself": (r"around", "around(number - 1)", r"it calls itself \(around → around\)"),
    "Circle": (r"Circle\.down", "self.up", r"it calls itself \(Circle.up → Circle.down → Circle.up\)"),
    "Hashes": (r"Hashes\.infoset", "hash(state)", r"it uses hash\(\), which cannot be compiled"),
    "NoneField": (r"NoneField\.actions", "self.limit", "self.limit is None"),
    "MissingMethod": (r"MissingMethod\.play", "self.move(", "there is no self.move"),
    "Growing": (r"Growing\.play", "def play", "one state is a tuple of 0 whole numbers and another a tuple of 1"),
    "ListState": (r"ListState\.root", "def root", r"it returns a list in the state \[0, 0\]"),
    "TwoKindsOfInfoset": (r"TwoKindsOfInfoset\.infoset", "def infoset", "one infoset is a whole number and another"),
    "HandsItselfOn": (r"HandsItselfOn\.infoset", "helper(self", "it passes self on"),
    "Remembers": (r"Remembers\.infoset", "self.last = state", "it changes self.last"),
    "Chooses": (r"Chooses\.payoffs", "key=lambda", "it uses a lambda"),
    "Tries": (r"Tries\.infoset", "try:", "it uses try"),
    "TwoKindsOfList": (r"TwoKindsOfList\.play", "options = ", "one thing is now a list of whole numbers, now a list"),
    "UnknownFunction": (r"UnknownFunction\.infoset", "busday", "busday_count"),
}


@pytest.mark.parametrize("name", WORDS)
def test_a_sentence_about_the_authors_line(name: str) -> None:
    method, on_the_line, why = WORDS[name]
    with pytest.raises(rg.GameError, match=why) as caught:
        compile_game(getattr(mistakes, name)())
    said = str(caught.value)
    place = re.match(rf"{method} \(mistakes\.py, line (\d+)\) cannot be compiled: ", said)
    assert place, said
    assert on_the_line in linecache.getline(mistakes.__file__, int(place[1])), said
    assert "\n" not in said
    assert caught.value.__cause__ is None or not type(caught.value.__cause__).__module__.startswith("numba")


def test_numbers_of_more_than_64_bits_are_named() -> None:
    with pytest.raises(rg.GameError, match=r"Wide cannot be compiled: infoset gives a number of 71 bits, \d+, where"):
        compile_game(mistakes.Wide())
    with pytest.raises(rg.GameError, match="Wraps is not the same when compiled: infoset is 6, but compiled"):
        compile_game(mistakes.Wraps())


def test_what_a_game_raises_is_told_with_the_method() -> None:
    with pytest.raises(rg.GameError, match="RaisesItself: infoset raised KeyError: 'unknown'"):
        compile_game(mistakes.RaisesItself())


def test_a_lambda_is_no_method() -> None:
    with pytest.raises(rg.GameError, match="cannot be compiled: it is no def"):
        compile_game(mistakes.Lambdas())


def test_a_class_without_source() -> None:
    space = {"rg": rg, "Fine": mistakes.Fine, "__name__": "prompt"}
    exec("@rg.compiled\nclass Typed(Fine):\n    def infoset(self, state): return state[1]", space)
    with pytest.raises(rg.GameError, match=r"Typed\.infoset cannot be compiled: Python kept no source of it"):
        compile_game(space["Typed"]())  # type: ignore[operator]


def test_only_classes_of_games_are_marked() -> None:
    with pytest.raises(rg.GameError, match="compiled marks a class of games, got 3"):
        rg.compiled(3)  # type: ignore[type-var]


def test_a_template_that_does_not_exist(tmp_path: Path) -> None:
    compiled = compile_game(mistakes.Fine())
    with pytest.raises(rg.OptionError, match="there is no template of kernels 'nowhere'"):
        compiled.kernels("nowhere")
    with pytest.raises(rg.OptionError, match=r"kernels\.regret_rules is no template"):
        compiled.kernels("regret_rules")
