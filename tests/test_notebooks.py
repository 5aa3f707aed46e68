"""The notebooks run from the first to the last cell, and are stored with what they showed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import regretless

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
LARGEST = 300_000  # bytes


def read(path: Path) -> Any:
    nbformat = pytest.importorskip("nbformat")
    return nbformat.read(path, as_version=4)


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_kept_and_small(path: Path) -> None:
    assert path.stat().st_size < LARGEST
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    shown = [output for cell in code for output in cell.outputs]
    assert not [output for output in shown if output.output_type == "error" or output.get("name") == "stderr"]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds


@pytest.mark.full
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") == "1", reason="whole solves take too long uncompiled")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell ends without an error and shows the same kinds of output as in the file."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(Path(regretless.__file__).parents[1]))
    book = read(path)
    before = [_kinds(cell) for cell in book.cells]
    nbclient.NotebookClient(book, timeout=900, kernel_name="python3").execute()
    assert [_kinds(cell) for cell in book.cells] == before


def _kinds(cell: Any) -> list[list[str]]:
    """The kinds of all outputs of a cell; text on standard error (notices) left out."""
    outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
    return [sorted(output.get("data", {})) for output in outputs]
