"""`regretless show` of a run with a card abstraction: what each hand does at a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from regretless.apps.printing import console, facts, plain_table, print_json
from regretless.errors import OptionError
from regretless.run import Run

__all__ = ["show_buckets"]

LIMIT = 40
"""Hands that are printed by default."""


def show_buckets(run: Run, line: str, board: str | None, options: Mapping[str, Any]) -> None:
    """Print the strategy after a line of play on a board; `options`: limit, current, json, and those refused."""
    from regretless.apps.commands.summary import facts_of

    for option, given in options.items():
        if option not in ("limit", "current", "json") and given is not None and given is not False:
            raise OptionError(f"--{option} is not for runs of games with an abstraction: leave it out")
    node = (run.current if options["current"] else run.strategy).at(line, board or ())
    count = len(node.names) if options["limit"] is None and options["json"] else options["limit"] or LIMIT
    rows = list(zip(node.names, node.probabilities.tolist(), strict=True))[::-1]
    if options["json"]:
        probabilities = {name: dict(zip(node.actions, given, strict=True)) for name, given in rows[:count]}
        told = {"line": node.line, "board": node.board, "player": node.player, "hands": probabilities}
        print_json({"command": "show", "kind": "bucketed run", "game": run.game, **told})
        return
    out = console()
    where = f"{node.line or 'the beginning'}{f' on {node.board}' if node.board else ''}, player {node.player}"
    out.print(facts([*facts_of(run), ("shown", where)]))
    table = [(name, *(f"{p:.3f}" for p in given)) for name, given in rows[:count]]
    out.print(plain_table(["hand", *node.actions], table))
    if len(rows) > count:
        out.print(f"{len(rows) - count:,} more hands: --limit {len(rows)} prints all")
