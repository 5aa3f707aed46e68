"""A sampling scheme of the user on a listed game: walks in Python, exploitability measured exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.evaluation.responses import plan_of
from regretless.method import Settings
from regretless.methods.tree_learner import TreeLearner, matched_strategy
from regretless.sampling.in_python.python_walks import InfosetArrays, PythonWalks, Slot
from regretless.sampling.mccfr import MCCFR
from regretless.strategy import Strategy
from regretless.tree import Tree

__all__ = ["PythonTreeLearner"]

Array = npt.NDArray[Any]


class _TreeArrays(InfosetArrays):
    """Numbers by sequence [S], as in the tree."""

    def __init__(self, tree: Tree) -> None:
        self.regret, self.average = np.zeros(tree.sequences), np.zeros(tree.sequences)
        self.game, self.labels = tree.game, tree.labels
        self.slots: dict[tuple[int, Any], Slot] = {}

    def slot(self, player: int, infoset: Any, actions: Any) -> Slot:
        """Where the sequences of an infoset lie."""
        found = self.slots.get((player, infoset))
        if found is None:
            number = self.labels.by_player[player, self.game.infoset_label(infoset)]
            found = self.slots[player, infoset] = self.labels.sequences_of(number)
        return found


class PythonTreeLearner(TreeLearner):
    """MCCFR with a scheme of the user, on a tree."""

    def __init__(self, tree: Tree, method: MCCFR, settings: Settings) -> None:
        if settings.fixed:
            raise OptionError(f"{method.name} walks in Python and cannot hold players fixed: use sampling='external'")
        super().__init__(tree, settings)
        self.numbers = _TreeArrays(tree)
        self.walks = PythonWalks(tree.game, method.scheme(), method.variant, method.traversals, settings.seed)

    def advance(self, iterations: int) -> None:
        """Run `iterations` more iterations."""
        for _ in range(iterations):
            self.walks.iterate(self.iteration + 1, self.numbers)
            self.iteration += 1

    def arrays(self) -> dict[str, Array]:
        """Regrets and sums of strategies by sequence, and what was walked."""
        average = self.numbers.average.copy()
        average[self.tree.form.sequence_first[:-1]] = float(self.iteration > 0)
        return {"regret": self.numbers.regret, "average": average, "done": self.walks.done}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        self.numbers.regret[:], self.walks.done[:] = arrays["regret"], arrays["done"]
        self.numbers.average[:] = arrays["average"]
        self.iteration = iteration

    def current(self) -> Array:
        """[S] what regrets call for."""
        return matched_strategy(self.tree, self.settings, self.learners, self.numbers.regret)

    def profile(self) -> Array:
        """[S] the plan of the average strategy; sums are by infoset and are no plan themselves."""
        return plan_of(self.tree, self.average_strategy_of_tree())

    def average_strategy_of_tree(self) -> Strategy:
        """The average strategy so far; the current one before the first iteration."""
        strategy: Strategy = self.tree.strategy(self.result_arrays(), "average")
        return strategy

    def measure(self) -> dict[str, float]:
        """Also how many histories were visited."""
        return {**super().measure(), "nodes": float(self.walks.done[0])}
