"""`regretless push-fold`: the exact equilibrium of push or fold, as text, JSON, CSV and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from regretless.apps.commands.game_opening import check_picture
from regretless.apps.startup import started

if TYPE_CHECKING:
    from regretless.poker.preflop.push_fold import PushFoldSolution

__all__ = ["push_fold_and_tell"]


def push_fold_and_tell(
    stack: float, ante: float, small_blind: float, *, chart: str | None, csv: str | None, json: bool
) -> None:
    """The whole command: solve, print, write files."""
    from regretless.apps.printing import print_json
    from regretless.poker.preflop.push_fold import push_fold

    check_picture(chart)
    solution = push_fold(stack, ante=ante, small_blind=small_blind)
    started()
    if json:
        print_json(for_machines(solution))
    else:
        print_for_people(solution)
    for write, path in ((solution.to_csv, csv), (solution.plot, chart)):
        if path is not None:
            write(path)
            if not json:
                print(f"written: {path}")


def print_for_people(solution: PushFoldSolution) -> None:
    """The value, and for each player the share of hands, the grid and the range."""
    from regretless.apps.commands.show.text_grids import grid_lines, letters_of
    from regretless.apps.printing import console, facts

    out, game = console(), solution.game
    blinds = f"{game.small_blind:g} and 1" + (f", antes of {game.ante:g}" if game.ante else "")
    out.print(
        facts(
            [
                ("stacks", f"{game.stack:g} big blinds; blinds {blinds}"),
                ("value", f"{solution.value:+.6f} big blinds a hand to the small blind"),
                ("exploitability", _exploitability(solution.exploitability)),
            ]
        )
    )
    players = (
        ("small blind: all-in", solution.push_share, solution.push_range),
        ("big blind, after an all-in: call", solution.call_share, solution.call_range),
    )
    for (name, share, chosen), grid in zip(players, solution.grids(), strict=True):
        out.print(Text(f"\n{name} {share:.1%}", style="bold"))
        for line in grid_lines(grid, letters_of(grid.actions)):
            out.print(line)
        out.print(f"range: {chosen}", soft_wrap=True)


def for_machines(solution: PushFoldSolution) -> dict[str, Any]:
    """One JSON object."""
    game = solution.game
    return {
        "command": "push-fold",
        "stack": game.stack,
        "ante": game.ante,
        "small_blind": game.small_blind,
        "value": solution.value,
        "exploitability": solution.exploitability,
        "push_share": solution.push_share,
        "call_share": solution.call_share,
        "push_range": str(solution.push_range),
        "call_range": str(solution.call_range),
        "classes": solution.rows(),
    }


def _exploitability(chips: float) -> str:
    """An exact solution has none but for rounding."""
    return "0, up to rounding" if chips < 1e-9 else f"{chips:.1e} big blinds"
