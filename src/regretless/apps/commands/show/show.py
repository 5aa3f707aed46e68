"""`regretless show`: a strategy in a file, for people, for machines, or as another file."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regretless.apps.commands.abstracting import is_abstraction, show_abstraction
from regretless.apps.commands.game_opening import check_picture
from regretless.apps.commands.summary import is_holdem
from regretless.apps.printing import Shown, shown
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.run import Run
    from regretless.sampling.table_strategy import TableStrategy
    from regretless.strategy import Strategy

__all__ = ["Chosen", "choose", "show_strategy"]

LIMIT = 40
"""Infosets that are printed by default."""


@dataclass(frozen=True)
class Chosen:
    """The infosets to print, and a line about those that are left out."""

    rows: list[Shown]
    rest: str = ""


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
    holdem: Mapping[str, Any],
    game: str | None = None,
) -> None:
    """The whole command: read, choose, print, write; `holdem` are the options for runs of hold'em alone."""
    from regretless.problem import found
    from regretless.run import Run, load

    check_picture(holdem["plot"])
    if is_abstraction(path):
        others = {**holdem, "plot": None, "player": player, "limit": limit, "current": current, "csv": csv}
        _refuse_for_abstractions(path, {**others, "parquet": parquet, "game": game})
        show_abstraction(path, wanted, json=json, plot=holdem["plot"])
        return
    loaded = load(path, game=None if game is None else found(game))
    run = loaded if isinstance(loaded, Run) else None
    if run is not None and run.problem.kind in ("bucketed tree", "sampled hold'em"):
        from regretless.apps.commands.show.bucket_nodes import show_buckets

        if holdem["compact"] is not None and run.problem.kind == "sampled hold'em":
            write_compact(run, path, holdem["compact"], json=json)
            return
        others = {name: given for name, given in holdem.items() if name != "board"}
        others |= {"player": player, "limit": limit, "current": current, "csv": csv, "parquet": parquet, "json": json}
        show_buckets(run, " ".join(wanted), holdem["board"], others)
        return
    if run is not None and is_holdem(run):
        shown = {"player": player, "limit": limit, "current": current, "csv": csv, "parquet": parquet, "json": json}
        _show_holdem(run, path, wanted, holdem, shown)
        return
    if misplaced := next((name for name, given in holdem.items() if given), None):
        raise OptionError(f"--{misplaced} is for runs of hold'em, and {path} is none: leave it out")
    if run is None and current:
        raise OptionError(f"{path} is a strategy, not a run: it has no current iterate, leave --current out")
    strategy = (run.current if current else run.strategy) if isinstance(loaded, Run) and run else loaded
    assert not isinstance(strategy, Run)
    if player is not None and player >= strategy.labels.players:
        raise OptionError(f"this game has players 0 to {strategy.labels.players - 1}, not {player}")
    if run is not None and not run.listed and parquet is not None:
        raise OptionError(f"{path} is a run of a game that was not listed: --parquet cannot write it, --csv can")
    if json or (csv is None and parquet is None):
        chosen = choose(strategy, wanted, player, limit, few=not json)
        if json:
            print_for_machines(run, strategy, chosen, "current" if current else "average")
        else:
            print_for_people(path, run, strategy, chosen, current)
    write_tables(strategy, csv, parquet, told=not json)


def _show_holdem(
    run: Run, path: str, wanted: Sequence[str], holdem: Mapping[str, Any], shown: Mapping[str, Any]
) -> None:
    """A node of a run of hold'em, its leaks, or the run as a compact file; `shown` are the options of all games."""
    from regretless.apps.commands.show.holdem_nodes import Look, show_node

    if holdem["compact"] is not None:
        write_compact(run, path, holdem["compact"], json=shown["json"])
        return
    if holdem["leaks"]:
        _leaks(run, wanted, holdem, **shown)
        return
    if shown["player"] is not None:
        raise OptionError("--player is for other games: in hold'em the line of play says whose turn it is")
    options = {name: holdem[name] for name in ("board", "hands", "ev", "plot")}
    options |= {name: shown[name] for name in ("current", "limit", "json", "csv", "parquet")}
    show_node(run, Look(" ".join(wanted), only=holdem["range"], **options))


def _leaks(run: Run, wanted: Sequence[str], holdem: Mapping[str, Any], **options: Any) -> None:
    """`show --leaks`, which lists nodes instead of showing one."""
    from regretless.apps.commands.holdem.studying import show_leaks

    others = {"range": holdem["range"], "hands": holdem["hands"], "ev": holdem["ev"], "plot": holdem["plot"]}
    others |= {"parquet": options.pop("parquet"), "a line of play": wanted}
    if misplaced := next((name for name, given in others.items() if given), None):
        option = misplaced if " " in misplaced else f"--{misplaced}"
        raise OptionError(f"--leaks lists the nodes of a run, {option} shows one: leave one of them out")
    strategy = run.current if options.pop("current") else run.strategy
    show_leaks(strategy, board=holdem["board"], **options)


def _refuse_for_abstractions(path: str, options: Mapping[str, Any]) -> None:
    for option, given in options.items():
        if given is not None and given is not False:
            raise OptionError(f"--{option} is for runs, and {path} is an abstraction: leave it out")


def write_compact(run: Run, source: str, path: str, *, json: bool) -> None:
    """Write a run of hold'em as a small file, and say how small."""
    from regretless.apps.printing import print_json

    run.save(path, compact=True)
    before, after = (Path(file).stat().st_size for file in (source, path))
    if json:
        print_json({"command": "show", "compact": path, "bytes": after, "bytes_before": before})
    else:
        print(f"written: {path}, {after:,} bytes, {after / before:.1%} of {source}")


def write_tables(strategy: Any, csv: str | None, parquet: str | None, *, told: bool) -> None:
    """Write a strategy to the files that are named; told: say so."""
    if csv is not None:
        write_csv(strategy, csv)
    if parquet is not None:
        strategy.to_parquet(parquet)
    for file in filter(None, (csv, parquet) if told else ()):
        print(f"{len(strategy):,} infosets written to {file}")


def choose(
    strategy: Strategy | TableStrategy, wanted: Sequence[str], player: int | None, limit: int | None, *, few: bool
) -> Chosen:
    """The infosets asked for: by label, or by a pattern with * and ?. `few` limits the number to a screen."""
    from regretless.strategy import Strategy

    if not isinstance(strategy, Strategy):
        from regretless.apps.commands.show.infoset_tables import choose_visited

        return choose_visited(strategy, wanted, player, limit or LIMIT)
    numbers = chosen_numbers(strategy, wanted, player)
    most = limit or (LIMIT if few else len(numbers))
    more = len(numbers) - most
    rest = f"{more:,} more infosets: --limit {len(numbers)} prints all, --csv FILE writes them" if more > 0 else ""
    return Chosen(shown(strategy, numbers[:most]), rest)


def chosen_numbers(strategy: Strategy, wanted: Sequence[str], player: int | None) -> list[int]:
    """Numbers of the infosets of a listed game that are asked for, in reading order."""
    labels = strategy.labels
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
    path: str, run: Run | None, strategy: Strategy | TableStrategy, chosen: Chosen, current: bool
) -> None:
    """The facts of the run, then a table for each player."""
    from regretless.apps.commands.summary import facts_of
    from regretless.apps.printing import console, facts, print_strategy

    out = console()
    if run is not None:
        which = "the last iterate" if current else "the average of all iterations"
        out.print(facts([*facts_of(run), ("shown", which)]))
    else:
        out.print(facts([("strategy", f"{path} ({strategy.labels.players} players, {len(strategy):,} infosets)")]))

    print_strategy(out, chosen.rows)
    if chosen.rest:
        out.print(chosen.rest)


def print_for_machines(run: Run | None, strategy: Strategy | TableStrategy, chosen: Chosen, which: str) -> None:
    """One JSON object; of a strategy file the run's facts are null."""
    from regretless.apps.commands.summary import FACTS, facts_for_machines
    from regretless.apps.printing import print_json

    blank: dict[str, Any] = dict.fromkeys(FACTS)
    labels = strategy.labels
    sizes = {"players": labels.players, "infosets": len(strategy), "sequences": getattr(labels, "sequences", None)}
    print_json(
        {
            "command": "show",
            "kind": "strategy" if run is None else "run",
            **(facts_for_machines(run) if run is not None else {**blank, **sizes}),
            "which": which,
            "strategy": [
                {"player": row.player, "infoset": row.name, "probabilities": row.probabilities} for row in chosen.rows
            ],
        }
    )


def write_csv(strategy: Strategy | TableStrategy, path: str) -> None:
    """The whole strategy; a table of infosets is named row by row."""
    from regretless.strategy import Strategy

    if isinstance(strategy, Strategy):
        strategy.to_csv(path)
        return
    from regretless.apps.commands.show.infoset_tables import write_visited

    write_visited(strategy, path)
