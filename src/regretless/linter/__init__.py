"""Looks a game over before it is solved: is it a game at all, how large is it, will it fit?

`check_game` walks the histories and reports every broken rule in a sentence that names the history, what was
found and how to mend it. `estimate_size` guesses the size of a game too large to walk from random descents.
"""

from regretless.linter.check import check_game
from regretless.linter.estimate import Estimate, estimate_size
from regretless.linter.memory import available_memory, fits_in_memory
from regretless.linter.report import Problem, Report

__all__ = [
    "Estimate",
    "Problem",
    "Report",
    "available_memory",
    "check_game",
    "estimate_size",
    "fits_in_memory",
]
