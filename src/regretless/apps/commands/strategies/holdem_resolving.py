"""`regretless resolve` for hold'em: solve the rest of a game after a line and a board again, and write it as a run."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from math import isnan
from typing import Any

from regretless.apps.commands.strategies.holdem_matching import HOLDEM_KINDS
from regretless.apps.startup import started
from regretless.errors import OptionError

__all__ = ["resolve_holdem_and_tell"]

ROUNDING = 1e-3
"""Shares of the pot: smaller losses of a safe method are not worth a warning."""


def resolve_holdem_and_tell(
    path: str,
    listed: Mapping[str, Any],
    *,
    method: str,
    player: int | None,
    out: str | None,
    json: bool,
    holdem: Mapping[str, Any],
) -> None:
    """The whole command: read, solve the subgame, print, write. `listed` are the options of listed games."""
    from regretless.apps.printing import print_json
    from regretless.poker.resolving.resolve import resolve
    from regretless.problem import found
    from regretless.run import Run, load

    line, board = holdem["line"], holdem["board"]
    if line is None or board is None:
        raise OptionError(f"give both --line and --board; {'--line' if line is None else '--board'} is missing")
    for name, given in listed.items():
        if given:
            raise OptionError(f"{name} is for games that can be listed: with --line and --board leave it out")
    run = load(path, game=None if holdem["game"] is None else found(holdem["game"]))
    if not isinstance(run, Run) or run.problem.kind not in HOLDEM_KINDS:
        raise OptionError(f"{path} is not a run of hold'em: say where its subgame begins with --at or --history")
    started()
    more = {name: holdem[name] for name in ("iterations", "seconds", "device") if holdem[name] is not None}
    shown = not json and sys.stderr.isatty()
    resolved = resolve(run, line, board, method, player=player, progress=shown, **more)
    if out is not None:
        _as_run(resolved, run, path).save(out, compact=True)
    facts = {str(each.player): _facts(each) for each in resolved.margins.values()}
    _warn(resolved)
    if json:
        told = {"command": "resolve", "run": path, "game": run.game, "method": method, "line": resolved.line}
        print_json({**told, "board": board, "iterations": resolved.iterations, "players": facts, "saved": out})
        return
    print(f"{run.game}: {resolved.line!r} on {resolved.game.deck.names(resolved.game.first_board)} ({method})")
    for each in resolved.margins.values():
        _tell(each)
    if out is not None:
        print(f"saved to {out}")


def _facts(margins: Any) -> dict[str, float | None]:
    """Numbers about one player; None for those that are not defined, since JSON has no nan."""
    facts = {
        "opponent_before": margins.value_before,
        "opponent_after": margins.value_after,
        "smallest_margin": margins.smallest,
        "mean_margin": margins.mean,
        "most_lost": margins.most_lost,
    }
    return {name: None if isnan(number) else number for name, number in facts.items()}


def _warn(resolved: Any) -> None:
    """Say on standard error that a safe method has not converged: hands win more than before, beyond rounding."""
    if resolved.method == "unsafe":
        return
    rounding = ROUNDING * resolved.strategy.at("").pot
    done = "1 iteration" if resolved.iterations == 1 else f"{resolved.iterations:,} iterations"
    for margins in resolved.margins.values():
        if margins.smallest < -rounding:
            print(
                f"warning: after {done} player {margins.player} concedes up to {-margins.smallest:.3g} chips more than "
                f"the blueprint to a hand: raise -n, or keep the blueprint",
                file=sys.stderr,
            )


def _tell(margins: Any) -> None:
    """Two lines about one player."""
    print(
        f"player {margins.player}: a best response wins {margins.value_before:+.6g} → {margins.value_after:+.6g} chips "
        f"(as hands arrive)"
    )
    worse = int((margins.margins < 0).sum())
    lost = f"at most {margins.most_lost:.2g} chips per game lost" if worse else "no hand wins more than before"
    print(
        f"  margins of {len(margins.names):,} hands: {margins.smallest:.4g} to {margins.margins.max():.4g} chips, "
        f"mean {margins.mean:.4g}; {lost}"
    )


def _as_run(resolved: Any, blueprint: Any, path: str) -> Any:
    """A run of the subgame with the ranges that arrive, measured once; its settings say where it comes from."""
    from regretless.poker.solving.responses import best_responses, response_row
    from regretless.run import History, Run

    strategy = resolved.strategy
    row = response_row(strategy.tree, best_responses(strategy))
    measured = {"iteration": resolved.iterations, "seconds": resolved.seconds, **row}
    origin = {
        "method": resolved.method,
        "line": resolved.line,
        "board": resolved.game.deck.names(resolved.game.first_board),
        "blueprint": {"run": path, "game": blueprint.game, "fingerprint": blueprint.fingerprint},
        "players": {str(each.player): _facts(each) for each in resolved.margins.values()},
    }
    return Run(
        game=resolved.game.source,
        method=resolved.variant,
        problem=strategy.tree,
        arrays=strategy.arrays,
        iterations=resolved.iterations,
        seconds=resolved.seconds,
        history=History([measured]),
        settings={**resolved.settings, "resolved": origin},
    )
