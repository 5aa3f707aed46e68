"""Tables beside a node of hold'em: both players, hands by what they are, and the next cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import htpy as h

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.explorer.pages.blocks import head_row, wide_table
from regretless.apps.explorer.pages.drawing import action_bar, draw_cards
from regretless.apps.explorer.pages.hand_grid import label_on_bars
from regretless.apps.views.holdem_nodes import Array, NodeView
from regretless.apps.views.number_format import chips, percent, ratio
from regretless.apps.views.studio.range_facts import both_players, kind_rows, kinds_at
from regretless.apps.views.studio.runouts import Runout, grouped_runouts
from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["REALISATION", "kinds_table", "players_table", "runout_tables"]

CARD_WIDTH, CARD_HEIGHT = 60, 40

REALISATION = "EV ÷ (equity × pot): above 100% the player wins more than the share that the cards are worth"


def players_table(view: NodeView, equity: Array | None) -> h.Element | None:
    """Equity, EV and its realisation of both players."""
    node = view.node
    if not view.reached:
        return None
    rows = [
        h.tr(class_="mine" if facts.to_act else None, data_player=facts.player)[
            h.th(scope="row")[f"player {facts.player}", h.small["to act"] if facts.to_act else None],
            h.td(".number")[f"{facts.combos:,.1f}"],
            h.td(".number")[percent(facts.equity)],
            h.td(".number")[chips(facts.ev)],
            h.td(".number.extra")[percent(None if facts.ev is None else facts.ev / node.pot)],
            h.td(".number")[ratio(facts.realisation)],
        ]
        for facts in both_players(view.strategy, node, equity)
    ]
    head = head_row(
        "", ("hands", "number", "Hands at this node, each counted with its weight"), ("equity", "number"),
        ("EV", "number", "Expected chips from here on"), ("EV / pot", "number extra"),
        ("realised", "number", REALISATION),
    )  # fmt: skip
    return wide_table(head, h.tbody[rows], css="players")


def kinds_table(view: NodeView, equity: Array | None, address: Callable[[str], str]) -> h.Element | None:
    """Hands by what they are; a name shows only those hands, and once more all of them."""
    node = view.node
    kinds = kinds_at(node)
    if kinds is None or not view.reached:
        return None
    colours = node_colours(node.game, node)
    acts = len(node.actions) > 1  # else it is the range of the player who waits
    rows = []
    for row in kind_rows(node, kinds, equity):
        chosen = row.kind == view.kind
        link = h.a(href=address("" if chosen else row.kind), aria_current="true" if chosen else None)[row.kind]
        rows.append(
            h.tr(class_="mine" if chosen else None, data_kind=row.kind)[
                h.th(scope="row")[link, h.small["draw"] if row.draw else None],
                h.td(".number.extra")[f"{row.combos:,.1f}"],
                h.td(".number")[percent(row.share)],
                h.td(".whole")[action_bar(row.frequencies, node.actions, colours)] if acts else None,
                h.td(".number")[chips(row.ev)],
                h.td(".number")[percent(row.equity)],
                h.td(".number.extra")[ratio(row.realisation)],
            ]
        )
    head = head_row(
        "kind", ("hands", "number extra"), ("share", "number"), *(["strategy"] if acts else []), ("EV", "number"),
        ("equity", "number"), ("realised", "number extra", REALISATION),
    )  # fmt: skip
    title = f"Hands by kind: only {view.kind}" if view.kind else "Hands by kind"
    return h.details(".panel.kinds", open=True, data_narrow="closed")[
        h.summary[title], wide_table(head, h.tbody[rows], css="combos")
    ]


def runout_tables(found: Sequence[Runout], node: NodeStrategy, address: Callable[[str], str]) -> h.Element:
    """What is done after each card, grouped by what the card does to the board."""
    if not found:
        return h.p("#runouts.note")["This street deals no single card."]
    actions, colours = node.actions, node_colours(node.game, node)
    with_ev = any(runout.ev is not None for runout in found)
    columns = [(name, "number") for name in (*actions, *(["EV"] if with_ev else []))]
    bodies = []
    for group in grouped_runouts(list(found)):
        count = len(group.cards)
        name = h.th(scope="row")[group.kind, h.small[f"{count} card{'s' if count > 1 else ''}"]]
        bodies.append(h.tbody(data_group=group.kind)[
            h.tr(".mine")[name, _cells(group.frequencies, group.ev, actions, colours, with_ev)],
            [
                h.tr(data_card=card.card)[
                    h.td[h.a(href=address(card.board))[draw_cards(card.card, small=True)]],
                    _cells(card.frequencies, card.ev, actions, colours, with_ev),
                ]
                for card in group.cards
            ],
        ])  # fmt: skip
    return h.section("#runouts")[
        h.h2["All last cards"],
        runout_grid(found, actions, colours, address),
        wide_table(head_row("card", "strategy", *columns), *bodies, css="combos"),
    ]


def runout_grid(
    found: Sequence[Runout], actions: Sequence[str], colours: Sequence[str], address: Callable[[str], str]
) -> h.Element:
    """A cell for each card, suits by ranks: what is done after it, and the EV where it is known."""
    ranks = sorted({card.card[0] for card in found}, key="AKQJT98765432".find)
    suits = [suit for suit in "shdc" if any(card.card[1] == suit for card in found)]
    cells: list[h.Node] = []
    for card in found:
        x, y = CARD_WIDTH * ranks.index(card.card[0]), CARD_HEIGHT * suits.index(card.card[1])
        left, bars = x + 1.0, []
        for share, colour in zip(card.frequencies, colours, strict=True):
            width = (CARD_WIDTH - 2) * (share if share == share else 0.0)
            bars.append(h.rect(class_=colour, x=f"{left:.2f}", y=y + 1, width=f"{width:.2f}", height=CARD_HEIGHT - 2))
            left += width
        words = ", ".join(f"{a} {percent(share)}" for a, share in zip(actions, card.frequencies, strict=True))
        text = f"{card.card}: {words}" + ("" if card.ev is None else f", EV {chips(card.ev)}")
        cells.append(h.a(href=address(card.board), aria_label=text, data_runout=card.card)[
            h.title[text],
            h.rect(class_="ground", x=x + 1, y=y + 1, width=CARD_WIDTH - 2, height=CARD_HEIGHT - 2),
            bars,
            label_on_bars(card.card, x + 5, y + 15),
            None if card.ev is None else label_on_bars(chips(card.ev), x + 5, y + 32),
        ])  # fmt: skip
    box = f"0 0 {CARD_WIDTH * len(ranks)} {CARD_HEIGHT * len(suits)}"
    return h.svg(".hand-grid.runout-grid", viewBox=box, role="group", aria_label="All last cards")[cells]


def _cells(
    shares: Sequence[float], ev: float | None, actions: Sequence[str], colours: Sequence[str], with_ev: bool
) -> list[h.Node]:
    return [
        h.td(".whole")[action_bar(shares, actions, colours)],
        [h.td(".number")[percent(share)] for share in shares],
        h.td(".number")[chips(ev)] if with_ev else None,
    ]
