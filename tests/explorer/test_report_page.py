"""The report page: one node of a spot on all flops that are open, grouped, sorted, and linked to their runs."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from pathlib import Path

import pytest
from explored import saved
from page_reading import Elements, get

import regretless as rg
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.views.studio.flop_reports import FlopReader
from regretless.poker import Spot

FLOPS = ("Qs Jh 2h", "8h 8d 3c", "9s 8s 7s")
RANGES = ("AA,KQs", "QQ,98s")


@cache
def run_on(flop: str, stack: float = 100) -> rg.Run:
    spot = Spot(flop, RANGES, pot=100, stack=stack, sizes="bet 50%, raise all-in")
    return rg.solve(spot, rg.DCFR, iterations=5)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tmp_path_factory.mktemp("flops")
    for flop in FLOPS:
        saved(found, f"{flop.replace(' ', '')}.run", run_on(flop))
    saved(found, "kuhn.run")
    return found


@pytest.fixture(scope="module")
def explorer(folder: Path) -> Explorer:
    return Explorer([str(folder)], patience=300)


def boards(page: str) -> list[str]:
    return [str(given["data-board"]) for name, given in Elements(page).found if name == "tr" and "data-board" in given]


@pytest.mark.parametrize("line", ["", "check", "check bet 50"])
def test_the_page_has_the_numbers_of_the_report(explorer: Explorer, folder: Path, line: str) -> None:
    table = rg.poker.report([folder / f"{flop.replace(' ', '')}.run" for flop in FLOPS], line)
    answer = get(explorer, "/report", line=line)
    words = Elements(answer.text).text
    assert answer.status == 200 and sorted(boards(answer.text)) == sorted(table.boards)
    total = table.total
    assert f"EV {total.ev:+.1f} equity {total.equity:.1%} realised {total.ev / total.equity / table.pot:.0%}" in words
    for group in (*table.by("suits"), *table.by("high")):
        shares = " ".join("100%" if share > 0.99995 else f"{share:.1%}" for share in group.frequencies.values())
        assert group.boards == 1 and f"{group.name} 1 " in words and (shares in words or "0%" in shares)
    rows = list(csv.DictReader(io.StringIO(get(explorer, "/report", line=line, csv=1).text)))
    assert {row["board"]: float(row["equity"]) for row in rows} == pytest.approx(
        dict(zip(table.boards, table.columns()["equity"].tolist(), strict=True))
    )


def test_flops_are_sorted_and_lead_to_their_runs(explorer: Explorer) -> None:
    table = rg.poker.report([run_on(flop) for flop in FLOPS])
    for column in ("check", "bet 50", "ev", "equity", "reach"):
        down = get(explorer, "/report", by=column).text
        assert boards(down) == list(table.sorted(column).boards) and 'aria-sort="descending"' in down
        up = get(explorer, "/report", by=column, up=1).text
        assert boards(up) == list(table.sorted(column, descending=False).boards) and 'aria-sort="ascending"' in up
    for number, name in re.findall(r'href="/strategy\?run=(\d+)[^"]*" title="([^"]+)"', down):
        assert explorer.library.entry(int(number)).name == name
    assert get(explorer, "/report", by="nothing").status == 422


def test_moves_lead_through_the_flop(explorer: Explorer) -> None:
    page = get(explorer, "/report", line="check").text
    assert "/report?line=check+bet+50" in page and 'href="/report"' in page
    assert "line=check+check" not in page  # the turn
    for line, said in (("check check", "leads to the turn"), ("bet 50 fold", "nobody decides"), ("fly", "no action")):
        refused = get(explorer, "/report", line=line)
        assert refused.status == 422 and said in refused.text
    assert get(explorer, "/report", line="<script>").text.count("<script>") == 0


def test_other_spots_are_chosen_and_a_second_run_of_a_flop_is_left_out(tmp_path: Path) -> None:
    saved(tmp_path, "a.run", run_on(FLOPS[0], 60))
    for name, flop in (("b.run", FLOPS[0]), ("c.run", FLOPS[1]), ("d.run", FLOPS[1])):
        saved(tmp_path, name, run_on(flop))
    explorer = Explorer([str(tmp_path)], patience=300)
    page = get(explorer, "/report").text
    assert "2 flops, pot 100, stack 100" in page and "1 flop, pot 100, stack 60: a.run" in page
    assert "their flop has another run: d.run" in page and len(boards(page)) == 2
    assert boards(get(explorer, "/report", spot=1).text) == ["QsJh2h"]
    (tmp_path / "b.run").unlink()
    assert boards(get(explorer, "/report", spot=0).text) != boards(page)


def test_a_page_without_flops_says_how_to_solve_some(tmp_path: Path) -> None:
    page = get(Explorer([saved(tmp_path, "kuhn.run")]), "/report")
    assert page.status == 200 and "--flops 25" in page.text


def test_a_report_that_is_not_whole_says_how_far_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FlopReader, "_read_all", lambda self: None)
    page = get(Explorer([str(folder)], patience=0.0), "/report")
    assert page.status == 503 and "0 of 3 runs are read" in page.text and page.headers["refresh"] == "1"


def test_a_damaged_run_is_named(folder: Path, tmp_path: Path) -> None:
    data = bytearray((folder / "QsJh2h.run").read_bytes())
    data[-20_000:-10_000] = bytes(10_000)
    (tmp_path / "broken.run").write_bytes(data)
    page = get(Explorer([str(tmp_path)], patience=300), "/report")
    assert page.status == 422 and "broken.run" in page.text and str(tmp_path) not in page.text
