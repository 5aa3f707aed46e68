"""External sampling on a game with a card abstraction, as the baseline of Brown, Lerer, Gross & Sandholm (2019)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.buckets.bucket_sampling import SampledTree, WalkStack, external_walks
from regretless.method import Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.evaluator import evaluate, strengths
from regretless.poker.solving.buckets.batch_walker import TableUpdates
from regretless.poker.solving.buckets.bucket_learner import SampledBuckets, SamplingPlan, Turn

__all__ = ["BucketExternalLearner", "SampledDeals", "external_plan"]

Array = npt.NDArray[Any]

CHUNK = 1 << 12
"""Deals that are drawn at once, from random numbers of their own."""


def external_plan(tree: BucketedTree, method: Any) -> SamplingPlan:
    """A turn for each player, whose walks average the other one; a chunk of walks is a piece."""
    zero, middle, end = tree.bounds
    parts = slice(zero, middle), slice(middle, end)
    turns = Turn(parts[0], parts[1]), Turn(parts[1], parts[0])
    return SamplingPlan(turns, -(-method.traversals // CHUNK), 1.0 / method.traversals)


class BucketExternalLearner(SampledBuckets):
    """`MCCFR(sampling="external")` on a bucketed tree.

    An iteration is `traversals` walks for each player in turn, each with a deal of its own; then follows the regret
    update. The update passes over all tables, so an iteration needs thousands of traversals to pay.
    """

    def __init__(self, tree: BucketedTree, method: Any, settings: Settings) -> None:
        tree.check_memory(settings.dtype)
        updates = TableUpdates(tree, settings.dtype, settings.threads)
        super().__init__(tree, settings, method.variant, external_plan(tree, method), updates)
        self.method = method
        self.deals = SampledDeals(tree)
        betting = tree.betting_tree
        integers = lambda numbers: numbers.astype(np.int64)  # noqa: E731
        self.walked = SampledTree(
            kind=integers(betting.kind),
            street=integers(betting.street),
            first_child=integers(betting.first_child),
            children=integers(betting.children),
            table=tree.first,
            known=tree.known,
            payoff=np.stack((betting.lose, betting.tie, betting.win), axis=2),
        )
        depths, actions = _most_decisions(tree), max(1, int(betting.children.max()))
        self.stack = WalkStack(
            node=np.zeros(depths, np.int64),
            action=np.zeros(depths, np.int64),
            strategy=np.zeros((depths, actions)),
            value=np.zeros((depths, actions)),
        )

    def compile(self) -> None:
        """Compile what an iteration calls."""
        self._walk(0, range(0), 0.0)
        super().compile()

    def walk_pieces(self, turn: int, pieces: range, weight: float) -> None:
        """Walks of one player; gains of the player and averages of the other one are added up."""
        for piece in pieces:
            first = piece * CHUNK
            self._walk(turn, range(first, min(first + CHUNK, self.method.traversals)), weight)

    def _walk(self, player: int, walks: range, weight: float) -> None:
        """Walks of one chunk."""
        smallest = float(np.finfo(self.tables.regret.dtype).tiny)
        numbers = np.array([weight, smallest, -(self.method.prune or 0.0)])
        seed, first = self.settings.seed, walks.start
        draw = np.random.default_rng([seed, self.iteration, player, first])
        deals = self.deals.draw(draw, len(walks))
        seeds = np.array([seed, self.iteration, first], np.uint64)
        external_walks(player, seeds, deals, self.walked, self.tables, numbers, self.stack)


class SampledDeals:
    """Deals of both hands and a complete board: buckets by street, and the winner of a showdown."""

    def __init__(self, tree: BucketedTree) -> None:
        self.tree, game = tree, tree.game
        self.hands = game.deck.hands(game.hand_size).astype(np.int64)
        self.up_to = [np.cumsum(weights) / weights.sum() for weights in game.hand_weights()]
        self.indexers = [tree.abstraction.rounds.indexer(street) for street in range(tree.betting_tree.streets)]

    def draw(self, draw: np.random.Generator, count: int) -> tuple[Array, Array]:
        """Buckets [count, 2, streets] and winners [count]: 1, 0 or −1 for player 0."""
        hands = self._hands(draw, count)
        boards = self._boards(draw, hands)
        return self._buckets(hands, boards), self._winners(hands, boards)

    def _hands(self, draw: np.random.Generator, count: int) -> Array:
        """[count, 2, hand size] hands by their weights; hands that share a card are drawn again."""
        out = np.zeros((count, 2, self.hands.shape[1]), np.int64)
        waiting = np.arange(count)
        first = np.array(self.tree.game.first_board, np.int64)
        while len(waiting):
            for player in range(2):
                at = np.searchsorted(self.up_to[player], draw.random(len(waiting)), side="right")
                out[waiting, player] = self.hands[np.minimum(at, len(self.hands) - 1)]
            cards = out[waiting]
            shared = (cards[:, 0, :, None] == cards[:, 1, None, :]).any(axis=(1, 2))
            waiting = waiting[shared | np.isin(cards, first).any(axis=(1, 2))]
        return out

    def _boards(self, draw: np.random.Generator, hands: Array) -> Array:
        """[count, cards] the first cards of the game, and others that no player holds."""
        game = self.tree.game
        order = draw.random((len(hands), game.deck.size))
        order[:, list(game.first_board)] = 2.0
        np.put_along_axis(order, hands.reshape(len(hands), 2 * hands.shape[2]), 2.0, axis=1)
        dealt = np.argsort(order, axis=1)[:, : sum(game.board_cards)]
        return np.hstack([np.tile(np.array(game.first_board, np.int64), (len(hands), 1)), dealt])

    def _buckets(self, hands: Array, boards: Array) -> Array:
        abstraction = self.tree.abstraction
        out = np.zeros((len(hands), 2, len(self.indexers)), np.int64)
        for player in range(2):
            number = np.zeros(len(hands), np.int64)
            for street, indexer in enumerate(self.indexers):
                cards = np.hstack([hands[:, player], boards[:, : abstraction.rounds.boards[street]]])
                bucket = abstraction.street(street).bucket_of[indexer.index(cards)].astype(np.int64)
                if abstraction.recall == "perfect":
                    bucket = number * abstraction.counts[street] + bucket
                number = out[:, player, street] = bucket
        return out

    def _winners(self, hands: Array, boards: Array) -> Array:
        deck, cards = self.tree.game.deck, hands.shape[2] + boards.shape[1]
        if cards < 5:
            strength = np.zeros((len(hands), 2), np.int64)
            for board in np.unique(boards, axis=0):
                here = (boards == board).all(axis=1)
                two = strengths(deck, tuple(board.tolist()), hands[here].reshape(-1, hands.shape[2]))
                strength[here] = two.reshape(-1, 2)
        else:
            card_of = np.array([STANDARD.cards(deck.name(card))[0] for card in range(deck.size)], np.int64)
            rows = [card_of[np.hstack([hands[:, player], boards])] for player in range(2)]
            strength = np.stack([evaluate(row).astype(np.int64) for row in rows], axis=1)
        return np.asarray(np.sign(strength[:, 0] - strength[:, 1]))


def _most_decisions(tree: BucketedTree) -> int:
    """Decisions on the longest line of play."""
    betting = tree.betting_tree
    depth = np.zeros(len(betting), np.int64)
    for node in range(1, len(betting)):
        depth[node] = depth[betting.parent[node]] + 1
    return int(depth.max()) + 1
