"""Mutated game files, run files and wrong games, for the harness that keeps trying to break the library.

The same seed gives the same cases. `attempt(case)` raises an AssertionError unless the library answers in time and
within memory: with a result, or with a `RegretlessError`.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import regretless as rg
from regretless.formats import read_efg
from regretless.storage import read_arrays, write_arrays

sys.path.insert(0, str(Path(__file__).parents[1]))
import wrong_games
from random_games import RandomGame

__all__ = ["Case", "attempt", "cases"]

DATA = Path(__file__).parents[1] / "data"

DEADLINE = 40.0
"""Seconds of processor time for one case, so that a busy machine fails none; a case makes several calls."""

MOST_MEMORY = 1 << 30
"""Bytes by which the memory of the process may grow in one case."""


class Case(NamedTuple):
    """One attempt to break the library."""

    kind: str
    name: str
    payload: Any
    """Bytes of a file, or a function that makes a game."""


class Late(BaseException):
    """The deadline has passed; no `except Exception` of the library may catch it."""


def cases(seed: int, count: int = 120) -> Iterator[Case]:
    """Some cases, all kinds in turn."""
    return islice(_endless_cases(seed), count)


def _endless_cases(seed: int) -> Iterator[Case]:
    rng = random.Random(seed)
    kinds = [_mutated_efg, _flipped_file, _strange_header, _strange_arrays, _wrong_answer]
    known = [
        Case("wrong game", f"{kind}: {name}", lambda make=make, name=name: make()[name])
        for kind, make in (
            ("endless", wrong_games.endless),
            ("changing", wrong_games.changing),
            ("answer", wrong_games.answers),
        )
        for name in make()
    ]
    number = 0
    while True:
        for make in kinds:
            yield make(rng, number)
            number += 1
        yield known[rng.randrange(len(known))]


def attempt(case: Case) -> None:
    """Try one case; AssertionError where the library does anything but answer or refuse by a sentence."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    try:
        with _deadline(DEADLINE), tempfile.TemporaryDirectory() as folder:
            ATTEMPTS[case.kind](case, Path(folder))
    except rg.RegretlessError as error:
        said = str(error)
        fine = said and "\n" not in said and len(said) < 5_000
        assert fine, f"{case.kind}, {case.name}: no sentence but {said[:500]!r}"
    except Late:
        raise AssertionError(f"{case.kind}, {case.name}: no answer after {DEADLINE:g} s") from None
    except Exception as error:
        raise AssertionError(f"{case.kind}, {case.name}: {type(error).__name__}: {error}") from error
    spent = time.process_time() - began
    assert spent < DEADLINE, f"{case.kind}, {case.name}: took {spent:.1f} s"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < MOST_MEMORY, f"{case.kind}, {case.name}: took {grown / 2**20:,.0f} MiB of memory"


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Raise `Late` after some processor time; only the main thread can be interrupted, in others nothing happens."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise Late

    old = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, old)


# -- Gambit files -----------------------------------------------------------------------------------------------------

EFG = (
    'EFG 2 R "coin" { "Ann" "Bob" }\n"a comment"\n'
    'c "" 1 "deal" { "red" 1/4 "black" 0.75 } 1 "ante" { -1 -1 }\n'
    'p "" 1 1 "knows red" { "stay" "go" } 0\nt "" 2 "won" { 3, 1e0 }\np "" 2 1 "asked" { "yes" "no" } 0\n'
    't "" 3 "" { 1/3 -2 }\nt "" 1\np "" 1 2 "knows black" { "stay" "go" } 0\nt "" 2\np "" 2 1 0\nt "" 3\nt "" 0\n'
)

HOSTILE_WORDS = (
    "1e999999999", "-1e308", "9" * 5_000, "1/" + "9" * 400, "1/0", "nan", "inf", "-1", "0", "{", "}", '"', '"\\"',
    "p", "c", "t", "EFG", "", "\0", "\ud7ff", "x" * 1_000, '"' + "x" * 1_000 + '"', "{" * 1_000, "1e-400", ".", "-",
)  # fmt: skip


def _mutated_efg(rng: random.Random, number: int) -> Case:
    words = EFG.replace("{", " { ").replace("}", " } ").split(" ")
    for _ in range(rng.choice((1, 1, 2, 3, 10))):
        place = rng.randrange(len(words))
        change = rng.randrange(5)
        if change == 0:
            words[place] = rng.choice(HOSTILE_WORDS)
        elif change == 1:
            del words[place]
        elif change == 2:
            words.insert(place, rng.choice(HOSTILE_WORDS))
        elif change == 3:
            words[place:place] = words[place : place + rng.randrange(1, 30)] * rng.choice((1, 2, 50))
        else:
            other = rng.randrange(len(words))
            words[place], words[other] = words[other], words[place]
    text = " ".join(words).encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        text = text[: rng.randrange(len(text))]
    return Case("game file", f"mutated .efg {number}", text)


def _attempt_efg(case: Case, folder: Path) -> None:
    (folder / "x.efg").write_bytes(case.payload)
    tree = rg.build(read_efg(folder / "x.efg"))
    rg.write_efg(tree.game, folder / "again.efg")
    run = rg.solve(tree, rg.CFR_PLUS, iterations=2)
    assert np.isfinite(run.value) and not run.exploitability < -1e-6 * (1 + abs(run.value)), "a wrong answer"


# -- run and strategy files -------------------------------------------------------------------------------------------


def _flipped_file(rng: random.Random, number: int) -> Case:
    """Bytes that are changed, cut or doubled; the checksum finds them."""
    data = bytearray((DATA / rng.choice(("kuhn_1.run", "kuhn_1.strategy"))).read_bytes())
    for _ in range(rng.choice((1, 2, 20))):
        place = rng.randrange(len(data))
        change = rng.randrange(4)
        if change == 0:
            data[place] ^= 1 << rng.randrange(8)
        elif change == 1:
            del data[place : place + rng.randrange(1, 64)]
        elif change == 2:
            data[place:place] = data[place : place + rng.randrange(1, 64)]
        else:
            data[place] = rng.randrange(256)
    return Case("run file", f"flipped bytes {number}", bytes(data))


HOSTILE_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**32, 2**63, 2**200, 1.5, 1e308, float("nan"), "", "x", "F64", "I64", [], [0], [1, 2],
    [2**32, 2**32], [0, 2**62], {}, {"a": 1}, [[[[[[[[1]]]]]]]], "[" * 50_000, "9" * 5_000, "x" * 100_000,
)  # fmt: skip


def _strange_header(rng: random.Random, number: int) -> Case:
    """A header that is well-formed and has a checksum that fits it, but says something strange."""
    data = (DATA / rng.choice(("kuhn_1.run", "kuhn_1.strategy"))).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
    for _ in range(rng.choice((1, 1, 2, 4))):
        name = rng.choice(list(header))
        if name == "__metadata__":
            key = rng.choice(list(header[name]))
            value = rng.choice(HOSTILE_VALUES)
            header[name][key] = value if rng.random() < 0.1 else json.dumps(value)
        elif isinstance(header[name], dict) and rng.random() < 0.8:
            header[name][rng.choice(("dtype", "shape", "data_offsets", "more"))] = rng.choice(HOSTILE_VALUES)
        else:
            header[rng.choice((name, f"{name}2"))] = rng.choice((header[name], rng.choice(HOSTILE_VALUES)))
    return Case("run file", f"strange header {number}", _with_checksum(header, body))


def _with_checksum(header: dict[str, Any], body: bytes) -> bytes:
    meta = header.get("__metadata__")
    if isinstance(meta, dict):
        meta.pop("crc32", None)
        crc = zlib.crc32(json.dumps({**header, "__metadata__": dict(meta)}).encode())
        for name, entry in header.items():
            offsets = entry.get("data_offsets") if name != "__metadata__" and isinstance(entry, dict) else None
            if isinstance(offsets, list) and len(offsets) == 2 and all(type(n) is int for n in offsets):
                crc = zlib.crc32(body[max(offsets[0], 0) : max(offsets[1], 0)], crc)
        meta["crc32"] = str(crc)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def _strange_arrays(rng: random.Random, number: int) -> Case:
    """A file that is whole, with arrays that are not what they should be."""
    arrays, meta = read_arrays(DATA / rng.choice(("kuhn_1.run", "kuhn_1.strategy")))
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(list(arrays))
        array = arrays[name].copy()
        change = rng.randrange(6)
        if change == 0:
            arrays.pop(name)
            continue
        if change == 1:
            array = array[: rng.randrange(len(array) + 1)]
        elif change == 2:
            array = array.astype(rng.choice(("float64", "float32", "int64", "int8", "uint64", "bool")))
        elif change == 3:
            array = np.tile(array, rng.choice((2, 3)))
        elif change == 4:
            array = array.reshape(1, -1)
        elif array.size:
            extreme = (-1, 0, 1, 7, 127, 10**6, 2**31 - 1, -(2**31), np.nan, np.inf, 1e308)
            with np.errstate(all="ignore"):
                array.reshape(-1)[rng.randrange(array.size)] = np.array(rng.choice(extreme)).astype(array.dtype)
        arrays[name] = array
    with tempfile.TemporaryDirectory() as folder:
        write_arrays(Path(folder) / "x", arrays, {key: value for key, value in meta.items() if key != "crc32"})
        return Case("run file", f"strange arrays {number}", (Path(folder) / "x").read_bytes())


def _attempt_run(case: Case, folder: Path) -> None:
    path = folder / "x.run"
    path.write_bytes(case.payload)
    loaded = rg.load(path)
    strategy = loaded.strategy if isinstance(loaded, rg.Run) else loaded
    for key in list(strategy)[:20]:
        strategy[key]
    loaded.save(folder / "again")
    if isinstance(loaded, rg.Run):
        rg.resume(path, iterations=1)


# -- wrong games ------------------------------------------------------------------------------------------------------

HOSTILE_ANSWERS: tuple[Any, ...] = (
    None, -7, 2, 127, 10**9, 2**70, 0.5, float("nan"), float("inf"), 1e308, -1e151, "", "x", (), (0,), (0, 0), [1, 2],
    [[]], {}, {1}, set(), object(), (1e308, 1e308), (float("nan"), 0), ("a", "b"), range(10**12), (1, 1, 1), b"x",
    (10**400, 0), [0.5, 0.5], [1.5, -0.5], [float("nan"), 1.0],
)  # fmt: skip


def _wrong_answer(rng: random.Random, number: int) -> Case:
    """A random game with one method that gives a strange answer at some of its histories, or raises."""
    method = rng.choice(("player", "actions", "play", "infoset", "payoffs", "chance", "infoset_label", "action_label"))
    answer: Any = rng.choice(HOSTILE_ANSWERS)
    raised = rng.choice((None, None, None, KeyError("k"), RecursionError("deep"), ValueError("v"), StopIteration()))
    rate, seed = rng.choice((1.0, 0.3, 0.05)), rng.randrange(10_000)

    def make() -> rg.Game:
        right: Callable[..., Any] = getattr(RandomGame, method)

        def wrong(self: Any, *given: Any) -> Any:
            if random.Random(repr(given)).random() >= rate:
                return right(self, *given)
            if raised is not None:
                raise raised
            return answer

        kind = type("Mutant", (RandomGame,), {method: wrong})
        game: rg.Game = kind(seed=seed, players=1 + seed % 3, depth=4)
        return game

    return Case("wrong game", f"{method} answers {type(answer)!s} {number}", make)


def _attempt_game(case: Case, folder: Path) -> None:
    game = case.payload()
    rg.check_game(game, max_histories=5_000, seconds=2.0)
    for call in (partial(rg.estimate_size, seconds=1.0), rg.graph_of):
        with suppress(rg.RegretlessError):
            call(game)
    run = rg.solve(rg.build(game), rg.CFR_PLUS, iterations=2)
    assert np.isfinite(run.value), "a wrong answer"
    run.save(folder / "x.run")
    rg.load(folder / "x.run")


ATTEMPTS = {"game file": _attempt_efg, "run file": _attempt_run, "wrong game": _attempt_game}
