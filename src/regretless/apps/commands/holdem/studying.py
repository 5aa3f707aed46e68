"""Commands on solved spots: `lock` a node, `differences` of two runs, and the leaks that `show --leaks` prints."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regretless.apps.startup import started
from regretless.apps.views.number_format import chips, percent, plain_chips
from regretless.errors import OptionError

__all__ = ["compare_runs", "lock_and_write", "show_leaks"]

LIMIT = 20
"""Nodes that are printed by default."""

HANDS = 3
"""Hands that are named in a row."""


def _strategy_in(path: str) -> Any:
    """The strategy of a run of hold'em without an abstraction."""
    from regretless.poker.results.public_strategy import PublicStrategy
    from regretless.run import Run, load

    if Path(path).suffix.lower() == ".toml" and Path(path).is_file():
        solved = f"regretless solve {path} --out FILE.run"
        raise OptionError(f"{path} is a spot file, and this command takes runs: {solved} makes one")
    loaded = load(path)
    strategy = loaded.strategy if isinstance(loaded, Run) else loaded
    if not isinstance(strategy, PublicStrategy):
        raise OptionError(f"{path} is no run of hold'em that was solved hand by hand: solve a spot file first")
    return strategy


def _reading(strategy: Any, board: str | None, streets: int | None) -> dict[str, Any]:
    """One board, the first streets, or all boards ("all"); by default the first street."""
    if board == "all":
        return {"board": None, "streets": streets}
    return {"board": board, "streets": (streets or 1) if board is None else None}


def _more(count: int, limit: int) -> str:
    return f"{count - limit:,} more: --limit {count} prints all" if count > limit else ""


def _table(columns: Sequence[tuple[str, bool]], rows: Sequence[Sequence[str]]) -> Any:
    """A table; columns are (name, whether it holds numbers)."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name, number in columns:
        table.add_column(name, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    return table


# -- leaks ------------------------------------------------------------------------------------------------------------


def show_leaks(
    strategy: Any, *, board: str | None, player: int | None, limit: int | None, csv: str | None, json: bool
) -> None:
    """Where a strategy loses chips against a best response, the worst nodes first."""
    from regretless.apps.printing import console, facts, print_json
    from regretless.poker.studying.leaks import leaks

    if player not in (None, 0, 1):
        raise OptionError(f"hold'em has players 0 and 1, not {player}")
    started()
    found = leaks(strategy, **_reading(strategy, board, None))
    if csv is not None:
        from regretless.poker.formats.exports import write_csv

        write_csv(csv, [found.columns()])
    nodes = found.nodes if player is None else found.of(player)
    if json:
        shown = [dataclasses.asdict(node) for node in (nodes if limit is None else nodes[:limit])]
        gains = [found.gain(seat) for seat in range(2)]
        print_json({"command": "show", "values": found.values, "gains": gains, "pot": found.pot, "leaks": shown})
        return
    out = console()
    lines = [
        (f"player {seat} loses", f"{plain_chips(found.gain(seat))} chips per game, "
         f"{percent(found.gain(seat) / found.pot)} of the pot; {plain_chips(found.listed(seat))} at the nodes read")
        for seat in range(2)
    ]  # fmt: skip
    out.print(facts(lines))
    rows = [
        (
            node.line or "start", node.board, str(node.player), plain_chips(node.loss), percent(node.reach),
            ", ".join(
                f"{hand.name} {plain_chips(hand.loss_here)} ({node.actions[hand.best]})" for hand in node.hands[:HANDS]
            ),
        )
        for node in nodes[: limit or LIMIT]
    ]  # fmt: skip
    heads = (
        ("node", False),
        ("board", False),
        ("player", True),
        ("loses", True),
        ("reach", True),
        ("worst hands", False),
    )
    out.print(_table(heads, rows))
    if more := _more(len(nodes), limit or LIMIT):
        out.print(more)


# -- differences ------------------------------------------------------------------------------------------------------


def compare_runs(
    one: str, other: str, *, board: str | None, by: str, limit: int | None, csv: str | None, json: bool
) -> None:
    """Where two solutions of one tree differ, and what each player gains from the first to the second."""
    from regretless.apps.printing import console, facts, print_json
    from regretless.poker.studying.differences import differences

    first, second = _strategy_in(one), _strategy_in(other)
    started()
    found = differences(first, second, **_reading(first, board, None)).sorted(by)
    if csv is not None:
        from regretless.poker.formats.exports import write_csv

        write_csv(csv, [found.columns()])
    if json:
        nodes = found.nodes if limit is None else found.nodes[:limit]
        shown = [{**dataclasses.asdict(node), "gain": [node.gain(0), node.gain(1)]} for node in nodes]
        print_json({"command": "differences", "values": found.values, "pot": found.pot, "nodes": shown})
        return
    out = console()
    out.print(facts([
        (f"player {player}", f"{chips(found.values[player][0])} in {one}, {chips(found.values[player][1])} in {other}: "
         f"gains {chips(found.gain(player))} chips, {percent(abs(found.gain(player)) / found.pot)} of the pot")
        for player in range(2)
    ]))  # fmt: skip
    rows = [
        (
            node.line or "start", node.board, str(node.player), percent(node.difference),
            ", ".join(
                f"{action} {percent(a)} → {percent(b)}"
                for action, a, b in zip(node.actions, node.one, node.other, strict=True)
            ),
            chips(node.gain(0)), chips(node.gain(1)),
        )
        for node in found.nodes[: limit or LIMIT]
    ]  # fmt: skip
    heads = (
        ("node", False), ("board", False), ("player", True), ("different", True), ("frequencies", False),
        ("0 gains", True), ("1 gains", True),
    )  # fmt: skip
    out.print(_table(heads, rows))
    if more := _more(len(found.nodes), limit or LIMIT):
        out.print(more)


# -- locks ------------------------------------------------------------------------------------------------------------


def lock_and_write(
    path: str,
    line: str | None,
    hands: Sequence[str],
    *,
    board: str | None,
    every_board: bool,
    unlock: Sequence[int],
    out: str | None,
    json: bool,
) -> None:
    """Write the spot of a run with a node locked as painted, or list the locks that it has."""
    from regretless.apps.printing import print_json
    from regretless.apps.views.studio.lock_painting import check_lockable, lock_rows
    from regretless.poker.formats.spot_writing import write_spot
    from regretless.poker.studying.node_locks import lock_node

    strategy = _strategy_in(path)
    check_lockable(strategy)
    game: Any = strategy.tree.game
    if wrong := [number for number in unlock if not 1 <= number <= len(game.locks)]:
        count = f"{len(game.locks)} lock{'' if len(game.locks) == 1 else 's'}"
        raise OptionError(f"{path} has {count}, and none with the number {wrong[0]}")
    removed = [lock for number, lock in enumerate(game.locks, 1) if number in unlock]
    if line is not None:
        game = lock_node(strategy, line, _painted(hands), board, every_board=every_board)
    elif hands or board is not None or every_board:
        raise OptionError("name the node that is locked by its line of play, 'check bet 50', or '' for the beginning")
    game = game.with_locks([lock for lock in game.locks if lock not in removed])
    if out is not None:
        write_spot(game, out)
    elif line is not None or unlock:
        raise OptionError("name a spot file for the result: --out locked.toml")
    rows = lock_rows(game)
    if json:
        print_json({"command": "lock", "run": path, "out": out, "locks": [dataclasses.asdict(row) for row in rows]})
        return
    for row in rows:
        print(f"{row.number + 1}  {row.line or 'start'}{f' on {row.board}' if row.board else ''}: {row.summary}")
    if not rows:
        print("no node is locked")
    if out is not None:
        print(f"written: {out}; regretless solve {out} --start {path} --out RUN solves it, from where {path} is")


def _painted(hands: Sequence[str]) -> dict[str, dict[str, float]]:
    """What each range does, by its text; a range may be given once."""
    rows: dict[str, dict[str, float]] = {}
    for text in hands:
        named, row = read_hands(text)
        if named in rows:
            raise OptionError(
                f"--hands names {named!r} twice: give all its actions at once, '{named}=check:0.5,fold:0.5'"
            )
        rows[named] = row
    return rows


def read_hands(text: str) -> tuple[str, dict[str, float]]:
    """(range, {action: probability}) of a text.

    >>> read_hands("AK,QQ+ = bet 75:0.5, check:0.5")
    ('AK,QQ+', {'bet 75': 0.5, 'check': 0.5})
    >>> read_hands("22=fold")
    ('22', {'fold': 1.0})
    """
    hands, equals, played = text.partition("=")
    row: dict[str, float] = {}
    for part in played.split(","):
        action, colon, share = part.strip().partition(":")
        try:
            row[action.strip()] = float(share) if colon else 1.0
        except ValueError:
            raise OptionError(f"--hands has the probability {share.strip()!r} in {text!r}: it is 0 to 1") from None
    if not equals or not hands.strip() or "" in row:
        raise OptionError(f"--hands is HANDS=ACTION:PROBABILITY,…, 'AK,QQ+=bet 75:0.5,check:0.5', got {text!r}")
    return hands.strip(), row
