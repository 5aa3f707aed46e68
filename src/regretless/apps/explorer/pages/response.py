"""Best response: what a perfect opponent does against a strategy, and what each infoset of it gives away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, share_cell, which_field, wide_table
from regretless.apps.explorer.pages.infosets import infoset_cell, link_to_infoset
from regretless.apps.explorer.pages.layout import frame, pager, run_form
from regretless.apps.explorer.pages.strategy import which_of
from regretless.apps.explorer.web.drawing import action_bar, action_class, legend
from regretless.apps.explorer.web.markup import Markup, join, tag
from regretless.apps.explorer.web.requests import Request, Response
from regretless.apps.views.leaks import Leak, PlayerLeaks, leaks_of
from regretless.apps.views.number_format import chips, percent, plain_chips

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer
    from regretless.apps.views.loaded_run import Opened

__all__ = ["response_page"]

PAGE = 50
ORDERS = [("cost", "what they give away"), ("response", "where a perfect player comes")]
HOLDEM = "Of a run of hold'em the best response is measured while it is solved, over all boards; see Convergence."


def response_page(explorer: Explorer, request: Request) -> Response:
    """The leaks of one player's strategy."""
    number = explorer.chosen_run(request)
    opened = explorer.opened(number)
    entries, title = explorer.library.entries(), tag("h1", "Best response")
    if opened.is_holdem or opened.tree is None:
        why = HOLDEM if opened.is_holdem else opened.why_no_tree
        choices = run_form(request, entries, number)
        return frame(explorer, request, "Best response", title, choices, tag("p", why, css="note"))
    players = opened.tree.players
    player = min(request.number("player", 0) or 0, players - 1)
    which, by = which_of(request), request.choice("by", ("cost", "response"))
    leaks = leaks_of(opened.measures(which), player, by)
    first = min(request.number("first", 0) or 0, max(len(leaks.order) - 1, 0))
    seats = [(str(seat), f"player {seat}") for seat in range(players)]
    fields = [
        choice_field("Seat", "player", seats, str(player)),
        which_field(which),
        choice_field("Infosets by", "by", ORDERS, by),
    ]
    return frame(
        explorer,
        request,
        f"Best response to {opened.entry.name}",
        title,
        run_form(request, entries, number, *fields),
        _summary(leaks, players),
        pager("/best-response", len(leaks.order), first, PAGE, run=number, which=which, player=player, by=by),
        _table(leaks, leaks.page(first, PAGE), opened, which),
    )


def _summary(leaks: PlayerLeaks, players: int) -> Markup:
    others = f"player {1 - leaks.player}'s strategy" if players == 2 else "the others' strategies"
    numbers = [
        ("the strategy wins", chips(leaks.value)),
        ("a perfect player wins", chips(leaks.best_value)),
        ("given away", plain_chips(leaks.gain)),
    ]
    text = (
        f"Against {others}, in the seat of player {leaks.player}, in chips per game. The perfect player knows what the "
        "other does with every hand, and takes all there is. Each infoset gives away what the best action there is "
        "worth more than the strategy's, times how often games come there; all of them together give away the whole."
    )
    return join(figures(numbers), tag("p", text, css="note"))


def _table(leaks: PlayerLeaks, shown: Sequence[Leak], opened: Opened, which: str) -> Markup:
    if not shown:
        return tag("p", "Nothing: this strategy is a best response itself.", css="facts")
    most = float(leaks.cost[leaks.order].max())
    actions = list(dict.fromkeys(action for leak in shown for action in leak.actions))
    head = head_row(
        "infoset",
        "gives away",
        ("reach", "number", "How often games come here when all follow the strategy"),
        "the strategy",
        "a perfect player",
        ("comes here", "number", "How often games come here when this player plays perfectly"),
        "worth of the actions",
    )
    rows = [_row(leak, leaks.player, most, actions, opened, which) for leak in shown]
    return join(legend(actions), wide_table(head, tag("tbody", rows), css="leaks"))


def _row(leak: Leak, player: int, most: float, actions: list[str], opened: Opened, which: str) -> Markup:
    classes = [action_class(actions.index(action)) for action in leak.actions]
    worth = ", ".join(f"{action} {chips(value)}" for action, value in zip(leak.actions, leak.values, strict=True))
    name = infoset_cell(opened, leak.label, player, link_to_infoset(opened, leak.infoset, which))
    return tag(
        "tr",
        tag("th", name, scope="row"),
        share_cell(leak.cost / most if most > 0 else 0.0, "cost", plain_chips(leak.cost)),
        tag("td", percent(leak.reach), css="number"),
        tag("td", action_bar(leak.probabilities, leak.actions, classes), css="whole"),
        tag("td", tag("b", leak.actions[leak.best])),
        tag("td", percent(leak.response_reach), css="number"),
        tag("td", worth, css="words"),
        data_infoset=leak.label,
    )
