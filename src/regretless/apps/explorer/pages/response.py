"""Best response: what a perfect opponent does against a strategy, and where the strategy loses chips to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import numbered_colours
from regretless.apps.explorer.pages.blocks import choice_field, figures, head_row, share_cell, which_field, wide_table
from regretless.apps.explorer.pages.drawing import action_bar, legend
from regretless.apps.explorer.pages.infosets import infoset_cell, link_to_infoset
from regretless.apps.explorer.pages.layout import frame, pager, run_form
from regretless.apps.explorer.pages.strategy import which_of
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.leaks import Leak, PlayerLeaks, leaks_of
from regretless.apps.views.number_format import chips, percent, plain_chips

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["response_page"]

PAGE = 50
ORDERS = [("cost", "chips lost"), ("response", "how often a perfect player comes there")]
BUCKETS = "With a card abstraction hands have no exact values: see Convergence."
NETWORKS = (
    "Networks store no values of hands. In Python, rg.exploitability(game, run.strategy, flops=20) measures them."
)


def response_page(explorer: Explorer, request: PageRequest) -> Response:
    """The leaks of one player's strategy."""
    number = explorer.chosen_run(request)
    loaded = explorer.load_studied(number)
    entries, title = explorer.library.entries(), h.h1["Best response"]
    if loaded.header.kind == "holdem":
        from regretless.apps.explorer.pages.studio.leak_page import holdem_leak_page

        return holdem_leak_page(explorer, request, loaded)
    if loaded.is_holdem or loaded.tree is None:
        why = {"buckets": BUCKETS, "networks": NETWORKS}.get(loaded.header.kind) or loaded.why_no_tree
        choices = run_form(request, entries, number)
        return frame(explorer, request, "Best response", title, choices, h.p(".note")[why])
    players = loaded.tree.players
    player = min(request.number("player", 0) or 0, players - 1)
    which, by = which_of(request), request.choice("by", ("cost", "response"))
    leaks = leaks_of(loaded.measures(which), player, by)
    first = min(request.number("first", 0) or 0, max(len(leaks.order) - 1, 0))
    seats = [(str(seat), f"player {seat}") for seat in range(players)]
    fields = [
        choice_field("Seat", "player", seats, str(player)),
        which_field(which),
        choice_field("Sort by", "by", ORDERS, by),
    ]
    content = (
        title,
        run_form(request, entries, number, *fields),
        _summary(leaks, players),
        pager("/best-response", len(leaks.order), first, PAGE, run=number, which=which, player=player, by=by),
        _table(leaks, leaks.page(first, PAGE), loaded, which),
    )
    return frame(explorer, request, f"Best response to {loaded.entry.name}", content)


def _summary(leaks: PlayerLeaks, players: int) -> list[h.Node]:
    others = f"player {1 - leaks.player}'s strategy" if players == 2 else "the others' strategies"
    numbers = [
        ("the strategy wins", chips(leaks.value)),
        ("a perfect player wins", chips(leaks.best_value)),
        ("lost", plain_chips(leaks.gain)),
    ]
    text = (
        f"In the seat of player {leaks.player} against {others}, in chips per game. The perfect player knows {others} "
        "and answers it as well as possible. At each infoset the strategy loses the EV of the best action less its own "
        "EV, times how often games come there. The sum over all infosets is what the perfect player wins more."
    )
    return [figures(numbers), h.p(".note")[text]]


def _table(leaks: PlayerLeaks, shown: Sequence[Leak], loaded: LoadedRun, which: str) -> list[h.Node]:
    if not shown:
        return [h.p(".facts")["Nothing is lost: this strategy is a best response itself."]]
    most = float(leaks.cost[leaks.order].max())
    actions = list(dict.fromkeys(action for leak in shown for action in leak.actions))
    head = head_row(
        "infoset",
        "loses",
        ("reach", "number", "How often games come here when all follow the strategy"),
        "the strategy",
        "a perfect player",
        ("its reach", "number", "How often games come here when this player plays perfectly"),
        "EV of the actions",
    )
    rows = [_row(leak, leaks.player, most, loaded, which) for leak in shown]
    colours = numbered_colours(loaded.action_numbers, actions)
    return [legend(actions, None, colours), wide_table(head, h.tbody[rows], css="leaks")]


def _row(leak: Leak, player: int, most: float, loaded: LoadedRun, which: str) -> h.Element:
    colours = numbered_colours(loaded.action_numbers, leak.actions)
    values = ", ".join(f"{action} {chips(value)}" for action, value in zip(leak.actions, leak.values, strict=True))
    name = infoset_cell(loaded, leak.label, player, link_to_infoset(loaded, leak.infoset, which))
    return h.tr(data_infoset=leak.label)[
        h.th(scope="row")[name],
        share_cell(leak.cost / most if most > 0 else 0.0, "cost", plain_chips(leak.cost)),
        h.td(".number")[percent(leak.reach)],
        h.td(".whole")[action_bar(leak.probabilities, leak.actions, colours)],
        h.td[h.b[leak.actions[leak.best]]],
        h.td(".number")[percent(leak.response_reach)],
        h.td(".words")[values],
    ]
