"""The explorer in Chinese: every label of every page has an entry, and data stay as they are."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from explored import saved, solved, turn_spot
from page_reading import Elements, get

import regretless as rg
from conftest import INTERPRETED
from regretless.apps.commands.catalogue import algorithm_rows, game_rows
from regretless.apps.explorer.web.app import ROUTES
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.languages.choice import Language
from regretless.apps.languages.page_labels import ATTRIBUTES, page_in_chinese, translated
from regretless.apps.languages.tables import chinese
from regretless.poker.cards.hand_kinds import DRAWS, MADE

CHINESE = re.compile(r"[\u4e00-\u9fff]")
ACTIONS = "pass|bet|check|call|raise|fold|all-in"
DATA = re.compile(
    rf"""regretless|[^ ]+\.run|(spot|kuhn|leduc)[^ ]*|CFR\+|DCFR|PCFR\+
    |\W*[\d,.]*(e[−-]?\d+)?[ ]?(s|MB|GB|kB|ms|%|c)?\W*   # numbers with a unit
    |[a-z]?\(I,[ ]a\)|[vR]\(I,[ ]a\)
    |[AKQJT2-9shdco+, :.*p b-]+                      # cards, hands, ranges and infosets
    |(({ACTIONS})([ ](to[ ])?[\d.]+)?([ ][<−+]?[\d.,]+%?)?(,?[ ])?)+   # actions with numbers, lines of play
    |[AKQJT2-9]+[so]?:[ ](({ACTIONS}).*|\d+%)
    |[a-z_]+=[^ ]+                                   # parameters
    """,
    re.VERBOSE,
)


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    folder = tmp_path_factory.mktemp("runs")
    made = Explorer([saved(folder, "kuhn.run")], save_to=str(folder), patience=300, language=Language.zh)
    yield made
    made.close()


class Words(Elements):
    """The texts of a page that people read, without those of spot files and drawn trees.

    The fields of settings are left out: their names and explanations are those of the game's and the method's code.
    """

    def __init__(self, page: str) -> None:
        self.inside, self.depth = "", 0
        super().__init__(page)

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(name, attributes)
        self.inside = name
        if name == "div" and (self.depth or ("id", "settings") in attributes):
            self.depth += 1
        if not self.depth:
            self.words += [value for attribute, value in attributes if attribute in ATTRIBUTES and value]

    def handle_endtag(self, name: str) -> None:
        self.inside = ""
        if name == "div" and self.depth:
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if not self.depth and self.inside not in ("pre", "textarea"):
            super().handle_data(data)


def untranslated(page: str) -> set[str]:
    """Texts in which no character is Chinese and that are no data."""
    named = {f"{row['name']}: {row['description']}" for row in game_rows()}
    named |= {text for row in algorithm_rows() for text in (row["title"], f"{row['title']}, {row['name']}")}
    texts = {" ".join(word.split()) for word in Words(page).words} - named
    return {
        text for text in texts if re.search("[A-Za-z]", text) and not CHINESE.search(text) and not DATA.fullmatch(text)
    }


@pytest.mark.parametrize("path", sorted({path for method, path in ROUTES if method == "GET"} - {"/solve/size"}))
def test_every_label_has_an_entry(explorer: Explorer, path: str) -> None:
    """A new label needs a line in `apps/languages/zh.toml`."""
    page = get(explorer, path)
    assert page.status == 200 and CHINESE.search(page.text)
    if not path.startswith("/solve/"):
        assert untranslated(page.text) == set() and '<html lang="zh-CN"' in page.text


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="a whole solve")
def test_every_label_of_holdem_has_an_entry(tmp_path: Path) -> None:
    made = Explorer([saved(tmp_path, "turn.run", turn_spot())], patience=300, language=Language.zh)
    queries = ({}, {"line": "check"}, {"what": "ev"}, {"what": "equity"}, {"hand": "AKs"})
    assert {label for query in queries for label in untranslated(get(made, "/strategy", **query).text)} == set()
    made.close()


def test_every_label_of_studied_spots_has_an_entry(tmp_path: Path) -> None:
    """Locks, leaks and differences, on a river that is solved at once."""
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ,AK,KJ", "AQ,77,KT"), pot=100, stack=100, sizes="bet 75%")
    free = rg.solve(spot, rg.DCFR, iterations=5)  # type: ignore[arg-type]
    locked = rg.solve(rg.poker.lock_node(free, "check", {"AQ": {"check": 1}}), rg.DCFR, iterations=5)  # type: ignore[arg-type]
    for name, run in (("free.run", free), ("locked.run", locked)):
        run.save(tmp_path / name)
    files = [str(tmp_path / name) for name in ("free.run", "locked.run")]
    made = Explorer(files, save_to=str(tmp_path), patience=300, language=Language.zh)
    asked: list[tuple[str, dict[str, object]]] = [
        ("/strategy", {"run": 0, "line": "check", "hand": "AQs"}),
        ("/strategy", {"run": 0, "line": "check", "seat": "wait", "what": "realisation"}),
        ("/spot/lock", {"run": 1, "line": "check"}),
        ("/best-response", {"run": 1, "player": 1}),
        ("/compare", {"run": 0, "other": 1}),
        ("/compare", {"run": 0, "other": 1, "line": "check"}),
    ]
    for path, query in asked:
        page = get(made, path, **query)
        assert page.status == 200 and untranslated(page.text) == set(), path
    made.close()


def test_every_label_of_reports_has_an_entry(tmp_path: Path) -> None:
    for number, flop in enumerate(("Qs Jh 2h", "8h 8d 3c")):
        spot = rg.poker.Spot(flop, ("AA,KQs", "QQ,98s"), pot=100, stack=50, sizes="bet 50%, raise all-in")
        rg.solve(spot, rg.DCFR, iterations=2).save(tmp_path / f"{number}.run")  # type: ignore[arg-type]
    shutil.copy(tmp_path / "0.run", tmp_path / "2.run")
    made = Explorer([str(tmp_path)], patience=300, language=Language.zh)
    queries = ({"by": "ev"}, {"line": "check", "by": "equity", "up": 1})
    assert {label for query in queries for label in untranslated(get(made, "/report", **query).text)} == set()
    made.close()


def test_kinds_of_hands_have_entries() -> None:
    assert {*MADE, *DRAWS} <= set(chinese("labels"))


def test_the_test_would_find_a_label() -> None:
    page = "<html><body><h1>Strategy</h1><p title='A new hint'>A new label.</p><td>kuhn.run</td></body></html>"
    assert untranslated(page_in_chinese(page)) == {"A new label.", "A new hint"}


def test_charts_and_their_data(explorer: Explorer) -> None:
    charts = [
        json.loads(str(attributes["data-chart"]))
        for _, attributes in Elements(get(explorer, "/convergence").text).found
        if "data-chart" in attributes
    ]
    assert [chart["title"] for chart in charts] == ["迭代次数", "秒"]
    assert {chart["vertical"] for chart in charts} == {"可利用度（筹码）"}
    assert [chart["ticks"] for chart in charts] == ["~s", "~g"]
    assert all(chart["lines"][0]["name"] == "kuhn.run" for chart in charts)


def test_data_stay_as_they_are(explorer: Explorer) -> None:
    """The strategy page differs from the English one in labels only: same numbers, same infosets, same links."""
    page = get(explorer, "/strategy").text
    explorer.language = Language.en
    english = get(explorer, "/strategy").text
    explorer.language = Language.zh
    assert page_in_chinese(english) == page and 'lang="en"' in english

    def fields(text: str) -> list[tuple[str, str | None]]:
        names = ("href", "data-probability", "data-infoset", "name", "value", "id")
        return [(name, value) for _, found in Elements(text).found for name, value in found.items() if name in names]

    assert fields(page) == fields(english)


@pytest.mark.parametrize(
    "text",
    ["<b>a &amp; b</b>", '<input value="Show" name="run">', "<pre>Show</pre>", "<textarea>run</textarea>", "<i>x"],
)
def test_what_is_no_label_stays(text: str) -> None:
    assert page_in_chinese(text) == text


def test_entries() -> None:
    assert page_in_chinese('<p title="Pages"> Show </p>') == '<p title="页面"> 显示 </p>'
    assert translated("12 of 12") == "12 / 12" and translated("jack of hearts") == "红心 J"
    assert translated("Best response · regretless") == "最佳响应 · regretless"
    assert solved("kuhn").game == translated("kuhn")
    for part in ("labels", "patterns"):
        for text, entry in chinese(part).items():
            assert set(re.findall(r"\{\w+\}", entry)) <= set(re.findall(r"\{\w+\}", text)), text
