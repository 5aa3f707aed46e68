"""`regretless show` of a run of buckets or networks: what each hand does at a node on a board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from regretless.apps.commands.show.holdem_nodes import chosen_hands, frequency_table, further
from regretless.apps.commands.show.text_grids import grid_lines, letters_of
from regretless.apps.printing import console, facts, plain_table, print_json
from regretless.errors import OptionError
from regretless.poker.results.drawing.bet_scale import bet_steps
from regretless.run import Run

if TYPE_CHECKING:
    from regretless.poker.results.public_strategy import NodeStrategy

__all__ = ["show_buckets"]

LIMIT = 40
"""Hands that are printed by default."""

FILES = {"csv": "to_csv", "parquet": "to_parquet", "plot": "plot"}
"""Options that write a file, and how a node writes it."""


SHOWN = ("limit", "current", "json", "range", "hands")
"""Other options; hands are always listed one by one, so that --hands changes nothing."""

KINDS = {"bucketed tree": "bucketed run", "sampled hold'em": "network run"}
"""Kinds of problems, and what a run of one is called for machines."""


def show_buckets(run: Run, line: str, board: str | None, options: Mapping[str, Any]) -> None:
    """Print the strategy after a line of play on a board; `options`: those of SHOWN, files, and those refused."""
    for option, given in options.items():
        if option not in (*SHOWN, *FILES) and given is not None and given is not False:
            raise OptionError(f"--{option} is not for runs of {_kind(run)}: leave it out")
    if board is not None and board.strip().lower() == "all":
        raise OptionError(f"--board all is not for runs of {_kind(run)}: name the cards of one board")
    whole: NodeStrategy = (run.current if options["current"] else run.strategy).at(line, board or ())
    node = chosen_hands(whole, options.get("range"))
    files = {name: options[name] for name in FILES if options.get(name) is not None}
    count = len(node.names) if options["limit"] is None and options["json"] else options["limit"] or LIMIT
    if options["json"]:
        print_json({"command": "show", "kind": KINDS[run.problem.kind], "game": run.game, **for_machines(node, count)})
    elif not files:
        print_for_people(run, node, count)
    for name, path in files.items():
        getattr(node, FILES[name])(path)
        if not options["json"]:
            print(f"{len(node):,} hands written to {path}" if name != "plot" else f"written: {path}")


def _kind(run: Run) -> str:
    """What a run is of, in a sentence."""
    return "games with an abstraction" if run.problem.kind == "bucketed tree" else "networks on games that are dealt"


def for_machines(node: NodeStrategy, count: int) -> dict[str, Any]:
    """The node as values of JSON, with the last `count` hands of the deck."""
    rows = list(zip(node.names, node.probabilities.tolist(), strict=True))[::-1][:count]
    probabilities = {name: dict(zip(node.actions, given, strict=True)) for name, given in rows}
    return {"line": node.line, "board": node.board, "player": node.player, "hands": probabilities}


def print_for_people(run: Run, node: NodeStrategy, count: int) -> None:
    """The facts of the run, the grid of the node, and a table of hands."""
    from regretless.apps.commands.summary import facts_of

    out = console()
    where = f"{node.line or 'the beginning'}{f' on {node.board}' if node.board else ''}, player {node.player}"
    out.print(facts([*facts_of(run), ("shown", where)]))
    if node.mass.any():
        out.print(frequency_table(node))
        if node.hands.shape[1] == 2:
            steps = bet_steps(node.game.betting, node.line, node.actions)
            for line in grid_lines(node.grid(), letters_of(node.actions), steps):
                out.print(line)
    else:
        out.print(Text("play never reaches this node"))
    rows = list(zip(node.names, node.probabilities.tolist(), strict=True))[::-1]
    table = [(name, *(f"{p:.3f}" for p in given)) for name, given in rows[:count]]
    out.print(plain_table(["hand", *node.actions], table))
    if len(rows) > count:
        out.print(f"{len(rows) - count:,} more hands: --limit {len(rows)} prints all, --csv FILE writes them")
    if following := further(run, node):
        out.print(f"next: {', '.join(following)}")
