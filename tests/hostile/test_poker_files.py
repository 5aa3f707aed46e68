"""A short run of the mutated poker files, and the fuzzer itself."""

from __future__ import annotations

import time
from pathlib import Path

import poker_files
import pytest
from poker_files import GAME, SPOT, Case, attempt, cases, documents

from regretless.errors import OptionError, RegretlessError

pytest.importorskip("pokerkit")


@pytest.mark.parametrize("kind", documents())
def test_documents_are_valid_before_they_are_mutated(kind: str) -> None:
    for text in documents()[kind]:
        attempt(Case(kind, text.encode()))


@pytest.mark.parametrize("seed", range(3))
def test_mutated_files(seed: int) -> None:
    for case in cases(seed):
        attempt(case)


SIZES = "bet 10% 20% 30% 40% 50% 60% 70% 80%, raise 2x 3x 4x 5x 6x 7x"
SLOW_TO_READ = {
    "chips of every size": ("spot", SPOT.replace("pot = 100", "pot = 1e-300").replace("stack = 400", "stack = 1e300")),
    "a number of 5,000 digits": ("spot", SPOT.replace("pot = 100", "pot = " + "9" * 5_000)),
    "a key of 50,000 parts": ("spot", ".".join(["a"] * 50_000) + " = 1"),
    "20,000 nested lists": ("spot", "a = " + "[" * 20_000 + "]" * 20_000),
    "20,000 nested tables": ("spot", "a = " + "{a=" * 20_000 + "1" + "}" * 20_000),
    "8 bets and 6 raises with a billion chips": (
        "spot",
        f'board = "Qs Jh 2h"\nranges = ["random", "random"]\npot = 1\nstack = 1e9\nsizes = "{SIZES}"\n',
    ),
    "a million raises": ("game", GAME.replace("maxRaises = 2 2", "maxRaises = 1000000 1000000")),
    "a raise of 5,000 digits": ("game", GAME.replace("raiseSize = 2 4", "raiseSize = " + "9" * 5_000 + " 4")),
    "a range of 200,000 entries": ("range", ",".join(["AsKs"] * 200_000)),
}


@pytest.mark.parametrize("name", SLOW_TO_READ)
def test_what_would_take_long_ends_in_time(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within two seconds of processor time."""
    monkeypatch.setattr(poker_files, "SECONDS", 2.0)
    kind, text = SLOW_TO_READ[name]
    attempt(Case(kind, text.encode()))
    with pytest.raises(RegretlessError):
        poker_files.READERS[kind](text.encode(), tmp_path)


def test_the_same_seed_gives_the_same_cases() -> None:
    assert list(cases(7, 40)) == list(cases(7, 40)) != list(cases(8, 40))


def test_what_the_fuzzer_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback, a long or an empty message, a hang, and memory."""

    def reader(error: BaseException) -> None:
        raise error

    def slow() -> None:
        end = time.process_time() + 5
        while time.process_time() < end:
            pass

    monkeypatch.setattr(poker_files, "SECONDS", 0.2)
    wrong = {
        "KeyError": lambda *_: reader(KeyError("x")),
        "a message of 5,000 characters": lambda *_: reader(OptionError("x" * 5_000)),
        "an empty message": lambda *_: reader(OptionError("")),
        "TimeoutError": lambda *_: slow(),
        "MemoryError": lambda *_: bytearray(8 << 30),
    }
    for sentence, read in wrong.items():
        monkeypatch.setitem(poker_files.READERS, "cards", read)
        with pytest.raises(AssertionError, match=sentence):
            attempt(Case("cards", b""))
    monkeypatch.setitem(poker_files.READERS, "cards", lambda *_: reader(OptionError("no card")))
    attempt(Case("cards", b""))
