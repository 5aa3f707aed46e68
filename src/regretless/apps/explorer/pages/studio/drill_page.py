"""Drill: situations of solved games, the choice of an action, its cost, and the score over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import chosen_colours
from regretless.apps.explorer.pages.blocks import figures, head_row, hidden, post_form, share_cell, wide_table
from regretless.apps.explorer.pages.drawing import draw_view
from regretless.apps.explorer.pages.layout import fragment_response, frame, message, redirect
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.explorer.web.table_sessions import DrillSession
from regretless.apps.play.drill import Answer, Drill, DrillScore, Question
from regretless.apps.play.drill_terminal import loss_in_words
from regretless.apps.views.number_format import chips, percent, plain_chips
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.play.opponents import Opponent

__all__ = ["answer_question", "drill_page", "new_drill", "next_question"]

GONE = "this drill is gone: the explorer was restarted, or the drill was not used for a long time"
MISTAKES = 8
WIDTH, HEIGHT = 320, 60


def drill_page(explorer: Explorer, request: PageRequest) -> Response:
    """The drill of a token; without one, a form to start a drill."""
    token = request.text("drill")
    title = h.h1["Drill"]
    if not token:
        text = "Choose an action in random situations and see what it costs, in chips and in per cent of the pot."
        return frame(explorer, request, "Drill", title, h.p(".note")[text], _start_form(explorer, request))
    with explorer.drills.at(token) as session:
        if session is None:
            return message(explorer, request, "Drill", GONE, 410, _start_form(explorer, request))
        shown = _drill(session)
    if request.fragment:
        return fragment_response(shown)
    return frame(explorer, request, "Drill", title, shown, h.div(".again")[_start_form(explorer, request)])


def _start_form(explorer: Explorer, request: PageRequest) -> h.Element:
    entries = explorer.library.entries()
    if not entries:
        return h.p(".note")["There is no run to drill: solve a game first."]
    chosen = request.number("run", entries[0].number)
    options = [h.option(value=entry.number, selected=entry.number == chosen)[entry.name] for entry in entries]
    everything = h.option(value="")[f"all {len(entries)} runs"] if len(entries) > 1 else None
    return post_form(
        "/drill/new",
        h.label[h.span["Situations of"], h.select(name="run")[options, everything]],
        h.button(".primary", type="submit")["Begin"],
        css="choices",
    )


def new_drill(explorer: Explorer, request: PageRequest) -> Response:
    """Start a drill of one run, or of all that can be read."""
    number = request.number("run")
    if number is not None:
        explorer.library.entry(number)
    entries = [entry for entry in explorer.library.entries() if number in (None, entry.number)]
    readable = [entry for entry in entries if number is not None or not entry.header().problem]
    sources = {entry.name: lambda at=entry.number: _opponent(explorer, at) for entry in readable}
    session = explorer.drills.start(number, Drill(sources))
    return redirect("/drill", drill=session.token, run=number)


def _opponent(explorer: Explorer, number: int) -> Opponent:
    """The strategy of a run; the library caches runs."""
    return explorer.library.load(number).opponent()


def answer_question(explorer: Explorer, request: PageRequest) -> Response:
    """An action. An answer to an earlier question changes nothing."""
    with explorer.drills.at(request.text("drill")) as session:
        if session is None:
            return message(explorer, request, "Drill", GONE, 410, _start_form(explorer, request))
        chosen = request.number("action")
        if chosen is None:
            raise OptionError("an action is missing: press one of the buttons")
        drill = session.drill
        if request.number("question", -1) == drill.question.number and not drill.answered:
            drill.answer(chosen)
        return _shown(session, request)


def next_question(explorer: Explorer, request: PageRequest) -> Response:
    """Another question, unless it was asked for in another tab."""
    with explorer.drills.at(request.text("drill")) as session:
        if session is None:
            return message(explorer, request, "Drill", GONE, 410, _start_form(explorer, request))
        drill = session.drill
        if request.number("question", -1) == drill.question.number and drill.answered:
            drill.next(again=bool(request.text("again")))
        return _shown(session, request)


def _shown(session: DrillSession, request: PageRequest) -> Response:
    if request.fragment:
        return fragment_response(_drill(session))
    return redirect("/drill", drill=session.token, run=session.run)


# -- what is shown ----------------------------------------------------------------------------------------------------


def _drill(session: DrillSession) -> h.Element:
    drill = session.drill
    inside = _answered(session, drill.answers[-1]) if drill.answered else _buttons(session)
    number = len(drill.answers) + (0 if drill.answered else 1)
    return h.div("#drill")[
        h.div(".felt", aria_live="polite")[_question(drill.question, number), inside],
        _score(drill.score),
        _mistakes(drill),
    ]


def _question(question: Question, number: int) -> list[h.Node]:
    view = question.view
    moves = h.ol(".line", aria_label="Moves so far")[[h.li[move] for move in view.moves]] if view.moves else None
    label = None if view.known else h.p(".label")[view.label]
    text = question.situation or f"You are player {question.player}."
    return [
        h.p(".facts")[f"Question {number}, ", h.span(".name")[question.source], f". {text}"],
        h.div(".seen")[draw_view(view), label, moves],
    ]


def _buttons(session: DrillSession) -> h.Element:
    question = session.drill.question
    buttons = []
    for number, action in enumerate(question.actions):
        key = number + 1 if number < 9 else None
        button = h.button(".move", type="submit", name="action", value=number, data_key=key)
        buttons.append(button[action, h.kbd[key] if key else None])
    return post_form(
        "/drill/answer", hidden(drill=session.token, question=question.number), h.div(".moves")[buttons],
        data_swap="#drill",
    )  # fmt: skip


def _answered(session: DrillSession, answer: Answer) -> list[h.Node]:
    """The verdict, beside what the strategy does, and the way on."""
    choice = answer.choice
    colours = chosen_colours(session.drill.opponent, choice.label, choice.actions)
    rows = []
    for number, action in enumerate(choice.actions):
        mine = number == choice.chosen
        value = choice.values[number] if choice.values else None
        lost = None if choice.values is None else max(choice.values) - choice.values[number]
        rows.append(
            h.tr(class_="mine" if mine else None)[
                h.td(".action")[action, h.b[" ← you"] if mine else None],
                share_cell(choice.probabilities[number], colours[number]),
                h.td(".number")[chips(value)],
                h.td(".number")["–" if lost is None else plain_chips(lost)],
            ]
        )
    head = head_row("action", "the strategy", ("EV", "number"), ("loss", "number"))
    fields = hidden(drill=session.token, question=answer.question.number)
    again = h.button(type="submit", name="again", value="1", data_key="w")["Worst mistake again", h.kbd["w"]]
    return [
        h.p(class_=f"outcome {'won' if answer.good else 'lost'}", role="status")[loss_in_words(answer)],
        h.table[head, h.tbody[rows]],
        post_form(
            "/drill/next",
            fields,
            h.div(".moves")[
                h.button(".primary", type="submit", data_key="Enter")["Next", h.kbd["Enter"]],
                again if session.drill.worst(1) else None,
            ],
            data_swap="#drill",
        ),
    ]


def _score(score: DrillScore) -> h.Element:
    mean = score.loss / score.answers if score.answers else 0.0
    numbers = [
        ("answers", f"{score.answers:,}"),
        ("good", percent(score.good / score.answers) if score.answers else "–"),
        ("loss, chips", plain_chips(score.loss)),
        ("loss per answer", plain_chips(mean)),
        ("of the pot", percent(score.pot_share)),
    ]
    return h.section(aria_label="Score")[figures(numbers, "score"), _curve(score)]


def _curve(score: DrillScore) -> h.Element | None:
    """The mean loss after each answer."""
    if len(score.means) < 2:
        return None
    most = max(score.means) or 1.0
    points = " ".join(
        f"{WIDTH * at / (len(score.means) - 1):.1f},{HEIGHT - 4 - (HEIGHT - 8) * mean / most:.1f}"
        for at, mean in enumerate(score.means)
    )
    label = f"Mean loss over time, now {plain_chips(score.means[-1])} chips an answer"
    return h.figure[
        h.svg(".drill-curve", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label)[
            h.polyline(".line.line0", points=points)
        ],
        h.figcaption[label],
    ]


def _mistakes(drill: Drill) -> h.Element | None:
    worst = drill.worst(MISTAKES)
    if not worst:
        return None
    rows = [
        h.tr[
            h.td(".label")[answer.question.label.removesuffix(" | ")],
            h.td[answer.choice.actions[answer.choice.chosen]],
            h.td(".number")[plain_chips(answer.loss)],
            h.td(".number")[percent(answer.pot_share)],
        ]
        for answer in worst
    ]
    head = head_row("situation", "you chose", ("loss", "number"), ("of the pot", "number"))
    return h.details(".panel.mistakes", open=True, data_narrow="closed")[
        h.summary["Worst mistakes"], wide_table(head, h.tbody[rows])
    ]
