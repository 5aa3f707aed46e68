"""Play: hands against a strategy, and after each hand what the strategy would have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import chosen_colours
from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, hidden, post_form, share_cell
from regretless.apps.explorer.pages.drawing import draw_view
from regretless.apps.explorer.pages.layout import fragment_response, frame, message, redirect, run_field, url
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.explorer.web.table_sessions import TableSession
from regretless.apps.play.table import Choice, Result, Score, Table, Turn
from regretless.apps.views.infoset_views import InfosetView
from regretless.apps.views.number_format import chips, plain_chips
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer

__all__ = ["act", "new_table", "play_page"]

GONE = "this table is gone: the explorer was restarted, or the table was not used for a long time"
TOO_LATE = "The hand had gone on already: that move was made in another tab."
SEATS = [("alternate", "alternating"), ("random", "at random"), ("0", "player 0"), ("1", "player 1")]
NEGLIGIBLE = 0.0005
"""Chips below which a choice costs nothing: a solved strategy is an equilibrium only up to small errors."""

HANDS_LISTED = 20


def play_page(explorer: Explorer, request: PageRequest) -> Response:
    """The table of a token; without one, a form to start a table."""
    token = request.text("table")
    if not token:
        return frame(explorer, request, "Play", h.h1["Play"], _start_form(explorer, request))
    with explorer.tables.at(token) as session:
        if session is None:
            return message(explorer, request, "Play", GONE, 410, _start_form(explorer, request))
        shown = _table(session, hint=bool(request.text("hint")))
        name = explorer.library.entry(session.run).name
    if request.fragment:
        return fragment_response(shown)
    title = h.h1["Play against ", h.span(".name")[name]]
    return frame(explorer, request, "Play", title, shown, h.div(".again")[_start_form(explorer, request)])


def _start_form(explorer: Explorer, request: PageRequest) -> h.Element:
    """Choose an opponent and a seat."""
    entries = explorer.library.entries()
    if not entries:
        return h.p(".note")["There is no run to play against: solve a game first."]
    chosen = request.number("run", entries[0].number)
    return post_form(
        "/play/new",
        run_field(entries, chosen, "run", "Opponent", submit=False),
        choice_field("Your seat", "seat", SEATS, "alternate", submit=False),
        h.button(".primary", type="submit")["Sit down"],
        css="choices",
    )


def new_table(explorer: Explorer, request: PageRequest) -> Response:
    """Start a table."""
    number = explorer.chosen_run(request)
    opponent = explorer.library.load(number).opponent()
    session = explorer.tables.start(number, opponent, request.text("seat", "alternate"))
    return redirect("/play", table=session.token, run=number)


def act(explorer: Explorer, request: PageRequest) -> Response:
    """A move, or the next hand. An answer to a turn that is over changes nothing."""
    token = request.text("table")
    with explorer.tables.at(token) as session:
        if session is None:
            return message(explorer, request, "Play", GONE, 410, _start_form(explorer, request))
        in_time = _next_hand(session.table, request) if request.text("deal") else _move(session.table, request)
        if not request.fragment:
            return redirect("/play", table=token, run=session.run)
        return fragment_response(_table(session, "" if in_time else TOO_LATE))


def _next_hand(table: Table, request: PageRequest) -> bool:
    """Deal, unless the hand was dealt after the page was shown."""
    in_time = request.number("hand", -1) == table.score.hands
    if in_time:
        table.deal()
    return in_time


def _move(table: Table, request: PageRequest) -> bool:
    """Move, unless a move was made after the page was shown."""
    chosen = request.number("action")
    if chosen is None:
        raise OptionError("a move is missing: press one of the buttons")
    in_time = table.turn is not None and request.number("turn", -1) == table.turn.number
    if in_time:
        table.act(chosen)
    return in_time


# -- the table --------------------------------------------------------------------------------------------------------


def _table(session: TableSession, note: str = "", hint: bool = False) -> h.Element:
    table = session.table
    hand = _turn(session, table.turn, hint) if table.turn is not None else _finished(session, table.results[-1])
    return h.div("#table")[
        h.p(".note", role="status")[note] if note else None,
        h.div(".felt", aria_live="polite")[hand],
        _score(table.score),
        _past_hands(table),
    ]


def _turn(session: TableSession, turn: Turn, hint: bool) -> list[h.Node]:
    """The player is to move; with `hint`, what the strategy would do."""
    buttons = []
    for number, action in enumerate(turn.actions):
        key = number + 1 if number < 9 else None
        button = h.button(".move", type="submit", name="action", value=number, data_key=key)
        buttons.append(button[action, h.kbd[key] if key else None])
    advice = session.table.advice() if hint else None
    question = h.a(href=url("/play", table=session.token, run=session.run, hint=1), data_key="?")
    return [
        h.p(".facts")[f"Hand {turn.hand + 1}. {turn.situation or f'You are player {turn.seat}.'}"],
        _seen(turn.view),
        post_form(
            "/play/act",
            hidden(table=session.token, turn=turn.number),
            h.div(".moves")[buttons],
            data_swap="#table",
        ),
        h.p(".hint")[question["What would the strategy do?", h.kbd["?"]]]
        if advice is None
        else _choice(session, advice, "← most likely"),
    ]


def _seen(view: InfosetView) -> h.Element:
    moves = h.ol(".line", aria_label="Moves so far")[[h.li[move] for move in view.moves]]
    label = None if view.known else h.p(".label")[view.label]
    return h.div(".seen")[draw_view(view), label, moves if view.moves else None]


def _finished(session: TableSession, result: Result) -> list[h.Node]:
    """A finished hand: what all players held, what was won, what the choices cost."""
    word, css = ("You win", "won") if result.won > 0 else ("You lose", "lost") if result.won < 0 else ("Draw", "")
    names = {-1: "dealt", result.seat: "you"}
    held = [
        h.figure[draw_view(view) or view.label, h.figcaption[names.get(player, f"player {player}")]]
        for player, view in sorted(result.views.items())
    ]
    moves = [h.li[h.small[names.get(move.player, f"player {move.player}")], " ", move.label] for move in result.moves]
    button = h.button(".primary", type="submit", name="deal", value="1", data_key="Enter")
    return [
        h.p(class_=f"outcome {css}".strip())[f"{word} {plain_chips(abs(result.won)) if result.won else ''}"],
        h.div(".held")[held],
        h.ol(".line", aria_label="The whole hand")[moves],
        h.p(".facts")["The strategy with your cards: ", h.b[chips(result.other_table)], ". ", _cost(result)],
        [_choice(session, choice) for choice in result.choices],
        post_form(
            "/play/act",
            hidden(table=session.token, hand=session.table.score.hands),
            button["Next hand", h.kbd["Enter"]],
            data_swap="#table",
        ),
    ]


def _cost(result: Result) -> list[h.Node]:
    if not result.choices:
        return ["You had no choice: the hand was over before your first move."]
    if result.cost is None:
        return ["What your choices cost is not known: the game below them is too large."]
    rest = "" if result.complete else " (the cost of some is not known)"
    if result.cost < NEGLIGIBLE:
        return ["Your choices cost ", h.b["nothing"], f"{rest}."]
    return ["Your choices cost ", h.b[plain_chips(result.cost)], f" chips; luck does not count{rest}."]


def _amount(cost: float | None, complete: bool) -> str:
    if cost is None:
        return "–"
    text = plain_chips(cost) if cost >= NEGLIGIBLE else "0"
    return text if complete else f"≥ {text}"


def _choice(session: TableSession, choice: Choice, mark: str = "← you") -> h.Element:
    """What was chosen at an infoset, beside what the strategy does there."""
    colours = chosen_colours(session.table.opponent, choice.label, choice.actions)
    rows = []
    for number, action in enumerate(choice.actions):
        mine = number == choice.chosen
        rows.append(
            h.tr(class_="mine" if mine else None)[
                h.td(".action")[action, h.b[f" {mark}"] if mine else None],
                share_cell(choice.probabilities[number], colours[number]),
                h.td(".number")[chips(choice.values[number]) if choice.values else "–"],
            ]
        )
    cost = choice.cost if mark == "← you" else None
    text = "" if cost is None else ": cost nothing" if cost < NEGLIGIBLE else f": cost {plain_chips(cost)}"
    head = head_row("action", "the strategy", ("EV", "number", "Chips that you expect after this action"))
    return h.details(".choice", open=True)[
        h.summary["At ", h.span(".label")[choice.label], text],
        h.table[head, h.tbody[rows]],
    ]


def _score(score: Score) -> h.Element:
    numbers = [
        ("hands", f"{score.hands:,}"),
        ("you", chips(score.won)),
        ("the strategy, same deals", chips(score.other_table)),
        ("difference", chips(score.difference)),
        ("cost of your choices", _amount(score.cost, score.complete)),
    ]
    return figures(numbers, "score", aria_label="Score, in chips")


def _past_hands(table: Table) -> h.Element | None:
    """The last hands."""
    if len(table.results) < 2:
        return None
    rows = []
    for result in table.results[-HANDS_LISTED:][::-1]:
        cost = _amount(result.cost, result.complete)
        words = (str(result.hand + 1), str(result.seat), chips(result.won), chips(result.other_table), cost)
        rows.append(h.tr[[h.td(".number")[word] for word in words]])
    head = head_row(*((name, "number") for name in ("hand", "seat", "you", "strategy", "cost")))
    return h.details[h.summary["Hands so far"], h.table(".past")[head, h.tbody[rows]]]
