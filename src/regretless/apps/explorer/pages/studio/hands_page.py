"""Played hands: paste or open them, and see what each decision cost by the solutions that the explorer has open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, hidden, post_form, wide_table
from regretless.apps.explorer.pages.drawing import draw_cards
from regretless.apps.explorer.pages.layout import (
    as_sentence,
    fragment_response,
    frame,
    link,
    message,
    pager,
    redirect,
    section,
    url,
)
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.explorer.web.table_sessions import ReviewSession
from regretless.apps.views.number_format import percent, plain_chips
from regretless.apps.views.studio.hand_reviews import (
    LARGEST_TEXT,
    MOST_HANDS,
    SOLVED,
    HandReview,
    ReviewRequest,
    ordered,
)
from regretless.errors import RegretlessError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.poker.reviewing.review import Review, ReviewedDecision

__all__ = ["hands_page", "review_hands", "stop_review"]

TITLE = "Hand histories"
GONE = "this review is gone: the explorer was restarted, or newer reviews took its place"
ROWS = 50
"""Decisions on a page."""
MOST_MISFITS = 500
"""Hands without a solution that are listed."""
SHORT_SECONDS = 1.0
"""Reviews that are this short are shown at once."""
SHOWN_TEXT = 60_000
"""Characters of the text that are put into the form again; a longer text is kept with its review."""

ORDER_NAMES = [
    ("loss", "loss in chips"),
    ("share", "loss in per cent of the pot"),
    ("probability", "how rarely the solution does it"),
    ("hand", "hand"),
]
FITTING = [("nearest", "take the nearest bet of the solution"), ("exact", "leave these hands out")]


def hands_page(explorer: Explorer, request: PageRequest) -> Response:
    """The form, and the review of a token below it."""
    token = request.text("review")
    if not token:
        return _page(explorer, request, ReviewRequest(""))
    with explorer.reviews.at(token) as session:
        if session is None:
            return message(explorer, request, TITLE, GONE, 410, _form(explorer, ReviewRequest("")))
        if request.text("csv") and session.review.result is not None:
            return _csv(session.review.result)
        shown = _review(explorer, request, session)
        asked = session.review.request
    if request.fragment:
        return fragment_response(shown)
    return _page(explorer, request, asked, token, shown)


def _page(
    explorer: Explorer, request: PageRequest, asked: ReviewRequest, token: str = "", shown: h.Node = None,
    problem: str = "",
) -> Response:  # fmt: skip
    text = "Paste hands that were played: each decision is looked up in a solution, and its loss is shown beside it."
    note = h.p(".problem", role="status")[as_sentence(problem)] if problem else None
    form = _form(explorer, asked, token)
    content = (h.h1[TITLE], h.p(".note")[text], note, form, shown)
    return frame(explorer, request, TITLE, content, status=422 if problem else 200)


def _form(explorer: Explorer, asked: ReviewRequest, token: str = "") -> h.Element:
    """Hands, where they are looked up, and how bets that a solution does not have are read."""
    entries = [entry for entry in explorer.library.entries() if entry.header().kind in SOLVED]
    if not entries:
        return h.p(".note")[
            "There is no run of hold'em: solve a spot first, or start the explorer with a folder of runs."
        ]
    every = [("", "all runs of hold'em")] if len(entries) > 1 else []
    runs = every + [(str(entry.number), entry.name) for entry in entries]
    long = len(asked.text) > SHOWN_TEXT and bool(token)
    kept = f"{len(asked.text):,} characters of {asked.name} are kept; what is pasted here replaces them."
    formats = "Hands of PokerStars or GGPoker, in the PHH format, or a log of the ACPC"
    area = h.textarea(
        name="text", rows=10, spellcheck="false", aria_label="Hands", placeholder=kept if long else formats
    )
    return h.section(".panel")[
        post_form(
            "/hands/review",
            hidden(name=asked.name, review=token or None),
            h.label[
                h.span["Open a file"],
                h.input(type="file", accept=".txt,.phh,.phhs,.log,text/plain", multiple=True, data_into="text",
                        data_most=LARGEST_TEXT),
            ],
            area["" if long else asked.text],
            h.p(".problem.too-long", role="status", hidden=True)[
                f"A page reviews {LARGEST_TEXT:,} characters at most: regretless review reads larger files."
            ],
            h.div(".choices")[
                choice_field("Solutions", "run", runs, "" if asked.run is None else str(asked.run), submit=False),
                choice_field("Other bet sizes", "fit", FITTING, "exact" if asked.exact else "nearest", submit=False),
                h.button(".primary", type="submit")["Review"],
            ],
            css="hands-form",
        )
    ]  # fmt: skip


def review_hands(explorer: Explorer, request: PageRequest) -> Response:
    """Start a review; a form that is refused keeps what was pasted."""
    text, name = request.text("text"), request.text("name")[:80] or "the text"
    if not text.strip():  # a long text is not sent again
        with explorer.reviews.at(request.text("review")) as before:
            if before is not None:
                text, name = before.review.request.text, before.review.request.name
    asked = ReviewRequest(text, name, exact=request.text("fit") == "exact")
    try:
        asked = ReviewRequest(text, name, request.number("run"), asked.exact)
        session = explorer.reviews.start(HandReview(asked, explorer.library))
    except RegretlessError as error:
        return _page(explorer, request, asked, problem=explorer.library.hide_folders(str(error)))
    session.review.wait(SHORT_SECONDS)
    return redirect("/hands", review=session.token)


def stop_review(explorer: Explorer, request: PageRequest) -> Response:
    """End a review and show what it has found so far."""
    with explorer.reviews.at(request.text("review")) as session:
        if session is not None:
            session.review.stop()
            session.review.wait(SHORT_SECONDS)
    return redirect("/hands", review=request.text("review")[:40])


def _csv(result: Review) -> Response:
    """The table of `regretless review --csv`."""
    from regretless.apps.reviewing import decisions_as_csv

    head = {"Content-Disposition": 'attachment; filename="decisions.csv"'}
    return Response(decisions_as_csv(result.decisions), media_type="text/csv; charset=utf-8", headers=head)


# -- what is shown ----------------------------------------------------------------------------------------------------


def _review(explorer: Explorer, request: PageRequest, session: ReviewSession) -> h.Element:
    review, token = session.review, session.token
    if review.running:
        stop = post_form("/hands/stop", hidden(review=token), h.button(type="submit")["Stop"])
        state = h.p(role="status")[as_sentence(review.state)]
        return h.section("#review.panel", data_refresh=url("/hands", review=token), data_every=700)[state, stop]
    if review.result is None:
        return h.section("#review.panel")[h.p(".problem", role="status")[as_sentence(review.problem)]]
    result = review.result
    cut = f"Only the first {MOST_HANDS:,} hands were reviewed: regretless review reads them all."
    stopped = "The review was stopped: later hands are missing."
    return h.div("#review")[
        _figures(result),
        h.p(".problem")[cut] if review.cut else None,
        h.p(".problem")[stopped] if review.stopped.is_set() else None,
        _decisions(explorer, request, session, result),
        _misfits(result),
    ]


def _figures(result: Review) -> h.Element:
    hands = len({one.hand for one in result.decisions})
    return figures(
        [
            ("hands", f"{result.hands:,}"),
            ("with a solution", f"{result.hands - len(result.misfits):,}"),
            ("with known cards", f"{hands:,}"),
            ("decisions", f"{len(result.decisions):,}"),
            ("loss, chips", plain_chips(result.loss)),
            ("loss a decision", plain_chips(result.loss / max(len(result.decisions), 1))),
        ]
    )


def _decisions(explorer: Explorer, request: PageRequest, session: ReviewSession, result: Review) -> h.Node:
    if not result.decisions:
        return h.p(".note")["No decision was found: the cards of a player must be known, and a solution must fit."]
    order = request.choice("order", [name for name, _ in ORDER_NAMES])
    names = sorted({one.player for one in result.decisions})
    player = request.choice("player", ["", *names])
    rows, first = ordered(result, order, player), request.number("first", 0) or 0
    numbers = {entry.name: entry.number for entry in explorer.library.entries()}
    shown = [_decision(one, numbers.get(one.solution)) for one in rows[first : first + ROWS]]
    head = head_row(
        ("loss", "number", "the best action's value less that of the chosen one, in chips of the hand"),
        ("of the pot", "number"), "player", "cards", "board", "moves so far", "chose", ("solution", "number"), "best",
        "hand", "run",
    )  # fmt: skip
    choices = h.form(".choices", method="get", action="/hands")[
        hidden(review=session.token),
        choice_field("Sorted by", "order", ORDER_NAMES, order),
        choice_field("Player", "player", [("", "all"), *((name, name) for name in names)], player),
        h.button(".quiet", type="submit")["Show"],
        link("As CSV", "/hands", review=session.token, csv=1),
    ]
    values = {"review": session.token, "order": order if order != "loss" else None, "player": player or None}
    pages = pager("/hands", len(rows), first, ROWS, **values)
    return section("Decisions", choices, wide_table(head, h.tbody[shown], css="decisions"), pages)


def _decision(one: ReviewedDecision, run: int | None) -> h.Element:
    """A row; its moves lead to the node."""
    moves = ("" if one.exact else "≈ ") + (one.in_hand(one.line) or "the first decision")
    return h.tr[
        h.td(".number")["–" if one.loss is None else plain_chips(max(one.loss, 0.0))],
        h.td(".number")[percent(None if one.share is None else max(one.share, 0.0))],
        h.td[one.player],
        h.td(".cards")[draw_cards(one.cards, small=True)],
        h.td(".cards")[draw_cards("".join(one.board.split()), small=True)],
        h.td[moves if run is None else h.a(href=_node(one, run))[moves]],
        h.td(".action")[one.in_hand(one.action)],
        h.td(".number")[percent(one.probability)],
        h.td(".action")[one.in_hand(one.best)],
        h.td(".label")[one.hand],
        h.td(".label")[one.solution],
    ]


def _node(one: ReviewedDecision, run: int) -> str:
    """The node of a decision, with the hands of the class that was held."""
    from regretless.poker.cards.deck import STANDARD
    from regretless.poker.cards.hand_classes import class_name

    held = class_name(STANDARD.cards(one.cards))
    return url("/strategy", run=run, line=one.line, board=one.solution_board, hand=held) + "#combos"


def _misfits(result: Review) -> h.Node:
    """Each hand without a solution, and why."""
    if not result.misfits:
        return None
    rows = [h.tr[h.td(".label")[hand], h.td[as_sentence(reason)]] for hand, reason in result.misfits[:MOST_MISFITS]]
    left = len(result.misfits) - MOST_MISFITS
    more = h.p(".note")[f"… and {left:,} more."] if left > 0 else None
    title = f"Hands that do not fit: {len(result.misfits):,}"
    return h.details(".panel.misfits", open=not result.decisions or len(result.misfits) <= ROWS)[
        h.summary[title], wide_table(head_row("hand", "why"), h.tbody[rows]), more
    ]
