"""The table of infosets: growth, collisions, memory, and strategies that read it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_mccfr import STEP, WORD, mixed

import regretless as rg
from conftest import INTERPRETED, built
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.sampling.infoset_table import find, insert, insert_new
from regretless.kernels.sampling.update_log import KEY, Log
from regretless.method import Settings
from regretless.sampling.infoset_store import TableStore, table_fits

needs_compiler = pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")

Key = tuple[int, int, int]
"""Two words and an owner."""


def new_store(words: int = 2, lead: int = 0, parts: int = 2, dtype: str = "float64", **options: Any) -> TableStore:
    return TableStore(words=words, lead=lead, parts=parts, dtype=dtype, **options)


def put(store: TableStore, key: Key, actions: list[int], step: int = 0) -> int:
    """Insert an infoset as walks do, with growth; its place."""
    moves, words = np.array(actions, np.int64), np.array(key[:2])
    while (place := insert(store.table, store.values, *words, key[2], len(actions), moves, 0, step)) < 0:
        store.grow()
    return int(place)


@kernel
def found(table: Any, first: int, second: int, owner: int) -> int:
    slot: int = find(table, first, second, owner)
    return slot


def place_in(store: TableStore, first: int, second: int, owner: int) -> int:
    """Where an infoset lies, or −1."""
    return int(found(store.table, *np.array([first, second]), owner))


def mark(store: TableStore, place: int, count: int, number: float) -> None:
    size = store.table.parts * count
    store.values[place : place + size] = number + np.arange(size)


def assert_marked(store: TableStore, known: dict[Key, tuple[int, float]]) -> None:
    for key, (count, number) in known.items():
        place = place_in(store, *key)
        size = store.table.parts * count
        assert store.values[place : place + size].tolist() == (number + np.arange(size)).tolist()


# -- growth -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lead", [0, 1])
@pytest.mark.parametrize("words", [1, 2])
def test_growth_keeps_everything(words: int, lead: int) -> None:
    store, dice, known = new_store(words, lead), np.random.default_rng(1), {}
    for number in range(2_000 if INTERPRETED else 12_000):
        second = int(dice.integers(-(2**63), 2**63)) if words == 2 else 0
        key = int(dice.integers(-(2**63), 2**63)), second, number % 13
        count = number % 5 + 1
        place = put(store, key, list(range(number % 300, number % 300 + count)), step=7)
        assert not lead or store.values[place - 1] == 7
        mark(store, place, count, float(number))
        known[key] = count, float(number)
    assert store.infosets == len(known)
    assert_marked(store, known)
    keys, place, owner, menu, actions = store.rows()
    menus = store.action_lists()
    assert len(set(menus)) == len(menus)
    for row, (key, (count, number)) in enumerate(known.items()):
        assert (*keys[row].tolist(), int(owner[row])) == key
        first = int(number) % 300
        assert menus[menu[row]] == tuple(range(first, first + count)) and actions[row] == count
        assert store.values[place[row]] == number
    assert place_in(store, 123, 0, 0) == -1
    copy = TableStore.from_arrays(store.arrays())
    assert_marked(copy, known)
    mark(copy, put(copy, (1, 0, 0), [1, 2]), 2, 0.5)
    assert_marked(copy, known | {(1, 0, 0): (2, 0.5)})


def test_more_actions_than_are_ever_held_ready() -> None:
    store = new_store(parts=15)
    known = {}
    for number, count in enumerate((2_000, 3, 30_000)):
        mark(store, put(store, (number, 0, 0), list(range(count))), count, float(number))
        known[number, 0, 0] = count, float(number)
    assert_marked(store, known)
    assert [len(menu) for menu in store.action_lists()] == [2_000, 3, 30_000]


# -- collisions -------------------------------------------------------------------------------------------------------


def slot_of(key: Key, mask: int) -> int:
    """Where the table begins to look, written once more."""
    first, second, owner = key
    word = mixed((first & WORD) + STEP & WORD)
    return mixed(word ^ ((second & WORD) * STEP & WORD) ^ owner) & mask


@pytest.mark.parametrize("place", ["in the middle", "at the end"])
def test_keys_of_one_slot_are_told_apart(place: str) -> None:
    store = new_store()
    mask = len(store.table.buckets) - 1
    wanted = mask if place == "at the end" else 77
    crowd = [key for n in range(40_000) if slot_of(key := (n, n * n, n % 3), mask) == wanted]
    assert len(crowd) > 5
    known = {}
    for number, key in enumerate(crowd):
        mark(store, put(store, key, [0, 1]), 2, 10.0 * number)
        known[key] = 2, 10.0 * number
    assert_marked(store, known)
    for first, second, owner in crowd:
        assert place_in(store, first, second + 1, owner) == -1
        assert place_in(store, first, second, owner + 1) == -1


def test_keys_that_share_a_word_or_all_but_the_owner() -> None:
    store, known = new_store(), {}
    keys = [(5, 1, 0), (5, 2, 0), (5, 1, 1), (6, 1, 0), (1, 5, 0), (-5, 1, 0), (5, -1, 0), (5, 1, 12)]
    for number, key in enumerate(keys):
        mark(store, put(store, key, [0, 1, 2]), 3, 100.0 * number)
        known[key] = 3, 100.0 * number
    assert store.infosets == len(keys)
    assert_marked(store, known)
    assert put(store, (5, 1, 0), [0, 1, 2]) == place_in(store, 5, 1, 0)
    assert store.infosets == len(keys)


# -- memory -----------------------------------------------------------------------------------------------------------


def new_infosets(first: int, last: int, actions: list[int]) -> Log:
    """A log with infosets first … last − 1, each with one update of 1s."""
    count, width = last - first, len(actions)
    keys = np.zeros((count, KEY), np.int64)
    keys[:, 0] = np.arange(first, last) * 0x5DEECE66D
    keys[:, 1] = np.arange(first, last)
    keys[:, 3] = width
    codes = np.stack([16 * (-1 - np.arange(count)), np.full(count, width)], axis=1)
    fill = np.array([count, count * width, count, width])
    return Log(
        codes.reshape(-1), np.ones(count * width), keys.reshape(-1), np.array(actions, np.int64), fill, count, count
    )


@pytest.mark.parametrize("lead", [0, 1])
@pytest.mark.parametrize("words", [1, 2])
def test_at_most_64_bytes_for_an_infoset_with_three_actions(words: int, lead: int) -> None:
    """In single precision, at every size from some thousand on; the worst is just after the slots have doubled."""
    store, met, largest = new_store(words, lead, dtype="float32"), 0, 0.0
    while met < (9_000 if INTERPRETED else 400_000):
        more = max(50, met // 100)
        log = new_infosets(met, met + more, [0, 1, 2])
        if words == 1:  # keys of one word have no second
            log.keys[1::KEY] = 0
        while not insert_new(store.table, store.values, log, 0):
            store.grow()
        met += more
        assert store.infosets == met
        if met > 3_000:
            largest = max(largest, store.nbytes / met)
    assert 40 < largest <= 64


def test_menus_grow_alone() -> None:
    """Also past the bound on memory: a team that has begun to carry its logs out must be able to end."""
    store = new_store(most_bytes=1)
    rows, values, menus = store.table.rows, store.values, len(store.table.list_items)
    store.grow(lists_only=True)
    assert store.table.rows is rows and store.values is values and len(store.table.list_items) > menus
    with pytest.raises(rg.OptionError, match="more than the 1 bytes it may take"):
        store.grow()


def test_memory_has_a_bound() -> None:
    store = new_store(most_bytes=2_000_000)
    with pytest.raises(rg.OptionError) as error:
        for number in range(100_000):
            put(store, (number, 0, 0), [0, 1, 2])
    said = str(error.value)
    assert "\n" not in said and "more than the 2.0 MB it may take" in said and "memory=" in said and "float32" in said
    held = store.values.nbytes + store.table.rows.nbytes + store.table.buckets.nbytes
    assert 1_000_000 < held < 2_000_000
    assert store.infosets > 10_000


@needs_compiler
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("variant", [rg.CFR, rg.CFR_PLUS], ids=lambda v: v.name)
@pytest.mark.full
def test_what_was_done_before_memory_ran_out_is_kept(variant: rg.Variant, threads: int, tmp_path: Path) -> None:
    """The checkpoint holds whole turns, and with more memory the run goes on as if nothing had been."""
    game = rg.games.Goofspiel(cards=6)
    method = rg.MCCFR(variant=variant, traversals=2, listed=False, memory=2_000_000)
    path = tmp_path / "full.run"
    with pytest.raises(rg.OptionError, match="give MCCFR more memory="):
        rg.solve(game, method, iterations=1_000, seed=4, checkpoint=path, threads=threads)
    kept = rg.load(path)
    assert isinstance(kept, rg.Run)
    assert kept.stopped == "failed" and kept.infosets > 1_000 and kept.iterations >= 1
    roomy: Any = method.replace(memory=None)
    on, whole = (roomy.learner(roomy.open(game), Settings(seed=4)) for _ in range(2))
    on.restore(kept.arrays, kept.iterations)
    on.advance(3)
    whole.advance(kept.iterations + 3)
    for name, array in whole.arrays().items():
        assert array.tobytes() == on.arrays()[name].tobytes(), name


# -- strategies that read it ------------------------------------------------------------------------------------------


@rg.compiled
@dataclass(frozen=True)
class Remembering(rg.Game):
    """Four coins one after the other, guessed by two players in turn; infosets are tuples of four numbers."""

    def root(self) -> tuple[int, int, int, int, int]:
        return (-1, -1, -1, -1, 0)

    def player(self, state: Any) -> int:
        return rg.TERMINAL if state[4] == 4 else state[4] % 2

    def actions(self, state: Any) -> tuple[int, ...]:
        return (0, 1, 2)

    def play(self, state: Any, action: int) -> Any:
        a, b, c, d, n = state
        if n == 0:
            return (action, b, c, d, 1)
        if n == 1:
            return (a, action, c, d, 2)
        if n == 2:
            return (a, b, action, d, 3)
        return (a, b, c, action, 4)

    def infoset(self, state: Any) -> tuple[int, int, int, int]:
        a, b, c, _, n = state
        return (n, a if n % 2 == 0 else -1, b if n % 2 else -1, c if n == 2 else -1)

    def payoffs(self, state: Any) -> tuple[float, float]:
        a, b, c, d, _ = state
        won = (a == b) - 0.5 * (c == d) + 0.25 * (b == c)
        return (won, -won)

    def infoset_label(self, infoset: Any) -> Hashable:
        return "knows " + " ".join(map(str, infoset))


@needs_compiler
def test_a_strategy_is_a_mapping() -> None:
    run = rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=2_000, seed=1)
    strategy: Any = run.strategy
    tree = built("leduc")
    assert not run.listed and run.infosets == len(strategy) == len(list(strategy)) <= tree.infosets
    assert "infosets visited" in repr(strategy)
    listed = rg.solve(tree, rg.MCCFR(), iterations=2_000, seed=1).strategy
    for key, row in strategy.items():
        assert key in strategy
        assert list(row.values()) == pytest.approx(list(listed[key].values()), abs=1e-9)
        assert list(row) == list(listed[key])
    first = next(iter(strategy))
    assert strategy.get(first) == strategy[first] and strategy.get("no such") is None
    assert "no such" not in strategy and ["unhashable"] not in strategy
    with pytest.raises(KeyError, match="has not visited an infoset 'no such'"):
        strategy["no such"]
    with pytest.raises(KeyError, match="has not visited"):
        strategy[["unhashable"]]
    rows = list(strategy.rows())
    assert len(rows) == sum(len(row) for row in strategy.values())
    assert rows[0].keys() == {"player", "infoset", "action", "probability"}
    assert list(strategy.on(tree).probabilities) == pytest.approx(list(listed.probabilities), abs=1e-9)
    current: Any = run.current
    assert current.on(tree).probabilities.tolist() != strategy.on(tree).probabilities.tolist()


@needs_compiler
def test_asking_by_state() -> None:
    game = rg.games.Kuhn()
    strategy: Any = rg.solve(game, rg.MCCFR(listed=False), iterations=500, seed=1).strategy
    state = game.root()
    while game.player(state) == rg.CHANCE:
        state = game.play(state, game.actions(state)[0])
    assert strategy.at(state) == strategy[game.player(state), game.infoset_label(game.infoset(state))]
    large = rg.games.Leduc()
    empty: Any = rg.solve(large, rg.MCCFR(sampling="outcome", listed=False), iterations=1).strategy
    state, met = large.root(), len(empty)
    while large.player(state) != 1:
        state = large.play(state, large.actions(state)[-1])
    assert met < 20 and sum(empty.at(state).values()) == pytest.approx(1.0)


@needs_compiler
@pytest.mark.full
def test_infosets_kept_by_digest() -> None:
    """Longer than two numbers: labels are lost, but states find their row and a listing its strategy."""
    game = Remembering()
    run = rg.solve(game, rg.MCCFR(listed=False), iterations=3_000, seed=1)
    strategy: Any = run.strategy
    assert all(str(key).startswith("#") for key in strategy)
    tree = rg.build(game)
    listed = rg.solve(tree, rg.MCCFR(), iterations=3_000, seed=1)
    assert strategy.on(tree).probabilities.tolist() == pytest.approx(listed.strategy.probabilities.tolist(), abs=1e-9)
    assert list(strategy.at(game.root()).values()) == pytest.approx(
        list(listed.strategy[0, "knows 0 -1 -1 -1"].values()), abs=1e-9
    )


# -- files ------------------------------------------------------------------------------------------------------------


@needs_compiler
def test_through_a_file(tmp_path: Path) -> None:
    run = rg.solve(rg.games.Kuhn(), rg.MCCFR(listed=False), iterations=700, seed=1)
    run.save(tmp_path / "kuhn.run")
    loaded = rg.load(tmp_path / "kuhn.run")
    assert isinstance(loaded, rg.Run)
    assert not loaded.listed and loaded.infosets == 12
    assert {key: dict(row) for key, row in loaded.strategy.items()} == {k: dict(r) for k, r in run.strategy.items()}
    assert loaded.exploitability == run.exploitability


def table_arrays() -> dict[str, Any]:
    store = new_store(words=1)
    for number in range(5):
        put(store, (number, 0, number % 2), [0, 1, 2][: 2 + number % 2])
    return {name: array.copy() for name, array in store.arrays().items()} | {"nodes": np.array([3, 0])}


def test_a_sound_table_fits() -> None:
    assert table_fits(table_arrays())
    assert table_fits(new_store().arrays() | {"nodes": np.array([0, 0])})


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("layout", np.array([1, 0])),
        ("layout", np.array([3, 0, 2])),
        ("layout", np.array([1, 2, 2])),
        ("layout", np.array([1, 0, 99])),
        ("layout", np.array([1.0, 0.0, 2.0])),
        ("rows", np.arange(9)),
        ("rows", np.arange(10.0)),
        ("rows", np.full(10, 1 << 60)),
        ("rows", np.full(10, -1)),
        ("rows", np.arange(10).reshape(2, 5)),
        ("values", np.zeros(3)),
        ("values", np.zeros(30, np.int64)),
        ("values", np.zeros((15, 2))),
        ("menu_first", np.zeros(0, np.int64)),
        ("menu_first", np.array([0, 3, 2])),
        ("menu_first", np.array([1, 2, 5])),
        ("menu_first", np.array([0, 2, 9])),
        ("menu_items", np.zeros(2, np.int64)),
        ("nodes", np.array([5])),
    ],
)
def test_a_damaged_table_does_not(name: str, broken: Any) -> None:
    assert not table_fits(table_arrays() | {name: broken})


@needs_compiler
def test_damaged_files_end_in_a_sentence(tmp_path: Path) -> None:
    from regretless.storage import read_arrays, write_arrays

    path = tmp_path / "kuhn.run"
    rg.solve(rg.games.Kuhn(), rg.MCCFR(listed=False), iterations=10).save(path)
    arrays, meta = read_arrays(path)
    meta.pop("crc32")
    for name, broken in (("state_rows", arrays["state_rows"][:-1]), ("state_values", arrays["state_values"][:5])):
        write_arrays(path, arrays | {name: broken}, meta)
        with pytest.raises(rg.FileError, match="the table of infosets is damaged"):
            rg.load(path)
    write_arrays(path, {name: array for name, array in arrays.items() if name != "state_menu_items"}, meta)
    with pytest.raises(rg.FileError, match="holds no 'menu_items'"):
        rg.load(path)
    layout = np.array([1, 1, 2])  # a table of DCFR's
    shifted = arrays["state_rows"] + np.tile([0, 1], len(arrays["state_rows"]) // 2)
    values = np.append(0.0, arrays["state_values"])
    write_arrays(path, arrays | {"state_layout": layout, "state_rows": shifted, "state_values": values}, meta)
    with pytest.raises(rg.FileError, match="the file is damaged"):
        rg.resume(path, iterations=10)
