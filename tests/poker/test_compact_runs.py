"""Compact runs of hold'em: small, nearly as good, read board by board, and refused where they do not suffice."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED
from regretless.errors import FileError, OptionError
from regretless.poker import Deck, Limit, NoLimit, PublicGame
from regretless.poker.formats import run_files as files
from regretless.poker.formats.piece_codecs import LEVELS, RoundedStrategies, board_bounds, pack_numbers, unpack_numbers
from regretless.storage import compress, decompress_exactly

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

MINI = PublicGame(Deck("9TJQKA", "shd"), 2, (3,), Limit(bets=100, caps=(1, 1), blinds=(50, 100)), big_blind=100)
LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))


@pytest.fixture(scope="module")
def solved() -> Iterator[Any]:
    yield rg.solve(MINI, rg.CFR_PLUS, iterations=100, dtype="float32")


@pytest.fixture(scope="module")
def compact(solved: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("runs") / "compact.run"
    solved.save(path, compact=True)
    yield path


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("runs") / "leduc.run"
    rg.solve(LEDUC, rg.CFR_PLUS, iterations=9, dtype="float32").save(path, compact=True)
    yield path


def loaded(path: Path) -> Any:
    return rg.load(path)


def test_small_and_nearly_as_good(solved: Any, compact: Path, tmp_path: Path) -> None:
    """At most a quarter of the exact file (of version 2, too), and at most 1 % more exploitable.

    Rounding may also make a strategy better: it drops actions that the average took once, by mistake.
    """
    solved.save(tmp_path / "exact.run")
    bounds, arrays = board_bounds(solved.problem), dict(solved.arrays)
    sorted_bytes = sum(
        len(compress(np.ascontiguousarray(array[begin:end].view(np.uint8).reshape(-1, 4).T)))
        for array in arrays.values()
        for begin, end in pairwise(bounds)
    )
    exact, small = (path.stat().st_size for path in (tmp_path / "exact.run", compact))
    assert small < 0.25 * exact and exact < sorted_bytes
    run = loaded(compact)
    assert 0 < run.strategy.nash_conv() < 1.01 * solved.strategy.nash_conv()
    assert run.strategy.game_values() == pytest.approx(solved.strategy.game_values(), abs=0.01)
    assert run.history.rows() == solved.history.rows() and run.iterations == 100 and run.settings["rounded"] == LEVELS


def test_probabilities_are_rounded_by_two_levels_at_most(solved: Any, compact: Path) -> None:
    tree, strategy = solved.problem, loaded(compact).strategy
    strategy.need(range(tree.boards))
    for node, board in ((0, 0), (int(tree.order.node[tree.betting.street_nodes[1]]), 5)):
        before, after = solved.strategy.block(node, board), strategy.block(node, board)
        assert np.abs(after - before).max() <= 2 / LEVELS and after.sum(axis=0) == pytest.approx(1)
        assert np.all(after[before == 0] == 0) and np.all(after[before == 1] == 1)
        assert np.allclose(after * LEVELS, np.rint(after * LEVELS), atol=1e-3)


def test_one_board_is_read_alone(solved: Any, compact: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    read = files.StoredArrays._piece
    monkeypatch.setattr(
        files.StoredArrays, "_piece", lambda self, name, piece: (taken.append(piece), read(self, name, piece))[1]
    )
    asked = ("call check / check", "AsKh9d")
    seen = loaded(compact).strategy.at(*asked, ev=False)
    assert len(taken) == 2 and 0 in taken
    assert np.allclose(seen.probabilities, solved.strategy.at(*asked).probabilities, atol=2 / LEVELS)


def test_16_bits(tmp_path: Path) -> None:
    run: Any = rg.solve(LEDUC, rg.PCFR_PLUS, iterations=200, dtype="int16")
    run.save(tmp_path / "leduc.run", compact=True)
    again = loaded(tmp_path / "leduc.run")
    assert again.strategy.nash_conv() == pytest.approx(run.strategy.nash_conv(), abs=2e-3)
    assert np.allclose(again.strategy.at("").probabilities, run.strategy.at("").probabilities, atol=2 / LEVELS)


def test_64_bits_give_the_same_codes(solved: Any) -> None:
    codec, numbers = RoundedStrategies(solved.problem), solved.arrays["average"]
    assert codec.pack(numbers.astype(np.float64), 7) == codec.pack(numbers, 7)


def test_packed_again_it_is_the_same(compact: Path, tmp_path: Path) -> None:
    again = loaded(compact)
    again.save(tmp_path / "again.run", compact=True)
    assert (tmp_path / "again.run").read_bytes() == compact.read_bytes()


def test_before_anything_is_averaged(tmp_path: Path) -> None:
    """A run whose average is empty is saved with the strategy that it plays."""
    run: Any = rg.solve(LEDUC, dataclasses.replace(rg.CFR_PLUS, delay=50), iterations=5, dtype="float32")
    run.save(tmp_path / "early.run", compact=True)
    found, wanted = (of.strategy.at("").probabilities for of in (loaded(tmp_path / "early.run"), run))
    assert np.allclose(found, wanted, atol=2 / LEVELS)


def test_locked_nodes(tmp_path: Path) -> None:
    locked = LEDUC.lock("", {"check": 1 / 3, "bet": 2 / 3})
    rg.solve(locked, rg.CFR_PLUS, iterations=20, dtype="float32").save(tmp_path / "locked.run", compact=True)
    found = loaded(tmp_path / "locked.run").strategy.at("")
    assert found.probabilities == pytest.approx(np.tile([1 / 3, 2 / 3], (len(found), 1)))


# -- what a compact run cannot do -------------------------------------------------------------------------------------


def test_refused_in_one_sentence(compact: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"is a compact run, a rounded strategy without regrets, and cannot be res"):
        rg.resume(compact, iterations=1)
    with pytest.raises(OptionError, match="a compact run holds the average strategy only"):
        _ = loaded(compact).current
    loaded(compact).save(tmp_path / "exact.run")
    assert loaded(tmp_path / "exact.run").settings["rounded"] == LEVELS  # and so it is not resumed either
    with pytest.raises(OptionError, match=r"a run of a tree has no compact form.*: save it without compact$"):
        rg.solve("kuhn", iterations=1).save(tmp_path / "kuhn.run", compact=True)


@settings(max_examples=40)
@given(where=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_byte_that_changed(leduc: Path, where: float, change: int) -> None:
    whole = leduc.read_bytes()
    at = int(where * len(whole))
    broken = leduc.with_name("broken.run")
    broken.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
    try:
        dict(loaded(broken).arrays)
    except FileError as error:
        assert str(broken) in str(error) and "\n" not in str(error)
    else:
        assert whole[at : at + 1].isspace()


@pytest.mark.parametrize("levels", [1, 1 << 15, 2.5, "2520", True, [2520]])
def test_levels_that_cannot_be(compact: Path, tmp_path: Path, levels: Any) -> None:
    whole = compact.read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    header["__metadata__"]["rounded"] = json.dumps({"average": levels})
    header["__metadata__"][files.CHECKSUM] = files.header_checksum(header)
    text = json.dumps(header).encode()
    path = tmp_path / "x.run"
    path.write_bytes(len(text).to_bytes(8, "little") + text + whole[8 + length :])
    with pytest.raises(FileError, match="the header is damaged"):
        loaded(path)


def test_codes_that_no_strategy_has(solved: Any) -> None:
    """Codes of the right length whose levels leave 0 … `LEVELS` are refused, not written."""
    codec = RoundedStrategies(solved.problem)
    target = np.zeros(solved.problem.numbers, np.float32)
    good = bytearray(decompress_exactly(codec.pack(solved.arrays["average"], 3), 2 * int(codec.symbols[3])))
    codec.unpack(compress(bytes(good)), target, 3)
    below, above = bytearray(good), bytearray(good)
    below[0], below[len(good) // 2] = 1, 0  # −1
    above[0], above[len(good) // 2] = 0xFE, 0xFF  # 32,767
    for bad in (below, above):
        with pytest.raises(ValueError, match="outside 0"):
            codec.unpack(compress(bytes(bad)), target, 3)


# -- the codecs -------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    dtype=st.sampled_from(["float64", "float32", "int64", "int16", "uint8"]),
    data=st.binary(max_size=400),
)
def test_exact_numbers_keep_every_bit(dtype: str, data: bytes) -> None:
    kind = np.dtype(dtype)
    numbers = np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind)
    assert unpack_numbers(pack_numbers(numbers), kind, len(numbers)).tobytes() == numbers.tobytes()


def test_errors_do_not_add_up() -> None:
    """Over a whole range an action is played as often as before rounding, to within two levels of one hand."""
    game = PublicGame(
        Deck("23456789TJQKA", "sh"), 1, (), NoLimit(stack=20, streets=1, blinds=(1, 2), sizes="bet 50%, raise 3x")
    )
    tree = game.public_tree()
    numbers = np.random.default_rng(0).random(tree.numbers).astype(np.float32)
    codec, out = RoundedStrategies(tree, levels=60), np.zeros(tree.numbers, np.float32)
    codec.unpack(codec.pack(numbers, 0), out, 0)
    stride, count = int(tree.book.arrays.stride[0, 0]), int(tree.book.arrays.count[0, 0])
    actions = int(tree.betting.children[0])
    before, after = (a[: actions * stride].reshape(actions, stride)[:, :count].astype(float) for a in (numbers, out))
    weight = before.sum(axis=0)
    error = (after * weight - before).cumsum(axis=0).sum(axis=1)[:-1]  # of each boundary between actions
    assert np.all(np.abs(error) * 60 < 2 * weight.max())
