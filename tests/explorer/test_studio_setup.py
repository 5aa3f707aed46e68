"""Setting up a spot: painted ranges, sizes while typing, spot files, and solves that are started from the form."""

from __future__ import annotations

import json
import re
import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import page_reading
import pytest

import regretless as rg
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.explorer.web.jobs import SolveRequest
from regretless.apps.views.studio.range_painting import grid_labels, painted_range, presets
from regretless.apps.views.studio.solve_time import guess_iterations, guess_seconds, iteration_seconds
from regretless.apps.views.studio.spot_form import SIZE_FIELDS, SpotForm, form_of, read_form
from regretless.poker.formats.spot_files import spot_from_text
from regretless.poker.games import Spot

RIVER = {"board": "Qs Jh 2h 7c 3d", "oop": "QQ,AK", "ip": "JJ,AQ", "pot": "100", "stack_oop": "90", "stack_ip": "150"}


@pytest.fixture
def explorer() -> Explorer:
    return Explorer([])


def ask(explorer: Explorer, path: str, **form: str) -> page_reading.Answer:
    return page_reading.post(explorer, path, **form)


# -- ranges -----------------------------------------------------------------------------------------------------------


def test_text_and_grid_say_the_same() -> None:
    labels = grid_labels()
    assert (labels[0], labels[1], labels[13], labels[168]) == ("AA", "AKs", "AKo", "22")
    found = painted_range("QQ+,AKs:0.5,AhKs")
    held = {label: weight for label, weight in zip(labels, found.weights, strict=True) if weight}
    assert held == {"AA": 1, "KK": 1, "QQ": 1, "AKs": 0.5, "AKo": pytest.approx(1 / 12, abs=1e-6)}
    assert found.combos == 18 + 2 + 1


def test_painting_overrides_and_keeps_single_hands() -> None:
    assert painted_range("QQ+,AhKh", "KK:0,QJs:0.25").text == "AA,QQ,QJs:0.25,AhKh"
    assert painted_range("AA", "AA:0").text == ""  # an empty range is allowed while painting
    assert painted_range("AKs", "AhKh:0", "AKs").hands == (("AsKs", 1), ("AhKh", 0), ("AdKd", 1), ("AcKc", 1))
    assert painted_range(" QQ+ , AKs").text == " QQ+ , AKs"  # typed text stays as it is


def test_presets_are_ranges() -> None:
    for name, text in presets().items():
        assert painted_range(text).combos > 0 or name == "none"


def test_the_endpoint_of_ranges(explorer: Explorer) -> None:
    found = json.loads(ask(explorer, "/spot/range", text="QQ", paint="AA:0.5").text)
    assert found["text"] == "QQ,AA:0.5" and len(found["weights"]) == 169
    for wrong in ({"text": "<script>"}, {"text": "QQ", "paint": "AA:7"}, {"text": "QQ", "hand": "<b>"}):
        answer = ask(explorer, "/spot/range", **wrong)
        assert answer.status == 200 and json.loads(answer.text)["problem"]
        assert "json" in answer.headers["content-type"]


# -- the form ---------------------------------------------------------------------------------------------------------


def test_a_form_is_a_spot_and_back() -> None:
    sizes = dict.fromkeys(SIZE_FIELDS, "") | {"river.oop.bet": "50% all-in", "river.ip.raise": "3x"}
    form = SpotForm(board="Qs Jh 2h 7c 3d", ranges={"oop": "QQ", "ip": "JJ"}, sizes=sizes)
    spot = form.spot()
    assert spot.betting.sizes_by_street[0][0].bets[1].kind == "all-in"  # type: ignore[union-attr]
    assert form_of(spot).spot() == spot
    locked: Any = spot.lock("check", {"check": 0.25, "all-in": 0.75})
    assert form_of(locked).spot().locks == locked.locks
    raked = Spot("Qs Jh 2h", ("QQ", "JJ"), pot=10, stack=20, rake=0.05, rake_cap=3, big_blind=2)
    again = form_of(raked).spot()
    assert (again.betting.rake, again.betting.rake_cap, again.big_blind) == (0.05, 3, 2)  # type: ignore[union-attr]
    with pytest.raises(rg.OptionError, match="no field for caps"):
        form_of(Spot("Qs Jh 2h", ("QQ", "JJ"), pot=10, stack=20, caps=2))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"board": "Qs Jh"}, "board: a spot begins with 3, 4 or 5 cards"),
        ({"oop": "xx"}, "ranges.oop"),
        ({"pot": "ten"}, "pot is a number"),
        ({"pot": "nan"}, "pot: it is a number"),
        ({"stack_ip": "-5"}, "stack: it is a number"),
        ({"river.ip.bet": "seven"}, "sizes.river.ip.bet"),
        ({"rake": "200"}, "rake"),
        ({"locks": "[[[["}, "locked nodes"),
        ({"locks": '[{"line": "jump", "strategy": {}}]'}, "lock"),
        ({"ip": "x" * 50_000}, "at most 40,000 characters"),
    ],
)
def test_a_form_names_the_field_that_is_wrong(fields: dict[str, str], said: str) -> None:
    given = RIVER | fields
    with pytest.raises(rg.OptionError, match=said):
        read_form(lambda name, default: given.get(name, default)).spot()


def test_unequal_stacks_are_explained(explorer: Explorer) -> None:
    form = read_form(lambda name, default: RIVER.get(name, default))
    assert form.spot().betting.stack == 90
    assert "both play for 90 chips" in form.unequal_stacks
    assert "both play for 90 chips" in ask(explorer, "/spot/size", **RIVER).text


# -- pages ------------------------------------------------------------------------------------------------------------


def test_the_page_and_the_size(explorer: Explorer) -> None:
    page = page_reading.get(explorer, "/spot")
    assert page.status == 200 and page.text.count("data-weights=") == 2
    assert "infoset-actions" in page.text and "Betting tree" in page.text and "deal the river" in page.text
    assert "bet 33" in page.text and "raise to 82.5" in page.text and "showdown, pot 500" in page.text
    size = ask(explorer, "/spot/size", **RIVER).text
    assert "memory" in size and "bet 33" in size
    wrong = ask(explorer, "/spot/size", **RIVER | {"oop": "<img src=x>"})
    assert wrong.status == 200 and "problem" in wrong.text and "<img" not in wrong.text


def test_a_huge_tree_is_refused_in_words(explorer: Explorer) -> None:
    many = " ".join(f"{5 * number}%" for number in range(1, 60))
    sizes = {name: many for name in SIZE_FIELDS if not name.endswith("donk")}
    sizes = {name: text for name, text in sizes.items() if text}
    began = time.monotonic()
    answer = ask(explorer, "/spot/size", board="Qs Jh 2h", stack_oop="100000", stack_ip="100000", **sizes)
    assert answer.status == 200 and "the betting tree has" in answer.text.lower()
    assert time.monotonic() - began < 60


def test_the_spot_file_is_read_back(explorer: Explorer) -> None:
    answer = ask(explorer, "/spot/file", **RIVER)
    assert 'filename="QsJh2h7c3d.toml"' in answer.headers["content-disposition"]
    spot = spot_from_text(answer.text)
    assert (spot.betting.pot, spot.betting.stack) == (100, 90)
    page = ask(explorer, "/spot/open", toml=answer.text)
    assert page.status == 200 and 'value="90"' in page.text
    for wrong in ("board = 7", "<script>alert(1)</script>", 'board = "Qs Jh 2h"'):
        page = ask(explorer, "/spot/open", toml=wrong)
        assert page.status == 422 and "<script>alert" not in page.text
    assert ask(explorer, "/spot/file", **RIVER | {"pot": "x"}).status == 422


def test_a_refused_form_keeps_what_was_typed(explorer: Explorer) -> None:
    page = ask(explorer, "/spot/solve", **RIVER | {"oop": "AA,KK:7", "river.oop.bet": "44%"})
    assert page.status == 422
    assert "AA,KK:7" in page.text and 'value="44%"' in page.text and "a weight is between 0 and 1" in page.text
    assert explorer.jobs.all() == []
    for wrong in ({"goal": "-1"}, {"seconds": "1e9"}, {"iterations": "0"}):
        assert ask(explorer, "/spot/solve", **RIVER | wrong).status == 422


def test_pages_of_an_explorer_that_may_not_solve() -> None:
    closed = Explorer([], solving=False)
    assert page_reading.get(closed, "/spot").status == 404
    assert ask(closed, "/spot/solve", **RIVER).status == 404


# -- solves -----------------------------------------------------------------------------------------------------------


def waited(job: Any) -> None:
    end = time.monotonic() + 90
    while job.running and time.monotonic() < end:
        time.sleep(0.05)


@pytest.mark.full
def test_a_spot_is_solved_goes_on_and_is_set_up_again(tmp_path: Any) -> None:
    explorer = Explorer([], save_to=str(tmp_path), patience=60)
    try:
        answer = ask(explorer, "/spot/solve", goal="", iterations="5", **RIVER)
        assert answer.status == 303
        (job,) = explorer.jobs.all()
        waited(job)
        assert (job.complaint, job.header().iterations) == ("", 5)
        assert job.header().game == "spot.toml"
        live = page_reading.get(explorer, "/solve", job=0).text
        assert "Go on" in live and str(tmp_path) not in live
        assert ask(explorer, "/solve/continue", job="0", more="7", seconds="").status == 303
        waited(job)
        assert (job.complaint, job.header().iterations) == ("", 12)
        assert explorer.jobs.save(job, "kept.run") == "kept.run"
        kept: Any = rg.load(tmp_path / "kept.run")
        assert kept.iterations == 12 and kept.method == rg.DCFR.replace(averaging=rg.Polynomial(4))
        page = page_reading.get(explorer, "/spot", run=0).text
        assert 'value="Qs Jh 2h 7c 3d"' in page and 'value="90"' in page
        for wrong in ({"more": "0"}, {"until": "-1%"}, {"seconds": "x"}):
            assert ask(explorer, "/solve/continue", job="0", **wrong).status == 422
    finally:
        explorer.jobs.close()


def test_a_guess_of_the_time() -> None:
    assert guess_iterations(0.01, None) < guess_iterations(0.001, None) < 300
    assert guess_iterations(0.001, 10) == 10
    assert guess_seconds(10**9, 100, per_number=1e-9) == pytest.approx(100, rel=0.1)
    assert Explorer([]).jobs.pace(10**6) is None


def test_the_guess_is_not_cut_off_at_the_limit(explorer: Explorer) -> None:
    flop = {"board": "Qs Jh 2h", "stack_oop": "2000", "stack_ip": "2000"}
    size = ask(explorer, "/spot/size", goal="0.001", seconds="60", **flop).text
    assert re.search(r"some [\d,]+ (minutes|hours); stops after 1 minute<", size)
    assert "; stops after 1 hour<" in ask(explorer, "/spot/size", goal="0.000001", seconds="", **flop).text
    assert "stops after" not in ask(explorer, "/spot/size", **RIVER).text


def history(each: float, measuring: float) -> list[dict[str, float]]:
    rows, seconds = [], 5.0  # the solve was prepared for 5 seconds
    for last, iteration in pairwise((0, 1, 2, 3, 5, 30, 60)):
        seconds += (iteration - last) * each
        rows.append({"iteration": float(iteration), "seconds": seconds})
        seconds += measuring
    return rows


def test_the_pace_is_that_of_a_solve_of_comparable_size(explorer: Explorer) -> None:
    assert iteration_seconds(history(0.01, 0.02)) == pytest.approx(0.01, rel=0.1)
    assert iteration_seconds([]) is None and iteration_seconds(history(0.01, 0.02)[:3]) is None
    for number, (size, each) in enumerate(((10**4, 1.0), (10**6, 0.01), (10**8, 0.5), (10**6, 0.02))):
        header = SimpleNamespace(history=history(each, 0.0))
        request = SolveRequest("spot", infoset_actions=size)
        job: Any = SimpleNamespace(number=number, request=request, begun=True, header=lambda header=header: header)
        explorer.jobs._jobs.append(job)
    assert explorer.jobs.pace(2 * 10**6) == pytest.approx(2e-8)  # the last of two solves of one size
    assert explorer.jobs.pace(10**8) == pytest.approx(5e-9)
    assert explorer.jobs.pace(10**10) is None


def test_requests_with_wrong_storage_are_refused(tmp_path: Any) -> None:
    with pytest.raises(rg.OptionError, match="numbers are stored as"):
        SolveRequest("kuhn", dtype="float8").check()
