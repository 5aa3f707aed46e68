"""Small pictures as inline SVG: cards, dice, boards, bars. Colours come from classes: style attributes are refused by
the content security policy."""

from __future__ import annotations

from collections.abc import Sequence

import htpy as h

from regretless.apps.views.infoset_views import SUITS, Board, Card, Die, InfosetView, Piece

__all__ = [
    "SUIT_NAMES",
    "action_bar",
    "action_class",
    "colour_patch",
    "draw_board",
    "draw_cards",
    "draw_piece",
    "draw_view",
    "legend",
    "meter",
]

PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
"""Positions of the pips of a die, from its centre."""

SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
RANK_NAMES = {"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
COLUMNS = "abcdefghijklmnopqrstuvwxyz"
ACTION_COLOURS = 12


def picture(width: float, height: float, css: str, label: str, *parts: h.Node) -> h.Element:
    """A picture with a label for screen readers."""
    return h.svg(class_=css, viewBox=f"0 0 {width:g} {height:g}", role="img", aria_label=label)[parts]


def middle_text(text: str | int, x: float, y: float, css: str) -> h.Element:
    """Text with its middle at a point."""
    return h.text(class_=css, x=f"{x:g}", y=f"{y:g}", text_anchor="middle")[text]


def draw_piece(piece: Piece, small: bool = False) -> h.Element:
    """A card or a die."""
    return _card(piece, small) if isinstance(piece, Card) else _die(piece, small)


def draw_cards(names: str, small: bool = False) -> list[h.Element]:
    """Cards by their names, such as "QsJh2h"."""
    return [draw_piece(Card(names[at], names[at + 1]), small) for at in range(0, len(names), 2)]


def _card(card: Card, small: bool) -> h.Element:
    rank = "10" if card.rank == "T" else card.rank
    suit = SUITS.get(card.suit, card.suit)
    name = RANK_NAMES.get(card.rank, card.rank) + (f" of {SUIT_NAMES.get(card.suit, card.suit)}" if card.suit else "")
    colour = f"suit-{card.suit}" if card.suit in SUITS else "suit-none"
    return picture(
        50, 70, f"piece card {colour}{' small' if small else ''}", name,
        h.rect(".card-face", x=1, y=1, width=48, height=68, rx=6),
        middle_text(rank, 25, 33 if suit else 45, "card-rank"),
        middle_text(suit, 25, 60, "card-suit") if suit else None,
    )  # fmt: skip


def _die(die: Die, small: bool) -> h.Element:
    pips = [h.circle(".pip", cx=25 + 13 * x, cy=25 + 13 * y, r="4.6") for x, y in PIPS.get(die.face, [])]
    return picture(
        50, 50, f"piece die{' small' if small else ''}", f"die showing {die.face}",
        h.rect(".card-face", x=1, y=1, width=48, height=48, rx=9),
        pips or middle_text(die.face, 25, 34, "card-rank"),
    )  # fmt: skip


def draw_board(board: Board) -> h.Element:
    """A board as one player knows it."""
    rows, columns = len(board.cells), len(board.cells[0])
    shift = 15 if board.slanted else 0
    parts = [middle_text(COLUMNS[column], 35 + 30 * column, 14, "axis") for column in range(columns)]
    for row, cells in enumerate(board.cells):
        parts.append(middle_text(row + 1, 9 + shift * row, 41 + 30 * row, "axis"))
        for column, cell in enumerate(cells):
            x, y = 20 + 30 * column + shift * row, 20 + 30 * row
            parts.append(h.rect(".cell", x=x + 1, y=y + 1, width=28, height=28, rx=4))
            if cell:
                parts.append(h.circle(class_=f"stone {cell}", cx=x + 15, cy=y + 15, r=9))
    label = f"board with {sum(row.count('own') for row in board.cells)} of your stones"
    return picture(24 + 30 * columns + shift * rows, 24 + 30 * rows, "board", label, parts)


def draw_view(view: InfosetView, small: bool = False) -> h.Element | None:
    """Everything of a player's view that can be drawn; None if nothing can."""
    own = [draw_piece(piece, small) for piece in view.own]
    shared = [draw_piece(piece, small) for piece in view.shared]
    gap = h.span(".gap") if own and shared else None
    board = draw_board(view.board) if view.board is not None and not small else None
    return h.span(".view")[own, gap, shared, board] if own or shared or board else None


def action_bar(
    probabilities: Sequence[float], actions: Sequence[str], colours: Sequence[str] | None = None
) -> h.Element:
    """One bar, divided by the probability of each action."""
    parts, left = [], 0.0
    for number, probability in enumerate(probabilities):
        if probability > 0:
            colour = colours[number] if colours else action_class(number)
            width = f"{100 * probability:.3f}"
            parts.append(h.rect(class_=colour, x=f"{100 * left:.3f}", y=0, width=width, height=10))
        left += probability
    label = ", ".join(f"{action} {share:.1%}" for action, share in zip(actions, probabilities, strict=True))
    return h.svg(".bar", viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=label)[parts]


def action_class(number: int) -> str:
    """The colour of an action by its number."""
    return f"act{number % ACTION_COLOURS}"


def meter(share: float, colour: str = "act0") -> h.Element:
    """A bar of one colour."""
    width = f"{100 * min(max(share, 0.0), 1.0):.3f}"
    bar = h.rect(class_=colour, x=0, y=0, width=width, height=10)
    return h.svg(".bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")[bar]


def colour_patch(colour: str) -> h.Element:
    """A square of a colour."""
    return h.svg(".patch", viewBox="0 0 10 10", aria_hidden="true")[h.rect(class_=colour, width=10, height=10)]


def legend(
    actions: Sequence[str], shares: Sequence[float] | None = None, colours: Sequence[str] | None = None
) -> h.Element:
    """The colour of each action, with its frequency if that is known."""
    items = []
    for number, action in enumerate(actions):
        colour = colours[number] if colours else action_class(number)
        share = h.b[f" {shares[number]:.1%}"] if shares is not None else None
        items.append(h.li[colour_patch(colour), action, share])
    return h.ul(".legend")[items]
