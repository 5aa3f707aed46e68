"""The peers, timed the way their own documentation runs them. Each function returns seconds."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regretless.apps.commands.bench import least_seconds

OPENSPIEL = {
    "leduc": "leduc_poker",
    "liars_dice": "liars_dice",
    "goofspiel:cards=6": "turn_based_simultaneous_game("
    "game=goofspiel(imp_info=True,num_cards=6,points_order=descending))",
}


class OpenSpielCFRPlus:
    """OpenSpiel's C++ CFR+ and its exploitability."""

    def __init__(self, name: str) -> None:
        import pyspiel

        self.spiel = pyspiel
        self.game = pyspiel.load_game(name)
        self.solver = pyspiel.CFRPlusSolver(self.game)

    def iteration(self, budget: float) -> float:
        """One iteration, both players."""
        return least_seconds(self.solver.evaluate_and_update_policy, budget=budget, repeats=3)

    def exploitability(self) -> float:
        """One evaluation of the average policy; the first call, which also builds its own tree."""
        policy = self.solver.average_policy()
        began = time.perf_counter()
        self.spiel.exploitability(self.game, policy)
        return time.perf_counter() - began


class LiteEFGCFRPlus:
    """LiteEFG's CFR+ with its linear average, as its own training loop runs it."""

    def __init__(self, name: str) -> None:
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import CFRplus

        with quiet_folder():
            self.env = LiteEFG.OpenSpielEnv(pyspiel.load_game(name), traverse_type="Enumerate", regenerate=False)
            self.graph: Any = CFRplus.graph()
            self.env.set_graph(self.graph)
        self.step()

    def step(self) -> None:
        """One iteration, both players, and the average."""
        self.graph.update_graph(self.env)
        self.env.update_strategy(self.graph.current_strategy())

    def iteration(self, budget: float) -> float:
        """One iteration."""
        return least_seconds(self.step, budget=budget, repeats=3)

    def bare_iteration(self, budget: float) -> float:
        """One iteration without the average."""
        return least_seconds(lambda: self.graph.update_graph(self.env), budget=budget, repeats=3)

    def exploitability(self) -> float:
        """One evaluation of the average strategy."""
        strategy = self.graph.current_strategy()
        return least_seconds(lambda: self.env.exploitability(strategy, "linear-avg-iterate"), budget=0.5, repeats=3)


@contextlib.contextmanager
def quiet_folder() -> Iterator[None]:
    """A temporary working folder for files that a peer writes, its chatter kept off the screen."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
