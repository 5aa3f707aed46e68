"""Play: a person at a table with a strategy, and after each hand what the strategy would have done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, hidden, post_form, share_cell
from regretless.apps.explorer.pages.layout import frame, message, run_field
from regretless.apps.explorer.web.drawing import action_class, draw_sight
from regretless.apps.explorer.web.markup import Markup, join, query, tag
from regretless.apps.explorer.web.requests import Request, Response, redirect
from regretless.apps.explorer.web.table_sessions import Seated
from regretless.apps.play.table import Choice, Result, Score, Table, Turn
from regretless.apps.views.infoset_views import Sight
from regretless.apps.views.number_format import chips, plain_chips
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer

__all__ = ["act", "play_page", "sit_down"]

GONE = "this table is gone: the server has been started anew, or nobody has sat here for long"
MOVED_ON = "The table had moved on: that was played in another tab."
SEATS = [("alternate", "in turn"), ("random", "at random"), ("0", "player 0"), ("1", "player 1")]
NOTHING = 0.0005
"""Chips below which a choice counts as giving nothing away: strategies are equilibria only nearly."""

PAST = 20
"""Hands that are listed."""


def play_page(explorer: Explorer, request: Request) -> Response:
    """The table that a token names; without one, the way to sit down."""
    token = request.text("table")
    if not token:
        return frame(explorer, request, "Play", tag("h1", "Play"), _door(explorer, request))
    with explorer.tables.at(token) as seated:
        if seated is None:
            return message(explorer, request, "Play", GONE, 410, _door(explorer, request))
        shown = _table(seated, hint=bool(request.text("hint")))
        name = explorer.library.entry(seated.run).name
    if request.fragment:
        return Response(shown)
    title = tag("h1", "Play against ", tag("span", name, css="name"))
    return frame(explorer, request, "Play", title, shown, tag("div", _door(explorer, request), css="again"))


def _door(explorer: Explorer, request: Request) -> Markup:
    """Choose an opponent and a seat."""
    entries = explorer.library.entries()
    if not entries:
        return tag("p", "No run was given to play against: solve a game first.", css="note")
    chosen = request.number("run", entries[0].number)
    return post_form(
        "/play/new",
        run_field(entries, chosen, "run", "Opponent", submit=False),
        choice_field("Your seat", "seat", SEATS, "alternate", submit=False),
        tag("button", "Sit down", type="submit", css="primary"),
        css="choices",
    )


def sit_down(explorer: Explorer, request: Request) -> Response:
    """A new table."""
    number = explorer.chosen_run(request)
    opponent = explorer.library.opened(number).opponent()
    seated = explorer.tables.sit_down(number, opponent, request.text("seat", "alternate"))
    return redirect(query("/play", table=seated.token, run=number))


def act(explorer: Explorer, request: Request) -> Response:
    """A move, or the next hand. An answer to a turn that is over changes nothing."""
    token = request.text("table")
    with explorer.tables.at(token) as seated:
        if seated is None:
            return message(explorer, request, "Play", GONE, 410, _door(explorer, request))
        in_time = _next_hand(seated.table, request) if request.text("deal") else _move(seated.table, request)
        if not request.fragment:
            return redirect(query("/play", table=token, run=seated.run))
        return Response(_table(seated, "" if in_time else MOVED_ON))


def _next_hand(table: Table, request: Request) -> bool:
    """Deal, unless that has been done since the page was shown."""
    in_time = request.number("hand", -1) == table.score.hands
    if in_time:
        table.deal()
    return in_time


def _move(table: Table, request: Request) -> bool:
    """Move, unless that has been done since the page was shown."""
    chosen = request.number("action")
    if chosen is None:
        raise OptionError("a move is missing: press one of the buttons")
    in_time = table.turn is not None and request.number("turn", -1) == table.turn.number
    if in_time:
        table.act(chosen)
    return in_time


# -- the table --------------------------------------------------------------------------------------------------------


def _table(seated: Seated, note: str = "", hint: bool = False) -> Markup:
    table = seated.table
    hand = _turn(seated, table.turn, hint) if table.turn is not None else _over(seated, table.results[-1])
    return tag(
        "div",
        tag("p", note, css="note", role="status") if note else None,
        tag("div", hand, css="felt", aria_live="polite"),
        _score(table.score),
        _past(table),
        id="table",
    )


def _turn(seated: Seated, turn: Turn, hint: bool) -> Markup:
    """The person is asked; with a hint, told what the strategy would do."""
    buttons = []
    for place, action in enumerate(turn.actions):
        key = place + 1 if place < 9 else None
        shown = tag("kbd", key) if key else None
        buttons.append(
            tag("button", action, shown, type="submit", name="action", value=place, css="move", data_key=key)
        )
    fields = hidden(table=seated.token, turn=turn.number)
    advice = seated.table.advice() if hint else None
    asking = query("/play", table=seated.token, run=seated.run, hint=1)
    question = tag("a", "What would the strategy do?", tag("kbd", "?"), href=asking, data_key="?")
    return join(
        tag("p", f"Hand {turn.hand + 1}. You are player {turn.seat}.", css="facts"),
        _seen(turn.sight),
        post_form("/play/act", fields, tag("div", buttons, css="moves"), data_swap="#table"),
        tag("p", question, css="hint") if advice is None else _choice(advice, "← likeliest"),
    )


def _seen(sight: Sight) -> Markup:
    moves = tag("ol", [tag("li", move) for move in sight.moves], css="line", aria_label="Moves so far")
    label = None if sight.known else tag("p", sight.label, css="label")
    return tag("div", draw_sight(sight) or None, label, moves if sight.moves else None, css="seen")


def _over(seated: Seated, result: Result) -> Markup:
    """A hand that is over: what everybody held, what was won, what the choices cost."""
    word, css = (
        ("You win", "won") if result.won > 0 else ("You lose", "lost") if result.won < 0 else ("Nobody wins", "")
    )
    names = {-1: "dealt", result.seat: "you"}
    held = [
        tag("figure", draw_sight(sight) or sight.label, tag("figcaption", names.get(player, f"player {player}")))
        for player, sight in sorted(result.sights.items())
    ]
    moves = [
        tag("li", tag("small", names.get(move.player, f"player {move.player}")), " ", move.label)
        for move in result.moves
    ]
    beside = tag("b", chips(result.other_table))
    button = tag(
        "button",
        "Next hand",
        tag("kbd", "Enter"),
        type="submit",
        name="deal",
        value="1",
        css="primary",
        data_key="Enter",
    )
    return join(
        tag("p", f"{word} {plain_chips(abs(result.won)) if result.won else ''}", css=f"outcome {css}"),
        tag("div", held, css="held"),
        tag("ol", moves, css="line", aria_label="The whole hand"),
        tag("p", "The strategy with your cards: ", beside, ". ", _given(result), css="facts"),
        [_choice(choice) for choice in result.choices],
        post_form("/play/act", hidden(table=seated.token, hand=seated.table.score.hands), button, data_swap="#table"),
    )


def _given(result: Result) -> Markup:
    if result.cost is None:
        return join("What your choices cost is not known: there are too many ways for the game to go on.")
    rest = "" if result.complete else " (of some it is not known)"
    if result.cost < NOTHING:
        return join("Your choices gave ", tag("b", "nothing"), f" away{rest}.")
    return join("Your choices gave away ", tag("b", plain_chips(result.cost)), f" chips, whatever the cards did{rest}.")


def _amount(cost: float | None, complete: bool) -> str:
    return "–" if cost is None else plain_chips(cost) if complete else f"≥ {plain_chips(cost)}"


def _choice(choice: Choice, mark: str = "← you") -> Markup:
    """What was done at an infoset, beside what the strategy does there."""
    rows = []
    for place, action in enumerate(choice.actions):
        mine = place == choice.chosen
        rows.append(
            tag(
                "tr",
                tag("td", action, tag("b", f" {mark}") if mine else None, css="action"),
                share_cell(choice.probabilities[place], action_class(place)),
                tag("td", chips(choice.values[place]) if choice.values else "–", css="number"),
                css="mine" if mine else "",
            )
        )
    cost = choice.cost if mark == "← you" else None
    said = "" if cost is None else ": nothing given away" if cost < NOTHING else f": {plain_chips(cost)} given away"
    head = head_row("action", "the strategy", ("worth", "number", "Chips that the action is worth here"))
    summary = tag("summary", "At ", tag("span", choice.label, css="label"), said)
    return tag("details", summary, tag("table", head, tag("tbody", rows)), open=True, css="choice")


def _score(score: Score) -> Markup:
    numbers = [
        ("hands", f"{score.hands:,}"),
        ("you", chips(score.won)),
        ("the strategy, same deals", chips(score.other_table)),
        ("you beside it", chips(score.beside)),
        ("given away", _amount(score.cost, score.complete)),
    ]
    return figures(numbers, "score", aria_label="Score, in chips")


def _past(table: Table) -> Markup | None:
    """The last hands."""
    if len(table.results) < 2:
        return None
    rows = []
    for result in table.results[-PAST:][::-1]:
        given = _amount(result.cost, result.complete)
        words = (str(result.hand + 1), str(result.seat), chips(result.won), chips(result.other_table), given)
        rows.append(tag("tr", [tag("td", word, css="number") for word in words]))
    head = head_row(*((name, "number") for name in ("hand", "seat", "you", "strategy", "given away")))
    return tag("details", tag("summary", "Hands so far"), tag("table", head, tag("tbody", rows), css="past"))
