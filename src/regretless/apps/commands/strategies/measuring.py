"""`regretless measure`: how exploitable the strategy of a run is, exactly, from a sample, or by a lower bound."""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any

from regretless.apps.commands.game_opening import open_tree
from regretless.apps.commands.ray_option import cluster_of
from regretless.apps.commands.strategies.named_strategies import NamedRun, is_named, named_run
from regretless.apps.startup import started
from regretless.errors import FileError, OptionError

if TYPE_CHECKING:
    from regretless.scale.ray_cluster import Ray

__all__ = ["measure_and_tell"]


def measure_and_tell(
    path: str,
    *,
    game: str | None,
    flops: int | None,
    checkpoint: str | None,
    values: bool,
    table: str | None,
    lbr: bool,
    boards: int | None,
    first_street: str | None,
    seed: int | None,
    threads: int | None,
    device: str | None,
    ray: str | None,
    json: bool,
) -> None:
    """The whole command: read, measure, print."""
    from regretless.problem import found
    from regretless.run import Run, load

    by_flops = {"flops": flops, "checkpoint": checkpoint, "values": values or None, "table": table}
    _check_options(lbr, {**by_flops, "device": device, "ray": ray}, {"boards": boards, "first-street": first_street})
    loaded = named_run(path, game) if is_named(path) else load(path, game=None if game is None else found(game))
    if not isinstance(loaded, Run | NamedRun):
        raise OptionError(f"{path} is a strategy without its game: measure takes a run, as solve --out writes it")
    started()
    if lbr:
        given = {"boards": boards, "first_street": _street(first_street), "seed": seed, "threads": threads}
        settings = {name: value for name, value in given.items() if value is not None}
        _local(loaded, path, {**settings, "progress": not json and sys.stderr.isatty()}, json)
    else:
        given = {"seed": seed, "threads": threads, "device": device or "cpu"}
        _exploitability(loaded, path, game, given, ray, by_flops, json)


def _check_options(lbr: bool, by_flops: dict[str, Any], local: dict[str, Any]) -> None:
    """Refuse options of the other measurement."""
    for name, value in (by_flops if lbr else local).items():
        if value is not None:
            why = "does not go together with --lbr" if lbr else "goes together with --lbr"
            raise OptionError(f"--{name} {why}: {'leave it out' if lbr else 'give both'}")


def _street(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() else text


def _local(run: Any, path: str, settings: dict[str, Any], json: bool) -> None:
    """A local best response, as text or JSON."""
    from regretless.apps.printing import chips, console, facts, print_json
    from regretless.poker import PublicGame, local_best_response

    if not isinstance(getattr(run.problem, "game", None), PublicGame):
        raise OptionError(f"--lbr is for runs of hold'em, and {path} is none: leave it out")
    result = local_best_response(run.problem.game, run.strategy, **settings)
    if json:
        print_json({"command": "measure", "run": path, **dataclasses.asdict(result), "mbb": result.mbb})
        return
    seats = [(f"seat {seat}", f"{chips(won)} chips a game") for seat, won in enumerate(result.by_seat)]
    console().print(facts([("run", path), ("local best response", str(result)), *seats]))


def _exploitability(
    run: Any, path: str, game: str | None, given: dict[str, Any], ray: str | None, by_flops: dict[str, Any], json: bool
) -> None:
    """Best responses: flop by flop for strategies that answer board by board, else of the whole game at once."""
    from regretless.apps.printing import chips, console, facts, print_json
    from regretless.evaluation.responses import exploitability
    from regretless.poker.results.board_strategy import BoardStrategy
    from regretless.recall.remembering import remembered

    strategy, cluster = run.strategy, cluster_of(ray, given["threads"])
    if isinstance(strategy, BoardStrategy) and strategy.game.board_cards:
        _flop_by_flop(run, path, given, cluster, by_flops, json)
        return
    for name, value in by_flops.items():
        if value is not None:
            raise OptionError(f"--{name} is for runs with a card abstraction or networks of hold'em: leave it out")
    if given["seed"] is not None:
        raise OptionError(f"nothing is drawn at random to measure {path}: leave --seed out")
    if given["threads"] is not None and cluster is None:
        raise OptionError(f"{path} is measured at once, without --threads: leave it out")
    where = _game_of(run, path, game)
    if run.problem.kind == "graph" and not where.perfect_recall:  # measured against one who forgets nothing
        strategy, where = remembered(strategy, where), where.remembering()
    found = float(exploitability(where, strategy, workers=cluster, device=given["device"]))
    if json:
        print_json({"command": "measure", "run": path, "exploitability": found})
    else:
        console().print(facts([("run", path), ("exploitability", f"{chips(found)} chips a game (exact)")]))


def _game_of(run: Any, path: str, game: str | None) -> Any:
    """What the strategy of a run is measured in: the problem in the file, or the game that it names, listed again."""
    from regretless.problem import found, found_again

    if getattr(run.problem, "game", None) is not None:
        return run.problem
    opened = found_again(run.game) if game is None else found(game)
    if opened is None:
        raise OptionError(f"{path} is a run of {run.game}, which a file does not open by itself: add --game {run.game}")
    if run.problem.kind != "tree":
        return opened
    tree = open_tree(game or run.game, game=opened)
    if tree.fingerprint != run.fingerprint:
        raise FileError(f"{path} is a run of {run.game}, but that game is not the same any more (or another)")
    return tree


def _flop_by_flop(
    run: Any, path: str, given: dict[str, Any], cluster: Ray | None, by_flops: dict[str, Any], json: bool
) -> None:
    """All flops or a sample of them, as text or JSON."""
    from regretless.apps.printing import chips, console, facts, print_json

    if given["seed"] is not None and by_flops["flops"] is None:
        raise OptionError("--seed draws the flops of a sample: add --flops N, or leave it out")
    table = by_flops.pop("table")
    settings = {**by_flops, "values": bool(by_flops["values"]), "seed": given["seed"] or 0}
    bar = True if sys.stderr.isatty() else None  # without a bar, a long measurement says how long it will take
    settings |= {"threads": given["threads"], "device": given["device"], "progress": False if json else bar}
    measured = run.strategy.exploitability_by_flops(run.problem, workers=cluster, **settings)
    if table is not None:
        measured.trunk.flops.to_csv(table)
    if json:
        known = {name: value for name, value in vars(measured).items() if name != "trunk"}
        told = {**known, "bounds": measured.trunk.bounds, "lines": measured.trunk.lines.rows()}
        print_json({"command": "measure", "run": path, "exploitability": float(measured), **told})
        return
    rows = [("run", path), ("exploitability", str(measured)), ("game", str(measured.trunk))]
    rows += [
        (f"best response in seat {seat}", f"{chips(best)} chips a game")
        for seat, best in enumerate(measured.best_responses)
    ]
    console().print(facts(rows))
    if table is not None:
        print(f"{len(measured.trunk.flops['flop']):,} flops written to {table}")
