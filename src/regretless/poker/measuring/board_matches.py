"""Matches between strategies of buckets or networks: boards are drawn, and on each board all hands play at once.

Only the board is luck. A board is drawn uniformly, so with w the weights of both ranges and N their sum over all pairs
of hands without a common card, an unbiased estimate of what a player wins per game is

    C(cards, dealt) / C(cards − two hands, dealt) · Σ over pairs that fit the board of w · payoff / N.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import Boards
from regretless.method import processors
from regretless.poker.cards.evaluator import strengths
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.games import PublicGame
from regretless.poker.measuring.bucket_walker import BucketWalker, NodeTables, class_buckets, node_tables
from regretless.poker.measuring.flops import rooted
from regretless.poker.measuring.progress import shown
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.tree.betting_arrays import WalkOrder, betting_arrays
from regretless.poker.tree.boards import BoardBook, padded
from regretless.poker.tree.public_tree import PublicTree
from regretless.threads import run_together

__all__ = ["BoardMatch", "PlaysBoards", "match_on_boards"]

Array = npt.NDArray[Any]


class PlaysBoards(Protocol):
    """Machines that play boards; `rg.Ray` is one."""

    def board_winnings(
        self, game: Any, tables: tuple[NodeTables, NodeTables], boards: int, seed: int, played: Callable[[int], None]
    ) -> npt.NDArray[np.float64]:
        """[boards, 2] what the first strategy wins from the second on drawn boards, in each seat.

        `played` is called now and then with the number of boards that are done.
        """


def match_on_boards(
    a: BoardStrategy,
    b: BoardStrategy,
    boards: int,
    seed: int,
    threads: int | None = None,
    workers: PlaysBoards | None = None,
    progress: bool = False,
) -> npt.NDArray[np.float64]:
    """[boards, 2] what a wins from b on each board, in the seat of player 0 and in that of player 1; chips per game."""
    from regretless.poker.formats.game_json import same_game

    if not same_game(a.tree.unabstracted, b.tree.unabstracted):
        raise OptionError(f"{a!r} and {b!r} are strategies of different games")
    with shown(progress, "first board") as show:

        def played(done: int) -> None:
            show(done / boards, f"{done:,} of {boards:,} boards")

        if workers is None:
            return _winnings(a, b, boards, seed, threads, played)
        if not isinstance(a, BucketStrategy) or not isinstance(b, BucketStrategy):
            raise OptionError("networks play boards on one machine: leave out workers=")
        return workers.board_winnings(a.tree.unabstracted, (node_tables(a), node_tables(b)), boards, seed, played)


def _winnings(
    a: BoardStrategy, b: BoardStrategy, boards: int, seed: int, threads: int | None, played: Callable[[int], None]
) -> npt.NDArray[np.float64]:
    """[boards, 2] as `match_on_boards`, on the threads of this machine."""
    mine, theirs = a.tables_on_boards(), b.tables_on_boards()
    match, out = BoardMatch(a.tree.unabstracted), np.zeros((boards, 2))
    team = max(1, min(threads or processors(), boards))

    def play(number: int) -> None:
        for at in range(number, boards, team):
            board = match.draw(seed, at)
            out[at] = match.winnings(board, mine(board), theirs(board))
            if number == 0:
                played(at + 1)

    run_together(play, team)
    return out


class BoardMatch:
    """The boards of a game, each with all hands that fit it."""

    def __init__(self, game: PublicGame) -> None:
        self.game, self.betting_tree = game, game.betting_tree()
        self.order = WalkOrder(self.betting_tree)
        self.betting = betting_arrays(self.betting_tree, self.order)
        self.symmetry = Symmetry(game.deck, game.hand_size)
        self.hands = game.deck.hands(game.hand_size).astype(np.int64)
        self.weight = np.stack(game.hand_weights())
        left, dealt = game.deck.size - len(game.first_board), sum(game.board_cards)
        self.left = np.array([card for card in range(game.deck.size) if card not in game.first_board])
        pairs = sum(float(self.weight[0, h] * self.weight[1, self._apart(h)].sum()) for h in range(len(self.hands)))
        self.scale = comb(left, dealt) / comb(left - 2 * game.hand_size, dealt) / pairs

    def _apart(self, hand: int) -> Array:
        """[hands] whether each hand shares no card with a hand."""
        return np.asarray(~np.isin(self.hands, self.hands[hand]).any(axis=1))

    def draw(self, seed: int, number: int) -> tuple[int, ...]:
        """A complete board; it depends on these numbers alone."""
        dealt = np.random.default_rng([seed, number]).choice(self.left, sum(self.game.board_cards), replace=False)
        return (*self.game.first_board, *dealt.tolist())

    def winnings(self, board: tuple[int, ...], a: NodeTables, b: NodeTables) -> tuple[float, float]:
        """What a wins from b with all hands on a board, as player 0 and as player 1."""
        tree = self.tree(board)
        mine, theirs = (each.on(self.order.node, 0, class_buckets(tree, each.abstraction)) for each in (a, b))
        walker, won = BucketWalker(tree), []
        for seat in range(2):
            entry = tree.book.weight[1 - seat][None]
            value = walker.values(seat, theirs, entry, mine)[0]
            won.append(self.scale * float(tree.book.weight[seat] @ value))
        return won[0], won[1]

    def tree(self, board: tuple[int, ...]) -> PublicTree:
        """The game with one board on each street, and only the hands that fit the last of them."""
        rank = strengths(self.game.deck, board, self.hands).astype(np.int64)
        lists = []
        for weight in self.weight:
            own = np.flatnonzero((rank >= 0) & (weight > 0))
            lists.append(own[np.argsort(rank[own], kind="stable")])
        book = self._book(board, lists, rank)
        return PublicTree(self.game, self.betting_tree, self.order, self.betting, rooted(book))

    def _book(self, board: tuple[int, ...], lists: list[Array], rank: Array) -> BoardBook:
        game, streets = self.game, len(self.game.board_cards) + 1
        count, both = np.array([len(own) for own in lists]), np.concatenate(lists)
        twins = []
        for own, other in (lists, lists[::-1]):
            position = np.full(len(self.hands), -1)
            position[other] = np.arange(len(other))
            twins.append(position[own])
        starts = np.arange(streets) * len(both)
        shape = (2, streets)
        blocker = self.hands[both] if game.hand_size == 2 else np.zeros((len(both), 0), np.int64)
        ones = np.ones(streets * len(both))
        arrays = Boards(
            street_boards=np.arange(streets + 1, dtype=np.int32),
            parent=np.arange(-1, streets - 1, dtype=np.int32),
            child_first=np.minimum(np.arange(1, streets + 2), streets).astype(np.int32),
            begin=np.stack((starts, starts + count[0])).astype(np.int32),
            count=np.broadcast_to(count[:, None], shape).astype(np.int32),
            stride=np.broadcast_to(padded(count)[:, None], shape).astype(np.int32),
            first=np.zeros(shape, np.int64),
            above=np.tile(np.concatenate([np.arange(n) for n in count]), streets).astype(np.int32),
            rise=ones,
            size=ones,
            strength=np.tile(rank[both], streets).astype(np.int32),
            twin=np.tile(np.concatenate(twins), streets).astype(np.int32),
            blocker=np.tile(blocker, (streets, 1)).astype(np.int16),
            share=np.ones((streets * len(both), blocker.shape[1])),
            sign=np.array([-1.0] * blocker.shape[1] + [(-1.0) ** game.hand_size]),
        )
        sizes = [len(game.first_board) + sum(game.board_cards[:street]) for street in range(streets)]
        return BoardBook(
            arrays, tuple(board[:size] for size in sizes), self.hands[np.tile(both, streets)], np.ones(streets),
            (self.weight[0, lists[0]], self.weight[1, lists[1]]), (np.zeros(1, np.int64),) * streets, self.symmetry,
        )  # fmt: skip
