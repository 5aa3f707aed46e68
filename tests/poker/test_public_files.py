"""Runs of public trees on disk: bit for bit, board by board, and a sentence for every way a file can be broken."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED
from regretless.errors import FileError, OptionError
from regretless.poker import Deck, FlopHoldem, Limit, NoLimit, PublicGame, Range, Sizes, Spot
from regretless.poker.formats import run_files as files
from regretless.poker.formats.game_json import game_from_json, game_to_json
from regretless.variants import VARIANTS

pytestmark = pytest.mark.skipif(INTERPRETED, reason="whole games, which take too long where nothing is compiled")

MINI = PublicGame(Deck("9TJQKA", "shd"), 2, (3,), Limit(bets=100, caps=(1, 1), blinds=(50, 100)), big_blind=100)
LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of a run with 167 boards."""
    path = tmp_path_factory.mktemp("runs") / "mini.run"
    rg.solve(MINI, rg.CFR_PLUS, iterations=5, dtype="float32").save(path)
    yield path


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small file with every kind of array: 16 bits, predictions, scales."""
    path = tmp_path_factory.mktemp("runs") / "leduc.run"
    rg.solve(LEDUC, rg.PCFR_PLUS, iterations=9, dtype="int16").save(path)
    yield path


def loaded(path: Path) -> Any:
    return rg.load(path)


def same_arrays(one: Any, other: Any) -> bool:
    return set(one) == set(other) and all(np.array_equal(one[name], other[name]) for name in one)


def rows(run: rg.Run) -> list[dict[str, float]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in run.history.rows()]


def refused(path: Path, *parts: str) -> None:
    """Reading everything in a file fails with one sentence that names the file."""
    with pytest.raises(FileError) as raised:
        dict(loaded(path).arrays)
    sentence = str(raised.value)
    assert str(path) in sentence and "\n" not in sentence and len(sentence) < 300
    assert all(part in sentence for part in parts), sentence


# -- whole ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "variant", "dtype"), [(MINI, "cfr+", "float32"), (LEDUC, "pcfr+", "int16"), (LEDUC, "pcfr+", "float32")]
)
def test_resumed_bit_for_bit(tmp_path: Path, game: PublicGame, variant: str, dtype: str) -> None:
    """A run that was saved in between is the run that was not; also on another number of threads."""
    whole: Any = rg.solve(game, VARIANTS[variant], iterations=11, dtype=dtype)
    rg.solve(game, VARIANTS[variant], iterations=4, dtype=dtype).save(tmp_path / "part.run")
    rest = rg.resume(tmp_path / "part.run", iterations=7, threads=2)
    assert same_arrays(whole.arrays, rest.arrays)
    assert rows(rest)[-1] == rows(whole)[-1] and rest.iterations == 11
    rest.save(tmp_path / "rest.run")
    again = loaded(tmp_path / "rest.run")
    assert same_arrays(again.arrays, whole.arrays) and rows(again) == rows(rest)
    assert (again.game, again.method, again.settings["dtype"]) == (whole.game, whole.method, dtype)
    assert again.problem.fingerprint == game.public_tree().fingerprint
    asked = ("check check / check", "Ks") if game is LEDUC else ("call check / check", "AsKh9d")
    assert np.array_equal(again.strategy.at(*asked).probabilities, whole.strategy.at(*asked).probabilities)
    assert np.array_equal(again.current.at(*asked).action_ev, whole.current.at(*asked).action_ev, equal_nan=True)


def test_checkpoints(tmp_path: Path) -> None:
    """A solve that is stopped leaves a checkpoint from which it goes on to where it was planned to end."""
    path = tmp_path / "checkpoint.run"
    stop_at_five = lambda snapshot: snapshot.iteration == 5  # noqa: E731
    stopped = rg.solve(
        MINI, rg.CFR_PLUS, iterations=9, dtype="float32", callback=stop_at_five, checkpoint=path, checkpoint_every=0
    )
    assert stopped.stopped == "callback" and loaded(path).iterations == 5
    rest = rg.resume(path, checkpoint=path)
    whole = rg.solve(MINI, rg.CFR_PLUS, iterations=9, dtype="float32")
    assert rest.iterations == 9 and same_arrays(rest.arrays, whole.arrays) and rows(rest) == rows(whole)
    assert same_arrays(loaded(path).arrays, whole.arrays)
    with pytest.raises(OptionError, match="has done its 9 iterations"):
        rg.resume(path)


def test_compressed(mini: Path) -> None:
    kept = sum(array.nbytes for array in loaded(mini).arrays.values())
    assert mini.stat().st_size < 0.8 * kept


def test_read_by_safetensors(mini: Path) -> None:
    numpy_file = pytest.importorskip("safetensors.numpy")
    tensors = numpy_file.load_file(mini)
    assert tensors["regret.first"].shape == (loaded(mini).problem.boards + 1,)


# -- in part ----------------------------------------------------------------------------------------------------------


def test_one_board_is_read_alone(mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 167 boards and two arrays: the root's averages, and those of the flop that is asked for."""
    taken: list[tuple[str, int]] = []
    read = files.StoredArrays._piece

    def noted(self: Any, name: str, piece: int) -> bytes:
        taken.append((name, piece))
        return read(self, name, piece)

    monkeypatch.setattr(files.StoredArrays, "_piece", noted)
    run = loaded(mini)
    assert taken == []
    seen = run.strategy.at("call check / check", board="AsKh9d")
    assert len(taken) == 2 and {name for name, _ in taken} == {"average"} and ("average", 0) in taken
    run.strategy.at("call check /", board="AhKd9s")  # the same flop in other suits
    assert len(taken) == 2
    run.strategy.at("raise call /", board="AsAh9d")
    assert len(taken) == 3
    whole = loaded(mini)
    fresh: Any = rg.solve(MINI, rg.CFR_PLUS, iterations=5, dtype="float32")
    assert np.array_equal(whole.strategy.at("").ev, fresh.strategy.at("").ev)
    again = whole.strategy.at("call check / check", board="AsKh9d")
    assert np.array_equal(again.probabilities, seen.probabilities) and np.array_equal(again.ev, seen.ev)


# -- broken -----------------------------------------------------------------------------------------------------------


@settings(max_examples=150)
@given(where=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_byte_that_changed(leduc: Path, where: float, change: int) -> None:
    """Wherever it is: refused, unless it is one blank for another behind the header."""
    whole = leduc.read_bytes()
    at = int(where * len(whole))
    broken = leduc.with_name("broken.run")
    broken.write_bytes(whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
    try:
        found = dict(loaded(broken).arrays)
    except FileError as error:
        assert str(broken) in str(error) and "\n" not in str(error)
    else:
        assert whole[at : at + 1].isspace() and same_arrays(found, loaded(leduc).arrays)


@settings(max_examples=60)
@given(kept=st.floats(0, 1, exclude_max=True))
def test_a_file_that_is_cut_short(leduc: Path, kept: float) -> None:
    whole = leduc.read_bytes()
    broken = leduc.with_name("short.run")
    broken.write_bytes(whole[: int(kept * len(whole))])
    refused(broken)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "not a regretless file"),
        (b"Kuhn, Leduc, hold'em\n" * 40, "not a regretless file"),
        ((20).to_bytes(8, "little") + b'{"__metadata__": {}}', "not written by regretless"),
        ((2).to_bytes(8, "little") + b"{}", "not written by regretless"),
    ],
)
def test_a_foreign_file(tmp_path: Path, content: bytes, part: str) -> None:
    (tmp_path / "foreign.run").write_bytes(content)
    refused(tmp_path / "foreign.run", part)


def test_no_file(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere.run", "cannot read")


def test_a_run_is_no_strategy(leduc: Path) -> None:
    with pytest.raises(FileError, match=r"a regretless\.strategy file is needed here"):
        rg.Strategy.load(leduc)


def test_a_version_from_the_future(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rg.solve(LEDUC, rg.PCFR_PLUS, iterations=1, dtype="int16")
    with monkeypatch.context() as later:
        later.setattr(files, "VERSION", 7)
        run.save(tmp_path / "later.run")
    refused(tmp_path / "later.run", "has version 7 of its format; this regretless reads up to 3")


def test_another_game(leduc: Path) -> None:
    with pytest.raises(FileError, match="is a run of poker, but that game is not the same any more"):
        rg.resume(leduc, iterations=1, game=MINI)


KILLED = """
import os, signal, sys
import regretless as rg
from regretless.poker.formats import piece_codecs as codecs

path, pieces = sys.argv[1], int(sys.argv[2])
run, pack_numbers, done = rg.load(path), codecs.pack_numbers, []

def dies(numbers):
    done.append(1)
    if len(done) == pieces:
        os.kill(os.getpid(), signal.SIGKILL)
    return pack_numbers(numbers)

codecs.pack_numbers = dies
run.save(path)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_killed_in_the_middle_of_a_save(mini: Path) -> None:
    """The old file is as it was."""
    before = mini.read_bytes()
    ended = subprocess.run([sys.executable, "-c", KILLED, str(mini), "200"], check=False, env=os.environ)
    assert ended.returncode == -signal.SIGKILL
    assert mini.read_bytes() == before and loaded(mini).iterations == 5


def test_a_full_disk(mini: Path, tmp_path: Path) -> None:
    """The disk here is a limit on how long a file may become; the old file stays, and nothing is left beside it."""
    resource = pytest.importorskip("resource")
    run = loaded(mini)
    dict(run.arrays)
    target = tmp_path / "kept.run"
    target.write_bytes(mini.read_bytes())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(FileError) as raised:
            run.save(target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"cannot write {target}" in str(raised.value)
    assert target.read_bytes() == mini.read_bytes() and [p.name for p in tmp_path.iterdir()] == ["kept.run"]


def test_a_place_that_cannot_be_written(mini: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="it is a folder; name a file"):
        loaded(mini).save(tmp_path)
    with pytest.raises(FileError, match="it is a folder; name a file"):
        rg.solve(LEDUC, rg.PCFR_PLUS, iterations=1, dtype="int16", checkpoint=tmp_path)


# -- descriptions -----------------------------------------------------------------------------------------------------

SHORT = Deck("TJQKA", "shd")
NUMPY: Any = (np.int64(100), np.float32(250), np.int32(2))
GAMES = {
    "fhp": FlopHoldem(),
    "fhp 3/3": FlopHoldem((3, 3), isomorphism=False),
    "mini": MINI,
    "spot": Spot(
        "Qs Jh 2h 7c", ("QQ+,AKs:0.3", "random"), pot=NUMPY[0], stack=NUMPY[1], rake=0.05, rake_cap=3,
        sizes=Sizes("33% 75%", "60% all-in", donks="25%"), big_blind=2, min_bet=NUMPY[2],
    ),
    "blinds": PublicGame(
        SHORT, 2, (3,), NoLimit(stack=20, streets=2, blinds=(1, 2), ante=0.5, sizes="bet 50%, raise 3x")
    ),
    "ranges": PublicGame(
        SHORT, 2, (), Limit(streets=1, bets=3, caps=1, blinds=(0, 0), pot=4, stack=90), "AsKsQsJsTs",
        (Range.parse("AA,KhTh:0.1", SHORT), None),
    ),
    "locked": LEDUC.lock("", {"check": 1 / 3, "bet": 2 / 3}).lock("check check /", {"Js": {"bet": 1}}, board="Jh"),
}  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_a_game_through_json(name: str) -> None:
    game = GAMES[name]
    again = game_from_json(json.loads(json.dumps(game_to_json(game))))
    assert type(again) is type(game) and again.name == game.name and again.source == game.source
    if name.startswith("fhp"):  # laid out it would only take longer
        assert again == game
    else:
        assert again.public_tree().fingerprint == game.public_tree().fingerprint
    assert game_to_json(again) == json.loads(json.dumps(game_to_json(game)))


@pytest.mark.parametrize("missing", ["kind", "deck", "betting", "ranges", "locks"])
def test_a_description_with_something_missing(missing: str) -> None:
    told = game_to_json(LEDUC)
    del told[missing]
    with pytest.raises(FileError, match="the description of the game is damaged"):
        game_from_json(told)


def test_a_description_that_cannot_be() -> None:
    with pytest.raises(FileError, match="a hand has 1 to 4 cards"):
        game_from_json(game_to_json(LEDUC) | {"hand_size": 9})


def test_files_of_version_1_are_read() -> None:
    """tests/data/river_1.run was deflated, by version 1 of the format, and must stay readable for ever."""
    run = rg.load(Path(__file__).parents[1] / "data" / "river_1.run")
    assert isinstance(run, rg.Run) and run.iterations == 30
    assert run.exploitability == pytest.approx(0.028317550604488817)
    assert rg.exploitability(run.problem, run.strategy) == pytest.approx(run.exploitability, rel=1e-5)


def test_files_of_version_2_are_read() -> None:
    """tests/data/river_2.run holds numbers of 16 bits, compressed by zstd without differences of neighbours."""
    run = rg.load(Path(__file__).parents[1] / "data" / "river_2.run")
    assert isinstance(run, rg.Run) and run.iterations == 30 and run.settings["dtype"] == "int16"
    assert run.exploitability == pytest.approx(0.02832317694113673)
    assert rg.exploitability(run.problem, run.strategy) == pytest.approx(run.exploitability, rel=1e-5)
    digests = {name: hashlib.sha256(array.tobytes()).hexdigest()[:16] for name, array in run.arrays.items()}
    assert digests == {"regret": "76379574697e6a86", "average": "1319cd9e4e12d6ea", "scale": "d0342e8f2b6293f1"}
