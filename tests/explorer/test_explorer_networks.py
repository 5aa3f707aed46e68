"""Pages of the explorer for runs of networks on hold'em."""

from __future__ import annotations

from pathlib import Path

import page_reading
import pytest
from network_runs import CASES, NetworkRun

from regretless.apps.explorer.web.explorer import Explorer

pytest.importorskip("torch")


@pytest.mark.parametrize("case", CASES)
def test_pages_of_networks(case: tuple[str, str], tmp_path: Path) -> None:
    made = NetworkRun(*case, tmp_path)
    explorer = Explorer([str(made.path)])
    for address in ("/strategy", "/compare", "/best-response", "/convergence", "/play"):
        page = page_reading.get_loaded(explorer, address)
        assert page.status == 200, (address, page.text[:500])
    assert "neither of buckets nor of networks" in page_reading.get_loaded(explorer, "/compare").text
    later = page_reading.get_loaded(explorer, "/strategy", line=made.line, board=made.board.replace(" ", ""))
    assert later.status == 200
    text = page_reading.Elements(later.text).text
    assert all(action in text for action in made.strategy.at(made.line, made.board).actions)
    wrong = page_reading.get_loaded(explorer, "/strategy", what="ev")
    assert wrong.status == 422 and "networks" in wrong.text, wrong.text
