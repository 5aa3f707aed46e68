"""Pictures: what is drawn, and where it is written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import regretless as rg
from regretless.plots import COLOURS, convergence


@pytest.fixture(scope="module")
def run(kuhn: rg.Tree) -> rg.Run:
    return rg.solve(kuhn, iterations=60)


def test_axes(run: rg.Run) -> None:
    figure = run.plot()
    left, right = figure.axes
    assert (left.get_xlabel(), right.get_xlabel()) == ("iterations", "seconds")
    assert left.get_ylabel() == "exploitability (chips per game)"
    assert {axes.get_xscale() for axes in figure.axes} == {axes.get_yscale() for axes in figure.axes} == {"log"}
    (line,) = left.get_lines()
    assert np.array_equal(line.get_xdata(), run.history["iteration"])
    assert np.array_equal(line.get_ydata(), run.history["exploitability"])
    assert right.get_legend() is None
    assert figure.get_suptitle() == "kuhn, CFR+"


@pytest.mark.parametrize(
    ("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PDF", b"%PDF"), ("a", b"\x89PNG")]
)
def test_files(run: rg.Run, tmp_path: Path, name: str, begins: bytes) -> None:
    run.plot(tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_an_unknown_ending(run: rg.Run, tmp_path: Path) -> None:
    with pytest.raises(rg.OptionError, match=r"a picture ends in .png, .svg or .pdf, got .*plot.gif"):
        run.plot(tmp_path / "plot.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_folder(run: rg.Run, tmp_path: Path) -> None:
    (tmp_path / "plot.png").mkdir()
    with pytest.raises(rg.FileError, match="it is a folder"):
        run.plot(tmp_path / "plot.png")


def test_points_that_a_logarithm_cannot_show_are_left_out() -> None:
    history = {
        "iteration": np.array([1, 2, 3]),
        "seconds": np.array([0.0, 0.1, 0.2]),
        "exploitability": np.array([0.5, 0.0, -1e-17]),
    }
    figure = convergence({"exact": history}, title="game")
    assert [len(axes.get_lines()[0].get_xdata()) for axes in figure.axes] == [1, 0]


def test_the_loss_of_networks_is_drawn_where_exploitability_is_not_known(tmp_path: Path) -> None:
    nothing = np.array([np.nan, np.nan])
    history = {"iteration": np.array([1, 2]), "seconds": np.array([0.1, 0.2]), "exploitability": nothing}
    figure = convergence({"Deep CFR": {**history, "loss": np.array([2.0, 1.0])}}, path=tmp_path / "loss.png")
    assert figure.axes[0].get_ylabel() == "loss of the networks, latest fit"
    assert figure.axes[0].get_lines()[0].get_ydata().tolist() == [2.0, 1.0]
    for lossless in (history, {**history, "loss": nothing}):
        with pytest.raises(rg.OptionError, match="exploitability is not known"):
            convergence({"Deep CFR": lossless}, path=tmp_path / "none.png")


def test_a_method_without_regret_from_the_first_iteration_is_drawn(tmp_path: Path) -> None:
    columns = {"iteration": np.array([1]), "seconds": np.array([0.1]), "exploitability": np.array([0.0])}
    convergence({"exact": columns}, path=tmp_path / "exact.png")
    assert (tmp_path / "exact.png").exists()


def test_more_lines_than_colours(run: rg.Run, tmp_path: Path) -> None:
    many = {f"method {i}": run.history for i in range(len(COLOURS) + 3)}
    figure = convergence(many, title="many", path=tmp_path / "many.svg")
    looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in figure.axes[0].get_lines()}
    assert len(looks) == len(many)


def test_nothing_to_draw() -> None:
    assert convergence({}, title="empty").get_suptitle() == "empty"
