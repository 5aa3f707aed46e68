"""`DeepCFR` and `NFSP`: methods whose strategies are networks, as records of their settings.

Nothing here imports PyTorch: learners are loaded when a solve starts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regretless.deep.named_settings import (
    PUBLISHED_DEEP_CFR,
    PUBLISHED_NFSP,
    RECOMMENDED_DEEP_CFR,
    keeps_averaging,
    settings_for,
)
from regretless.deep.problems import DEVICES, SAMPLED_HOLDEM, check_deals, open_deep_problem, with_torch
from regretless.errors import OptionError
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.methods.checks import (
    check_choices,
    check_flags,
    check_listed,
    check_number,
    check_whole,
    check_widths,
    function_name,
)
from regretless.problem import Capabilities, Problem

if TYPE_CHECKING:
    from regretless.deep.games.sampled_holdem import SampledHoldem
    from regretless.poker.tree.public_tree import PublicTree
    from regretless.sampling.unlisted_problem import Unlisted
    from regretless.tree import Tree

__all__ = ["NFSP", "SD_CFR", "DeepCFR"]

Averaging = Literal["strategy-network", "value-networks"]
Baseline = Literal["history"]
Fallback = Literal["highest", "uniform"]
Kind = Literal["merged", "reservoir", "window"]
Network = Literal["holdem", "perceptron", "residual"]
Optimiser = Literal["adam", "sgd"]
Refit = Literal["fresh", "continued", "recursive"]
Schedule = Literal["constant", "linear", "cosine"]
Targets = Literal["advantages", "strategies"]


@dataclass(frozen=True)
class DeepCFR:
    """Deep CFR (Brown, Lerer, Gross & Sandholm 2019) and single deep CFR (Steinberger 2019).

    In every iteration each player in turn walks `traversals` times by external sampling, adds the sampled advantages to
    its memory, and fits its network to the memory by `steps` Adam steps.

    | averaging | the average strategy is |
    |---|---|
    | `"strategy-network"` | a network fitted to a memory of the strategies that were played (Deep CFR) |
    | `"value-networks"` | all iterations' networks, each with its weight and own reach (SD-CFR); exact if listed |

    | memory | what networks learn from |
    |---|---|
    | `"reservoir"` | at most `capacity` samples, drawn uniformly from all samples so far |
    | `"window"` | the latest `capacity` samples |
    | `"merged"` | all samples, merged by infoset: the same loss with less noise, one row for every visited infoset |
    | | on hold'em, with all boards: the means at `traversals` infosets, which are the same in all iterations |

    By default memories are merged on listed games that are small enough, and on games that are not listed. The other
    defaults are those that were measured to be best for small games on a CPU; they differ from the paper's in `refit`
    ("fresh" there), in the schedules of the rate, and in that targets are divided by their size (`scaled`). Strategies
    are fitted by cross-entropy instead of squares.

    >>> import regretless as rg
    >>> method = rg.DeepCFR(traversals=300, averaging="value-networks")
    >>> method.name
    'SD-CFR'
    """

    traversals: int = 3_000
    """Walks for each player in every iteration."""
    boards: int | Literal["all"] = 0
    """Hold'em only: boards for each player in every iteration that are walked with all hands at once, and from which
    `traversals` samples are drawn (public chance sampling, Johanson et al. 2012); 0 walks one deal at a time. "all"
    walks every board, up to suits: targets are then exact, and only the error of networks remains."""
    steps: int = 50
    """Adam steps of a refit."""
    batch: int = 2_048
    """Samples of a step; a merged memory of at most twice this many infosets is one batch."""
    rate: float = 3e-3
    """The rate of learning at the beginning of a refit."""
    schedule: Schedule = "linear"
    """How the rate falls within a refit."""
    anneal_after: int = 500
    """Iterations after which the rates of continued refits fall as 1/t; 0 never lowers them. Targets change by O(1/t)
    in iteration t. With rates that do not fall, infosets lose active units one by one over thousands of refits, and
    their outputs can no longer be fitted."""
    clip: float = 1.0
    """Gradients are clipped to this length; 0 does not clip."""
    ema: float = 0.0
    """Weight averaging: the share of the mean weights that a step keeps, such as 0.998; 0 plays the last weights."""
    scaled: bool = True
    """Whether targets are divided by their root mean square."""
    network: Network | Callable[[int, int], Any] | None = None
    """"perceptron", "residual", "holdem", or a class or function (features, heads) → `torch.nn.Module` of yours. By
    default a perceptron; on hold'em the paper's network, whose width is the first of `widths`."""
    widths: tuple[int, ...] = (64, 64, 64)
    """Units of each hidden layer."""
    strength: bool | Literal["expected"] = False
    """Hold'em only: whether the strength of a hand on the whole board is one of the features. "expected" adds, on
    boards with cards to come, its expected strength and how far that may move; it needs `boards`."""
    off_path: float = 1.0
    """With `boards` only: how often samples of advantages are drawn where a player does not go itself. 1 ignores the
    player's own reach ρ, as the paper does. Else samples are drawn in proportion to off_path + (1 − off_path) · ρ: fits
    are better where the player goes. Iterations in which it goes there then count more in the mean too: these are not
    quite the regrets of CFR, and its bound does not hold. It pays where fits are the limit, as on limit hold'em."""
    refit: Refit = "continued"
    """Whether a refit begins with random weights ("fresh"), or with the weights of the last one. "recursive" keeps no
    samples of earlier iterations: targets are the outputs of the last network, moved towards the new samples by the
    iteration's share. All iterations then count alike at an infoset, however often it was visited, which is not the
    mean of Deep CFR; and the errors of networks add up."""
    memory: Kind | None = None
    """See the table above."""
    capacity: int = 1_000_000
    """Samples that each player's memory holds, and the memory of strategies."""
    linear: bool = True
    """Whether iteration t has weight t in advantages and averages."""
    fallback: Fallback = "highest"
    """What to play where no advantage is positive."""
    floor: float = 0.0
    """Merged memories only: mean advantages are clipped below at −floor × the RMS of positive parts over all infosets,
    because regret matching does not use their size; 0 does not clip."""
    targets: Targets = "advantages"
    """What networks learn. "strategies" is for merged memories: regret matching on mean advantages, by cross-entropy,
    with infosets weighted by their positive means. It is ahead where fits are what limits a run."""
    predictive: float = 0.0
    """Merged memories on hold'em with all boards only: how often the last iteration's advantages count once more in
    what is fitted, as a guess of the next ones (Farina, Kroer & Sandholm 2021)."""
    baseline: Baseline | None = None
    """Reduces the variance of targets: `"history"` estimates the values of sampled moves by a mean for every history of
    a listed game (VR-MCCFR, Schmid et al. 2019; Davis, Schmid & Bowling 2020)."""
    averaging: Averaging = "strategy-network"
    """See the table above."""
    strategy_steps: int = 1_000
    """Adam steps of the strategy network's fit, from random weights, each time it is needed."""
    listed: bool | None = None
    """Whether to list the game first; None lists it if that is quick and fits. Of hold'em: whether all boards are laid
    out, where exploitability is exact, or cards are dealt on demand."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    text_settings: ClassVar[Mapping[str, Any]] = {
        "boards": lambda word: word if word == "all" else int(word), "listed": switch,
        "strength": lambda word: word if word == "expected" else switch(word),
    }  # fmt: skip
    text_hints: ClassVar[Mapping[str, str]] = {
        "boards": "a whole number or all", "listed": "yes or no", "strength": "yes, no or expected",
    }  # fmt: skip

    def __post_init__(self) -> None:
        widths = self.widths if isinstance(self.widths, list | tuple) else (self.widths,)
        object.__setattr__(self, "widths", tuple(widths))
        check_choices(self, "averaging", "baseline", "fallback", "memory", "refit", "schedule", "targets")
        self._check_network()
        check_whole(self, "traversals", "steps", "batch", "capacity", "strategy_steps")
        check_whole(self, "anneal_after", least=0)
        check_widths(self.widths)
        check_number(self, "rate", least=0, open_end=True)
        check_number(self, "clip", least=0)
        check_number(self, "floor", least=0)
        check_number(self, "predictive", least=0)
        check_number(self, "ema", least=0, most=0.999999)
        check_number(self, "off_path", least=0, most=1)
        boards: object = self.boards
        if isinstance(boards, str) and boards != "all":
            raise OptionError(f"boards is a whole number from 0 on, or 'all', got {boards!r}")
        if boards != "all":
            check_whole(self, "boards", least=0)
        check_flags(self, "scaled", "linear")
        self._check_strength()
        check_listed(self)

    def _check_strength(self) -> None:
        if not isinstance(self.strength, bool) and self.strength != "expected":
            raise OptionError(f"strength is True, False or 'expected', got {self.strength!r}")

    def _check_network(self) -> None:
        if not callable(self.network):
            check_choices(self, "network")
        elif hasattr(self.network, "parameters") and not isinstance(self.network, type):
            raise OptionError(
                f"network is a class or function (features, heads) → torch.nn.Module, got the module "
                f"{type(self.network).__name__}: pass its class, or a function that returns a new one"
            )

    @property
    def name(self) -> str:
        """The name in plots and tables."""
        kind = "SD-CFR" if self.averaging == "value-networks" else "Deep CFR"
        plain = DeepCFR(averaging=self.averaging)
        extras = [
            f"{field.name} {function_name(value) or value}"
            for field in dataclasses.fields(self)
            if field.name in NAMED and (value := getattr(self, field.name)) != getattr(plain, field.name)
        ]
        return kind + (f" ({', '.join(extras)})" if extras else "")

    @keeps_averaging
    def as_published(cls, *, game: str = "fhp", **changes: Any) -> DeepCFR:
        """The paper's settings for flop hold'em ("fhp") or limit hold'em ("hulh"), with some fields changed.

        `rg.SD_CFR.as_published()` has the average of SD-CFR. An iteration of flop hold'em takes two seconds of a GPU.

        >>> import regretless as rg
        >>> rg.DeepCFR.as_published(traversals=3_000).batch, rg.SD_CFR.as_published(game="hulh").steps
        (10000, 32000)
        """
        return cls(**{**settings_for(PUBLISHED_DEEP_CFR, game), **changes})

    @keeps_averaging
    def recommended(cls, *, game: str = "fhp", **changes: Any) -> DeepCFR:
        """Our settings for flop hold'em ("fhp") or limit hold'em ("hulh") on a GPU, with some fields changed.

        They are the best that were measured. `rg.SD_CFR.recommended()` has the average of SD-CFR.

        >>> import regretless as rg
        >>> rg.DeepCFR.recommended(game="hulh", boards=16).boards
        16
        """
        return cls(**{**settings_for(RECOMMENDED_DEEP_CFR, game), **changes})

    def replace(self, **changes: object) -> DeepCFR:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @property
    def capabilities(self) -> Capabilities:
        """Networks compute in 32 bits; averages have the problem's own precision."""
        return Capabilities(precisions=(), devices=DEVICES, listed=self.listed)

    def open(self, game: Any) -> Problem:
        """Hold'em laid out or dealt on demand; else a tree if listing it is quick and fits, or the compiled game."""
        return open_deep_problem(self, self.learners, game, self.listed)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """A learner on a problem."""
        return self.learners.start(self, problem, settings)


SD_CFR = DeepCFR(averaging="value-networks")
"""Single deep CFR (Steinberger 2019): the average strategy is that of all value networks."""

NAMED = (
    "boards", "strength", "off_path", "memory", "refit", "network", "widths", "linear", "fallback", "floor", "targets",
    "predictive", "baseline", "ema", "schedule", "anneal_after",
)  # fmt: skip
"""Settings of Deep CFR that its name shows where they are not the default."""


@dataclass(frozen=True)
class NFSP:
    """Neural fictitious self-play (Heinrich & Silver 2016).

    Every player has two networks: one learns the values of actions from all its play (deep Q-learning with a target
    network, from a circular memory), the other imitates the best responses that the first has played (from a
    reservoir). In each play a player follows its best response with probability `anticipation`, else its average. An
    iteration is `plays` parallel plays; after every `every` decisions of a player both its networks are updated
    `updates` times.

    `as_published` has the paper's settings, with plays one after the other. Parallel plays are cheap, so the defaults
    have more of them per update, and Adam steps, which learn more from one. Payoffs are divided by the largest one, and
    exploration falls with the square root of the number of updates.

    >>> import regretless as rg
    >>> rg.NFSP(anticipation=0.2).name
    'NFSP (η 0.2)'
    """

    anticipation: float = 0.1
    """η: how often a player follows its best response."""
    exploration: float = 0.06
    """ε at the beginning: how often a best response acts at random."""
    plays: int = 2_048
    """Parallel plays of an iteration."""
    every: int = 512
    """Decisions of a player between updates."""
    updates: int = 2
    """Updates of both networks each time."""
    batch: int = 256
    """Samples of an update."""
    response_rate: float = 1e-3
    """The rate of learning of the best response."""
    average_rate: float = 1e-3
    """The rate of learning of the average."""
    response_capacity: int = 200_000
    """Transitions that the memory of the best response holds."""
    average_capacity: int = 2_000_000
    """Samples that the memory of the average holds."""
    optimiser: Optimiser = "adam"
    """Steps of Adam, or plain gradient descent."""
    target_every: int = 300
    """Updates between two updates of the target network."""
    widths: tuple[int, ...] = (64,)
    """Units of each hidden layer."""
    listed: bool | None = None
    """Whether to list the game first; None lists it if that is quick and fits. Of hold'em: whether all boards are laid
    out, where exploitability is exact, or cards are dealt on demand."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    text_settings: ClassVar[Mapping[str, Any]] = {"listed": switch}
    text_hints: ClassVar[Mapping[str, str]] = {"listed": "yes or no"}

    def __post_init__(self) -> None:
        widths = self.widths if isinstance(self.widths, list | tuple) else (self.widths,)
        object.__setattr__(self, "widths", tuple(widths))
        check_choices(self, "optimiser")
        check_whole(self, "plays", "every", "updates", "batch", "response_capacity", "average_capacity", "target_every")
        check_widths(self.widths)
        check_number(self, "anticipation", least=0, most=1)
        check_number(self, "exploration", least=0, most=1)
        check_number(self, "response_rate", least=0, open_end=True)
        check_number(self, "average_rate", least=0, open_end=True)
        check_listed(self)

    @property
    def name(self) -> str:
        """The name in plots and tables."""
        return "NFSP" + (f" (η {self.anticipation:g})" if self.anticipation != 0.1 else "")

    @classmethod
    def as_published(cls, *, game: str = "leduc", **changes: Any) -> NFSP:
        """The paper's settings for Leduc poker ("leduc") or limit hold'em ("hulh"), with some fields changed.

        >>> import regretless as rg
        >>> rg.NFSP.as_published(game="hulh").widths
        (1024, 512, 1024, 512)
        """
        return cls(**{**settings_for(PUBLISHED_NFSP, game), **changes})

    def replace(self, **changes: object) -> NFSP:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @property
    def capabilities(self) -> Capabilities:
        """Networks compute in 32 bits; averages have the problem's own precision."""
        return Capabilities(precisions=(), devices=DEVICES, listed=self.listed)

    def open(self, game: Any) -> Problem:
        """Hold'em laid out or dealt on demand; else the tree of a game that is small enough to be listed."""
        return open_deep_problem(self, self.learners, game, self.listed)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """A learner on a problem."""
        return self.learners.start(self, problem, settings)


@DeepCFR.learners.on("tree")
def _on_tree(tree: Tree, method: DeepCFR, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.listed_deep_cfr import ListedDeepCFR

        return ListedDeepCFR(tree, method, settings)


@DeepCFR.learners.on("compiled game")
def _on_compiled_game(game: Unlisted, method: DeepCFR, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.unlisted_deep_cfr import UnlistedDeepCFR

        return UnlistedDeepCFR(game, method, settings)


@DeepCFR.learners.on("public tree")
def _on_public_tree(tree: PublicTree, method: DeepCFR, settings: Settings) -> Learner:
    check_deals(tree.game)
    with with_torch():
        from regretless.deep.learners.holdem.holdem_deep_cfr import HoldemDeepCFR

        return HoldemDeepCFR(tree, method, settings)


@DeepCFR.learners.on(SAMPLED_HOLDEM)
def _on_sampled_holdem(problem: SampledHoldem, method: DeepCFR, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.holdem.sampled_deep_cfr import SampledDeepCFR

        return SampledDeepCFR(problem, method, settings)


@NFSP.learners.on("public tree")
def _nfsp_on_public_tree(tree: PublicTree, method: NFSP, settings: Settings) -> Learner:
    check_deals(tree.game)
    with with_torch():
        from regretless.deep.learners.holdem.holdem_nfsp import PublicNFSP

        return PublicNFSP(tree, method, settings)


@NFSP.learners.on(SAMPLED_HOLDEM)
def _nfsp_on_sampled_holdem(problem: SampledHoldem, method: NFSP, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.holdem.holdem_nfsp import SampledNFSP

        return SampledNFSP(problem, method, settings)


@NFSP.learners.on("tree")
def _nfsp_on_tree(tree: Tree, method: NFSP, settings: Settings) -> Learner:
    with with_torch():
        from regretless.deep.learners.listed_nfsp import ListedNFSP

        return ListedNFSP(tree, method, settings)
