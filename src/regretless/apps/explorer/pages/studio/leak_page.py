"""Best response for hold'em: the nodes and hands at which a strategy loses chips, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.explorer.pages.blocks import (
    choice_field,
    figures,
    head_row,
    share_cell,
    text_field,
    which_field,
    wide_table,
)
from regretless.apps.explorer.pages.drawing import action_bar, draw_cards
from regretless.apps.explorer.pages.layout import as_sentence, frame, pager, run_form, url
from regretless.apps.explorer.pages.studio.studied_boards import boards_read
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.number_format import chips, percent, plain_chips
from regretless.apps.views.studio.studies import holdem_leaks, may_read_all, study_board
from regretless.errors import OptionError
from regretless.poker.studying.leaks import HoldemLeaks, NodeLeak

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.loaded_run import LoadedRun
    from regretless.poker.games import PublicGame

__all__ = ["holdem_leak_page", "loss_text"]

LEAST_LOSS = 0.0001
"""Chips below which a loss has too many digits for its column."""
PAGE = 50
HANDS = 4
"""Hands that are named in a row."""


class _Run(NamedTuple):
    """The run whose leaks are shown."""

    number: int
    which: str
    game: PublicGame


def holdem_leak_page(explorer: Explorer, request: PageRequest, loaded: LoadedRun) -> Response:
    """The leaks of one player's strategy on the first street, on a board, or on all."""
    number, title = loaded.entry.number, h.h1["Best response"]
    which = request.choice("which", ("average", "current"))
    player = min(request.number("player", 0) or 0, 1)
    everything, text = bool(request.text("all")), request.text("board")[:40]
    seats = [(str(seat), f"player {seat}") for seat in range(2)]
    fields = [
        choice_field("Seat", "player", seats, str(player)),
        which_field(which),
        text_field("Board", "board", text, size=12, placeholder="first street", data_key="/"),
    ]
    choices = run_form(request, explorer.library.entries(), number, *fields)
    page_title = f"Best response to {loaded.entry.name}"
    try:
        strategy = loaded.stored_strategy(which)
        board = study_board(strategy, text)
        found = holdem_leaks(loaded, which, board, everything)
    except OptionError as error:
        problem = h.p(".problem", role="status")[as_sentence(str(error))]
        return frame(explorer, request, page_title, title, choices, problem, status=422)
    nodes = found.of(player)
    first = min(request.number("first", 0) or 0, max(len(nodes) - 1, 0))
    here = {"run": number, "player": player, "which": which, "board": board}
    content = (
        title,
        choices,
        _summary(found, player),
        boards_read("/best-response", may_read_all(strategy), everything, board, here),
        pager("/best-response", len(nodes), first, PAGE, all=1 if everything else None, **here),
        _table(nodes[first : first + PAGE], nodes, found.pot, _Run(number, which, strategy.tree.game)),
    )
    return frame(explorer, request, page_title, content)


def _summary(found: HoldemLeaks, player: int) -> list[h.Node]:
    lost, listed = found.gain(player), found.listed(player)
    numbers = [
        ("the strategy wins", chips(found.values[player])),
        ("a perfect player wins", chips(found.best_values[player])),
        (
            "lost, chips per game",
            f"{plain_chips(lost)} ({percent(lost / found.pot)} of the pot)" if lost == lost else "–",
        ),
        ("of it at the nodes below", plain_chips(listed)),
    ]
    text = (
        f"In the seat of player {player}, against the other player's strategy as it is. The perfect player knows that "
        "strategy and answers it as well as possible. A hand loses the EV of its best action less the EV of what it "
        "does, both followed by perfect play, times how often it comes there. Over all boards this sums to what the "
        "perfect player wins more."
    )
    return [figures(numbers), h.p(".note")[text]]


def _table(shown: Sequence[NodeLeak], every: Sequence[NodeLeak], pot: float, run: _Run) -> list[h.Node]:
    if not shown:
        return [h.p(".facts")["Nothing is lost here: this strategy is a best response itself."]]
    most = every[0].loss
    head = head_row(
        "node",
        "loses, chips per game",
        ("of the pot", "number"),
        ("reach", "number", "How often games come here when both follow the strategy"),
        "the strategy, and a perfect player",
        "hands that lose most, chips each time",
    )
    rows = [_row(leak, most, pot, run) for leak in shown]
    return [wide_table(head, h.tbody[rows], css="leaks")]


def _row(leak: NodeLeak, most: float, pot: float, run: _Run) -> h.Element:
    colours = node_colours(run.game, leak)
    which = None if run.which == "average" else run.which
    address = url("/strategy", run=run.number, line=leak.line, board=leak.board, which=which, what="ev")
    hands = [
        h.span(".hand-loss", title=_explained(leak, number))[
            draw_cards(hand.name, small=True), f" {plain_chips(hand.loss_here)} "
        ]
        for number, hand in enumerate(leak.hands[:HANDS])
    ]
    bars = [
        h.div[h.small[name], action_bar(shares, leak.actions, colours)]
        for name, shares in (("plays", leak.frequencies), ("best", leak.response))
    ]
    return h.tr(data_line=leak.line, data_board=leak.board)[
        h.th(scope="row")[h.a(href=address)[leak.line or "start"], h.small[leak.board]],
        share_cell(leak.loss / most if most > 0 else 0.0, "cost", loss_text(leak.loss)),
        h.td(".number")[percent(leak.loss / pot)],
        h.td(".number")[percent(leak.reach)],
        h.td(".whole")[bars],
        h.td[hands],
    ]


def loss_text(loss: float) -> str:
    """A loss that fits beside its bar."""
    return f"<{LEAST_LOSS}" if 0 < loss < LEAST_LOSS else plain_chips(loss)


def _explained(leak: NodeLeak, number: int) -> str:
    """What the actions of a hand are worth."""
    values = leak.hands[number].values
    return ", ".join(f"{action} {chips(value)}" for action, value in zip(leak.actions, values, strict=True))
