"""The solve page: a field for each parameter and setting, the size of the game, and forms that are kept."""

from __future__ import annotations

import re
from pathlib import Path

import page_reading
import pytest
from page_reading import Elements

import regretless as rg
from regretless.apps.commands.catalogue import game_rows
from regretless.apps.explorer.pages.solving import NOT_OFFERED
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.explorer.web.jobs import SolveRequest
from regretless.apps.views.game_parameters import GAME_PARAMETERS
from regretless.apps.views.library import ABSTRACTION_FORMAT
from regretless.apps.views.setting_fields import game_fields, method_fields, spec_from_fields
from regretless.lookup.games import find_game
from regretless.lookup.methods import all_methods, method_by_name
from regretless.poker import Deck, Holdem, Limit, PublicGame
from regretless.poker.abstraction.abstraction_files import FORMAT


def test_every_parameter_of_an_offered_game_is_explained() -> None:
    left_out = {("hulh", "abstraction"), ("hunl", "rules")}  # a file, and further keywords
    for row in game_rows():
        for name in row["parameters"] if row["name"] not in NOT_OFFERED else ():
            assert (row["name"], name) in left_out or GAME_PARAMETERS[row["name"]][name][0], (row["name"], name)
    for name, given in GAME_PARAMETERS.items():
        assert {field.name for field in game_fields(name)} == set(given)


@pytest.mark.parametrize("name", [name for name in GAME_PARAMETERS if name != "hunl"])
def test_defaults_are_read_back_as_the_same_game(name: str) -> None:
    words = [f"{field.name}={field.default}" for field in game_fields(name)]
    assert find_game(f"{name}:{','.join(words)}") == find_game(name)


@pytest.mark.parametrize("name", list(all_methods()))
def test_defaults_are_read_back_as_the_same_method(name: str) -> None:
    fields = method_fields(name)
    known = [field for field in fields if field.default != "none"]
    words = [f"{field.name}={field.default}" for field in known]
    assert method_by_name(f"{name}:{','.join(words)}") == method_by_name(name)
    for field in known:
        assert not field.choices or field.default in field.choices


def test_the_fields_of_no_limit_holdem_make_its_game() -> None:
    fields = game_fields("hunl")
    assert all(field.meaning and field.limits and field.default for field in fields)
    defaults = {field.name: field.default for field in fields}
    assert spec_from_fields("hunl", fields, defaults.__getitem__) == "hunl"
    given = {
        "stack": "200", "blinds": "0.5 1", "ante": "0.25", "caps": "3x4x4x4",
        "sizes": "bet 50% all-in, raise 3x", "preflop": "raise 2.5x 4x",
        "river": "bet 30% 1/2 pot, raise none, donk 20%",
    }  # fmt: skip
    game = find_game(spec_from_fields("hunl", fields, lambda name: given.get(name, "")))
    assert game == Holdem(
        200, blinds=(0.5, 1), ante=0.25, caps=(3, 4, 4, 4),
        sizes=(given["preflop"], given["sizes"], given["sizes"], given["river"]),
    )  # fmt: skip
    same = spec_from_fields("hunl", fields, {"sizes": "bet 60%, raise 60%"}.get)
    assert find_game(same) == Holdem(sizes="bet 60%, raise 60%")


@pytest.mark.parametrize(
    ("field", "text", "named"),
    [
        ("blinds", "50", "two numbers"), ("blinds", "__import__('os')", "two numbers"), ("river", "33%", "River: "),
        ("sizes", "bet 33% 'x'", "Sizes: "), ("sizes", "bet 3x", "multiplies the bet"), ("stack", "none", "stack"),
        ("caps", "x", "caps"), ("ante", "-1", "ante"),
    ],
)  # fmt: skip
def test_wrong_fields_of_no_limit_holdem_are_named_and_kept(field: str, text: str, named: str) -> None:
    page = page_reading.post(Explorer([]), "/solve/start", game="hunl", **{f"game.{field}": text})
    kept = [given["value"] for _, given in Elements(page.text).found if given.get("name") == f"game.{field}"]
    assert page.status == 422 and named in page.text and kept == [text]


def test_changed_fields_make_a_spec() -> None:
    given = {"ranks": "5", "suits": "2", "raises": " 3 "}
    assert spec_from_fields("leduc", game_fields("leduc"), lambda name: given.get(name, "")) == "leduc:ranks=5,raises=3"
    assert method_fields("<b>") == () and game_fields("<b>") == ()
    sampling = next(field for field in method_fields("mccfr") if field.name == "sampling")
    assert "outcome" in sampling.choices and "walk" in sampling.meaning


def test_fields_follow_the_choice() -> None:
    explorer = Explorer([])
    page = page_reading.get(explorer, "/solve", game="leduc", algorithm="mccfr").text
    assert 'name="game.ranks"' in page and 'name="method.sampling"' in page and "1 to 26" in page
    part = page_reading.get(explorer, "/solve/settings", fragment=True, game="goofspiel", algorithm="dcfr").text
    assert 'name="game.cards"' in part and 'name="method.delay"' in part and "<html" not in part
    hostile = page_reading.get(explorer, "/solve/settings", fragment=True, game="<script>", algorithm="<script>")
    assert hostile.status == 200 and "<script>" not in hostile.text


def test_the_rule_of_the_method_stands_beside_its_settings() -> None:
    """In the list it would be cut off."""
    page = page_reading.get(Explorer([]), "/solve", algorithm="mccfr").text
    assert page.count("CFR on walks that draw chance") == 1
    methods = page[page.index('name="algorithm"') :].partition("</select>")[0]
    titles = re.findall(r"<option[^>]*>([^<]*)<", methods)
    assert len(set(titles)) == len(titles) and max(map(len, titles)) < 40


def test_the_size_is_said_before_the_solve() -> None:
    explorer = Explorer([])

    def size(**form: str) -> str:
        return page_reading.get(explorer, "/solve/size", fragment=True, **form).text

    assert "kuhn:players=3 has about" in size(game="kuhn", **{"game.players": "3"})
    assert "needs" in size(game="leduc", **{"game.ranks": "x"})
    assert "a page solves the library" in size(game="/etc/passwd").lower()
    assert "90,076,792 infosets" in size(game="fhp")
    assert "6,378 decisions of the betting" in size(game="hulh")
    assert "some 13,800,000,000,000 infosets hand by hand. It is solved with a card abstraction" in size(game="hulh")
    assert "hunl:stack=40000,sizes" in size(
        game="hunl", **{"game.stack": "40000", "game.sizes": "bet 100%, raise 100%"}
    )
    assert "<script>" not in size(game="<script>")


def test_errors_keep_the_form() -> None:
    explorer = Explorer([])
    form = {"game": "leduc", "algorithm": "mccfr", "game.ranks": "x", "method.traversals": "77", "seconds": "9"}
    page = page_reading.post(explorer, "/solve/start", **form)
    assert page.status == 422 and 'value="77"' in page.text and 'value="x"' in page.text and 'value="9"' in page.text
    form |= {"game.ranks": "4", "method.traversals": "many"}
    page = page_reading.post(explorer, "/solve/start", **form)
    assert page.status == 422 and "traversals is a whole number" in page.text and 'value="4"' in page.text
    assert explorer.jobs.all() == []


def test_the_usual_method_of_a_game_is_chosen() -> None:
    explorer = Explorer([])
    for game, method in (("kuhn", "cfr+"), ("fhp", "dcfr"), ("hulh", "mccfr")):
        assert f'value="{method}" selected' in page_reading.get(explorer, "/solve", game=game).text
    assert 'value="cfr" selected' in page_reading.get(explorer, "/solve", game="fhp", algorithm="cfr").text


@pytest.mark.full  # compiles what clusters hands
def test_card_abstractions_are_chosen_by_number(tmp_path: Path) -> None:
    """They are found in the given folders and where runs are saved, and a request never names a file."""
    small = PublicGame(Deck("TJQKA", "cdh"), 2, (3,), Limit(caps=(1, 2)))
    (tmp_path / "saved").mkdir()
    for name in ("given.abs", "saved/other.abs"):
        rg.poker.abstract(small, buckets=(5, 6), seed=1).save(tmp_path / name)
    (tmp_path / "saved" / "text.abs").write_text("no abstraction")
    explorer = Explorer([str(tmp_path / "given.abs")], save_to=str(tmp_path / "saved"))
    assert explorer.library.entries() == []  # it is no run
    assert len(Explorer([str(tmp_path)]).library.abstractions()) == 1  # a folder without a run, to solve the first
    page = page_reading.get(explorer, "/solve", game="hulh").text
    assert '<option value="0">given.abs<' in page and '<option value="1">other.abs<' in page and "text.abs" not in page
    assert 'name="abstraction"' not in page_reading.get(explorer, "/solve", game="fhp").text
    said = page_reading.get(explorer, "/solve/size", fragment=True, game="hulh", abstraction="0").text
    assert "The abstraction is for 15 cards" in said
    for given in ("2", "x", "../given.abs"):
        refused = page_reading.post(explorer, "/solve/start", game="hulh", abstraction=given)
        assert refused.status == 422 and str(tmp_path) not in refused.text
    assert "is solved with a card abstraction" in page_reading.post(explorer, "/solve/start", game="hulh").text
    assert explorer.jobs.all() == []


def test_the_game_of_a_solve_with_an_abstraction() -> None:
    request = SolveRequest("hunl:stack=1000", abstraction=Path("a, b.abs"))
    assert request.game_in() == "hunl:stack=1000,abstraction=cards.abs"  # the file is linked into the solve's folder
    plain = SolveRequest("hulh", abstraction=Path("given/a.abs"))  # under its own name, which the saved run looks for
    assert plain.game_in() == "hulh:abstraction=a.abs" and plain.game_in("/f/") == "hulh:abstraction=/f/a.abs"
    assert SolveRequest("kuhn").game_in("/f/") == "kuhn" and ABSTRACTION_FORMAT == FORMAT
