"""Headers of run files with checksums that fit and values that no run has: refused with a sentence when loaded."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import regretless as rg
from regretless.lookup.field_types import misfit
from regretless.lookup.methods import METHODS, _Home, _Methods
from regretless.storage import read_arrays, write_arrays

RUN = Path(__file__).parents[1] / "data" / "kuhn_1.run"

HUGE = 10**4_000


def with_meta(path: Path, changes: dict[str, Any]) -> Path:
    arrays, meta = read_arrays(RUN)
    write_arrays(path, arrays, {**{key: value for key, value in meta.items() if key != "crc32"}, **changes})
    return path


def settings(**changes: Any) -> dict[str, Any]:
    return {"settings": {**read_arrays(RUN)[1]["settings"], **changes}}


def method(**changes: Any) -> dict[str, Any]:
    return {"method": {**read_arrays(RUN)[1]["method"], **changes}}


def first_row(**changes: Any) -> dict[str, Any]:
    rows = read_arrays(RUN)[1]["history"]
    return {"history": [{**rows[0], **changes}, *rows[1:]]}


@pytest.mark.parametrize(
    "changes",
    [
        {"players": [2]}, {"players": 10**9}, {"game": ["kuhn"]}, {"iterations": HUGE}, {"iterations": -1},
        {"iterations": "25"}, {"seconds": [0]}, {"seconds": -1.0}, {"history": {}}, {"history": [7]},
        {"history": [{"iteration": 1}, {}]}, {"history": [{"value": 1.0}]}, first_row(value="x" * 10_000),
        first_row(value=[1]), first_row(iteration=HUGE), first_row(iteration=1.5), {"settings": []},
        settings(dtype=["float64"]),
        settings(dtype="x" * 5_000), settings(device="x" * 5_000), settings(threads=HUGE), settings(threads=0),
        settings(threads=[1]), settings(seed=[1]), settings(seed=-1), settings(planned=[[1]]), settings(fixed=7),
        settings(fixed=[HUGE]), {"fingerprint": [1]}, {"stopped": 7}, {"problem": ["tree"]}, {"method": []},
        {"method": "cfr+"}, {"method": 7}, {"method": {"class": "Polynomial", "power": 1}}, method(delay=[1]),
        method(delay=HUGE), method(discount="x"), method(floor={}), method(averaging=[1]), method(**{"class": ["x"]}),
    ],
    ids=lambda changes: json.dumps(changes)[:60],
)  # fmt: skip
def test_a_value_that_no_run_has(changes: dict[str, Any], tmp_path: Path) -> None:
    path = with_meta(tmp_path / "x.run", changes)
    with pytest.raises(rg.FileError) as raised:
        rg.load(path)
    said = str(raised.value)
    assert str(path) in said and "\n" not in said and len(said) < 1_000


@pytest.mark.parametrize("name", ["dtype", "threads", "seed"])
def test_a_setting_that_resuming_needs_is_missing(name: str, tmp_path: Path) -> None:
    left = {key: value for key, value in settings()["settings"].items() if key != name}
    with pytest.raises(rg.FileError, match=f"cannot be resumed: it does not say its {name}"):
        rg.resume(with_meta(tmp_path / "x.run", {"settings": left}), iterations=1)


def test_the_file_itself_is_read(tmp_path: Path) -> None:
    assert isinstance(rg.load(with_meta(tmp_path / "x.run", {})), rg.Run)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_the_types_that_it_declares(name: str) -> None:
    assert misfit(METHODS[name]) == ""


def test_methods_are_loaded_by_many_threads_and_after_a_failure() -> None:
    began, calls = threading.Barrier(4), []

    class Slow(_Home):
        def make(self) -> rg.Variant:
            calls.append(1)
            if len(calls) == 1:
                raise MemoryError
            time.sleep(0.05)
            return rg.CFR

    methods = _Methods({}, {"omd": Slow("methods.first_order.omd", "OMD")})
    with pytest.raises(MemoryError):
        methods["omd"]

    def ask(_: int) -> object:
        began.wait()
        return methods["omd"]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [rg.CFR] * 4
    with pytest.raises(KeyError):
        methods["nosuch"]


def test_a_long_name_of_a_game_is_not_repeated(tmp_path: Path) -> None:
    path = with_meta(tmp_path / "x.run", {"game": "x" * 100_000})
    with pytest.raises(rg.RegretlessError) as raised:
        rg.resume(path, iterations=1)
    assert len(str(raised.value)) < 1_000
