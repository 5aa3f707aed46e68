"""Public chance sampling on a game with a card abstraction (Johanson, Bard, Lanctot, Gibson & Bowling 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DECAY, FLOOR, NEGATIVE, POSITIVE, WEIGHT
from regretless.kernels.public.bucket_walks import add_gains, walk_board
from regretless.method import Learner, Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.cards.evaluator import strengths
from regretless.poker.solving.responses import Responses

__all__ = ["BucketLearner"]

Array = npt.NDArray[Any]


class BucketLearner(Learner):
    """`MCCFR(sampling="public-chance")` on a bucketed tree.

    An iteration draws `traversals` boards for each player in turn. On a board all hands of both players are walked at
    once; strategies are looked up and regrets added up by bucket, and the regret update follows after all boards. So a
    variant with a floor, such as CFR+, floors once per iteration and not at each hand that shares a bucket.
    """

    measured_every = 1.2
    known_instead = "only play against other strategies tells how good it is"

    def __init__(self, tree: BucketedTree, method: Any, settings: Settings) -> None:
        super().__init__(tree, settings)
        if method.sampling != "public-chance":
            raise OptionError(
                f"a game with an abstraction is solved with sampling='public-chance', not with {method.sampling!r}"
            )
        if method.prune is not None:
            raise OptionError("prune= does not work on a game with an abstraction: leave it out")
        tree.check_memory(settings.dtype)
        self.tree, self.method = tree, method
        self.regret = np.zeros(tree.infoset_actions, settings.dtype)
        self.average = np.zeros(tree.infoset_actions, settings.dtype)
        self.gain = np.zeros(tree.infoset_actions, np.float64)
        self.smallest = float(np.finfo(settings.dtype).tiny)
        self.boards = SampledBoards(tree)

    def advance(self, iterations: int) -> None:
        """Run more iterations."""
        if not iterations:
            self._walk(0, self.boards.draw(self.settings.seed, 0, 0, 0), 0.0)
            self.gain[:] = 0
            add_gains(self.regret[:0], self.gain[:0], 1.0, 1.0, 1.0, 0.0)
        for step in self.method.variant.steps(self.iteration + 1, iterations):
            self.iteration += 1
            for player in range(2):
                own = slice(*self.tree.bounds[player : player + 2])
                self.average[own] *= step[DECAY]
                for n in range(self.method.traversals):
                    board = self.boards.draw(self.settings.seed, self.iteration, player, n)
                    self._walk(player, board, float(step[WEIGHT]) / self.method.traversals)
                add_gains(
                    self.regret[own], self.gain[own], 1.0 / self.method.traversals,
                    float(step[POSITIVE]), float(step[NEGATIVE]), float(step[FLOOR]),
                )  # fmt: skip

    def _walk(self, player: int, board: tuple[int, ...], weight: float) -> Array:
        """Walk one board; returns the values of the live hands at the root, and leaves gains in `gain`."""
        betting, cards, buckets, scratch = self.boards.prepared(player, board)
        tables = (self.regret, self.gain, self.average)
        walk_board(player, betting, cards, buckets, self.tree.known, tables, weight, self.smallest, scratch)
        return np.asarray(scratch[1][0])

    def arrays(self) -> dict[str, Array]:
        """Regrets and averages."""
        return {"regret": self.regret, "average": self.average}

    def measure(self) -> dict[str, float]:
        """One row of a run's history; exploitability where the game fits into memory hand by hand, else nan."""
        if not self.tree.exact:
            return {"exploitability": np.nan, "nash_conv": np.nan, "value": np.nan}
        averaged = self.iteration > self.method.variant.delay
        return self._responses.measured(self.tree.public_numbers(self.average if averaged else self.regret))

    @property
    def _responses(self) -> Responses:
        if "responses" not in self.__dict__:
            self.__dict__["responses"] = Responses(self.tree.public_tree)
        found: Responses = self.__dict__["responses"]
        return found


class SampledBoards:
    """Complete boards drawn at random, and what a walk reads of one."""

    def __init__(self, tree: BucketedTree) -> None:
        self.tree = tree
        game, betting = tree.game, tree.betting_tree
        self.hands = game.deck.hands(game.hand_size)
        self.ranges = np.stack(game.hand_weights())
        self.left = np.array([card for card in range(game.deck.size) if card not in game.first_board])
        self.dealt = sum(game.board_cards)
        payoffs = [np.stack((betting.win[:, p], betting.tie[:, p], betting.lose[:, p]), axis=1) for p in range(2)]
        shape = (betting.kind, betting.street, betting.first_child, betting.children)
        self.betting = [(*(a.astype(np.int64) for a in shape), tree.first, payoffs[p]) for p in range(2)]
        depth = np.zeros(len(betting), np.int64)
        for node in range(1, len(betting)):
            depth[node] = depth[betting.parent[node]] + 1
        self.depths, self.actions = int(depth.max()) + 1, int(betting.children.max())

    def draw(self, seed: int, iteration: int, player: int, number: int) -> tuple[int, ...]:
        """A board; it depends on these numbers alone."""
        draw = np.random.default_rng([seed, iteration, player, number])
        return (*self.tree.game.first_board, *draw.choice(self.left, self.dealt, replace=False).tolist())

    def prepared(self, player: int, board: tuple[int, ...]) -> tuple[Any, Any, Array, Any]:
        """Betting, live hands sorted by strength, their buckets by street, and scratch, as `walk_board` reads them."""
        tree, deck = self.tree, self.tree.game.deck
        rank = strengths(deck, board, self.hands).astype(np.int64)
        live = np.flatnonzero(rank >= 0)
        live = live[np.argsort(rank[live], kind="stable")]
        group_end = np.searchsorted(rank[live], rank[live], side="right")
        boards = tree.abstraction.rounds.boards
        buckets = np.stack([tree.abstraction.sequences_on(board[:cards])[live] for cards in boards])
        cards = (self.hands[live, 0].copy(), self.hands[live, -1].copy(), group_end)
        count = len(live)
        reach = np.zeros((self.depths, 2, count))
        reach[0] = self.ranges[:, live]
        scratch = (
            reach,
            np.zeros((self.depths, count)),
            np.zeros((self.depths, self.actions, count)),
            np.zeros((self.depths, self.actions, count)),
            np.zeros(self.depths, np.int64),
            np.zeros(self.depths, np.int64),
            np.zeros(deck.size),
        )
        return self.betting[player], cards, buckets, scratch
