"""Summaries of runs: a few lines of text, and JSON with stable names."""

from __future__ import annotations

from math import isnan, nan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.run import Run
    from regretless.tree import Tree

__all__ = ["FACTS", "POKER", "description", "facts_for_machines", "facts_of", "is_holdem", "measured"]

POKER = ("value_least", "value_most", "mbb_total", "mbb_average", "pot_share")
"""Measured of hold'em: bounds of the game's value in chips, and exploitability in other units."""

FACTS = (
    "game", "algorithm", "iterations", "seconds", "value", "exploitability", "nash_conv", "listed",
    "exploitability_low", "exploitability_high", "nodes", "stopped", "settings", *POKER,
)  # fmt: skip
"""Fields of a run's summary that a strategy file does not have."""


def measured(run: Run, name: str) -> float | None:
    """The last measurement in a column; None where there are no rows yet, or the method has no such column."""
    return float(run.history[name][-1]) if len(run.history.get(name, ())) else None


def description(run: Run, *, saved: str | None, plot: str | None) -> dict[str, Any]:
    """A run as JSON; sizes are null where no game was built."""
    tree, sizes = run.tree, run.problem.sizes
    return {
        "command": "solve",
        **facts_for_machines(run),
        **{name: sizes.get(name) for name in ("histories", "terminals", "boards", "infoset_actions")},
        "bytes": bytes_of(run),
        "iterations_per_second": run.iterations / run.seconds if run.seconds > 0 else None,
        "values": values_of(run, tree) if tree else None,
        "saved": saved,
        "plot": plot,
    }


def bytes_of(run: Run) -> int | None:
    """Memory of what was solved: of a tree its arrays, of hold'em all that the solve keeps."""
    needed: Any = getattr(run.problem, "bytes_needed", None)
    if needed is not None:
        return int(needed(str(run.settings["dtype"]), bool(getattr(run.method, "predictive", False))))
    return run.problem.sizes.get("bytes")


def is_holdem(run: Run) -> bool:
    """Whether a run is of hold'em or a relative, on a public tree."""
    return run.problem.kind == "public tree"


def facts_for_machines(run: Run) -> dict[str, Any]:
    """Fields of every run, under the names that `--json` keeps stable."""
    return {
        "game": run.game,
        "algorithm": run.method.name,
        "players": run.players,
        "infosets": run.infosets,
        "sequences": run.problem.sizes.get("sequences"),
        "iterations": run.iterations,
        "seconds": run.seconds,
        "value": measured(run, "value"),
        "exploitability": measured(run, "exploitability"),
        "nash_conv": measured(run, "nash_conv"),
        "listed": run.listed,
        "exploitability_low": measured(run, "exploitability_low"),
        "exploitability_high": measured(run, "exploitability_high"),
        "nodes": measured(run, "nodes"),
        "stopped": run.stopped,
        "settings": dict(run.settings),
        **{name: measured(run, name) for name in POKER},
    }


def values_of(run: Run, tree: Tree) -> list[float]:
    """What each player wins under the average strategy, in chips."""
    from regretless.evaluation.responses import values

    return [float(v) for v in values(tree, run.strategy)]


def facts_of(run: Run) -> list[tuple[str, str]]:
    """A run in a few lines."""
    from regretless.apps.printing import chips, gap, spent
    from regretless.linter.memory import in_units

    if is_holdem(run):
        from regretless.apps.commands.holdem_summary import public_facts

        return public_facts(run)
    if run.problem.kind == "sampled hold'em":
        from regretless.apps.commands.holdem_summary import dealt_facts

        return dealt_facts(run)
    tree, players = run.tree, run.players
    sizes = f"{run.infosets:,} infosets{'' if run.listed else ' visited'}"
    if tree is not None:
        sizes = f"{tree.histories:,} histories, {sizes}, {in_units(tree.nbytes)}"
    pace = f", {run.iterations / run.seconds:,.0f} per second" if run.seconds > 0 and run.iterations else ""
    rows = [
        ("game", f"{run.game} ({sizes})"),
        ("algorithm", run.method.name),
        ("iterations", f"{run.iterations:,} in {spent(run.seconds)}{pace}"),
        ("value", f"{chips(measured(run, 'value'))} chips per game to player 0"),
        (
            "exploitability",
            f"{gap(measured(run, 'exploitability'))} chips per game (NashConv / {players} players)",
        ),
        ("NashConv", f"{gap(measured(run, 'nash_conv'))} chips per game"),
        ("stopped", reason_of(run)),
    ]
    if not run.listed:
        rows[4] = ("exploitability", lower_bound(run))
        rows[5] = ("visited", f"{measured(run, 'nodes') or 0:,.0f} histories; the game was not listed")
    if measured(run, "exact") == 0:
        regret = (
            f"{gap(measured(run, 'local_regret'))} chips per game and player (sum over infosets, each changed alone)"
        )
        rows[4:6] = [
            ("local regret", regret),
            ("note", "no twin with perfect recall is listed to measure exploitability in"),
        ]
    if run.problem.kind == "bucketed tree" and isnan(measured(run, "exploitability") or nan):
        from regretless.apps.commands.holdem_summary import unmeasured

        rows[3:6] = [("exploitability", unmeasured(run))]
    if tree is not None and (players > 2 or not tree.zero_sum):
        by_player = ", ".join(chips(v) for v in values_of(run, tree))
        rows[3] = ("values", f"{by_player} chips per game to players 0 to {players - 1}")
        kind = f"{players} players" if players > 2 else "not zero-sum"
        rows.append(("note", f"{kind}: the average need not become an equilibrium"))
    return rows


def lower_bound(run: Run) -> str:
    """What is known of the exploitability of a game that is not listed."""
    from regretless.apps.printing import gap

    found, low, high = (measured(run, f"exploitability{end}") for end in ("", "_low", "_high"))
    if found is None or low is None or high is None:
        return "not measured"
    interval = f"95 % between {gap(low)} and {gap(high)}"
    if found <= 0:  # no evidence of exploitability
        return f"at least 0 chips per game (a learned response wins nothing yet, {interval})"
    return f"at least {gap(found)} chips per game (won by a learned response, {interval})"


def reason_of(run: Run) -> str:
    """Why a run ended, in words."""
    return {
        "finished": "all iterations done",
        "until": "the exploitability asked for is reached",
        "seconds": "the time is up",
        "interrupted": "interrupted (the run is whole, --resume goes on)",
        "running": "no: this is a checkpoint of a solve that runs or was cut off (--resume goes on)",
    }.get(run.stopped, run.stopped)
