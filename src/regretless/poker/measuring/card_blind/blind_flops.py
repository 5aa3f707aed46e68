"""Best responses to card-blind strategies, flop by flop: the same values as `FlopGame.values`, by a shorter way.

A player who looks at no cards has all hands that fit the board, at every node. See `kernels.public.blind_walks` for the
decision process that remains for each hand.

Cost of limit hold'em, with the same strategy on all lines (32 lines to the river: 16 pots for each player):

| work | number | each | all flops |
|---|---|---|---|
| strengths of all hands on complete boards, up to suits that keep the flop | 1.3 million boards | 10 µs | 13 s |
| means over rivers: hands up to suits × 47 turns × 46 rivers × 32 lines | 89 · 10⁹ additions | 0.2 ns | 18 s |
| betting on the turn: hands up to suits × 47 turns × 336 operations | 20 · 10⁹ operations | 0.2 ns | 4 s |

These are seconds of one core; the walks of `FlopGame` take 72 s for one flop. Memory: 3.1 MB of points for a flop and
0.5 MB for the table of the river, which a core's second-level cache holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import comb
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.cards.equities import LOW
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.kernels.public.blind_walks import BLOCK, write_points, write_values, write_worth
from regretless.poker.cards.deck import listed_hands
from regretless.poker.cards.evaluator import card_words, tables_for
from regretless.poker.measuring.bucket_walker import NodeTables
from regretless.poker.measuring.card_blind.blind_programs import BlindPrograms, Program, blind_programs
from regretless.poker.measuring.flops import ROUNDING, Flop, FlopGame, FlopValues
from regretless.threads import run_together

__all__ = ["MOST_BYTES", "BlindFlops", "plays_blind"]

Array = npt.NDArray[Any]

MOST_BYTES = 1 << 30
"""Bytes of the points of a flop, and of the table of the last street, above which the general engine is used."""

MOST_ROUNDS = 2
"""Deals after the flop that `write_values` takes."""


def plays_blind(game: FlopGame) -> bool:
    """Whether all hands stay equally likely, and showdowns are worth a linear function of points."""
    tree, ends = game.betting_tree, game.betting_tree.kind == SHOWDOWN
    middle = (tree.win + tree.lose)[ends] / 2 - tree.tie[ends]
    return (
        len(game.game.board_cards) <= 1 + MOST_ROUNDS
        and game.game.hand_size in (1, 2)
        and all(hands is None for hands in game.game.ranges)
        and bool((tree.street[ends] == tree.streets - 1).all())
        and float(np.abs(middle).max(initial=0.0)) < ROUNDING
        and all(_same_for_all_buckets(game, tables) for tables in set(game.tables))
    )


def _same_for_all_buckets(game: FlopGame, tables: NodeTables) -> bool:
    """Whether all buckets of each node have the same probabilities."""
    tree = game.trunk.tree
    for node in np.flatnonzero(tree.kind < DEAL).tolist():
        known, first = int(tables.known[tree.street[node]]), int(tables.first[node])
        block = tables.probability[first : first + known * int(tree.children[node])].reshape(-1, known)
        if known > 1 and not (block == block[:, :1]).all():
            return False
    return True


class _Cards(NamedTuple):
    """The hands of a deck as `kernels.public.blind_walks` reads them."""

    hands: Array  # [hands, cards]
    words: Array  # [hands]
    masks: Array  # [hands] sets of cards


class _FlopBoards(NamedTuple):
    """The complete boards of a flop, and its hands, up to the permutations of suits that keep it."""

    completions: Array  # [boards, cards] one of each kind
    rows: Array  # [first deals, second deals] the kind of each complete board
    moved: Array  # [first deals, second deals] the permutation that makes it the one of its kind
    dealt: Array  # [first deals] sets of cards
    images: Array  # [permutations, hands]
    hands: Array  # [classes] one hand of each kind
    sizes: Array  # [classes] hands of each kind


class BlindFlops:
    """The flops of a game with card-blind strategies; `plays_blind` says where it can be used."""

    def __init__(self, game: FlopGame) -> None:
        self.game, self.compiled = game, False
        deck, size = game.game.deck, game.game.hand_size
        hands = deck.hands(size).astype(np.int64)
        masks = np.bitwise_or.reduce(np.uint64(1) << hands.astype(np.uint64), axis=1)
        self.cards = _Cards(hands.astype(np.uint8), card_words(deck).words[hands].sum(axis=1, dtype=np.uint64), masks)
        board = len(game.flops[0].cards) + sum(self.rounds)
        self.most = 2 * comb(deck.size - board - size, size)
        tables = tables_for(board + size)
        self.tables = tuple(card_words(deck)), (tables.displacement, tables.classes, tables.flushes)
        self.reach = np.stack([game.trunk.entries(player).max(axis=1) for player in range(2)])  # [2, lines]

    @property
    def nbytes(self) -> int:
        """Bytes of the points of a flop and of the table of the last street."""
        left = self.game.game.deck.size - len(self.game.flops[0].cards)
        points = 2 * comb(left, sum(self.rounds)) * len(self.cards.hands)
        return points + 8 * (self.most + 2) * len(self.programs.streets[-1].outputs)

    @property
    def rounds(self) -> tuple[int, ...]:
        """Cards dealt on each street after the flop."""
        return self.game.game.board_cards[1:]

    @cached_property
    def programs(self) -> BlindPrograms:
        """The betting of all streets from the flop on."""
        game, tree = self.game, self.game.betting_tree
        sigma = np.ones(len(tree))
        for player, tables in enumerate(game.tables):
            nodes = np.flatnonzero(tree.kind == player)
            known = tables.known[1 + tree.street[nodes]]
            for action in range(int(tree.children[nodes].max(initial=0))):
                has = tree.children[nodes] > action
                at = tables.first[game.nodes[nodes[has]]] + action * known[has]
                sigma[tree.first_child[nodes[has]] + action] = tables.probability[at]
        return blind_programs(tree, sigma, game.kinds, self.most)

    @cached_property
    def worth(self) -> Array:
        """[points + 1, lines] the value of each line of the last street; the last row is 0, for hands on the board."""
        last = self.programs.streets[-1]
        worth = np.zeros((self.most + 2, len(last.outputs)))
        write_worth((last.nodes, self.programs.showdowns), last.outputs, self.most, last.scratch(), worth)
        return worth

    @cached_property
    def _steps(self) -> tuple[Program, Program]:
        """The programs between the deals of two rounds; where there are fewer, values pass unchanged."""
        streets = self.programs.streets
        lines, none = len(streets[-1].outputs), np.zeros(0)
        whole = none.astype(np.int32)
        same = Program(
            lines, none, np.zeros(1, np.int32), whole, none, none.astype(np.bool_), np.arange(lines, dtype=np.int32)
        )
        both = [*streets[:-1], same, same]
        return both[0], both[1]

    @cached_property
    def _pattern(self) -> tuple[Array, Array, Array]:
        """Deals as positions among the cards left on a flop: first deals, complete boards, and how they go together.

        first [first deals, cards]; all [boards, cards]; board [first deals, second deals].
        """
        left = self.game.game.deck.size - len(self.game.flops[0].cards)
        early = self.rounds[0] if len(self.rounds) == MOST_ROUNDS else 0
        late = sum(self.rounds) - early
        first, every = listed_hands(left, early), listed_hands(left, early + late)
        number = {tuple(row): at for at, row in enumerate(every.tolist())}
        board = np.empty((len(first), comb(left - early, late)), np.int64)
        for at, deal in enumerate(first.tolist()):
            rest = np.array([place for place in range(left) if place not in deal], np.int64)
            for other, later in enumerate(rest[listed_hands(len(rest), late)].tolist()):
                board[at, other] = number[tuple(sorted((*deal, *later)))]
        return first, every, board

    def boards(self, flop: Flop) -> _FlopBoards:
        """The complete boards and the hands of a flop."""
        game, symmetry = self.game, self.game.symmetry
        kept = np.intersect1d(symmetry.keeping(flop.cards, ()), game.kept)
        left = np.array([card for card in range(game.game.deck.size) if card not in flop.cards], np.int64)
        first, every, board = self._pattern
        completions = left[every]
        codes = symmetry.codes(np.sort(symmetry.cards[kept][:, completions], axis=-1))  # [kept, boards]
        moved = codes.argmin(axis=0)
        lowest, kind = np.unique(codes.min(axis=0), return_inverse=True)
        own = np.searchsorted(symmetry.codes(completions), lowest)
        images = symmetry.sets(game.game.hand_size)[kept]
        free = ~np.isin(self.cards.hands, flop.cards).any(axis=1)
        hands, sizes = np.unique(images.min(axis=0)[free], return_counts=True)
        dealt = np.bitwise_or.reduce(np.uint64(1) << left[first].astype(np.uint64), axis=1, initial=np.uint64(0))
        return _FlopBoards(
            completions[own].astype(np.uint8), kind[board].astype(np.int32), moved[board].astype(np.int32),
            dealt.astype(np.uint64), images.astype(np.int32), hands.astype(np.int32), sizes,
        )  # fmt: skip

    def values(self, flop: Flop) -> FlopValues:
        """What each player gets on each line if this flop comes: as `FlopGame.values`, in double precision."""
        if not self.compiled:
            self.compile(flop)
        began = perf_counter()
        boards = self.boards(flop)
        found = self._hand_values(self._points(flop, boards, None), boards, None)
        game, out = self.game, np.empty((self.game.kinds, 2, self.game.lines, len(self.game.class_size)))
        others = comb(game.game.deck.size - len(flop.cards) - game.game.hand_size, game.game.hand_size)
        group = game.class_of[boards.hands]
        totals = np.stack([np.bincount(group, each * boards.sizes, len(game.class_size)) for each in found])
        for player in range(2):
            scale = others * self.reach[1 - player][:, None] / game.class_size
            out[:, player] = totals[self.programs.roots[:, player]] * scale
        return FlopValues(out, perf_counter() - began)

    def compile(self, flop: Flop) -> None:
        """Compile what measures a flop before it is timed, by measuring no hands on no boards."""
        boards = self.boards(flop)
        self._hand_values(self._points(flop, boards, 0), boards, 0)
        self.compiled = True

    def in_turn(self, flops: Sequence[Flop]) -> Iterator[FlopValues]:
        """The values of flops, one after the other."""
        return map(self.values, flops)

    def _points(self, flop: Flop, boards: _FlopBoards, limit: int | None) -> Array:
        """[boards, hands] the points of all hands on complete boards; `limit` is 0 where it is only compiled."""
        hands, deck = len(self.cards.hands), self.game.game.deck.size
        completions = boards.completions[:limit]
        points, team = np.empty((len(completions), hands), np.uint16), max(1, min(self.game.threads, len(completions)))
        board = np.array(flop.cards, np.int64)

        def work(number: int) -> None:
            sorting = (
                np.empty(hands, np.uint32), np.empty(hands, np.int32), np.empty(hands, np.uint32),
                np.empty(hands, np.int32), np.zeros(len(self.game.game.deck.suits), np.uint64),
                np.zeros(LOW + 1, np.int64),
            )  # fmt: skip
            buffers = sorting, np.zeros(deck, np.int32), np.zeros(hands, np.int32)
            own = slice(*(len(completions) * at // team for at in (number, number + 1)))
            write_points(board, completions[own], tuple(self.cards), self.tables, buffers, self.most + 1, points[own])

        run_together(work, team)
        return points

    def _hand_values(self, points: Array, boards: _FlopBoards, limit: int | None) -> Array:
        """[distinct lines, hands] the values of the hands of a flop."""
        earlier, later = self._steps
        worth, hands = self.worth, boards.hands[:limit]
        out = np.empty((len(hands), len(earlier.outputs)))  # a thread's rows are contiguous, also where there are none
        blocks = -(-len(hands) // BLOCK)
        team, held = max(1, min(self.game.threads, blocks)), self._held_deals()

        def work(number: int) -> None:
            own = slice(*(min(BLOCK * (blocks * at // team), len(hands)) for at in (number, number + 1)))
            scratch = np.zeros((BLOCK, worth.shape[1])), later.scratch(), earlier.scratch()
            write_values(
                hands[own], (boards.rows, boards.moved, boards.dealt), (boards.images, self.cards.masks), points,
                worth, (later.nodes, later.outputs, 1 / held[1]), (earlier.nodes, earlier.outputs, 1 / held[0]),
                scratch, out[own],
            )  # fmt: skip

        run_together(work, team)
        return out.T

    def _held_deals(self) -> tuple[int, int]:
        """How many first and second deals there are for a hand."""
        left = self.game.game.deck.size - len(self.game.flops[0].cards) - self.game.game.hand_size
        early = self.rounds[0] if len(self.rounds) == MOST_ROUNDS else 0
        return comb(left, early), comb(left - early, sum(self.rounds) - early)
