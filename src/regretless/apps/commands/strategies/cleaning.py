"""`regretless clean`: what dropping rare actions does to a solved strategy, and the cleaned strategy as a file."""

from __future__ import annotations

from collections.abc import Sequence

from regretless.apps.commands.game_opening import check_picture, open_tree
from regretless.apps.commands.holdem_summary import refuse_holdem
from regretless.apps.startup import started
from regretless.errors import FileError, OptionError

__all__ = ["THRESHOLDS", "clean_and_tell"]

THRESHOLDS = (0.001, 0.01, 0.05, 0.1)


def clean_and_tell(path: str, thresholds: Sequence[float], *, plot: str | None, out: str | None, json: bool) -> None:
    """The whole command: read, clean, measure, print, write."""
    from regretless.apps.printing import print_json
    from regretless.exploiting.cleaning import cleaning_report
    from regretless.run import Run, load

    check_picture(plot)
    if out is not None and len(thresholds) != 1:
        raise OptionError(f"--out writes one cleaned strategy: give one --threshold with it, not {len(thresholds)}")
    refuse_holdem(path, "clean takes games that can be listed", "regretless show looks at a node")
    run = load(path)
    if not isinstance(run, Run) or not run.listed:
        kind = "a strategy that does not name its game" if not isinstance(run, Run) else "of a game that was not listed"
        raise OptionError(f"{path} is {kind}: clean takes a run of a listed game")
    tree = open_tree(run.game, say=None if json else print)
    if tree.fingerprint != run.fingerprint:
        raise FileError(f"{path} is a run of {run.game}, but that game is not the same any more (or another)")
    started()
    report = cleaning_report(tree, run, thresholds or THRESHOLDS)
    if out is not None:
        report.rows[1].strategy.save(out)
    if plot is not None:
        report.plot(plot)
    if json:
        print_json({"command": "clean", "run": path, "game": run.game, "rows": report.table()})
    else:
        print(report)
