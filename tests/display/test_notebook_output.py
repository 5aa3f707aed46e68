"""What notebooks show: tables, pictures, and a progress bar that is updated in place."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import regretless as rg
from conftest import built
from regretless.display.html_tables import MOST_ROWS, html_table
from regretless.display.notebooks import in_notebook
from regretless.run import History
from regretless.solving.progress import Display, NotebookDisplay, display_of

PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def run(kuhn: rg.Tree) -> rg.Run:
    return rg.solve(kuhn, rg.CFR_PLUS, iterations=60)


# -- data frames ------------------------------------------------------------------------------------------------------


def test_a_history_is_a_data_frame(run: rg.Run) -> None:
    """A Mapping that is no dict would become one column of column names."""
    for frame in (pandas.DataFrame(run.history), run.history.frame()):
        assert list(frame.columns) == list(run.history)
        assert len(frame) == len(run.history["iteration"])
        assert frame["exploitability"].iloc[-1] == run.exploitability
        assert frame["iteration"].dtype == np.int64
    assert run.history.frame("polars").equals(polars.DataFrame(run.history))
    with pytest.raises(rg.OptionError, match="frames come as 'pandas' or 'polars', not 'arrow'"):
        run.history.frame("arrow")  # type: ignore[call-overload]


def test_a_history_cannot_be_changed(run: rg.Run) -> None:
    for change in (
        lambda h: h.update(value=1),
        lambda h: h.pop("value"),
        lambda h: h.clear(),
        lambda h: h.__setitem__("value", 1),
        lambda h: h.__delitem__("value"),
    ):
        with pytest.raises(TypeError, match="a history is read-only"):
            change(run.history)
    again = pickle.loads(pickle.dumps(run.history))
    assert isinstance(again, History) and again.rows() == run.history.rows()
    with pytest.raises(AttributeError, match=r"a history has the columns iteration, .* not 'regret'"):
        _ = run.history.regret


# -- tables -----------------------------------------------------------------------------------------------------------


def test_tables_of_results(kuhn: rg.Tree, run: rg.Run) -> None:
    shown = run._repr_html_()
    assert "CFR+ on kuhn" in shown and "finished" in shown and f"{run.exploitability:.6g}" in shown
    assert shown.count("<tr>") == 6
    assert run.strategy._repr_html_().count("<tr>") == 13  # twelve infosets and the header
    assert "58" in kuhn._repr_html_()
    assert run.history._repr_html_().count("<tr>") == min(len(run.history.iteration), MOST_ROWS) + 1
    compared = rg.compare(kuhn, [rg.CFR, rg.CFR_PLUS], iterations=5)
    assert all(f"<td>{name}</td>" in compared._repr_html_() for name in ("CFR", "CFR+"))
    match = rg.match(kuhn, run.strategy, rg.Strategy.uniform(kuhn))
    assert "won by a in seat 1" in match._repr_html_() and "interval" not in match._repr_html_()
    played = rg.match(kuhn, run.strategy, rg.Strategy.uniform(kuhn), hands=50, exact=False)
    assert "95 % interval" in played._repr_html_()


def test_long_tables_are_cut() -> None:
    shown = rg.Strategy.uniform(built("leduc"))._repr_html_()
    assert shown.count("<tr>") == MOST_ROWS + 1
    assert f"… and {936 - MOST_ROWS:,} more infosets" in shown


@pytest.mark.full  # compiles the walks of games that are not listed
def test_unlisted_strategies() -> None:
    run = rg.solve("kuhn", rg.MCCFR(listed=False), iterations=200)
    assert run.strategy._repr_html_().count("<tr>") == len(run.strategy) + 1


def test_text_is_escaped() -> None:
    assert html_table(["<a>"], [["<script>", True, float("nan")]], caption="&", note="<") == (
        "<table><caption>&amp;</caption><thead><tr><th>&lt;a&gt;</th></tr></thead><tbody><tr><td>&lt;script&gt;</td>"
        "<td>yes</td><td style='text-align: right; font-variant-numeric: tabular-nums'>unknown</td></tr></tbody>"
        "</table><p>&lt;</p>"
    )


def test_grids() -> None:
    spot = rg.poker.Spot(
        board="Ks 7h 2d 9c 3s", ranges=("AA,KK,72o", "QQ,AKs"), pot=10, stack=20, sizes="bet 100%, raise 100%"
    )
    run = rg.solve(spot, iterations=5)
    node = run.strategy.at("")
    shown = node._repr_html_()
    assert shown.count("<td") == 169 + len(node.actions)
    assert shown.count("linear-gradient") == 3  # AA, KK, 72o
    parts = (np.atleast_2d(node.grid().hands > 0)[..., None] & (node.grid().frequencies > 0)).sum()
    assert shown.count("white ") == parts - 3  # a hairline between any two neighbouring actions of a cell
    assert shown.count("rgba(255, 255, 255") == 3  # a pale patch below their labels
    assert node.grid()._repr_html_() in shown
    assert f"check {node.grid()['AA']['check']:.1%}" in shown


# -- pictures ---------------------------------------------------------------------------------------------------------


def test_a_figure_shows_itself(run: rg.Run) -> None:
    """The notebook asks for a PNG; no pyplot window belongs to the figure."""
    assert run.plot()._repr_png_().startswith(PNG)  # type: ignore[attr-defined]


def test_axes_of_the_user(kuhn: rg.Tree, run: rg.Run, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    one, two = figure.subplots(1, 2)
    assert run.plot(ax=one) is figure
    assert (one.get_xlabel(), len(one.get_lines()), len(two.get_lines())) == ("iterations", 1, 0)
    assert one.get_title(loc="left") == "kuhn, CFR+" and figure.get_suptitle() == ""
    rg.compare(kuhn, [rg.CFR, rg.CFR_PLUS], iterations=5).plot(tmp_path / "a.png", ax=[one, two])
    assert (len(one.get_lines()), len(two.get_lines())) == (3, 2)
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    report = rg.cleaning_report(kuhn, run)
    assert report.plot(ax=Figure().subplots()).axes[0].get_xlabel() == "exploitability (chips per game)"
    curve = rg.exploitation_curve(kuhn, rg.Strategy.uniform(kuhn), 0, ps=(0, 1))
    drawn = Figure().subplots()
    assert curve.plot(ax=drawn) is drawn.figure
    for wrong in (3, [one, two, one], []):
        with pytest.raises(rg.OptionError, match="ax is one Axes or a sequence of up to 2 of matplotlib"):
            run.plot(ax=wrong)
    with pytest.raises(rg.OptionError, match="ax is one Axes of matplotlib"):
        curve.plot(ax=[one, two])


# -- progress ---------------------------------------------------------------------------------------------------------


class Cell:
    """Stands for the cell of a notebook and collects what is shown in it."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, html: Any, *, display_id: bool) -> Cell:
        assert display_id
        self.shown.append(html)
        return self

    def update(self, html: Any) -> None:
        self.shown.append(html)


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> Cell:
    found = Cell()
    display = SimpleNamespace(HTML=str, display=found.display)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return found


def test_a_bar_in_a_notebook(kuhn: rg.Tree, cell: Cell) -> None:
    assert in_notebook() and isinstance(display_of("t"), NotebookDisplay)
    run = rg.solve(kuhn, iterations=300, progress=True)
    assert cell.shown[0].startswith("<div>CFR+ on kuhn <progress value='0.0000' max='1'></progress> getting ready")
    assert "value='1.0000'" in cell.shown[-1]
    assert "300 it, " in cell.shown[-1] and f"exploitability {run.exploitability:.3g}" in cell.shown[-1]


def test_a_match_in_a_notebook(kuhn: rg.Tree, cell: Cell) -> None:
    uniform = rg.Strategy.uniform(kuhn)
    rg.match(kuhn, uniform, uniform, hands=100, exact=False, progress=True)
    assert cell.shown[-1].endswith("100 of 100 deals")


def test_elsewhere_a_terminal_is_used() -> None:
    assert not in_notebook()
    assert isinstance(display_of("t"), Display)
