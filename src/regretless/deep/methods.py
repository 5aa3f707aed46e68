"""`DeepCFR` and `NFSP`: methods whose strategies are networks, as records of their settings.

Nothing here needs PyTorch: learners are loaded when a solve starts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from regretless.errors import OptionError
from regretless.game import Game
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.methods.checks import (
    check_choices,
    check_flags,
    check_listed,
    check_number,
    check_whole,
    check_widths,
)
from regretless.problem import Capabilities, Problem, found, open_problem, opens_itself

if TYPE_CHECKING:
    from regretless.poker.tree.public_tree import PublicTree
    from regretless.sampling.unlisted_problem import Unlisted
    from regretless.tree import Tree

__all__ = ["NFSP", "SD_CFR", "DeepCFR", "check_deals"]

Averaging = Literal["strategy-network", "value-networks"]
Baseline = Literal["history"]
Fallback = Literal["highest", "uniform"]
Kind = Literal["merged", "reservoir", "window"]
Network = Literal["holdem", "perceptron", "residual"]
Optimiser = Literal["adam", "sgd"]
Refit = Literal["fresh", "continued", "recursive"]
Schedule = Literal["constant", "linear", "cosine"]


@dataclass(frozen=True)
class DeepCFR:
    """Deep CFR (Brown, Lerer, Gross & Sandholm 2019) and single deep CFR (Steinberger 2019).

    Every iteration walks `traversals` times for each player in turn by external sampling, adds the advantages that it
    found to the player's memory, and fits the player's network to the memory by `steps` Adam steps.

    | averaging | the average strategy is |
    |---|---|
    | `"strategy-network"` | a network fitted to a memory of the strategies that were played (Deep CFR) |
    | `"value-networks"` | all iterations' networks, each with its weight and own reach (SD-CFR); exact if listed |

    | memory | what networks learn from |
    |---|---|
    | `"reservoir"` | at most `capacity` samples, a fair choice of all that were seen |
    | `"window"` | the latest `capacity` samples |
    | `"merged"` | all samples, those of an infoset as one: the same loss with less noise, a row for every infoset met |
    | | on hold'em, of all boards: the same `traversals` infosets in all iterations, and their means |

    By default memories are merged where a listed game is small enough, and on games that are not listed. The other
    defaults are what was measured to be best for small games on a CPU; they differ from the paper's in `refit` ("fresh"
    there), in the schedule and in that targets are divided by their size (`scaled`). Strategies are fitted by
    cross-entropy instead of squares.

    >>> import regretless as rg
    >>> method = rg.DeepCFR(traversals=300, averaging="value-networks")
    >>> method.name
    'SD-CFR'
    """

    traversals: int = 3_000
    """Walks for each player in every iteration."""
    boards: int | Literal["all"] = 0
    """Of hold'em only: boards for each player in every iteration that are walked with all hands at once, and of which
    `traversals` samples are drawn (public chance sampling, Johanson et al. 2012); 0 walks with one deal at a time.
    "all" walks every board, up to suits: targets are then exact, and what is left is the error of networks."""
    steps: int = 50
    """Adam steps of a refit."""
    batch: int = 2_048
    """Samples of a step; merged memories of up to twice as many infosets are shown whole."""
    rate: float = 3e-3
    schedule: Schedule = "linear"
    """How the rate falls within a refit."""
    clip: float = 1.0
    """The longest gradient; 0 for any."""
    ema: float = 0.0
    """Weight averaging: what a step keeps of the mean weights that are played, such as 0.998; 0 for none."""
    scaled: bool = True
    network: Network | None = None
    """A perceptron by default; on hold'em the paper's network, whose width is the first of `widths`."""
    widths: tuple[int, ...] = (64, 64, 64)
    strength: bool = False
    """Of hold'em only: whether networks are also told how strong a hand is on the whole board."""
    refit: Refit = "continued"
    """Whether a refit begins with random weights, or with the weights of the last one. "recursive" also learns from
    samples of the last iteration alone: what the last network said there, moved towards them by the iteration's share
    of all. Nothing else is remembered but strategies, if a network averages. Iterations count evenly wherever walks
    come, however often they do, which is not the mean of Deep CFR; and networks add up their errors."""
    memory: Kind | None = None
    capacity: int = 1_000_000
    """Samples that each player's memory holds, and the memory of strategies."""
    linear: bool = True
    """Whether iteration t counts t times in advantages and averages."""
    fallback: Fallback = "highest"
    """What to play where no advantage is positive."""
    floor: float = 0.0
    """Of merged memories: mean advantages below minus so many times the root mean square of positive parts (over all
    infosets) are learned as that, since regret matching does not ask how bad they are; 0 learns all as they are."""
    baseline: Baseline | None = None
    """Takes luck out of targets: `"history"` guesses what draws lead to by a mean for every history of a listed game
    (VR-MCCFR, Schmid et al. 2019; Davis, Schmid & Bowling 2020)."""
    averaging: Averaging = "strategy-network"
    strategy_steps: int = 1_000
    """Adam steps in which the strategy network is fitted, from random weights, each time it is asked for."""
    listed: bool | None = None
    """Whether to list the game first; None lists it if that is quick and fits."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    text_settings: ClassVar[Mapping[str, Any]] = {
        "boards": lambda word: word if word == "all" else int(word), "listed": switch,
    }  # fmt: skip
    text_hints: ClassVar[Mapping[str, str]] = {"boards": "a whole number or all", "listed": "yes or no"}

    def __post_init__(self) -> None:
        widths = self.widths if isinstance(self.widths, list | tuple) else (self.widths,)
        object.__setattr__(self, "widths", tuple(widths))
        check_choices(self, "averaging", "baseline", "fallback", "memory", "network", "refit", "schedule")
        check_whole(self, "traversals", "steps", "batch", "capacity", "strategy_steps")
        check_widths(self.widths)
        check_number(self, "rate", least=0, open_end=True)
        check_number(self, "clip", least=0)
        check_number(self, "floor", least=0)
        check_number(self, "ema", least=0, most=0.999999)
        boards: object = self.boards
        if isinstance(boards, str) and boards != "all":
            raise OptionError(f"boards is a whole number from 0 on, or 'all', got {boards!r}")
        if boards != "all":
            check_whole(self, "boards", least=0)
        check_flags(self, "scaled", "linear", "strength")
        check_listed(self)

    @property
    def name(self) -> str:
        """As plots and tables call it."""
        kind = "SD-CFR" if self.averaging == "value-networks" else "Deep CFR"
        plain = DeepCFR(averaging=self.averaging)
        extras = [
            f"{field.name} {getattr(self, field.name)}"
            for field in dataclasses.fields(self)
            if field.name in NAMED and getattr(self, field.name) != getattr(plain, field.name)
        ]
        return kind + (f" ({', '.join(extras)})" if extras else "")

    @classmethod
    def as_published(cls, **changes: Any) -> DeepCFR:
        """The paper's settings for flop hold'em, with some fields changed: two seconds of a GPU for each iteration.

        >>> import regretless as rg
        >>> rg.DeepCFR.as_published(traversals=3_000).batch
        10000
        """
        return cls(**{**PUBLISHED, **changes})

    def replace(self, **changes: object) -> DeepCFR:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @property
    def capabilities(self) -> Capabilities:
        """Networks compute in 32 bits; averages are kept in the problem's own precision."""
        return Capabilities(precisions=(), devices=DEVICES, listed=self.listed)

    def open(self, game: Any) -> Problem:
        """Of hold'em its public tree; else a tree if listing it is quick and fits, or the compiled game itself."""
        return _opened(self, self.learners, game, self.listed)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a problem."""
        return self.learners.start(self, problem, settings)


MOST_SHOWDOWNS = 30_000_000
"""Sets of cards that a table of strengths may have: up to six cards of a standard deck."""

PUBLISHED: dict[str, Any] = {
    "traversals": 10_000,
    "steps": 4_000,
    "batch": 10_000,
    "rate": 1e-3,
    "schedule": "constant",
    "refit": "fresh",
    "memory": "reservoir",
    "capacity": 40_000_000,
    "strategy_steps": 4_000,
}
"""Brown et al. 2019, §5.2, flop hold'em. In which unit the paper counts is not said; targets are scaled here."""

SD_CFR = DeepCFR(averaging="value-networks")
"""Single deep CFR (Steinberger 2019): the average strategy is that of all value networks."""

NAMED = (
    "boards", "strength", "memory", "refit", "network", "widths", "linear", "fallback", "floor", "baseline", "ema",
    "schedule",
)  # fmt: skip
"""Settings of Deep CFR that its name mentions where they are not the usual ones."""


@dataclass(frozen=True)
class NFSP:
    """Neural fictitious self-play (Heinrich & Silver 2016).

    Every player has two networks: one learns the values of actions from all its play (deep Q-learning with a target
    network, from a circular memory), the other imitates the best responses that the first has played (from a
    reservoir). In each play a player follows its best response with probability `anticipation`, else its average. An
    iteration is `plays` plays side by side; after every `every` decisions of a player both its networks are updated
    `updates` times.

    The paper's settings for Leduc poker are every=128, batch=128, optimiser="sgd", response_rate=0.1 and
    average_rate=0.005, with plays one after the other. Plays side by side are cheap, so by default more of them are
    made for every update, and Adam learns more from one. Payoffs are divided by the largest one, and exploration falls
    with the root of the number of updates.

    >>> import regretless as rg
    >>> rg.NFSP(anticipation=0.2).name
    'NFSP (η 0.2)'
    """

    anticipation: float = 0.1
    """η: how often a player follows its best response."""
    exploration: float = 0.06
    """ε at the beginning: how often a best response acts at random."""
    plays: int = 2_048
    every: int = 512
    updates: int = 2
    batch: int = 256
    response_rate: float = 1e-3
    average_rate: float = 1e-3
    """Rates of learning of the two networks."""
    response_capacity: int = 200_000
    average_capacity: int = 2_000_000
    optimiser: Optimiser = "adam"
    """Steps of Adam, or plain gradient descent."""
    target_every: int = 300
    """Updates between two refits of the target network."""
    widths: tuple[int, ...] = (64,)
    listed: bool | None = None
    """Whether to list the game first; None lists it if that is quick and fits."""

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
        """As plots and tables call it."""
        return "NFSP" + (f" (η {self.anticipation:g})" if self.anticipation != 0.1 else "")

    def replace(self, **changes: object) -> NFSP:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    @property
    def capabilities(self) -> Capabilities:
        """Networks compute in 32 bits; averages are kept in the problem's own precision."""
        return Capabilities(precisions=(), devices=DEVICES, listed=self.listed)

    def open(self, game: Any) -> Problem:
        """The tree of a game that is small enough to be listed."""
        return _opened(self, self.learners, game, self.listed)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """The method at work on a tree."""
        return self.learners.start(self, problem, settings)


def check_deals(game: Any) -> None:
    """Refuse hold'em with ranges, or with too many showdowns for a table of strengths, before it is laid out."""
    if any(chosen is not None for chosen in game.ranges):
        raise OptionError("deep methods play hold'em with all hands equally likely: give the game no ranges")
    cards = game.hand_size + len(game.first_board) + sum(game.board_cards)
    count = comb(game.deck.size, cards)
    if count > MOST_SHOWDOWNS:
        raise OptionError(
            f"deep methods know hold'em up to six cards in all, and here a showdown has {cards}: there are {count:,} "
            f"of them; take fewer cards on the board, or solve spots of this game by rg.DCFR"
        )


def _opened(method: DeepCFR | NFSP, learners: LearnerTable, game: Any, listed: bool | None) -> Problem:
    game = found(game)
    if isinstance(game, Game):
        from regretless.sampling.unlisted_problem import listed_or_compiled

        return listed_or_compiled(game, listed, "deep methods walk")
    learners.check(method, game)
    if opens_itself(game):
        check_deals(game)
    return open_problem(game)


def _usable(device: str) -> Callable[[], str | None]:
    def why_not() -> str | None:
        from regretless.deep.torch_extra import device_of

        try:
            device_of(device)
        except OptionError as error:
            return str(error)
        return None

    return why_not


DEVICES = {device: _usable(device) for device in ("cpu", "cuda")}
"""What PyTorch computes on."""


@DeepCFR.learners.on("tree")
def _on_tree(tree: Tree, method: DeepCFR, settings: Settings) -> Learner:
    with _torch():
        from regretless.deep.learners.listed_deep_cfr import ListedDeepCFR

        return ListedDeepCFR(tree, method, settings)


@DeepCFR.learners.on("compiled game")
def _on_compiled_game(game: Unlisted, method: DeepCFR, settings: Settings) -> Learner:
    with _torch():
        from regretless.deep.learners.unlisted_deep_cfr import UnlistedDeepCFR

        return UnlistedDeepCFR(game, method, settings)


@DeepCFR.learners.on("public tree")
def _on_public_tree(tree: PublicTree, method: DeepCFR, settings: Settings) -> Learner:
    check_deals(tree.game)
    with _torch():
        from regretless.deep.learners.holdem_deep_cfr import HoldemDeepCFR

        return HoldemDeepCFR(tree, method, settings)


@NFSP.learners.on("tree")
def _nfsp_on_tree(tree: Tree, method: NFSP, settings: Settings) -> Learner:
    with _torch():
        from regretless.deep.learners.listed_nfsp import ListedNFSP

        return ListedNFSP(tree, method, settings)


@contextmanager
def _torch() -> Iterator[None]:
    """One sentence where PyTorch is not installed, or where memory does not suffice."""
    from regretless.deep.torch_extra import need_torch, said_if_full

    need_torch()
    with said_if_full():
        yield
