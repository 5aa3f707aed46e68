"""`regretless play`: play against a strategy in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from regretless.apps.play.opponents import Opponent
    from regretless.apps.play.table import Choice, Result, Score, Table
    from regretless.apps.views.infoset_views import InfosetView

__all__ = ["find_opponent", "play_in_terminal", "read_action"]

QUICKLY = 3.0
"""Seconds for which a game that was given by name is solved before the first hand."""

QUIT, HELP = ("q", "quit", "exit"), ("?", "h", "help", "explain")


def play_in_terminal(
    subject: str, *, seat: str, hands: int | None, seed: int | None, explain: bool, game: str | None
) -> None:
    """The whole command: find the opponent, play until the player quits, print the score."""
    from regretless.apps.play.table import Table
    from regretless.apps.printing import console

    out = console()
    opponent = find_opponent(subject, game, out)
    started()
    table = Table(opponent, seat=seat, seed=fresh_seed() if seed is None else seed, hands=hands)
    advice = "? explains, q quits"
    out.print(f"You play {subject} against its strategy. Chips are the game's own. {advice}.", style="bold")
    try:
        play_hand(out, table, explain)
        while not table.over:
            table.deal()
            play_hand(out, table, explain)
    except (EOFError, KeyboardInterrupt):
        out.print()
    print_score(out, table.score)


def fresh_seed() -> int:
    """A new seed for every session."""
    import secrets

    return secrets.randbits(63)


def find_opponent(subject: str, game: str | None, out: Console) -> Opponent:
    """The strategy in a file; for the name of a game or a spot file, a strategy that is solved now."""
    from regretless.apps.commands.holdem.spot_solving import is_spot, solve_spot
    from regretless.apps.views.library import Library

    if is_spot(subject):
        from regretless.apps.play.holdem_play import HoldemOpponent

        return HoldemOpponent(solve_spot(subject, out.print).strategy)
    if Path(subject).expanduser().exists() or game is not None:
        library = Library([subject], game)
        return library.load(library.entries()[0].number).opponent()
    from regretless.apps.commands.game_opening import open_tree
    from regretless.apps.play.opponents import ListedOpponent
    from regretless.apps.views.infoset_measures import Measures
    from regretless.solver import solve

    try:
        tree = open_tree(subject, say=out.print)
    except OptionError as error:
        raise OptionError(f"{error} (RUN is a file that solve --out wrote, or the name of a game)") from None
    run = solve(tree, until=1e-4, seconds=QUICKLY)
    out.print(f"{run.method.name}, {run.iterations:,} iterations: exploitability {run.exploitability:.3g} chips a hand")
    return ListedOpponent(Measures(tree, run.strategy))


def play_hand(out: Console, table: Table, explain: bool) -> None:
    """One hand; quitting raises EOFError."""
    current = table.turn or table.results[-1]  # the others can end a hand before the player's first move
    out.print(f"\nHand {current.hand + 1}", style="bold", end="")
    out.print(f" · you are player {current.seat} of {table.game.players}, counted from 0")
    shown = None
    while (turn := table.turn) is not None:
        if shown != turn.number:
            if turn.situation:
                out.print(f"  {turn.situation}")
            print_view(out, turn.view)
            shown = turn.number
        typed = ask(turn.actions)
        if typed in HELP:
            choice = table.advice()
            if choice is not None:
                out.print(choice_table(choice, marked="→ most likely"))
        elif (action := read_action(typed, turn.actions)) is None:
            out.print(f"{typed!r} is none of: {listed(turn.actions)}; ? explains, q quits")
        else:
            table.act(action)
    print_result(out, table.results[-1], explain)


def ask(actions: Sequence[str]) -> str:
    """What the player types; after an empty line the question is repeated."""
    while True:
        typed = input(f"  {listed(actions)} > ").strip()
        if typed.lower() in QUIT and typed not in actions:
            raise EOFError
        if typed:
            return typed


def listed(actions: Sequence[str]) -> str:
    """Actions with their numbers, unless they are numbers themselves."""
    if any(action.isdecimal() for action in actions):
        return ", ".join(actions)
    return "  ".join(f"{number} {action}" for number, action in enumerate(actions, 1))


def read_action(typed: str, actions: Sequence[str]) -> int | None:
    """The action that was typed: its name, its number, or the unique beginning of a name.

    >>> read_action("b", ["pass", "bet"]), read_action("2", ["pass", "bet"]), read_action("2", ["1", "2", "4"])
    (1, 1, 1)
    >>> read_action("x", ["pass", "bet"])
    """
    text = typed.strip().lower()
    names = [action.lower() for action in actions]
    if text in names:
        return names.index(text)
    if text.isdecimal() and not any(name.isdecimal() for name in names) and 1 <= int(text) <= len(names):
        return int(text) - 1
    found = [number for number, name in enumerate(names) if text and name.startswith(text)]
    return found[0] if len(found) == 1 else None


def print_view(out: Console, view: InfosetView) -> None:
    """What the player holds, what all players see, and the moves so far."""
    if not view.known:
        out.print(f"  {view.label}")
        return
    parts = []
    if view.own:
        parts.append("you hold " + " ".join(piece.text for piece in view.own))
    if view.shared:
        parts.append("on the table " + " ".join(piece.text for piece in view.shared))
    if view.moves:
        parts.append("so far " + ", ".join(view.moves))
    out.print("  " + ("; ".join(parts) or "you begin"))
    if view.board is not None:
        out.print("\n".join(f"  {line}" for line in view.board.text.splitlines()))


def print_result(out: Console, result: Result, explain: bool) -> None:
    """How a hand ended, and what the choices cost."""
    names = {-1: "dealt", result.seat: "you"}
    line = ", ".join(f"{names.get(move.player, f'player {move.player}')} {move.label}" for move in result.moves)
    out.print(f"  {line}", style="dim")
    verdict = "You win" if result.won > 0 else "You lose" if result.won < 0 else "Draw:"
    out.print(f"  {verdict} {amount(abs(result.won))}", style="bold", end="")
    out.print(f"; the strategy with your cards: {signed(result.other_table)}")
    if result.choices and result.cost is not None:
        cost = "nothing" if result.cost < 0.0005 else amount(result.cost)
        rest = "luck does not count" if result.complete else "the cost of some is not known"
        out.print(f"  Your choices cost {cost} ({rest})")
    if explain:
        for choice in result.choices:
            out.print(f"  at {choice.label}", style="bold")
            out.print(choice_table(choice, marked="→ you"))


def choice_table(choice: Choice, marked: str) -> Grid:
    """What the strategy does at an infoset, and the expected chips of each action."""
    from regretless.apps.printing import bar, plain_table

    head = ["  action", "the strategy"] + (["EV"] if choice.values else []) + [""]
    rows: list[list[Any]] = []
    for number, action in enumerate(choice.actions):
        row: list[Any] = [f"  {action}", bar(choice.probabilities[number], 10)]
        if choice.values is not None:
            row.append(signed(choice.values[number]))
        rows.append([*row, marked if number == choice.chosen else ""])
    return plain_table(head, rows, right=[2] if choice.values else [])


def print_score(out: Console, score: Score) -> None:
    """The total of all hands."""
    if score.hands == 0:
        out.print("No hand was finished.")
        return
    from regretless.apps.printing import facts

    each = score.won / score.hands
    rows = [
        ("hands", f"{score.hands:,}"),
        ("you", f"{signed(score.won)} chips ({signed(each)} a hand)"),
        (
            "same deals",
            f"{signed(score.other_table)} chips for the strategy in your seat: you are at {signed(score.difference)}",
        ),
    ]
    if score.cost is not None:
        least = "" if score.complete else "at least "
        each_cost = amount(score.cost / score.hands)
        rows.append(("mistakes", f"your choices cost {least}{amount(score.cost)}, {each_cost} a hand"))
    out.print(facts(rows))


def amount(chips: float) -> str:
    """Chips without a sign; whole numbers without decimals."""
    return f"{chips:.0f}" if abs(chips - round(chips)) < 5e-10 else f"{chips:.3f}"


def signed(chips: float) -> str:
    """Chips with their sign."""
    text = amount(abs(chips))
    return text if float(text) == 0 else ("+" if chips > 0 else "−") + text
