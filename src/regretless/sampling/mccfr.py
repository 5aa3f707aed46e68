"""`MCCFR`: the sampled methods, as one record of what is drawn and how it counts."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from regretless.errors import OptionError, suggest
from regretless.game import Game
from regretless.gpu.availability import cuda_available
from regretless.method import Learner, LearnerTable, Settings, processors, switch
from regretless.problem import CPU, Capabilities, Problem, found, open_problem, the_game
from regretless.sampling.in_python.schemes import AverageStrategy, External, SamplingScheme, scheme_name
from regretless.variants import CFR, Variant, variant_by_name

if TYPE_CHECKING:
    from regretless.poker.abstraction.bucketed_tree import BucketedTree
    from regretless.sampling.in_python.walked_game import WalkedGame
    from regretless.sampling.unlisted_problem import Unlisted
    from regretless.tree import Tree

__all__ = ["BASELINES", "MCCFR", "SCHEMES"]

Sampling = Literal["external", "outcome", "chance", "average-strategy", "public-chance"]
Baseline = Literal["infoset", "history"]

SCHEMES = ("external", "outcome", "chance", "average-strategy", "public-chance")
BASELINES = ("infoset", "history")

THREADS_FROM = 2_000
"""Traversals of an iteration from which on threads gain more than handing out the work costs."""


@dataclass(frozen=True)
class MCCFR:
    """Monte Carlo CFR (Lanctot, Waugh, Zinkevich & Bowling 2009): every iteration walks only part of the game.

    | sampling | what is drawn | what is walked |
    |---|---|---|
    | `"external"` | chance and the other players | all own actions |
    | `"outcome"` | everything, own actions with exploration `epsilon` (0.6) | one play |
    | `"chance"` | chance | all actions of all players |
    | `"average-strategy"` | chance, the others, and which own actions: max(ε, (β + τ·s) / (β + Σs)) | those |
    | `"public-chance"` | chance where all players see it | all actions and all private chance |

    An iteration is `traversals` walks for each player in turn, all with the strategies it began with. On a game with a
    card abstraction a traversal walks `boards` boards at once, for both players. Threads share
    the walks of an iteration, so they pay from some thousand traversals on; the result does not depend on their number.

    `baseline` reduces the variance of outcome sampling: `"infoset"` keeps a value per infoset and action (VR-MCCFR,
    Schmid et al. 2019), `"history"` one per history (Davis, Schmid & Bowling 2020; listed games only).
    `sampling` also takes an object of yours that says which own actions a walk follows; see
    `regretless.sampling.in_python.schemes`. Such walks, and those of OpenSpiel's games that are not listed, run in
    Python: some thousand histories a second.
    `prune` leaves own actions out whose regret is below −prune, in 19 of 20 walks (Brown & Sandholm 2019, Pluribus).

    A game that is small enough is listed first and its exploitability is exact. `listed=False` never lists it:
    infosets are kept in a table when first visited (compiled games only, see `rg.compiled`), of `memory` bytes at most.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.Kuhn(), rg.MCCFR(sampling="external"), iterations=20_000, seed=1)
    >>> run.exploitability < 0.02
    True
    """

    sampling: Sampling | SamplingScheme = "external"
    """Which part of the game a walk follows; see the table above."""
    variant: Variant = CFR
    """How sampled regrets are added and averaged."""
    baseline: Baseline | None = None
    """Reduces the variance of outcome sampling: infoset or history."""
    epsilon: float | None = None
    """Exploration of outcome sampling (0.6), or the least chance to walk an own action (0.05)."""
    beta: float = 1e6
    """Average-strategy sampling: β, the larger the more actions are walked early."""
    tau: float = 1e3
    """Average-strategy sampling: τ, the larger the more actions are walked."""
    traversals: int = 1
    """Walks for each player in every iteration."""
    prune: float | None = None
    """Own actions whose regret is below −prune are left out in 19 of 20 walks."""
    listed: bool | None = None
    """Whether to list the game first; None lists it if that is quick and fits."""
    memory: int | None = None
    """Bytes that the table of a game which is not listed may take; by default most of what is free."""
    boards: int = 1
    """Boards of a traversal of public chance sampling on a card abstraction; they share their flop and turns."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    text_settings: ClassVar[Mapping[str, Any]] = {
        "variant": variant_by_name, "epsilon": float, "prune": float, "listed": switch, "memory": int,
    }  # fmt: skip
    text_hints: ClassVar[Mapping[str, str]] = {"listed": "yes or no", "memory": "a number of bytes"}

    def __post_init__(self) -> None:
        if not self.in_python:
            sampling = str(self.sampling).replace("_", "-")
            if sampling not in SCHEMES:
                raise OptionError(f"unknown sampling {self.sampling!r}; {suggest(sampling, SCHEMES)}")
            object.__setattr__(self, "sampling", sampling)
        if not isinstance(self.variant, Variant):
            raise OptionError(f"variant is rg.CFR, rg.LINEAR_CFR, rg.DCFR or the like, got {self.variant!r}")
        if self.variant.predictive:
            raise OptionError(
                f"{self.variant.name} predicts from the last regret, which sampling does not see; use rg.DCFR"
            )
        if not self.variant.alternating:
            raise OptionError("sampled CFR updates players in turn; use a variant with alternating=True")
        self._check_baseline()
        self._check_numbers()

    def _check_baseline(self) -> None:
        if self.baseline is None:
            return
        if self.baseline not in BASELINES:
            raise OptionError(f"unknown baseline {self.baseline!r}; {suggest(str(self.baseline), BASELINES)}")
        if self.sampling != "outcome":
            raise OptionError(f"baselines go with sampling='outcome', not with {self.sampling!r}")
        if self.baseline == "history" and self.listed is False:
            raise OptionError(
                "baseline='history' needs a listed game; use baseline='infoset' or leave listed=False out"
            )

    def _check_numbers(self) -> None:
        for name in ("epsilon", "beta", "tau", "prune"):
            given = getattr(self, name)
            if given is not None and (isinstance(given, bool) or not isinstance(given, int | float | np.number)):
                raise OptionError(f"{name} is a number, got {given!r}")
        if self.epsilon is not None and not 0 < self.epsilon <= 1:
            raise OptionError(f"epsilon is a probability above 0, got {self.epsilon}")
        if self.epsilon is not None and self.sampling not in ("outcome", "average-strategy"):
            raise OptionError(f"epsilon goes with outcome and average-strategy sampling, not with {self.sampling!r}")
        if not (0 <= self.beta < np.inf and 0 <= self.tau < np.inf):
            raise OptionError(f"beta and tau are numbers from 0 on, got {self.beta} and {self.tau}")
        if self.listed not in (None, True, False):
            raise OptionError(f"listed is True, False or None, got {self.listed!r}")
        for name in ("traversals", "boards", "memory"):
            given = getattr(self, name)
            if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
                raise OptionError(f"{name} is a positive whole number, got {given!r}")
        if self.boards > 1 and self.sampling != "public-chance":
            raise OptionError(f"boards= goes with sampling='public-chance', not with {self.sampling!r}")
        if self.prune is not None and not self.prune > 0:
            raise OptionError(f"prune is an amount of regret above 0, in chips, got {self.prune}")
        with_prune = self.sampling in ("external", "chance", "public-chance")
        if self.prune is not None and (not with_prune or self.variant.floor):
            raise OptionError(
                "pruning goes with external, chance and public-chance sampling and variants without a floor"
            )

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        extras = [self.variant.name] * (self.variant != CFR)
        extras += [f"{self.baseline} baseline"] * (self.baseline is not None)
        extras += [f"{self.traversals:,} traversals"] * (self.traversals > 1) + ["pruned"] * (self.prune is not None)
        extras += [f"{self.boards:,} boards"] * (self.boards > 1)
        sampling = scheme_name(self.sampling) if isinstance(self.sampling, SamplingScheme) else self.sampling
        return f"MCCFR {sampling}" + (f" ({', '.join(extras)})" if extras else "")

    @property
    def in_python(self) -> bool:
        """Whether the scheme is an object of the user, which only walks in Python can ask."""
        return isinstance(self.sampling, SamplingScheme) and not isinstance(self.sampling, type)

    def scheme(self) -> SamplingScheme:
        """The scheme as an object, for walks in Python."""
        if isinstance(self.sampling, SamplingScheme):
            return self.sampling
        if self.sampling == "external":
            return External()
        if self.sampling == "average-strategy":
            return AverageStrategy(self.exploration, self.beta, self.tau)
        raise OptionError(
            f"walks in Python know sampling='external', 'average-strategy' or a scheme of yours, not {self.sampling!r}"
        )

    @property
    def exploration(self) -> float:
        """ε, as given or as usual."""
        return self.epsilon if self.epsilon is not None else 0.6 if self.sampling == "outcome" else 0.05

    def replace(self, **changes: object) -> MCCFR:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @property
    def capabilities(self) -> Capabilities:
        """Threads share the walks of an iteration, so they pay from some thousand traversals on."""
        if self.in_python:
            return Capabilities(precisions=("float64",), listed=self.listed, threads=1)
        fewer = None if self.sampling == "public-chance" else 1  # a game with an abstraction shares a single traversal
        threads = processors() if self.traversals >= THREADS_FROM else fewer
        small = ("int16",) if self.sampling == "public-chance" else ()  # on card abstractions alone
        devices = {**CPU, "cuda": cuda_available} if self.sampling == "public-chance" else CPU  # likewise
        precisions = ("float64", "float32", *small)
        return Capabilities(precisions=precisions, devices=devices, listed=self.listed, threads=threads)

    def open(self, game: Any) -> Problem:
        """A tree if the game is small enough to be listed, else the compiled game itself."""
        game = found(game)
        if not isinstance(game, Game):
            self.learners.check(self, game)
            if self.listed is False and game.capabilities.listed:
                raise OptionError(
                    f"MCCFR(listed=False) walks a game without listing it, but was given a tree that is built: pass "
                    f"the game itself, {the_game(game)!r}, or leave listed=False out"
                )
            return open_problem(game)
        from regretless.sampling.unlisted_problem import listed_or_compiled

        return listed_or_compiled(game, self.listed, "sampled methods walk", self._walked_in_python)

    def _walked_in_python(self, game: Game) -> Problem | None:
        """The game as it is walked in Python, with a warning; None where that is neither needed nor possible."""
        if not self.in_python and not game.walked_in_python:
            return None
        from regretless.sampling.in_python.walked_game import WalkedGame

        self.scheme()
        warnings.warn(
            f"{type(game).__name__} is not listed and is walked in Python, which is slow: some thousand histories a "
            "second. Its exploitability stays unknown.",
            stacklevel=2,
        )
        return WalkedGame(game, game.players)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree, or on a game that is not listed."""
        if settings.device != "cpu" and problem.kind != "bucketed tree":
            raise OptionError(
                f"{self.name} has a GPU path for games with a card abstraction alone: use device='cpu' here"
            )
        return self.learners.start(self, problem, settings)


@MCCFR.learners.on("tree")
def _on_tree(tree: Tree, method: MCCFR, settings: Settings) -> Learner:
    if method.boards > 1:
        raise OptionError("boards= is for games with a card abstraction: take traversals= instead")
    if method.in_python:
        from regretless.sampling.in_python.tree_learner import PythonTreeLearner

        return PythonTreeLearner(tree, method, settings)
    from regretless.sampling.listed_learner import ListedLearner

    return ListedLearner(tree, method, settings)


@MCCFR.learners.on("walked game")
def _on_walked_game(game: WalkedGame, method: MCCFR, settings: Settings) -> Learner:
    from regretless.sampling.in_python.walked_game import WalkedLearner

    return WalkedLearner(game, method, settings)


@MCCFR.learners.on("bucketed tree")
def _on_bucketed_tree(tree: BucketedTree, method: MCCFR, settings: Settings) -> Learner:
    if method.sampling == "external":
        from regretless.poker.solving.buckets.bucket_external import BucketExternalLearner

        return BucketExternalLearner(tree, method, settings)
    if settings.device == "cuda":
        from regretless.poker.solving.buckets.cuda_bucket_learner import CudaBucketLearner

        return CudaBucketLearner(tree, method, settings)
    if settings.dtype == "int16":
        from regretless.poker.solving.buckets.coded_learner import CodedBucketLearner

        return CodedBucketLearner(tree, method, settings)
    from regretless.poker.solving.buckets.bucket_learner import BucketLearner

    return BucketLearner(tree, method, settings)


@MCCFR.learners.on("compiled game")
def _on_compiled_game(game: Unlisted, method: MCCFR, settings: Settings) -> Learner:
    from regretless.sampling.unlisted_learner import UnlistedLearner

    return UnlistedLearner(game, method, settings)
