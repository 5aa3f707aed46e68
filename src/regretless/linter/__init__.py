"""Checks a game before it is solved: its rules, its size, and whether it fits into memory.

`check_game` walks through the histories and reports every broken rule in a sentence that names the history, what was
found and how to mend it. `estimate_size` guesses the size of a game from random descents.

    rules            what must hold at one state
    walk             visits histories for `check_game`; replay plays the same moves twice
    state_snapshots  whether two states are equal, and whether a state has changed
    played_states    whether `play` leaves its state alone, checked by every walk
    endless          whether a game seems never to end
    history_probes   random descents that count histories; infoset_counts counts infosets
    memory           the memory that a game takes, and that is free
    descriptions     histories, actions and infosets as a user reads them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from regretless.lazy_names import on_demand

if TYPE_CHECKING:
    from regretless.linter.check import check_game
    from regretless.linter.estimate import Estimate, estimate_size
    from regretless.linter.memory import available_memory, fits_in_memory
    from regretless.linter.report import Finding, Report

__all__ = [
    "Estimate",
    "Finding",
    "Report",
    "available_memory",
    "check_game",
    "estimate_size",
    "fits_in_memory",
]

_HOMES = {
    "check_game": "check",
    "Estimate": "estimate",
    "estimate_size": "estimate",
    "available_memory": "memory",
    "fits_in_memory": "memory",
    "Finding": "report",
    "Report": "report",
}

if not TYPE_CHECKING:  # type checkers know the names above alone
    __getattr__ = on_demand("regretless.linter", _HOMES)
