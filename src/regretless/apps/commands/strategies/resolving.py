"""`regretless resolve`: solve a subgame of a solved game again, and write the patched strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regretless.apps.commands.game_opening import open_tree
from regretless.apps.startup import started
from regretless.errors import FileError, OptionError, suggest

__all__ = ["resolve_and_tell"]


def resolve_and_tell(
    path: str,
    at: Sequence[str],
    history: str | None,
    *,
    method: str,
    player: int | None,
    out: str | None,
    json: bool,
    holdem: Mapping[str, Any],
) -> None:
    """The whole command for listed games: read, find the subgame, solve it, print, write."""
    from regretless.apps.printing import print_json
    from regretless.evaluation.responses import exploitability
    from regretless.run import Run, load
    from regretless.subgames.resolving import resolve

    _refuse_holdem_options(path, holdem)
    if (history is None) == (not at):
        raise OptionError("say where the subgame begins: either --at INFOSET, or --history ACTIONS")
    run = load(path)
    if not isinstance(run, Run) or not run.listed:
        kind = "a strategy that does not name its game" if not isinstance(run, Run) else "of a game that was not listed"
        raise OptionError(f"{path} is {kind}: resolve takes a run of a listed game")
    tree = open_tree(run.game, say=None if json else print)
    if tree.fingerprint != run.fingerprint:
        raise FileError(f"{path} is a run of {run.game}, but that game is not the same any more (or another)")
    started()
    where = _infosets(run.strategy, at) if history is None else tuple(part.strip() for part in history.split(","))
    patched = resolve(tree, run.strategy, where, method, player=player)
    gaps = exploitability(tree, run.strategy), exploitability(tree, patched)
    changed = int((patched.probabilities != run.strategy.probabilities).sum())
    if out is not None:
        patched.save(out)
    if json:
        facts = {"exploitability_before": gaps[0], "exploitability": gaps[1], "probabilities_changed": changed}
        print_json({"command": "resolve", "run": path, "game": run.game, "method": method, **facts, "saved": out})
        return
    print(f"{run.game}: exploitability {gaps[0]:.6g} → {gaps[1]:.6g} ({method}, {changed:,} probabilities changed)")
    if out is not None:
        print(f"saved to {out}")


def _refuse_holdem_options(path: str, holdem: Mapping[str, Any]) -> None:
    """Refuse a run of hold'em without a line and a board, and options that are for hold'em only."""
    from regretless.storage import read_header

    header = read_header(path)
    if header.get("problem") in ("public tree", "bucketed tree"):
        raise OptionError(
            f"{path} is a run of hold'em: say where the subgame begins with --line ACTIONS and --board CARDS"
        )
    for name, given in holdem.items():
        if given is not None:
            raise OptionError(f"--{name} is for runs of hold'em, and {path} is of another game")


def _infosets(strategy: Any, wanted: Sequence[str]) -> list[Any]:
    """The keys of infosets from their labels as text."""
    keys: dict[str, list[Any]] = {}
    labels = strategy.labels
    for number, name in enumerate(labels.names):
        keys.setdefault(str(name), []).append((int(labels.owner[number]), name))
    for text in wanted:
        if text not in keys:
            raise OptionError(f"there is no infoset {text!r}; {suggest(text, list(keys)[:5000])[:300]}")
    return [key for text in wanted for key in keys[text]]
