"""`DREAM` and `ESCHER`: deep methods that learn from sampled plays alone, as records of their settings.

Nothing here imports PyTorch: learners are loaded when a solve starts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regretless.deep.methods import Averaging, DeepCFR, Fallback, Kind, Schedule
from regretless.deep.problems import DEVICES, open_deep_problem, with_torch
from regretless.errors import OptionError
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.methods.checks import check_choices, check_flags, check_listed, check_number, check_whole, check_widths
from regretless.problem import Capabilities, Problem

if TYPE_CHECKING:
    from regretless.sampling.unlisted_problem import Unlisted
    from regretless.tree import Tree

__all__ = ["DREAM", "ESCHER"]

Refit = Literal["fresh", "continued"]


@dataclass(frozen=True)
class ModelFree:
    """The settings that DREAM and ESCHER share."""

    traversals: int = 1_000
    """Plays for each player in every iteration."""
    steps: int = 50
    """Adam steps of a refit of a player's advantages."""
    batch: int = 2_048
    """Samples of a step; a merged memory of at most twice this many infosets is one batch."""
    rate: float = 3e-3
    """The rate of learning at the beginning of a refit."""
    schedule: Schedule = "linear"
    """How the rates fall within a refit."""
    anneal_after: int = 500
    """Iterations after which the rates of continued refits fall as 1/t; 0 never lowers them."""
    clip: float = 1.0
    """Gradients are clipped to this length; 0 does not clip."""
    widths: tuple[int, ...] = (64, 64, 64)
    """Units of each hidden layer of the networks of advantages and strategies."""
    refit: Refit = "continued"
    """Whether a refit of advantages begins with random weights ("fresh"), or with the weights of the last one."""
    memory: Kind | None = None
    """What advantages are fitted to: as in `DeepCFR`."""
    capacity: int = 1_000_000
    """Samples that each player's memory holds, and the memory of strategies."""
    linear: bool = True
    """Whether iteration t has weight t in advantages and averages."""
    fallback: Fallback = "highest"
    """What to play where no advantage is positive."""
    averaging: Averaging | None = None
    """As in `DeepCFR`; by default "value-networks" on listed games, where it is exact, else "strategy-network"."""
    strategy_steps: int = 1_000
    """Adam steps of the strategy network's fit, from random weights, each time it is needed."""
    value_steps: int = 300
    """Adam steps of a refit of history values, before or after every player's plays."""
    value_batch: int = 512
    """Moves of such a step."""
    value_rate: float = 3e-3
    """The rate of learning at the beginning of such a refit."""
    value_capacity: int = 200_000
    """The latest moves that history values are fitted to."""
    value_widths: tuple[int, ...] = (64, 64)
    """Units of each hidden layer of the network of history values."""
    listed: bool | None = None
    """Whether to list the game first; None lists it if that is quick and fits."""

    learners: ClassVar[LearnerTable]
    title: ClassVar[str]
    text_settings: ClassVar[Mapping[str, Any]] = {"listed": switch}
    text_hints: ClassVar[Mapping[str, str]] = {"listed": "yes or no"}

    def __post_init__(self) -> None:
        for field in ("widths", "value_widths"):
            given = getattr(self, field)
            object.__setattr__(self, field, tuple(given) if isinstance(given, list | tuple) else (given,))
            check_widths(getattr(self, field))
        check_choices(self, "fallback", "memory", "schedule")
        if self.averaging is not None:
            check_choices(self, "averaging")
        refit: object = self.refit
        if refit not in ("fresh", "continued"):
            raise OptionError(f"refit is 'fresh' or 'continued', got {refit!r}")
        check_whole(self, "traversals", "steps", "batch", "capacity", "strategy_steps")
        check_whole(self, "value_steps", "value_batch", "value_capacity")
        check_whole(self, "anneal_after", least=0)
        check_number(self, "rate", least=0, open_end=True)
        check_number(self, "value_rate", least=0, open_end=True)
        check_number(self, "clip", least=0)
        check_flags(self, "linear")
        check_listed(self)

    @property
    def name(self) -> str:
        """The name in plots and tables."""
        extras = [
            f"{field.name} {getattr(self, field.name)}"
            for field in dataclasses.fields(self)
            if field.name in NAMED and getattr(self, field.name) != field.default
        ]
        return self.title + (f" ({', '.join(extras)})" if extras else "")

    def replace(self, **changes: object) -> Any:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def advantage_settings(self, *, listed: bool) -> DeepCFR:
        """The settings of the networks of advantages and strategies, as those of Deep CFR."""
        shared = {field.name for field in dataclasses.fields(DeepCFR)} - {"averaging", "listed"}
        settings = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name in shared}
        averaging = self.averaging or ("value-networks" if listed else "strategy-network")
        return DeepCFR(averaging=averaging, listed=listed, **settings)

    @property
    def capabilities(self) -> Capabilities:
        """Networks compute in 32 bits; averages have the problem's own precision."""
        return Capabilities(precisions=(), devices=DEVICES, listed=self.listed)

    def open(self, game: Any) -> Problem:
        """A tree if listing the game is quick and fits, or the compiled game itself."""
        return open_deep_problem(self, self.learners, game, self.listed)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """A learner on a problem."""
        return self.learners.start(self, problem, settings)


NAMED = ("exploration", "refit", "memory", "linear", "fallback", "averaging", "widths", "value_widths", "anneal_after")
"""Settings that the name shows where they are not the default."""


@dataclass(frozen=True)
class DREAM(ModelFree):
    """DREAM (Steinberger, Lerer & Brown 2020): Deep CFR by outcome sampling with a learned baseline.

    In every iteration each player in turn plays `traversals` times, and samples one action at a time: its own from
    ξ = ε · uniform + (1 − ε) · σ, those of others from their strategies σ. A network Q(h, a) of history values, fitted
    before to the moves of earlier plays, removes most of the variance. With a* the sampled action,

        v(h, a) = Q(h, a) + [a = a*] (v(h a*) − Q(h, a*)) / ξ(a*),    v(h) = Σ_a σ(a) v(h, a)

    and the sampled advantages d(I, a) = v(h, a) − v(h) at the player's infosets enter its memory with weight
    t / Π ξ over its own earlier actions. The player's network is fitted to their weighted mean, and the average
    strategy is that of all iterations' networks (SD-CFR).

    Plays are all that it needs: no probabilities of chance, and no state that a play did not visit. Deviations from the
    paper: Q's targets (expected SARSA) use the players' current strategies in place of those at the time of the play;
    weights have no factor for the number of legal actions; and what `DeepCFR` says about its defaults.

    >>> import regretless as rg
    >>> rg.DREAM(exploration=0.25).name
    'DREAM (exploration 0.25)'
    """

    exploration: float = 0.5
    """ε: how often the walking player's action is sampled uniformly."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    title: ClassVar[str] = "DREAM"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "exploration", least=0, most=1, open_end=True)


@dataclass(frozen=True)
class ESCHER(ModelFree):
    """ESCHER (McAleer, Farina, Lanctot & Sandholm 2023): regrets from history values, without importance weights.

    In every iteration each player in turn plays `traversals` times: its own actions are sampled uniformly, by a policy
    that never changes, those of others from their strategies σ. A network Q(h, a) of history values is fitted to the
    moves, and gives the advantages at the player's infosets:

        d(I, a) = Q(h, a) − Σ_a′ σ(a′) Q(h, a′)

    Because the sampling policy is fixed, an infoset's samples are weighted alike in all iterations up to the others'
    reach, and no sampled value is divided by a small probability. The error of Q does not average out.

    Deviations from the paper: Q learns by expected SARSA from all recent moves, not from plays of its own; iteration t
    has weight t (`linear`); on listed games the average strategy is that of all networks (SD-CFR).

    >>> import regretless as rg
    >>> rg.ESCHER().name
    'ESCHER'
    """

    learners: ClassVar[LearnerTable] = LearnerTable()
    title: ClassVar[str] = "ESCHER"


@DREAM.learners.on("tree")
@ESCHER.learners.on("tree")
def _on_tree(tree: Tree, method: DREAM | ESCHER, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.model_free_learner import ListedModelFree

        return ListedModelFree(tree, method, settings)


@DREAM.learners.on("compiled game")
@ESCHER.learners.on("compiled game")
def _on_compiled_game(game: Unlisted, method: DREAM | ESCHER, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.model_free_learner import UnlistedModelFree

        return UnlistedModelFree(game, method, settings)
