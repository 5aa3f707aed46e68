"""Files that survive: the format, damage of every kind, and writes that are cut short."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED
from regretless.layout.labels import labels_from_arrays, labels_to_arrays
from regretless.storage import read_arrays, read_header, write_arrays, write_atomically

DATA = Path(__file__).parent / "data"

ARRAYS = {
    "doubles": np.linspace(0, 1, 7),
    "singles": np.linspace(0, 1, 5, dtype=np.float32).reshape(5, 1),
    "numbers": np.arange(6, dtype=np.int64).reshape(2, 3),
    "words": np.array([1, 2**64 - 1], np.uint64),
    "flags": np.array([True, False]),
    "nothing": np.zeros((0, 3), np.int32),
}


@pytest.fixture(scope="module")
def run(kuhn: rg.Tree) -> rg.Run:
    return rg.solve(kuhn, rg.PDCFR_PLUS, iterations=9)


# -- the format -------------------------------------------------------------------------------------------------------


def test_there_and_back(tmp_path: Path) -> None:
    meta = {"format": "x", "text": "π, “quotes” and \n lines", "list": [1, 2.5, None, {"a": True}]}
    write_arrays(tmp_path / "a", ARRAYS, meta)
    arrays, again = read_arrays(tmp_path / "a")
    assert {key: again[key] for key in meta} == meta
    assert {key: read_header(tmp_path / "a")[key] for key in meta} == meta
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)
        assert arrays[name].flags.writeable


def test_arrays_in_any_memory_order(tmp_path: Path) -> None:
    transposed = np.arange(6.0).reshape(2, 3).T
    write_arrays(tmp_path / "a", {"x": transposed}, {})
    assert np.array_equal(read_arrays(tmp_path / "a")[0]["x"], transposed)


def test_safetensors_reads_it(tmp_path: Path, run: rg.Run) -> None:
    safetensors = pytest.importorskip("safetensors")
    numpy = pytest.importorskip("safetensors.numpy")
    run.save(tmp_path / "kuhn.run")
    arrays = numpy.load_file(tmp_path / "kuhn.run")
    for name, array in run.arrays.items():
        assert np.array_equal(arrays[name if name == "current" else f"state_{name}"], array)
    with safetensors.safe_open(tmp_path / "kuhn.run", "numpy") as file:
        meta = file.metadata()
    assert json.loads(meta["format"]) == "regretless.run"
    assert json.loads(meta["version"]) == 1
    assert json.loads(meta["game"]) == "kuhn"


def test_a_file_of_version_1_is_still_read(kuhn: rg.Tree) -> None:
    """tests/data/kuhn_1.run was written by version 1 of the format and must stay readable for ever."""
    run = rg.load(DATA / "kuhn_1.run")
    assert isinstance(run, rg.Run)
    assert (run.game, run.method, run.iterations) == ("kuhn", rg.PDCFR_PLUS, 25)
    assert run.history["iteration"][-1] == 25
    assert run.strategy["K"] == pytest.approx({"pass": 0.0, "bet": 1.0}, abs=0.5)
    assert rg.exploitability(kuhn, run.strategy) == pytest.approx(run.exploitability, abs=1e-12)
    resumed = rg.resume(DATA / "kuhn_1.run", iterations=25)
    fresh = rg.solve(kuhn, rg.PDCFR_PLUS, iterations=50)
    for name, array in fresh.arrays.items():
        np.testing.assert_allclose(resumed.arrays[name], array, atol=1e-9)
    strategy = rg.load(DATA / "kuhn_1.strategy")
    assert strategy == run.strategy
    assert (DATA / "kuhn_1.run").stat().st_size < 20_000


# -- labels -----------------------------------------------------------------------------------------------------------


class Point(NamedTuple):
    x: int
    y: str


class Colour(Enum):
    RED = 1


class Thing:
    def __repr__(self) -> str:
        return "<a thing>"


LABELS: list[tuple[Any, Any]] = [
    # as the game gives it, as it comes back
    ("plain", "plain"),
    ("ünïcödé ♠♥ 牌 \n\0\ud800", "ünïcödé ♠♥ 牌 \n\0\ud800"),
    ("(1, 2)", "(1, 2)"),
    (3, 3),
    (-2.5, -2.5),
    (True, True),
    (None, None),
    (b"\x00\xff", b"\x00\xff"),
    ((1, ("a", (2.5, None))), (1, ("a", (2.5, None)))),
    ((), ()),
    (Point(1, "a"), (1, "a")),
    (np.int64(7), 7),
    ((np.float64(0.5), np.str_("s")), (0.5, "s")),
    (frozenset({"b", "a", 3}), frozenset({"b", "a", 3})),
    (frozenset(), frozenset()),
    ((1, frozenset({2})), (1, frozenset({2}))),
    (frozenset({frozenset({1})}), "frozenset({frozenset({1})})"),
    (Colour.RED, "Colour.RED"),
    (Thing(), "<a thing>"),
]


class Odd(rg.Game):
    """One decision whose infoset and actions carry odd labels."""

    players = 1

    def __init__(self, label: Any) -> None:
        self.label = label

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if state else 0

    def actions(self, state: str) -> str:
        return "ab"

    def play(self, state: str, action: str) -> str:
        return action

    def infoset(self, state: str) -> Any:
        return self.label

    def action_label(self, action: str) -> Any:
        return self.label if action == "a" else ("other", self.label)

    def payoffs(self, state: str) -> tuple[float]:
        return (1.0,)


@pytest.mark.parametrize(("label", "read"), LABELS, ids=[type(label).__name__ for label, _ in LABELS])
def test_odd_labels(label: Any, read: Any, tmp_path: Path) -> None:
    tree = rg.build(Odd(label))
    rg.solve(tree, iterations=2).save(tmp_path / "odd.run")
    run = rg.load(tmp_path / "odd.run")
    assert isinstance(run, rg.Run)
    assert run.labels.names == (read,)
    assert run.strategy[0, read][read] == 0.5
    if not isinstance(label, Thing | Colour):
        assert run.labels.fingerprint == tree.labels.fingerprint
    resumed = rg.resume(tmp_path / "odd.run", iterations=1, game=tree)
    assert resumed.iterations == 3
    rg.load(tmp_path / "odd.run").strategy.to_json(tmp_path / "odd.json")  # type: ignore[union-attr]


def test_fingerprints_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    """A frozen set prints in an order that changes from process to process; a run must still be resumable."""
    import subprocess
    import sys

    code = "from regretless.layout.label_text import label_text; print(label_text(('x', frozenset('abcdefgh'))))"
    found = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", code]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


@given(literals)
def test_any_literal_label(label: Any) -> None:
    labels = rg.build(Odd(label)).labels
    again = labels_from_arrays("x", labels_to_arrays(labels), {"players": 1})
    assert again.names == labels.names
    assert again.actions == labels.actions
    assert again.fingerprint == labels.fingerprint


# -- damage -----------------------------------------------------------------------------------------------------------


def assert_refused(path: Path, match: str = ".") -> None:
    with pytest.raises(rg.FileError, match=match) as error:
        rg.load(path)
    assert path.name in str(error.value)
    with pytest.raises(rg.FileError):
        rg.resume(path, iterations=1)
    with pytest.raises(rg.FileError):
        rg.Strategy.load(path)


def test_truncation_anywhere(run: rg.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "whole.run")
    data = (tmp_path / "whole.run").read_bytes()
    header = 8 + int.from_bytes(data[:8], "little")
    places = [0, 1, 7, 8, 9, header // 2, header - 1, header, header + 1, len(data) - 1]
    places += [*range(header, len(data), 97)]
    for place in places:
        (tmp_path / "cut.run").write_bytes(data[:place])
        assert_refused(tmp_path / "cut.run", "cut short|not a regretless file")


def test_one_flipped_bit_anywhere(run: rg.Run, tmp_path: Path) -> None:
    run.save(tmp_path / "whole.run")
    data = (tmp_path / "whole.run").read_bytes()
    reference, meta = read_arrays(tmp_path / "whole.run")
    path = tmp_path / "flipped.run"
    rng = np.random.default_rng(0)
    places = rng.choice(len(data), 60 if INTERPRETED else 700, replace=False)
    for place in [*range(9), *places.tolist()]:
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        try:
            arrays, again = read_arrays(path)
        except rg.FileError:
            continue
        # What spells the same in JSON (1e-5 and 1E-5) is no damage, nor is the name of the checksum.
        assert {k: v for k, v in again.items() if k in meta} == {k: v for k, v in meta.items() if k in again}
        assert all(np.array_equal(arrays[name], reference[name]) for name in reference)


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_foreign_file(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("foreign") / "foreign.run"
    path.write_bytes(data)
    assert_refused(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    "game",
    "method",
    "iterations",
    "seconds",
    "history",
    "settings",
    "fingerprint",
    "stopped",
    "players",
    "version",
]


@settings(max_examples=80)
@given(st.sampled_from(KEYS), json_values)
def test_any_value_in_the_header(tmp_path_factory: pytest.TempPathFactory, key: str, value: Any) -> None:
    """A header that is well-formed, with a checksum that fits, but says something strange."""
    folder = tmp_path_factory.mktemp("strange")
    arrays, meta = read_arrays(DATA / "kuhn_1.run")
    write_arrays(folder / "strange.run", arrays, {**meta, key: value})
    try:
        run = rg.load(folder / "strange.run")
    except rg.RegretlessError:
        return
    assert isinstance(run, rg.Run)


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], object]) -> None:
    arrays, meta = read_arrays(DATA / "kuhn_1.run")
    meta.pop("crc32", None)
    change(arrays, meta)
    write_arrays(path, arrays, meta)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda a, m: m.update(version=2), "has version 2 of its format; this regretless reads up to 1"),
        (lambda a, m: m.update(version="1"), "has version 1 of its format"),
        (
            lambda a, m: m.update(format="regretless.range"),
            "is a regretless.range file; a regretless.run file is needed",
        ),
        (lambda a, m: m.pop("format"), "not written by regretless"),
        (lambda a, m: m.pop("method"), "the header is damaged"),
        (
            lambda a, m: m.update(method={"class": "Alchemy"}),
            "a method 'Alchemy' that is not known here: pass",
        ),
        (lambda a, m: m.update(method={"class": "Variant", "taste": 1}), "description of Variant is damaged"),
        (lambda a, m: a.pop("state_average"), "holds no 'state_average'"),
        (lambda a, m: a.pop("label_text"), "holds no 'label_text'"),
        (lambda a, m: a.update(state_average=np.zeros(3)), "'state_average' does not fit the table of labels"),
        (lambda a, m: a.update(label_text=np.frombuffer(b"{}", np.uint8)), "the table of labels is damaged"),
        (lambda a, m: a.update(label_actions=a["label_actions"] + 100), "the table of labels is damaged"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: Callable[..., object], said: str) -> None:
    rewritten(tmp_path / "changed.run", change)
    with pytest.raises(rg.FileError, match=said) as error:
        rg.load(tmp_path / "changed.run")
    assert "changed.run" in str(error.value)


def test_a_run_whose_state_was_taken_out_is_not_resumed(tmp_path: Path) -> None:
    rewritten(tmp_path / "a.run", lambda a, m: a.pop("state_regret"))
    with pytest.raises(rg.FileError, match="holds no usable 'regret'"):
        rg.resume(tmp_path / "a.run", iterations=1)


def test_files_of_other_programs(tmp_path: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    numpy.save_file({"weight": np.zeros(3)}, tmp_path / "net.safetensors", metadata={"format": "pt"})
    assert_refused(tmp_path / "net.safetensors", "not one that regretless wrote")
    numpy.save_file({"weight": np.zeros(3)}, tmp_path / "bare.safetensors")
    assert_refused(tmp_path / "bare.safetensors", "not written by regretless")
    np.save(tmp_path / "x.npy", np.zeros(9))
    assert_refused(tmp_path / "x.npy", "is not a regretless file")
    (tmp_path / "x.json").write_text(json.dumps({"a": 1}))
    assert_refused(tmp_path / "x.json", "is not a regretless file")
    deep = b"[" * 100_000
    (tmp_path / "deep").write_bytes(len(deep).to_bytes(8, "little") + deep)
    assert_refused(tmp_path / "deep", "is not a regretless file")


def test_strategies_and_runs_are_told_apart(run: rg.Run, tmp_path: Path) -> None:
    run.strategy.save(tmp_path / "s")
    with pytest.raises(rg.FileError, match=r"is a regretless.strategy file; a regretless.run file is needed here"):
        rg.resume(tmp_path / "s", iterations=1)
    run.save(tmp_path / "r")
    with pytest.raises(rg.FileError, match=r"is a regretless.run file; a regretless.strategy file is needed here"):
        rg.Strategy.load(tmp_path / "r")


def test_nothing_there_or_a_folder(tmp_path: Path) -> None:
    assert_refused(tmp_path / "absent.run", "cannot read .*absent.run: No such file or directory")
    (tmp_path / "folder").mkdir()
    assert_refused(tmp_path / "folder", "cannot read .*folder: Is a directory")


# -- writing ----------------------------------------------------------------------------------------------------------


def only_file(folder: Path) -> Path:
    (only,) = folder.iterdir()
    return only


def test_a_write_makes_its_folder(tmp_path: Path, run: rg.Run) -> None:
    run.save(tmp_path / "new" / "folder" / "kuhn.run")
    assert isinstance(rg.load(tmp_path / "new" / "folder" / "kuhn.run"), rg.Run)


def test_permissions_are_those_of_any_new_file(tmp_path: Path, run: rg.Run) -> None:
    run.save(tmp_path / "kuhn.run")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "kuhn.run").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, run: rg.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kuhn.run"
    run.save(path)
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(rg.FileError, match=r"cannot write .*kuhn.run: No space left on device"):
        run.save(path)
    assert only_file(tmp_path) == path
    assert path.read_bytes() == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_really_full_device(tmp_path: Path) -> None:
    def fill(_file: object) -> None:
        with Path("/dev/full").open("wb", buffering=0) as full:
            full.write(b"x")

    with pytest.raises(rg.FileError, match="No space left on device"):
        write_atomically(tmp_path / "never-written", fill)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("crash", [OSError(errno.EIO, "Input/output error"), RuntimeError("boom"), KeyboardInterrupt()])
def test_a_crash_between_write_and_rename_leaves_the_old_file(
    tmp_path: Path, run: rg.Run, monkeypatch: pytest.MonkeyPatch, crash: BaseException
) -> None:
    path = tmp_path / "kuhn.run"
    run.save(path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise crash

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(rg.FileError if isinstance(crash, OSError) else type(crash)):
        run.save(path)
    monkeypatch.undo()
    assert only_file(tmp_path) == path
    assert path.read_bytes() == before


def test_kill_9_between_write_and_rename(tmp_path: Path, run: rg.Run) -> None:
    """The process dies with the new file whole but not yet in place: the old one is what is read."""
    import subprocess
    import sys

    path = tmp_path / "kuhn.run"
    run.save(path)
    before = path.read_bytes()
    code = (
        "import os, pathlib, signal, sys; from regretless.storage import write_atomically;"
        "pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL);"
        "write_atomically(sys.argv[1], lambda file: file.write(b'new'))"
    )
    died = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert died.returncode == -9
    assert path.read_bytes() == before
    assert isinstance(rg.load(path), rg.Run)


def test_a_folder_as_target(tmp_path: Path, run: rg.Run) -> None:
    (tmp_path / "kuhn.run").mkdir()
    with pytest.raises(rg.FileError, match=r"cannot write .*kuhn.run: it is a folder; name a file"):
        run.save(tmp_path / "kuhn.run")
    with pytest.raises(rg.FileError, match="it is a folder"):
        run.save("")


def test_a_file_where_a_folder_should_be(tmp_path: Path, run: rg.Run) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(rg.FileError, match="cannot write"):
        run.save(tmp_path / "file" / "kuhn.run")


def test_an_unwritable_folder(run: rg.Run) -> None:
    """/proc takes no files, not even from root."""
    if not Path("/proc/self").exists():
        pytest.skip("no /proc here")
    with pytest.raises(rg.FileError, match=r"cannot write /proc/regretless.run"):
        run.save("/proc/regretless.run")
    with pytest.raises(rg.FileError, match=r"cannot write /proc/x.csv"):
        run.strategy.to_csv("/proc/x.csv")
