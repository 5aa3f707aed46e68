"""A short run of the mutated poker files, and the fuzzer itself."""

from __future__ import annotations

import time

import poker_files
import pytest
from poker_files import Case, attempt, cases, documents

from regretless.errors import OptionError

pytest.importorskip("pokerkit")


@pytest.mark.parametrize("kind", documents())
def test_documents_are_valid_before_they_are_mutated(kind: str) -> None:
    for text in documents()[kind]:
        attempt(Case(kind, text.encode()))


@pytest.mark.parametrize("seed", range(3))
def test_mutated_files(seed: int) -> None:
    for case in cases(seed):
        attempt(case)


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
