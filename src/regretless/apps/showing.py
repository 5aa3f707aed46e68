"""`regretless show`: a strategy in a file, for people, for machines, or as another file."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.run import Run
    from regretless.strategy import Strategy

__all__ = ["choose", "show_strategy"]

LIMIT = 40
"""Infosets that are printed unless told otherwise."""


def show_strategy(
    path: str,
    wanted: Sequence[str],
    *,
    player: int | None,
    limit: int | None,
    current: bool,
    csv: str | None,
    parquet: str | None,
    json: bool,
) -> None:
    """The whole command: read, choose, print, write."""
    from regretless.run import Run, load

    loaded = load(path)
    run = loaded if isinstance(loaded, Run) else None
    if run is None and current:
        raise OptionError(f"{path} is a strategy, not a run: it has no current iterate, leave --current out")
    strategy = (run.current if current else run.strategy) if isinstance(loaded, Run) and run else loaded
    assert not isinstance(strategy, Run)
    chosen = choose(strategy, wanted, player)
    if json:
        print_for_machines(run, strategy, chosen[:limit], "current" if current else "average")
    elif csv is None and parquet is None:
        print_for_people(path, run, strategy, chosen, limit or LIMIT, current)
    if csv is not None:
        strategy.to_csv(csv)
    if parquet is not None:
        strategy.to_parquet(parquet)
    if not json:
        for file in filter(None, (csv, parquet)):
            print(f"{len(strategy):,} infosets written to {file}")


def choose(strategy: Strategy, wanted: Sequence[str], player: int | None) -> list[int]:
    """Numbers of the infosets asked for, in reading order: by label, or by a pattern with * and ?."""
    labels = strategy.labels
    if player is not None and player >= labels.players:
        raise OptionError(f"this game has players 0 to {labels.players - 1}, not {player}")
    order = [int(i) for i in labels.reading_order if player is None or labels.owner[i] == player]
    if not wanted:
        return order
    names = {i: str(labels.names[i]) for i in order}
    chosen: dict[int, None] = {}
    for text in wanted:
        found = [i for i, name in names.items() if name == text]
        found = found or [i for i, name in names.items() if fnmatchcase(name, text)]
        if not found:
            raise OptionError(unknown(text, list(dict.fromkeys(names.values())), player))
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def unknown(text: str, names: Sequence[str], player: int | None) -> str:
    """A sentence about an infoset that is not there."""
    whose = "" if player is None else f" of player {player}"
    near = difflib.get_close_matches(text, names[:5000], n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"they are called {', '.join(map(repr, names[:3]))}, …"
    return f"there is no infoset {text!r}{whose}: {hint}"


def print_for_people(
    path: str, run: Run | None, strategy: Strategy, chosen: Sequence[int], limit: int, current: bool
) -> None:
    """The facts of the run, then a table for each player."""
    from regretless.apps.summary import facts_of
    from regretless.apps.tables import console, facts, print_strategy

    out = console()
    if run is not None:
        which = "the last iterate" if current else "the average of all iterations"
        out.print(facts([*facts_of(run), ("shown", which)]))
    else:
        out.print(facts([("strategy", f"{path} ({strategy.labels.players} players, {len(strategy):,} infosets)")]))

    print_strategy(out, strategy, chosen[:limit])
    if len(chosen) > limit:
        out.print(f"{len(chosen) - limit:,} more infosets: --limit {len(chosen)} prints all, --csv FILE writes them")


def print_for_machines(run: Run | None, strategy: Strategy, chosen: Sequence[int], which: str) -> None:
    """One JSON object; of a strategy file the run's facts are null."""
    from regretless.apps.summary import facts_for_machines
    from regretless.apps.tables import print_json

    blank: dict[str, Any] = dict.fromkeys(
        ("game", "algorithm", "iterations", "seconds", "value", "exploitability", "nash_conv", "stopped", "settings")
    )  # fmt: skip
    labels = strategy.labels
    sizes = {"players": labels.players, "infosets": len(strategy), "sequences": labels.sequences}
    rows = [
        {
            "player": int(labels.owner[i]),
            "infoset": str(labels.names[i]),
            "probabilities": {
                str(action): float(p)
                for action, p in zip(labels.actions[i], strategy.probabilities[labels.sequences_of(i)], strict=True)
            },
        }
        for i in chosen
    ]
    print_json(
        {
            "command": "show",
            "kind": "strategy" if run is None else "run",
            **(facts_for_machines(run) if run is not None else {**blank, **sizes}),
            "which": which,
            "strategy": rows,
        }
    )
