"""Small pictures as inline SVG: cards, dice, boards, bars. No style attributes, so that the strictest policy holds."""

from __future__ import annotations

from collections.abc import Sequence

from regretless.apps.explorer.web.markup import Markup, join, tag
from regretless.apps.views.infoset_views import SUITS, Board, Card, Die, Piece, Sight

__all__ = ["action_bar", "draw_board", "draw_piece", "draw_sight", "legend", "meter"]

PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
"""Where the pips of a die lie, from the middle."""

SUIT_NAMES = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
RANK_NAMES = {"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}


def svg(width: float, height: float, *children: Markup, css: str, label: str = "") -> Markup:
    """A picture; with a label it speaks, without one it is passed over by screen readers."""
    spoken = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return tag("svg", *children, css=css, viewBox=f"0 0 {width:g} {height:g}", **spoken)


def draw_piece(piece: Piece, small: bool = False) -> Markup:
    """A card or a die."""
    return _card(piece, small) if isinstance(piece, Card) else _die(piece, small)


def _card(card: Card, small: bool) -> Markup:
    rank = "10" if card.rank == "T" else card.rank
    suit = SUITS.get(card.suit, card.suit)
    name = RANK_NAMES.get(card.rank, card.rank) + (f" of {SUIT_NAMES.get(card.suit, card.suit)}" if card.suit else "")
    face = [
        tag("rect", x=1, y=1, width=48, height=68, rx=6, css="card-face"),
        tag("text", rank, x=25, y=33 if suit else 45, css="card-rank", text_anchor="middle"),
    ]
    if suit:
        face.append(tag("text", suit, x=25, y=60, css="card-suit", text_anchor="middle"))
    colour = f"suit-{card.suit}" if card.suit in SUITS else "suit-none"
    return svg(50, 70, *face, css=f"piece card {colour}{' small' if small else ''}", label=name)


def _die(die: Die, small: bool) -> Markup:
    face = [tag("rect", x=1, y=1, width=48, height=48, rx=9, css="card-face")]
    if die.face in PIPS:
        face += [tag("circle", cx=25 + 13 * x, cy=25 + 13 * y, r=4.6, css="pip") for x, y in PIPS[die.face]]
    else:
        face.append(tag("text", die.face, x=25, y=34, css="card-rank", text_anchor="middle"))
    return svg(50, 50, *face, css=f"piece die{' small' if small else ''}", label=f"die showing {die.face}")


def draw_board(board: Board) -> Markup:
    """A board as one player knows it."""
    rows, columns = len(board.cells), len(board.cells[0])
    slant = 15 if board.slanted else 0
    parts = [
        tag("text", "abcdefghijklmnopqrstuvwxyz"[column], x=35 + 30 * column, y=14, css="axis", text_anchor="middle")
        for column in range(columns)
    ]
    for row, cells in enumerate(board.cells):
        parts.append(tag("text", row + 1, x=9 + slant * row, y=41 + 30 * row, css="axis", text_anchor="middle"))
        for column, cell in enumerate(cells):
            x, y = 20 + 30 * column + slant * row, 20 + 30 * row
            parts.append(tag("rect", x=x + 1, y=y + 1, width=28, height=28, rx=4, css="cell"))
            if cell:
                parts.append(tag("circle", cx=x + 15, cy=y + 15, r=9, css=f"stone {cell}"))
    said = f"board: {sum(row.count('own') for row in board.cells)} stones of yours"
    return svg(24 + 30 * columns + slant * rows, 24 + 30 * rows, *parts, css="board", label=said)


def draw_sight(sight: Sight, small: bool = False) -> Markup:
    """All that can be drawn of what a player sees; empty where there is nothing to draw."""
    own = [draw_piece(piece, small) for piece in sight.own]
    shared = [draw_piece(piece, small) for piece in sight.shared]
    gap = tag("span", css="gap") if own and shared else None
    board = draw_board(sight.board) if sight.board is not None and not small else None
    return tag("span", own, gap, shared, board, css="sight") if own or shared or board else join()


def action_bar(probabilities: Sequence[float], actions: Sequence[str], classes: Sequence[str] | None = None) -> Markup:
    """One bar, cut by how often each action is taken."""
    parts, left = [], 0.0
    for place, chance in enumerate(probabilities):
        if chance > 0:
            css = classes[place] if classes else action_class(place)
            parts.append(tag("rect", x=f"{100 * left:.3f}", y=0, width=f"{100 * chance:.3f}", height=10, css=css))
        left += chance
    said = ", ".join(f"{action} {chance:.1%}" for action, chance in zip(actions, probabilities, strict=True))
    return tag("svg", *parts, css="bar", viewBox="0 0 100 10", preserveAspectRatio="none", role="img", aria_label=said)


def action_class(place: int) -> str:
    """The colour of an action by its place: sixteen that differ, with patterns of brightness."""
    return f"act{place % 12}"


def meter(share: float, css: str = "act0") -> Markup:
    """A bar of one colour."""
    width = f"{100 * min(max(share, 0.0), 1.0):.3f}"
    bar = tag("rect", x=0, y=0, width=width, height=10, css=css)
    return tag("svg", bar, css="bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")


def legend(
    actions: Sequence[str], shares: Sequence[float] | None = None, classes: Sequence[str] | None = None
) -> Markup:
    """Which colour is which action, with shares of all where they are known."""
    items = []
    for place, action in enumerate(actions):
        css = classes[place] if classes else action_class(place)
        patch = tag(
            "svg",
            tag("rect", x=0, y=0, width=10, height=10, css=css),
            css="patch",
            viewBox="0 0 10 10",
            aria_hidden="true",
        )
        share = tag("b", f" {shares[place]:.1%}") if shares is not None else None
        items.append(tag("li", patch, action, share))
    return tag("ul", items, css="legend")
