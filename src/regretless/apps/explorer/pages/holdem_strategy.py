"""Strategy of a run of hold'em: the range on a grid, the choice of a board, and the hands of a cell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import htpy as h
from starlette.responses import Response

from regretless.apps.explorer.pages.action_colours import node_colours
from regretless.apps.explorer.pages.blocks import choice_field, head_row, hidden, text_field, which_field, wide_table
from regretless.apps.explorer.pages.drawing import action_bar, colour_patch, draw_cards, legend
from regretless.apps.explorer.pages.hand_grid import hand_grid
from regretless.apps.explorer.pages.layout import as_sentence, frame, run_form, url
from regretless.apps.explorer.pages.studio.walk_tables import kinds_table, players_table, runout_tables
from regretless.apps.explorer.web.requests import PageRequest
from regretless.apps.views.holdem_boards import ordered_board
from regretless.apps.views.holdem_nodes import Combo, NodeView, Step, view_of
from regretless.apps.views.number_format import chips, percent, ratio
from regretless.apps.views.studio.range_facts import node_equities, realisation
from regretless.apps.views.studio.runouts import runouts
from regretless.errors import OptionError
from regretless.poker.games import Spot
from regretless.poker.results.board_strategy import BoardStrategy

if TYPE_CHECKING:
    from regretless.apps.explorer.web.explorer import Explorer
    from regretless.apps.views.loaded_run import LoadedRun

__all__ = ["holdem_page"]

WHAT = [
    ("strategy", "what they do"),
    ("ev", "expected chips"),
    ("equity", "equity"),
    ("realisation", "equity realised"),
    ("weight", "how much of them comes here"),
    ("others", "how much of the other player comes here"),
]

NEVER = 5e-6
"""Frequencies below this are marked as never."""

MOST_HANDS = 60
"""Hands of a kind that are listed."""


def holdem_page(explorer: Explorer, request: PageRequest, loaded: LoadedRun) -> Response:
    """A node on a board. If a part of the request is wrong, the page says so above what it can show."""
    number = loaded.entry.number
    which = request.choice("which", ("average", "current"))
    what = request.choice("what", tuple(name for name, _ in WHAT))
    strategy, line = loaded.stored_strategy(which), request.text("line")[:400]
    board, problem = request.text("board")[:40], ""
    try:
        if picked := request.all("card"):
            board = ordered_board(strategy, picked, request.text("before")[:40])
        waits = request.choice("seat", ("act", "wait")) == "wait"
        kind = request.text("kind")[:40]
        view = view_of(strategy, line, board, "strategy" if waits else what, "" if waits else kind)
        other = view_of(strategy, line, board, "weight" if what == "strategy" else what, kind, True) if waits else None
        if picked and len(board) != 2 * view.board_cards:
            raise OptionError(f"mark {view.board_cards} cards in all: {len(board) // 2} are marked")
    except OptionError as error:
        problem, board, other = str(error), "", None
        view = view_of(strategy, line if _is_decision(strategy, line) else "", "", "strategy")
    page = _Page(view, number, which, what, board or view.node.board, request.text("hand")[:4], other)
    page.runouts = bool(request.text("runouts"))
    note = h.p(".problem", role="status")[as_sentence(problem)] if problem else None
    choices = run_form(request, explorer.library.entries(), number, *page.fields())
    title = f"Strategy of {loaded.entry.name}"
    node = view.node
    lock = url("/spot/lock", run=number, line=node.line, board=node.board)
    again = h.p(".note")[
        h.a(href=lock, data_key="l", title="The key l locks this node")["Lock this node"],
        " · ",
        h.a(href=url("/spot", run=number))["Set this spot up again"],
    ]
    offered = explorer.may_solve and isinstance(node.game, Spot)
    content = (h.h1["Strategy"], choices, note, page.content(), again if offered else None)
    return frame(explorer, request, title, content, status=422 if problem else 200)


def _is_decision(strategy: Any, line: str) -> bool:
    """Whether a line of play leads to a decision."""
    try:
        strategy.node(line)
    except OptionError:
        return False
    return True


class _Page:
    """A node, what its cells show, and the class whose hands are listed."""

    def __init__(
        self, view: NodeView, run: int, which: str, what: str, board: str, hand: str, other: NodeView | None
    ) -> None:
        """other: the node as the player sees it who does not act, where that range is shown."""
        self.view, self.which, self.what, self.hand = view, which, what, hand
        self.shown = view if other is None else other
        self.values = {
            "run": run,
            "which": which if which != "average" else None,
            "what": what if what != "strategy" else None,
            "seat": None if other is None else "wait",
        }
        self.board = board or None
        self.runouts = False
        self.colours = node_colours(view.node.game, view.node)
        self.equity = node_equities(view.node)
        self.shown_equity = self.equity if other is None else node_equities(other.node)

    def address(self, line: str, **more: Any) -> str:
        """Another node or cell with the same choices; later cards of the board are remembered for later streets."""
        return url("/strategy", **self.values, board=self.board, line=line, **more)

    def fields(self) -> list[h.Node]:
        """Besides the run: what cells show, and the board as text."""
        node = self.view.node
        board = text_field("Board", "board", node.board, size=12, data_key="/") if node.board else None
        return [
            which_field(self.which),
            choice_field("Cells show", "what", WHAT, self.what),
            None if isinstance(self.view.strategy, BoardStrategy) else self._seat_field(),
            board,
            hidden(line=node.line, kind=self.shown.kind or None, runouts=1 if self.runouts else None),
        ]

    def _seat_field(self) -> h.Element:
        """Whose hands are shown."""
        acts = self.view.node.player
        seats = [("act", f"player {acts}, to act"), ("wait", f"player {1 - acts}, waiting")]
        return choice_field("Range of", "seat", seats, "act" if self.shown is self.view else "wait")

    def content(self) -> h.Element:
        """The grid on the left; next moves, players, kinds of hands and the board on the right; hands below."""
        view, line = self.view, self.view.node.line
        kind = self.shown.kind or None
        grid = hand_grid(self.shown, lambda label: self.address(line, hand=label, kind=kind) + "#combos", self.hand)
        warnings = [h.p(".problem")[text] for text in view.warnings]
        return h.div[
            h.div(".holdem")[
                h.div[self._crumbs(), h.p(".facts")[view.summary], warnings, self._board(), self._legend(), grid],
                h.div[self._next_moves(), players_table(view, self.equity), self._kinds(), self._picker()],
            ],
            self._combos(),
            self._runouts(),
        ]

    def _kinds(self) -> h.Node:
        line = self.view.node.line
        return kinds_table(self.shown, self.shown_equity, lambda kind: self.address(line, kind=kind or None))

    def _runouts(self) -> h.Node:
        """The next cards as a table, on request: it reads all of their boards."""
        view, line = self.view, self.view.node.line
        cards = view.node.game.deck.cards(view.node.board)
        if not view.number or int(view.strategy.tree.betting_tree.street[view.number]) == 0:
            return None
        if isinstance(view.strategy, BoardStrategy):
            return None  # its boards are sampled, not listed
        if not self.runouts:
            return h.p("#runouts")[h.a(href=self.address(line, runouts=1) + "#runouts")["All last cards as a table"]]
        found = runouts(view.strategy, view.number, cards)
        values = self.values | {"line": line, "runouts": 1}
        return runout_tables(found, view.node, lambda board: url("/strategy", **values, board=board))

    def _board(self) -> h.Element | None:
        view = self.view
        if not view.node.board:
            return None
        cards = len(view.example_cards) // 2
        text = f"The last {'card is' if cards == 1 else f'{cards} cards are'} an example: choose another board below."
        return h.p(".board-cards")[draw_cards(view.node.board), h.small[f" {text}"] if cards else None]

    def _crumbs(self) -> h.Element:
        path = self.view.path
        back = len(path) - 2  # the position of the node before this one; −1 is the start
        key = {"data_key": "Backspace", "title": "Backspace goes back"}
        start = h.a(href=self.address(""), **(key if back == -1 else {}))["start"]
        items = [h.li[start if path else h.b["start"]]]
        items += [
            h.li[h.a(href=self.address(step.line), **(key if at == back else {}))[step.name]]
            for at, step in enumerate(path[:-1])
        ]
        items += [h.li[h.b(aria_current="page")[path[-1].name]]] if path else []
        return h.nav(".crumbs", aria_label="Moves so far")[h.ol[items]]

    def _next_moves(self) -> h.Element:
        colours = self.colours
        shares = list(self.view.node.frequencies.values())

        def item(number: int, step: Step) -> h.Element:
            never = self.view.reached and shares[number] < NEVER
            marks = [word for word, holds in (("locked", step.locked), ("never", never)) if holds]
            inside: list[h.Node] = [colour_patch(colours[number]), step.name]
            inside += [h.small[f" {word}"] for word in marks]
            if not step.decides:
                return h.li[h.span(".ends", title="ends the hand")[inside]]
            key = number + 1 if number < 9 else None
            return h.li[h.a(href=self.address(step.line), data_key=key)[inside, h.kbd[key] if key else None]]

        steps = h.ul[[item(number, step) for number, step in enumerate(self.view.next)]]
        return h.nav(".next-moves", aria_label="Next moves")[h.span["Next: "], steps]

    def _legend(self) -> list[h.Node]:
        shares, mean = self.view.node.frequencies, self.view.node.mean_ev
        text = f"On average the player expects {chips(mean)} chips from here on."
        colours = self.colours
        return [
            legend(list(shares), list(shares.values()) if self.view.reached else None, colours),
            None if math.isnan(mean) else h.p(".note")[text],
        ]

    def _picker(self) -> h.Element | None:
        """All cards of the deck, to mark those on the board; None if the board is fixed."""
        game = self.view.node.game
        deck = game.deck
        if self.view.board_cards == len(game.first_board):
            return None
        marked = set(deck.cards(self.view.node.board))
        rows = []
        for suit in reversed(range(len(deck.suits))):
            cards = [rank * len(deck.suits) + suit for rank in reversed(range(len(deck.ranks)))]
            rows.append(h.div(".suit-row")[[_card_box(deck.name(card), card in marked) for card in cards]])
        return h.details(".panel.picker", open=True, data_narrow="closed")[
            h.summary["Another board"],
            h.form(method="get", action="/strategy")[
                hidden(**self.values, line=self.view.node.line, before=self.view.node.board),
                rows,
                h.p(".note")[f"Mark {self.view.board_cards} cards in all."],
                h.button(type="submit")["Show this board"],
            ],
        ]

    def _combos(self) -> h.Element:
        """The hands of the chosen class or kind."""
        name = " ".join(filter(None, (self.hand, self.shown.kind)))
        if not name:
            return h.p("#combos.note")["Choose a cell or a kind of hands to see its hands."]
        node = self.shown.node
        found = self.shown.combos(self.hand, self.shown_equity)[:MOST_HANDS]
        if not found:
            return h.p("#combos.note")[f"No hand of {name} can be held here."]
        known = self.shown_equity is not None
        acts = len(node.actions) > 1  # else it is the range of the player who waits
        columns = [*(node.actions if acts else ()), "EV", *(["equity", "realised"] if known else [])]
        strategy = ["strategy"] if acts else []
        head = head_row("hand", ("comes here", "number"), *strategy, *((name, "number") for name in columns))
        rows = [_combo(combo, node.actions, self.colours, node.pot if known else None) for combo in found]
        text = (
            "Below a probability: expected chips of the action from here on, less what it still costs."
            if acts
            else None
        )
        return h.section("#combos")[
            h.h2[f"Hands of {name}"],
            wide_table(head, h.tbody[rows], css="combos"),
            h.p(".note")[text] if text else None,
        ]


def _card_box(name: str, marked: bool) -> h.Element:
    box = h.input(f"#card{name}", type="checkbox", name="card", value=name, checked=marked, aria_label=name)
    return h.label(".pick")[box, draw_cards(name, small=True)]


def _combo(combo: Combo, actions: Sequence[str], colours: Sequence[str], pot: float | None) -> h.Element:
    """A row of a hand; pot: for the realisation of its equity, None without equities."""
    values = combo.action_ev or (None,) * len(actions)
    realised = None if pot is None else realisation(combo.ev, combo.equity, pot)
    cells = [
        h.td(".number")[percent(probability), h.br, h.small[chips(value)]]
        for probability, value in zip(combo.probabilities, values, strict=True)
        if len(actions) > 1
    ]
    return h.tr(data_hand=combo.name)[
        h.th(scope="row")[draw_cards(combo.name, small=True)],
        h.td(".number")[percent(combo.weight)],
        h.td(".whole")[action_bar(combo.probabilities, actions, colours)] if cells else None,
        cells,
        h.td(".number")[chips(combo.ev)],
        [h.td(".number")[percent(combo.equity)], h.td(".number")[ratio(realised)]] if pot else None,
    ]
