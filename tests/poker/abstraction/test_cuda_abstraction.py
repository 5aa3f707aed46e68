"""Card abstractions built with a GPU: the map of the CPU bit for bit in Numba's simulator, and compiled for a GPU.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from simulated_gpu import check_toolchain, run_in_the_simulator
from slow_abstraction import distances

from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.gpu.launching import Launch
from regretless.kernels.cards import clustering
from regretless.poker import Abstraction, Deck, Limit, PublicGame, abstract
from regretless.poker.abstraction.build import cuda_clusters, kmeans, street_building, sweeping
from regretless.poker.abstraction.build.building import build_cost
from regretless.poker.abstraction.build.cuda_clusters import CudaClusters, device_bytes
from regretless.poker.abstraction.build.kmeans import Centroids, seed_centroids, sorted_centroids
from regretless.poker.abstraction.build.street_plans import StreetPlan, street_plans
from regretless.poker.abstraction.card_rounds import CardRounds

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")

SMALL = Launch(threads=4, chip_bytes=0)
HOPPER = (9, 0)
"""Compute capability of an H200."""

GAME = PublicGame(Deck("TJQK", "sh"), 2, (1, 1), Limit(streets=3, caps=2))
BUCKETS = (4, 7, 9)
WIDTHS = [(1, True), (8, True), (49, False)]
"""Widths of rows, and whether distances are squared."""


@pytest.mark.skipif(SIMULATED, reason="this is the process of its own")
@pytest.mark.full
def test_in_the_simulator() -> None:
    done = run_in_the_simulator(__file__)
    assert done.returncode == 0, done.stdout[-4_000:]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few threads, tiles of three centroids, batches of a few rows, and blocks of eight rows where seeds are drawn."""
    sys.setswitchinterval(1e-5)  # the simulator's threads wait for each other all the time
    from regretless.kernels.cards import cuda_clustering, cuda_seeding

    usual = cuda_clustering.search_kernel
    monkeypatch.setattr(cuda_clustering, "search_kernel", lambda width, squared: usual(width, squared, 3))
    monkeypatch.setattr(CudaClusters.__init__, "__defaults__", (SMALL,))
    for module in (clustering, kmeans, cuda_clusters, cuda_seeding):
        monkeypatch.setattr(module, "BLOCK", 8)
    for module in (cuda_clusters, street_building):
        monkeypatch.setattr(module, "ROWS_OF_A_BATCH", 37)
    monkeypatch.setattr(sweeping, "ROWS_OF_A_PIECE", 60)
    cuda_clusters.kernels.cache_clear()
    yield
    cuda_clusters.kernels.cache_clear()


def drawn_rows(seed: int, n: int, width: int, values: int = 65_536) -> Any:
    """Rows of random numbers below `values`; some have only the lowest and the highest one."""
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, values, (n, width))
    rows[::5] = draw.integers(0, 2, (len(rows[::5]), width)) * (values - 1)
    return rows.astype(np.uint16)


@in_the_simulator
@pytest.mark.parametrize("values", [3, 65_536])
@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize(("width", "squared"), WIDTHS)
def test_nearest_centroids(width: int, squared: bool, k: int, values: int, small: None) -> None:
    """With three different numbers there are many ties; 90 rows are two batches and a part."""
    rows, centroids = drawn_rows(1, 90, width, values), sorted_centroids(drawn_rows(2, k, width, values))
    apart, counts = distances(rows, centroids.values, squared), np.arange(90)
    device, labels = CudaClusters((), 1), np.full(90, -1, np.int32)
    assert device.assign(rows, counts, centroids, squared, labels) == (apart.min(axis=1) * counts).sum()
    assert labels.tolist() == apart.argmin(axis=1).tolist()


@in_the_simulator
def test_the_widest_distances(small: None) -> None:
    """Sums that need 35 bits, where the greatest numbers of 16 bits are compared with zeros."""
    rows, centroids = np.zeros((2, 8), np.uint16), np.array([[1] + [65_535] * 7, [65_535] * 8], np.uint16)
    rows[1] = 65_535
    device, labels, apart = CudaClusters((), 1), np.zeros(2, np.int32), np.zeros(2, np.int64)
    device.search(Centroids(centroids, centroids.sum(axis=1)), True).nearest(rows, labels, apart)
    assert labels.tolist() == [0, 1] and apart.tolist() == [7 * 65_535**2 + 1, 0]


@in_the_simulator
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("width", "squared"), WIDTHS)
def test_seeds(width: int, squared: bool, threads: int, small: None) -> None:
    """The same rows in the same order as on the CPU, also where fewer rows differ than seeds are asked for."""
    device = CudaClusters((), 1, SMALL._replace(threads=threads))
    for rows in (drawn_rows(3, 45, width), np.repeat(drawn_rows(4, 4, width), 7, axis=0)):
        counts = np.random.default_rng(5).integers(1, 9, len(rows))
        keys = rows.sum(axis=1, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        given = np.ascontiguousarray(rows[order]), keys[order], counts[order], squared, 7, 9
        with np.errstate(over="ignore"):  # words are multiplied modulo 2⁶⁴
            assert device.draw(*given).tolist() == kmeans._drawn(*given).tolist()


@in_the_simulator
def test_seeds_end_where_no_rows_are_left(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_clusters, "SEEDS_AT_ONCE", 2)
    rows = np.repeat(drawn_rows(4, 4, 8), 7, axis=0)
    found = seed_centroids(rows, np.ones(28, np.int64), 20, True, 1, CudaClusters((), 1).draw)
    assert sorted(found.values.tolist()) == sorted(drawn_rows(4, 4, 8).tolist())


def built(device: str, feature: str, recall: str = "imperfect", **options: Any) -> Abstraction:
    """A small abstraction."""
    with np.errstate(over="ignore"):
        return abstract(GAME, BUCKETS, feature, recall, seed=3, threads=1, device=device, **options)


def check_same(one: Abstraction, other: Abstraction) -> None:
    """All arrays of all streets."""
    assert one == other and one.fingerprint == other.fingerprint
    for mine, theirs in zip(one.streets, other.streets, strict=True):
        for name, array in mine.arrays.items():
            assert np.array_equal(array, theirs.arrays[name]), name


@in_the_simulator
@pytest.mark.parametrize("recall", ["imperfect", "perfect"])
@pytest.mark.parametrize("feature", ["ehs", "percentile", "histogram", "ochs"])
def test_the_map_is_that_of_the_cpu(feature: str, recall: str, small: None) -> None:
    check_same(built("cpu", feature, recall), built("cuda", feature, recall))


class Stop(Exception):
    """Ends a build from its progress callback."""


@in_the_simulator
@pytest.mark.parametrize("feature", ["histogram", "ochs"])
def test_a_build_goes_on_on_the_other_device(feature: str, small: None, tmp_path: Path) -> None:
    """Stopped again and again, each time it goes on on the other of the two."""
    state, stopped = tmp_path / "build.part", 0
    while True:
        left = [3 + stopped % 4]

        def progress(_: object, left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise Stop

        try:
            again = built(("cpu", "cuda")[stopped % 2], feature, progress=progress, checkpoint=state)
            break
        except Stop:
            stopped += 1
            assert state.exists() and stopped < 100
    assert stopped > 5 and not state.exists()
    check_same(again, built("cpu", feature))


# -- without a GPU ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(SIMULATED or cuda_available() is None, reason="there is a GPU, or the simulator of one")
def test_a_missing_gpu_is_said_before_anything_is_computed(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="device='cuda' needs"):
        abstract(GAME, 5, device="cuda", checkpoint=tmp_path / "build.part", progress=print)
    assert not list(tmp_path.iterdir())


def test_other_devices() -> None:
    with pytest.raises(OptionError, match="device is 'cpu' or 'cuda', got 'tpu'"):
        abstract(GAME, 5, device="tpu")


def plans_of_holdem(k: int) -> tuple[StreetPlan, ...]:
    return street_plans(CardRounds(Deck(), 2, (0, 3, 4, 5)), (169, k, k, k), None)


def test_too_little_memory_on_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    from regretless.kernels import cuda_target

    context = SimpleNamespace(get_memory_info=lambda: SimpleNamespace(free=50_000_000))
    monkeypatch.setattr(cuda_clusters, "cuda_available", lambda: None)
    monkeypatch.setattr(cuda_target, "SIMULATED", False)
    monkeypatch.setattr(cuda_target, "cuda", SimpleNamespace(current_context=lambda: context))
    with pytest.raises(
        OptionError, match=r"this build needs 0.18 GB .* and 0.05 GB are free there: take fewer buckets"
    ):
        CudaClusters(plans_of_holdem(20_000), 1_000_000)


def test_the_memory_and_the_time_on_a_gpu() -> None:
    assert device_bytes(plans_of_holdem(20_000), 1_000_000) < 200e6 < device_bytes(plans_of_holdem(20_000), 10_000_000)
    game = PublicGame(Deck(), 2, (3, 1, 1), Limit(streets=4, caps=4))
    cpu, gpu = (build_cost(game, (169, 20_000, 20_000, 20_000), threads=2, device=name) for name in ("cpu", "cuda"))
    assert gpu.seconds < cpu.seconds / 3 and cpu.memory < gpu.memory


class HostArray(np.ndarray[Any, Any]):
    """An array of the host that stands for one of a GPU."""

    def copy_to_device(self, source: Any) -> None:
        """Copy from an array of the host."""
        self[...] = source

    def copy_to_host(self, target: Any = None) -> Any:
        """A copy, or what is written to the target."""
        return np.array(self) if target is None else np.copyto(target, self)


@pytest.mark.skipif(SIMULATED, reason="the simulator compiles nothing")
@pytest.mark.parametrize(("width", "squared"), [pytest.param(1, True, marks=pytest.mark.full), (8, True), (49, False)])
def test_kernels_compile_for_a_gpu_that_is_not_here(width: int, squared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulator takes what the compiler may refuse; and coordinates are kept in registers, not in memory."""
    check_toolchain()
    import numba
    from numba import cuda
    from numba.cuda import dispatcher

    from regretless.kernels import cuda_target
    from regretless.kernels.cards import cuda_clustering, cuda_seeding

    assert cuda_clustering.TILE * (4 * width + 8) < 48 * 1024 and cuda_clusters.LAUNCH.threads <= cuda_seeding.THREADS
    cuda_clusters.kernels(width, squared)
    arrays = SimpleNamespace(to_device=lambda array: array.view(HostArray), device_array=HostArray)
    monkeypatch.setattr(cuda_clusters, "cuda_available", lambda: None)
    monkeypatch.setattr(cuda_clusters, "check_device_memory", lambda *_, **__: None)
    monkeypatch.setattr(cuda_target, "cuda", arrays)
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=HOPPER))
    compiled: dict[str, str] = {}

    def compile_only(launcher: Any, name: str, _: int, *arguments: Any) -> None:
        given = (np.asarray(value) if isinstance(value, np.ndarray) else value for value in arguments)
        kernel = getattr(launcher.kernels, name).py_func
        compiled[name] = cuda.compile_ptx(kernel, tuple(map(numba.typeof, given)), cc=HOPPER)[0]

    monkeypatch.setattr(cuda_clusters.KernelLauncher, "start", compile_only)
    device, rows, counts = CudaClusters((), 1), drawn_rows(1, 20, width), np.ones(20, np.int64)
    device.assign(rows, counts, sorted_centroids(rows[:3]), squared, np.zeros(20, np.int32))
    device.draw(rows, rows.sum(axis=1, dtype=np.int64), counts, squared, 1, 2)
    assert compiled.keys() == {"search", "come_nearer", "draw_row"}
    assert all("sm_90" in code and ".local" not in code and "f64" not in code for code in compiled.values())
