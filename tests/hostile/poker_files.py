"""Mutated poker files and texts: each must be read, or end in one short RegretlessError, in bounded time and memory.

    for case in cases(seed=1):
        attempt(case)        # AssertionError: what went wrong, with the case

Valid documents are mutated at random: bytes, slices, numbers, strings, lines and nesting. The same seed gives the same
cases.
"""

from __future__ import annotations

import json
import random
import re
import resource
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from regretless.errors import RegretlessError
from regretless.poker import FlopHoldem, Range, Sizes, Spot, read_public_game, read_spot, spot_from_text, spot_text
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.game_json import game_from_json, game_to_json
from regretless.poker.formats.histories.hand_histories import decisions_of
from regretless.poker.formats.texas_solver import read_texas_solver

SECONDS = 6.0
"""Of processor time for one case, so that a busy machine does not matter; most cases take some milliseconds."""
MEMORY = 2 << 30
"""Bytes that a case may allocate."""
MOST_NODES = 200_000
"""Betting trees of mutated games are laid out up to this size."""
LONGEST_MESSAGE = 1_000

SPOT = """board = "Qs Jh 2h"
ranges = { oop = "QQ+,AKs,A5s-A2s:0.5", ip = "22+,A2s+,[50]KQo[/50]" }
pot = 100
stack = 400
big_blind = 2
rake = 0.05
rake_cap = 3
caps = [3, 2, 2]

[sizes]
flop = { bet = "33% 75%", raise = "2.5x", donk = "25%" }
turn = "bet 66%, raise 60%"
river = { oop = "bet 50% all-in, raise 60%", ip = "bet 2e 120c, raise all-in" }

[[lock]]
line = "check bet 33"
strategy = { "QQ+" = { fold = 0.5, call = 0.5 }, AK = { call = 1 } }
"""

GAME = """GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 1 1
raiseSize = 2 4
firstPlayer = 1 1
maxRaises = 2 2
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 0 1
END GAMEDEF
"""

NO_LIMIT = GAME.replace("limit", "nolimit").replace("raiseSize = 2 4", "stack = 40 40")

LIMIT_HAND = """variant = 'FT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
small_bet = 100
big_bet = 100
starting_stacks = [10000, 10000]
actions = ['d dh p1 QdQc', 'd dh p2 Th5s', 'p2 cbr 200', 'p1 cbr 300', 'p2 cc', 'd db 6c8hJs', 'p1 cbr 100',
  'p2 cbr 200', 'p1 cc']
"""

HAND = """variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [200, 200, 200.5]
actions = ['d dh p1 AsKs', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 6', 'p1 f', 'p2 cc', 'd db QsJh2h',
  'p2 cc', 'p3 cbr 6.5', 'p2 cbr 24 # a raise', 'p3 cc', 'd db 7c', 'p2 cbr 200']
"""

DUMP = json.dumps(
    {
        "actions": ["CHECK", "BET 50.000000"],
        "childrens": {"CHECK": {"deal_number": 1, "dealcards": {"7c": {"node_type": "action_node"}}}},
        "node_type": "action_node",
        "player": 1,
        "strategy": {"actions": ["CHECK", "BET 50.000000"], "strategy": {"AhKd": [0.25, 0.75]}},
    }
)

NUMBERS = (
    "0", "-1", "1e-300", "1e300", "1e999999999", "-1e-999999999", "nan", "inf", "-inf", "9" * 400, "9" * 5_000, "0x7f",
    "1_000", "1000000", "0.1", "1979-05-27", "true", "''", "[]", "{}", "²", "255", "2147483648",
)  # fmt: skip

WORDS = (
    "", " ", "\x00", "\ufeff", "\u202e♥", "A" * 5_000, "AsAs", "p0 cbr 1", "p99 f", "d db ????", "check / / bet 1e9",
    "50%%", "1e999999999c", "1/0 pot", "9e", "random:2", "AK-22", "[50]AA", "../../etc/passwd", "\\", '"', "'",
    "bet bet bet", "all in all in", "10s10h", "🂡", "[" * 3_000, "a." * 3_000, "{a=" * 3_000, "#", "\n", "=",
)  # fmt: skip


class Case(NamedTuple):
    """A kind of input and its bytes."""

    kind: str
    data: bytes

    def __str__(self) -> str:
        text = repr(self.data)
        return f"{self.kind}: {text if len(text) < 2_000 else text[:2_000] + '…'}"


@cache
def documents() -> dict[str, tuple[str, ...]]:
    """Valid documents of each kind."""
    described = json.dumps(game_to_json(spot_from_text(SPOT)))
    return {
        "spot": (SPOT,),
        "game": (GAME, NO_LIMIT),
        "hand": (LIMIT_HAND, HAND),
        "description": (described, json.dumps(game_to_json(FlopHoldem()))),
        "dump": (DUMP,),
        "range": ("QQ+, AKs, A5s-A2s, JTs-54s, JJ-99:0.5, [50]AhKh,76o[/50], random:25%",),
        "sizes": ("bet 33% 1/2 pot 120c e, raise 2.5x 60% all-in, donk 25%",),
        "line": ("raise call / check, bet 33 / c r c",),
        "cards": ("Qs Jh, 2♥ 10c",),
    }


def cases(seed: int, count: int = 150) -> Iterator[Case]:
    """`count` mutated inputs of all kinds in turn."""
    draw = random.Random(seed)
    kinds = list(documents())
    for number in range(count):
        kind = kinds[number % len(kinds)]
        text = draw.choice(documents()[kind])
        if kind == "description" and draw.random() < 0.8:
            yield Case(kind, json.dumps(_with_another_leaf(json.loads(text), draw)).encode())
            continue
        for _ in range(draw.choice((1, 1, 1, 2, 4))):
            text = draw.choice(MUTATIONS)(text, draw)
        data = text.encode("utf-8", "surrogatepass")
        yield Case(kind, _with_other_bytes(data, draw) if draw.random() < 0.1 else data)


def _with_another_number(text: str, draw: random.Random) -> str:
    found = list(re.finditer(r"\d+(?:\.\d+)?", text))
    if not found:
        return text
    one = draw.choice(found)
    return text[: one.start()] + draw.choice(NUMBERS) + text[one.end() :]


def _with_another_word(text: str, draw: random.Random) -> str:
    found = list(re.finditer(r"[^\s\"',=\[\]{}]+", text))
    if not found:
        return draw.choice(WORDS)
    one = draw.choice(found)
    return text[: one.start()] + draw.choice(WORDS) + text[one.end() :]


def _without_a_slice(text: str, draw: random.Random) -> str:
    begin = draw.randrange(len(text) + 1)
    return text[:begin] + text[begin + draw.choice((1, 2, 10, len(text))) :]


def _with_an_insertion(text: str, draw: random.Random) -> str:
    at = draw.randrange(len(text) + 1)
    return text[:at] + draw.choice((*WORDS, *NUMBERS)) + text[at:]


def _with_a_repeated_slice(text: str, draw: random.Random) -> str:
    begin = draw.randrange(len(text) + 1)
    piece = text[begin : begin + draw.choice((1, 4, 20))]
    return text[:begin] + piece * draw.choice((2, 50, 5_000)) + text[begin:]


def _with_swapped_lines(text: str, draw: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    draw.shuffle(lines)
    return "".join(lines)


MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    _with_another_number,
    _with_another_number,
    _with_another_word,
    _with_another_word,
    _without_a_slice,
    _with_an_insertion,
    _with_a_repeated_slice,
    _with_swapped_lines,
)


def _with_other_bytes(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(min(3, len(changed))):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _with_another_leaf(value: Any, draw: random.Random) -> Any:
    """A JSON value in which one part, at any depth, is something else or missing."""
    strange = (None, True, -1, 0, 10**400, 1e300, 1e-300, float("nan"), float("inf"), "", "x", [], {}, [[]], "A" * 999)
    if isinstance(value, dict) and value and draw.random() < 0.95:
        key = draw.choice(list(value))
        changed = dict(value)
        if draw.random() < 0.1:
            del changed[key]
        else:
            changed[key] = _with_another_leaf(value[key], draw)
        return changed
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return [_with_another_leaf(one, draw) if number == at else one for number, one in enumerate(value)]
    return draw.choice(strange)


def attempt(case: Case) -> None:
    """Read a case; AssertionError unless it is accepted or refused with one short sentence, within the bounds."""
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with bounded(SECONDS, MEMORY):
                READERS[case.kind](case.data, Path(folder))
        except RegretlessError as error:
            message = str(error).replace(folder, "")
            assert message.strip(), f"an empty message for {case}"
            assert len(message) <= LONGEST_MESSAGE, f"a message of {len(message):,} characters for {case}"
        except AssertionError as error:
            raise AssertionError(f"{error} for {case}") from error
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {error} for {case}") from error
    took = time.process_time() - began
    assert took <= SECONDS, f"{took:.1f} s for {case}"


@contextmanager
def bounded(seconds: float, memory: int) -> Iterator[None]:
    """Interrupts after `seconds` of processor time and refuses allocations beyond `memory` more bytes."""

    def late(*_: object) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else None
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    if pages is not None:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _file(data: bytes, folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _read_spot(data: bytes, folder: Path) -> None:
    spot = read_spot(_file(data, folder, "spot.toml"))
    spot.betting.tree(MOST_NODES)
    again = spot_from_text(spot_text(spot))
    mine, theirs = game_to_json(spot), game_to_json(again)
    same = mine == theirs or json.dumps(mine) == json.dumps(theirs)  # nan is not equal to itself
    assert same, "a spot that is not read as it was written"


def _read_game(data: bytes, folder: Path) -> None:
    read_public_game(_file(data, folder, "rules.game")).betting.tree(MOST_NODES)


@cache
def _games() -> tuple[Any, ...]:
    spot = Spot("Qs Jh 2h", ("random", "random"), pot=130, stack=1940, sizes="bet 50% 100% all-in, raise 3x")
    return None, FlopHoldem(), spot


def _read_hand(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "hand.phh")
    refusals = []
    for game in _games():
        try:
            decisions_of(path, game, nearest=True)
        except RegretlessError as error:
            refusals.append(error)
    if refusals:
        raise max(refusals, key=lambda error: len(str(error)))


def _read_description(data: bytes, folder: Path) -> None:
    try:
        described = json.loads(_text(data))
    except (ValueError, RecursionError):
        return
    game = game_from_json(described)
    game.betting.tree(MOST_NODES)
    assert json.dumps(game_to_json(game)), "a game that cannot be described again"


def _read_dump(data: bytes, folder: Path) -> None:
    path = _file(data, folder, "dump.json")
    read_texas_solver(path)
    read_texas_solver(path, ["CHECK", "7c"])


def _read_range(data: bytes, folder: Path) -> None:
    found = Range.parse(_text(data))
    assert Range.parse(str(found)) == found, "a range that is not read as it was written"


READERS: dict[str, Callable[[bytes, Path], object]] = {
    "spot": _read_spot,
    "game": _read_game,
    "hand": _read_hand,
    "description": _read_description,
    "dump": _read_dump,
    "range": _read_range,
    "sizes": lambda data, _: Sizes.read(_text(data)),
    "line": lambda data, _: FlopHoldem().betting_tree().find(_text(data)),
    "cards": lambda data, _: STANDARD.cards(_text(data)),
}
