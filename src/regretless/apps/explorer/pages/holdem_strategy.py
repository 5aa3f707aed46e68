"""Strategy of a run of hold'em: the range on a grid, the board to pick, and the hands within a cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from regretless.apps.explorer.pages.blocks import (
    choice_field,
    head_row,
    hidden,
    text_field,
    which_field,
    wide_table,
)
from regretless.apps.explorer.pages.hand_grid import action_classes, hand_grid
from regretless.apps.explorer.pages.layout import as_sentence, frame, run_form
from regretless.apps.explorer.web.drawing import action_bar, draw_piece, legend
from regretless.apps.explorer.web.markup import Child, Markup, join, query, tag
from regretless.apps.explorer.web.requests import Request, Response
from regretless.apps.views.holdem_nodes import Combo, NodeView, Step, ordered_board, view_of
from regretless.apps.views.infoset_views import Card
from regretless.apps.views.number_format import chips, percent
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.apps.explorer.web.app import Explorer
    from regretless.apps.views.loaded_run import Opened

__all__ = ["holdem_page"]

WHAT = [
    ("strategy", "what they do"),
    ("ev", "what they expect, chips"),
    ("equity", "equity"),
    ("weight", "how much of them comes here"),
]


def holdem_page(explorer: Explorer, request: Request, opened: Opened) -> Response:
    """A node on a board. What cannot be shown is said, beside what can."""
    number = opened.entry.number
    which = request.choice("which", ("average", "current"))
    what = request.choice("what", tuple(name for name, _ in WHAT))
    strategy, line = opened.as_read(which), request.text("line")[:400]
    board, problem = request.text("board")[:40], ""
    try:
        if picked := request.all("card"):
            board = ordered_board(strategy, picked, request.text("before")[:40])
        view = view_of(strategy, line, board, what)
        if picked and len(board) != 2 * view.board_cards:
            raise OptionError(f"{view.board_cards} cards are to be marked in all, and {len(board) // 2} are")
    except OptionError as error:
        problem, board = str(error), ""
        view = view_of(strategy, line if _leads_somewhere(strategy, line) else "", "", "strategy")
    page = _Page(view, number, which, what, board or view.node.board, request.text("hand")[:4])
    note = tag("p", as_sentence(problem), css="problem", role="status") if problem else None
    choices = run_form(request, explorer.library.entries(), number, *page.fields())
    title, head = f"Strategy of {opened.entry.name}", tag("h1", "Strategy")
    return frame(explorer, request, title, head, choices, note, page.shown(), status=422 if problem else 200)


def _leads_somewhere(strategy: Any, line: str) -> bool:
    try:
        strategy.node(line)
    except OptionError:
        return False
    return True


def cards_of(names: str, small: bool = False) -> list[Markup]:
    """Cards as they are written, drawn."""
    return [draw_piece(Card(names[at], names[at + 1]), small) for at in range(0, len(names), 2)]


class _Page:
    """A node as it is looked at."""

    def __init__(self, view: NodeView, number: int, which: str, what: str, board: str, hand: str) -> None:
        self.view, self.which, self.what, self.hand = view, which, what, hand
        self.kept = {
            "run": number,
            "which": which if which != "average" else None,
            "what": what if what != "strategy" else None,
        }
        self.board = board or None

    def address(self, line: str, **more: Any) -> str:
        """Another node or cell, looked at in the same way; a board that reaches further is kept for later streets."""
        return query("/strategy", **self.kept, board=self.board, line=line, **more)

    def fields(self) -> list[Child]:
        """Besides the run: what cells show, and the board as text."""
        board = (
            text_field("Board", "board", self.view.node.board, size=12, data_key="/") if self.view.node.board else None
        )
        shown = choice_field("Cells show", "what", WHAT, self.what)
        return [which_field(self.which), shown, board, hidden(line=self.view.node.line)]

    def shown(self) -> Markup:
        """The grid on the left, the ways to go on and the hands of a cell on the right."""
        node, line = self.view.node, self.view.node.line
        grid = hand_grid(self.view, lambda label: self.address(line, hand=label) + "#combos", self.hand)
        facts = tag("p", self.view.sentence, css="facts")
        board = tag("p", cards_of(node.board), css="board-cards") if node.board else None
        left = tag("div", self._crumbs(), facts, board, self._legend(), grid)
        return tag("div", left, tag("div", self._moves(), self._picker(), self._combos()), css="holdem")

    def _crumbs(self) -> Markup:
        path = self.view.path
        items = [tag("li", tag("a", "start", href=self.address("")) if path else tag("b", "start"))]
        items += [tag("li", tag("a", step.name, href=self.address(step.line))) for step in path[:-1]]
        items += [tag("li", tag("b", path[-1].name, aria_current="page"))] if path else []
        return tag("nav", tag("ol", items), css="crumbs", aria_label="Moves so far")

    def _moves(self) -> Markup:
        def item(step: Step) -> Markup:
            if not step.decides:
                return tag("li", tag("span", step.name, css="ends", title="ends the hand"))
            return tag("li", tag("a", step.name, href=self.address(step.line)))

        steps = tag("ul", [item(step) for step in self.view.next])
        return tag("nav", tag("span", "Next: "), steps, css="onwards", aria_label="Next moves")

    def _legend(self) -> Markup:
        shares, mean = self.view.node.frequencies, self.view.node.mean_ev
        said = f"On average the player expects {chips(mean)} chips from here on."
        colours = action_classes(self.view.node.actions)
        note = None if math.isnan(mean) else tag("p", said, css="note")
        return join(legend(list(shares), list(shares.values()), colours), note)

    def _picker(self) -> Markup | None:
        """All cards of the deck; as many as lie on the board are to be marked."""
        game = self.view.node.game
        deck = game.deck
        if self.view.board_cards == len(game.first_board):
            return None
        marked = set(deck.cards(self.view.node.board))
        rows = []
        for suit in reversed(range(len(deck.suits))):
            cards = [rank * len(deck.suits) + suit for rank in reversed(range(len(deck.ranks)))]
            rows.append(tag("div", [_box(deck.name(card), card in marked) for card in cards], css="suit-row"))
        fields = hidden(**self.kept, line=self.view.node.line, before=self.view.node.board)
        note = tag("p", f"Mark {self.view.board_cards} cards in all.", css="note")
        button = tag("button", "Show this board", type="submit")
        form = tag("form", fields, rows, note, button, method="get", action="/strategy")
        summary = tag("summary", "Another board")
        return tag("details", summary, form, css="panel picker", open=True, data_narrow="closed")

    def _combos(self) -> Markup:
        """The hands of the chosen class."""
        if not self.hand:
            return tag("p", "Choose a cell to see its hands.", css="note", id="combos")
        found = self.view.combos(self.hand)
        if not found:
            return tag("p", f"No hand of {self.hand} can be held here.", css="note", id="combos")
        actions, equity = self.view.node.actions, self.what == "equity"
        numbers = [(name, "number") for name in (*actions, "expects", *(["equity"] if equity else []))]
        head = head_row("hand", ("comes here", "number"), "strategy", *numbers)
        rows = [_combo(combo, actions, equity) for combo in found]
        text = "Below a probability: chips that the action is worth from here on, less what it still costs."
        table = wide_table(head, tag("tbody", rows), css="combos")
        return tag("section", tag("h2", f"Hands of {self.hand}"), table, tag("p", text, css="note"), id="combos")


def _box(name: str, marked: bool) -> Markup:
    box = tag("input", type="checkbox", name="card", value=name, checked=marked, id=f"card{name}", aria_label=name)
    return tag("label", box, cards_of(name, small=True), css="pick")


def _combo(combo: Combo, actions: Sequence[str], equity: bool) -> Markup:
    worth = combo.action_ev or (None,) * len(actions)
    cells: list[Child] = [
        tag("th", cards_of(combo.name, small=True), tag("span", combo.name, css="label"), scope="row"),
        tag("td", percent(combo.weight), css="number"),
        tag("td", action_bar(combo.probabilities, actions, action_classes(actions)), css="whole"),
    ]
    for chance, value in zip(combo.probabilities, worth, strict=True):
        cells.append(tag("td", percent(chance), tag("br"), tag("small", chips(value)), css="number"))
    cells.append(tag("td", chips(combo.ev), css="number"))
    cells.append(tag("td", percent(combo.equity), css="number") if equity else None)
    return tag("tr", cells, data_hand=combo.name)
