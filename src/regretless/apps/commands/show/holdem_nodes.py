"""`regretless show` of hold'em: one node of the betting on one board, by classes of hands or hand by hand."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from regretless.apps.commands.show.node_rows import SELDOM, Row, class_rows, hand_rows
from regretless.apps.commands.show.text_grids import grid_lines, letters_of
from regretless.apps.printing import bar, console, facts, percent, plain_table, print_json
from regretless.errors import OptionError
from regretless.poker.results.drawing.bet_scale import bet_steps

if TYPE_CHECKING:
    from rich.console import Console

    from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
    from regretless.run import Run

__all__ = ["Look", "answer", "show_node"]

LIMIT = 40
"""Rows of classes or hands that are printed by default."""

OUTLINED = 24
"""Nodes of the betting that are printed below the first one."""

LONGEST_BAR = 8


@dataclass(frozen=True)
class Look:
    """The options of `regretless show` for hold'em; None where one is not given."""

    line: str = ""
    board: str | None = None
    only: str | None = None
    hands: bool = False
    ev: bool = False
    current: bool = False
    limit: int | None = None
    csv: str | None = None
    parquet: str | None = None
    plot: str | None = None
    json: bool = False


def show_node(run: Run, look: Look) -> None:
    """The whole command for a run of hold'em: find the node, print it, write files."""
    strategy: PublicStrategy = run.current if look.current else run.strategy
    if look.board is not None and look.board.strip().lower() == "all":
        from regretless.apps.commands.show.boards import show_boards

        show_boards(run, strategy, look)
        return
    node = chosen_hands(find_node(strategy, look), look.only)
    answer(run, node, look, for_machines, print_for_people, "hands")


def answer(run: Run, found: Any, look: Look, for_machines: Any, print_for_people: Any, rows: str) -> None:
    """Print the result as JSON or text and write the files; of a single node, text only if no file is asked for."""
    files = [(found.to_csv, look.csv), (found.to_parquet, look.parquet), (found.plot, look.plot)]
    for write, path in files:  # before anything is printed: a reader of the output may leave early
        if path is not None:
            write(path)
    if look.json:
        print_json(for_machines(run, found, look))
        return
    if rows == "boards" or look.csv is look.parquet is look.plot is None:
        print_for_people(run, found, look)
    for write, path in files:
        if path is not None:
            print(f"{len(found):,} {rows} written to {path}" if write != found.plot else f"written: {path}")


def find_node(strategy: PublicStrategy, look: Look) -> NodeStrategy:
    """The node that a line leads to; of its board the cards of later streets suffice.

    EV is computed only if it is asked for: it needs the whole tree below the node.
    """
    from regretless.poker.tree.board_lookup import spell_cards

    tree, ev = strategy.tree, look.ev or look.csv is not None or look.parquet is not None
    street = int(tree.betting_tree.street[strategy.node(look.line)])
    if look.board is None and street:
        example = tree.book.cards[int(tree.book.arrays.street_boards[street])]
        named = f"name them, --board {tree.game.deck.names(example)}, or --board all"
        there = f"{spell_cards(len(example))} {'lies' if len(example) == 1 else 'lie'} on the board"
        raise OptionError(f"after {look.line!r} {there}: {named}")
    return strategy.at(look.line, look.board, ev=ev)


def chosen_hands(node: NodeStrategy, only: str | None) -> NodeStrategy:
    """The node restricted to some of its hands."""
    if only is None:
        return node
    from regretless.poker.ranges.range import Range

    deck = node.game.deck
    if node.hands.shape[1] != 2:
        raise OptionError("--range is for hands of two cards")
    wanted = Range.parse(only, deck).weights > 0
    kept = np.array([wanted[deck.hand_number(hand)] for hand in node.hands.tolist()], np.bool_)
    if not kept.any():
        raise OptionError(f"no hand of {only!r} can be held here, on {node.board or 'no board'}")
    by_hand = ("hands", "probabilities", "weight", "opposing", "ev", "action_ev")
    names = tuple(name for name, keep in zip(node.names, kept, strict=True) if keep)
    return dataclasses.replace(node, names=names, **{name: getattr(node, name)[kept] for name in by_hand})


def print_for_people(run: Run, node: NodeStrategy, look: Look) -> None:
    """The facts of the run, the node, its grid, and a table."""
    from regretless.apps.commands.summary import facts_of

    out = console()
    which = "the last iterate" if look.current else "the average of all iterations"
    rows = [*facts_of(run), ("shown", which)]
    out.print(facts([row for row in rows if not look.line or row[0] in ("game", "setting", "exploitability", "shown")]))
    only = f"; of these hands alone: {look.only}" if look.only else ""
    out.print(Text(f"\n{heading(node)}{only}", style="bold"))
    if not node.mass.any():
        out.print("play never reaches this node: its strategy is the initial one")
        return
    out.print(frequency_table(node))
    if look.ev:
        out.print(f"expected from here on: {signed(node.mean_ev)} chips, with {node.pot:,.6g} in the pot")
    if node.hands.shape[1] == 2 and not look.hands:
        out.print()
        steps = bet_steps(node.game.betting, node.line, node.actions)
        for line in grid_lines(node.grid(), letters_of(node.actions), steps):
            out.print(line)
    print_rows(out, node, hand_rows(node) if look.hands else class_rows(node), look)
    if not (look.line or look.only or look.hands or look.ev) and run.problem.game is not None:
        out.print(Text("\nthe betting", style="bold"))
        betting = run.strategy.tree.betting_tree
        out.print(betting.outline(OUTLINED, node.game.street_names), highlight=False)
    if following := further(run, node):
        out.print(f"\nnext: {', '.join(following)}")


def heading(node: NodeStrategy) -> str:
    """Who decides, after what, on which board and for which pot."""
    from regretless.poker.betting.sizes import spell_chips

    rules, deck = node.game.betting, node.game.deck
    seats = ("out of position", "in position") if rules.pot else ("small blind", "big blind")
    seat = f" ({seats[node.player]})" if rules.pot or any(rules.blinds) else ""
    board = " ".join(deck.name(card) for card in deck.cards(node.board))
    parts = [f"after {node.line!r}" if node.line else "at the beginning", *([f"on {board}"] if board else [])]
    return f"player {node.player}{seat} {' '.join(parts)}, pot {spell_chips(node.pot)}"


def frequency_table(node: NodeStrategy) -> Any:
    """How often each action is played."""
    rows = [(action, bar(share, 2 * LONGEST_BAR)) for action, share in node.frequencies.items()]
    return plain_table(["action", "how often"], rows)


def print_rows(out: Console, node: NodeStrategy, rows: list[Row], look: Look) -> None:
    """A table of classes or hands; with their expectations, the best come first."""
    seldom = len(rows)
    rows = [row for row in rows if row.combos >= SELDOM * row.hands]
    seldom -= len(rows)
    if look.ev:
        rows = sorted(rows, key=lambda row: -row.ev)
    most = look.limit or LIMIT
    shown = rows[:most] if look.ev else held_most(rows, most)
    room = (out.width - 16 - (8 if look.ev else 0)) // len(node.actions)
    longest = 0 if look.ev else max(0, min(LONGEST_BAR, room - 9))
    head = ["hand" if look.hands else "class", "combos", *node.actions, *(["EV"] if look.ev else [])]
    table: list[tuple[str | Text, ...]] = [
        (
            row.name,
            f"{row.combos:.2f}",
            *(cell(row, at, longest, look.ev) for at in range(len(node.actions))),
            *([signed(row.ev)] if look.ev else []),
        )
        for row in shown
    ]
    out.print()
    out.print(plain_table(head, table, right=(1, *range(2 if look.ev else len(head), len(head)))))
    notes = ["combos: hands of the class, by how often they are held and come here"] if not look.hands else []
    if look.ev:
        notes.append("in brackets: what an action is worth in chips from here on, a fold being 0")
    if seldom:
        left = f"{counted(seldom, look.hands)} that {'comes' if seldom == 1 else 'come'} here less than once in"
        notes.append(f"{left} {1 / SELDOM:.0f} times {'is' if seldom == 1 else 'are'} left out")
    if len(rows) > most:
        more = counted(len(rows) - most, look.hands, "more ") + ("" if look.ev else ", held less often")
        notes.append(f"{more}: --limit {len(rows)} prints all, --csv FILE writes every hand")
    for note in notes:
        out.print(note)


def held_most(rows: list[Row], most: int) -> list[Row]:
    """The rows with the largest share of the node, at most `most` of them, in the order given."""
    if len(rows) <= most:
        return rows
    kept = sorted(range(len(rows)), key=lambda at: -rows[at].share)[:most]
    return [rows[at] for at in sorted(kept)]


def counted(count: int, hands: bool, before: str = "") -> str:
    """A number of hands or classes.

    >>> counted(1, False), counted(3, True, "more ")
    ('1 class', '3 more hands')
    """
    one, many = ("hand", "hands") if hands else ("class", "classes")
    return f"{count} {before}{one if count == 1 else many}"


def cell(row: Row, action: int, longest: int, ev: bool) -> Text:
    """How often an action is played, and what it is worth."""
    share = row.probabilities[action]
    if not ev:
        return bar(share, longest)
    worth = row.action_ev[action]
    return Text(f"{percent(share)} ({signed(worth)})" if math.isfinite(worth) else percent(share))


def signed(number: float) -> str:
    """Chips with their sign and two decimals.

    >>> signed(3.14159), signed(-0.001)
    ('+3.14', '0')
    """
    text = f"{number:+.2f}"
    return "0" if float(text) == 0 else text


def further(run: Run, node: NodeStrategy) -> list[str]:
    """Lines that go on from here, as they would be typed; where a card is dealt first, it must be named."""
    from regretless.kernels.constants import DEAL

    betting = run.strategy.tree.betting_tree
    at = betting.find(node.line)
    lines = []
    for action in range(len(node.actions)):
        child = int(betting.first_child[at]) + action
        deal = betting.kind[child] == DEAL
        if deal or betting.kind[child] < DEAL:
            lines.append(f'"{betting.line(child)}"{" --board …" if deal else ""}')
    return lines


def for_machines(run: Run, node: NodeStrategy, look: Look) -> dict[str, Any]:
    """One JSON object."""
    from regretless.apps.commands.summary import facts_for_machines

    def listed(rows: list[Row]) -> list[dict[str, Any]]:
        return [
            {
                "name": row.name, "combos": row.combos, "share": row.share,
                "probabilities": dict(zip(node.actions, row.probabilities, strict=True)), "ev": row.ev,
                "action_ev": dict(zip(node.actions, row.action_ev, strict=True)),
            }
            for row in rows
        ]  # fmt: skip

    return {
        "command": "show",
        "kind": "node",
        **facts_for_machines(run),
        "which": "current" if look.current else "average",
        "line": node.line,
        "board": node.board,
        "player": node.player,
        "pot": node.pot,
        "frequencies": node.frequencies,
        "ev": node.mean_ev,
        "classes": listed(class_rows(node)),
        "hands": listed(hand_rows(node)) if look.hands else None,
    }
