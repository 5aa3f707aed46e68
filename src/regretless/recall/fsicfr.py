"""`FSICFR`: CFR on a graph of positions, for games that forget and for games whose states repeat."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regretless.errors import OptionError, suggest
from regretless.game import Game
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.problem import Capabilities, Problem, found, kind_of
from regretless.variants import CFR, Variant, variant_by_name

if TYPE_CHECKING:
    from regretless.recall.graph import Graph

__all__ = ["FSICFR"]

Chance = Literal["enumerated", "sampled"]

CHANCES = ("enumerated", "sampled")


@dataclass(frozen=True)
class FSICFR:
    """Fixed-strategy iteration CFR (Neller & Hnath 2011): one sweep forward and one back over positions, not histories.

    Histories that end in equal states are one position, so the game is a graph. With the strategies of an iteration
    fixed, what reaches a position is a sum over the paths to it, and each infoset is updated once: the numbers are
    those of CFR on the same game, at the cost of positions × actions. Any game may be solved so; a game that forgets
    on purpose (`perfect_recall = False`) can be solved in no other way here.

    | chance | what an iteration walks |
    |---|---|
    | `"enumerated"` | everything; where chance only deals at the beginning, to two players, all deals as a vector |
    | `"sampled"` | what is left after one move has been drawn at every position of chance, as in the paper |

    `reset` begins the average anew after that part of the run (0.5), or after that iteration (500).
    `merge=False` is plain recursive CFR on the same game, which visits a position along every path: to compare.

    Players who share infosets have one strategy between them and update together; others in turn or at once, as the
    variant says. Two deviations from the paper: a sampled iteration counts every position with its reach, not with the
    number of its visits, and regrets are sums instead of means.

    The exploitability of a run is that of the strategy in the real game, where the opponent forgets nothing, if the
    game knows its twin with perfect recall (`Game.remembering`) and that can be listed; the history's column `exact`
    then is 1. Otherwise exploitability is unknown (NaN), and the column `local_regret` is measured instead: the sum
    over infosets of what changing the strategy there alone would gain. It is 0 exactly where no single change helps,
    which says nothing about changes at several infosets together.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.LiarDie(sides=3, recall=2), rg.FSICFR(variant=rg.PCFR_PLUS), iterations=1_000)
    >>> run.exploitability < 1e-3
    True
    """

    chance: Chance = "enumerated"
    variant: Variant = CFR
    reset: float | int | None = None
    merge: bool = True
    listed: bool | None = None
    """Whether to measure in the listed game with perfect recall; None does so if listing it is quick and fits."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    text_settings: ClassVar[Mapping[str, Any]] = {
        "variant": variant_by_name,
        "reset": lambda word: int(word) if word.isdigit() else float(word),
        "listed": switch,
    }
    text_hints: ClassVar[Mapping[str, str]] = {"listed": "yes or no"}

    def __post_init__(self) -> None:
        if self.chance not in CHANCES:
            raise OptionError(f"unknown chance {self.chance!r}; {suggest(str(self.chance), CHANCES)}")
        if not isinstance(self.variant, Variant):
            raise OptionError(f"variant is rg.CFR, rg.LINEAR_CFR, rg.DCFR or the like, got {self.variant!r}")
        if self.chance == "sampled" and self.variant.predictive:
            raise OptionError(
                f"{self.variant.name} predicts from the last regret, which sampling does not see; use rg.DCFR"
            )
        if self.merge not in (True, False) or self.listed not in (None, True, False):
            raise OptionError(f"merge is True or False and listed may be None, got {self.merge!r} and {self.listed!r}")
        reset = self.reset
        if reset is None:
            return
        if isinstance(reset, bool) or not isinstance(reset, int | float) or not reset > 0:
            raise OptionError(f"reset is a part of the run such as 0.5, or an iteration such as 500, got {reset!r}")
        if reset >= 1 and reset != int(reset):
            raise OptionError(f"reset is a part of the run below 1 or a whole number of iterations, got {reset!r}")

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        extras = [self.variant.name] * (self.variant != CFR) + ["chance sampled"] * (self.chance == "sampled")
        extras += [f"reset {self.reset}"] * (self.reset is not None)
        kind = "FSICFR" if self.merge else "recursive CFR"
        return kind + (f" ({', '.join(extras)})" if extras else "")

    def replace(self, **changes: object) -> FSICFR:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def planned(self, iterations: int | None) -> FSICFR:
        """A copy that knows at which iteration the average begins anew, given how many are planned."""
        if self.reset is None or self.reset >= 1:
            return self
        if iterations is None:
            raise OptionError(
                f"reset={self.reset:g} is a part of the run, whose length is not known: say iterations=, or the number "
                "of the iteration"
            )
        return self.replace(reset=max(1, int(self.reset * iterations)))

    @property
    def capabilities(self) -> Capabilities:
        """64 bits on one thread of the CPU; the game is laid out as a graph and need not be listed."""
        return Capabilities(precisions=("float64",), listed=False, threads=1)

    def open(self, game: Any) -> Problem:
        """The graph of the game's positions; of a tree, its game's, measured in that tree."""
        from regretless.recall.graph import graph_of, graph_of_tree

        game = found(game)
        if isinstance(game, Game):
            return graph_of(game)
        if kind_of(game) != "tree":
            self.learners.check(self, game)
        return graph_of_tree(game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a graph."""
        return self.learners.start(self, problem, settings)


@FSICFR.learners.on("graph")
def _on_graph(graph: Graph, method: FSICFR, settings: Settings) -> Learner:
    from regretless.recall.graph_learner import GraphLearner

    return GraphLearner(graph, method, settings)
