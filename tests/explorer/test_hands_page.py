"""The page of hand histories: the same answers as the command, the way to the node, and texts that are refused."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import page_reading
import pytest
from explored import saved, solved
from room_hands import SPOT, stars

import regretless as rg
from conftest import INTERPRETED
from regretless.apps.explorer.web import requests
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.languages.choice import Language
from regretless.apps.reviewing import decisions_as_csv
from regretless.apps.views.studio import hand_reviews
from regretless.apps.views.studio.hand_reviews import HandReview, ReviewRequest, ordered

pytest.importorskip("pokerkit")
pytestmark = pytest.mark.skipif(INTERPRETED, reason="a whole solve")

END = """Villain: folds
Uncalled bet ($7) returned to Hero
Hero collected $13.50 from pot
"""


def checked(number: int, cards: str, flop: str) -> str:
    """A hand that Hero checks behind; the rest of it is missing."""
    return stars(number, cards, flop, move="checks").replace(END, "")


HANDS = "\n\n\n".join(
    [
        checked(1, "Ah Kh", "Qs Jh 2h"),
        stars(2, "7s 7d"),
        stars(3, flop="Qs Jh 3h"),
        checked(4, "2c 2d", "2s Qd Js"),
        stars(5, "9h 8h"),
    ]
)


@pytest.fixture(scope="module")
def run() -> rg.Run:
    return rg.solve(SPOT, rg.CFR_PLUS, iterations=50)  # type: ignore[arg-type]


@pytest.fixture
def explorer(tmp_path: Path, run: rg.Run) -> Explorer:
    return Explorer([saved(tmp_path, "kuhn.run", solved("kuhn")), saved(tmp_path, "spot.run", run)], patience=300)


def reviewed(explorer: Explorer, text: str, **form: object) -> str:
    """The token of a review that has ended."""
    answer = page_reading.post(explorer, "/hands/review", fragment=False, text=text, **form)
    assert answer.status == 303, answer.text
    token = answer.headers["location"].partition("review=")[2]
    with explorer.reviews.at(token) as session:
        assert session is not None
        session.review.wait(60)
    return token


def test_the_page_says_what_the_python_call_says(explorer: Explorer, run: rg.Run, tmp_path: Path) -> None:
    file = tmp_path / "the text"
    file.write_text(HANDS)
    expected = rg.poker.review(file, {"spot.run": run})
    token = reviewed(explorer, HANDS)
    assert page_reading.get(explorer, "/hands", review=token, csv=1).text == decisions_as_csv(expected.decisions)
    page = page_reading.get(explorer, "/hands", review=token).text
    assert page.count('class="decisions"') == 1 and len(re.findall(r"the text, hand \d+", page)) == expected.hands
    for hand, reason in expected.misfits:
        assert hand in page and reason[1:] in unescape(page)
    losses = [one.loss for one in expected.decisions]
    assert len(losses) == 3 and losses == sorted(losses, reverse=True) and losses[0] > 0


def test_a_decision_leads_to_its_node(explorer: Explorer) -> None:
    page = page_reading.get(explorer, "/hands", review=reviewed(explorer, stars(4, "As Ks", flop="2s Qd Js"), run=1))
    address = unescape(re.findall(r'href="(/strategy[^"]+line[^"]+)#combos"', page.text)[0])
    assert "board=2h+Qs+Jh+7c" in address  # with the suits of the solution
    node = page_reading.ask(page_reading.application(explorer), "GET", *address.split("?"))
    assert node.status == 200 and "Hands of AKs" in node.text


def test_orders_and_players(explorer: Explorer, run: rg.Run) -> None:
    review = HandReview(ReviewRequest(HANDS), explorer.library).start()
    review.wait(60)
    assert review.result is not None and not review.running
    assert [one.hand[-1] for one in ordered(review.result, "hand")] == ["1", "2", "4"]
    shares = [one.share for one in ordered(review.result, "share", "Hero")]
    assert shares == sorted(shares, reverse=True) and not ordered(review.result, "share", "Villain")
    token = reviewed(explorer, HANDS)
    assert page_reading.get(explorer, "/hands", review=token, order="hand", player="Hero", first=1).status == 200


def test_bad_texts_keep_the_form(explorer: Explorer) -> None:
    text = "hello <script>alert(1)</script>"
    answer = page_reading.post(explorer, "/hands/review", fragment=False, text=text, fit="exact")
    assert answer.status == 422 and "has no hand of PokerStars" in answer.text and "<script>alert" not in answer.text
    assert "hello &lt;script&gt;" in answer.text and 'value="exact" selected' in answer.text
    for form, sentence in (
        ({"text": ""}, "There are no hands"),
        ({"text": stars(), "run": 0}, "kuhn.run is of another game"),
        ({"text": stars(), "run": "x"}, "Run is a whole number"),
        ({"text": "actions = ["}, "is not written as TOML"),
    ):
        answer = page_reading.post(explorer, "/hands/review", fragment=False, **form)
        assert answer.status == 422 and sentence in unescape(answer.text), sentence
    assert page_reading.get(explorer, "/hands", review="none").status == 410


def test_large_texts_are_bounded(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_reviews, "MOST_HANDS", 2)
    page = page_reading.get(explorer, "/hands", review=reviewed(explorer, HANDS)).text
    assert "Only the first" in page and "the text, hand 2" in page and "the text, hand 3" not in page
    monkeypatch.setattr(hand_reviews, "LARGEST_TEXT", 100)
    assert "reads larger files" in page_reading.post(explorer, "/hands/review", fragment=False, text=HANDS).text
    monkeypatch.setitem(requests.LARGEST_BODIES, "/hands/review", 1_000)
    assert page_reading.post(explorer, "/hands/review", text=HANDS).status == 413
    long = "x" * 70_000
    assert page_reading.post(explorer, "/spot/size", text=long).status == 413


def test_a_long_text_is_kept_with_its_review(explorer: Explorer) -> None:
    text = HANDS + "\n" * 61_000
    token = reviewed(explorer, text, name="session.txt")
    page = page_reading.get(explorer, "/hands", review=token).text
    assert "characters of session.txt are kept" in page
    again = reviewed(explorer, "", review=token, fit="exact")
    page = page_reading.get(explorer, "/hands", review=again).text
    assert "session.txt, hand 1" in page


def test_stopping_and_failing(explorer: Explorer, tmp_path: Path) -> None:
    review = HandReview(ReviewRequest(HANDS), explorer.library)
    review.stop()
    session = explorer.reviews.start(review)
    review.wait(60)
    page = page_reading.get(explorer, "/hands", review=session.token).text
    assert "was stopped" in page
    assert page_reading.post(explorer, "/hands/stop", review=session.token).status == 303
    (tmp_path / "spot.run").write_bytes(b"damaged")
    gone = page_reading.post(explorer, "/hands/review", fragment=False, text=HANDS)
    assert gone.status == 422 and "no run of hold&#39;em" in gone.text


def test_every_label_has_an_entry(explorer: Explorer) -> None:
    from test_chinese_pages import untranslated

    explorer.language = Language.zh
    page = page_reading.get(explorer, "/hands", review=reviewed(explorer, stars())).text
    assert {text for text in untranslated(page) if "hand 1" not in text} <= {"Hero"}
