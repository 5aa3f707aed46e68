"""Exact best responses on flops of limit hold'em: time of a flop with all seven lines, and a check by another program.

    python -m benchmarks.hulh_measure ["Qs Jh 2d" …] [--only "always call"] [--hands 6] [--note "what else ran"]

The strategies are card-blind ones and one with 200 buckets a street drawn at random. A best response to a card-blind
strategy has an independent solution, hand by hand: a decision process in which the other player's hand is uniform. The
greatest difference over `--hands` hands, both players and all lines is in the table, relative to the greatest value.
Such strategies are measured by `BlindFlops` on the CPU: the last two columns
are its difference from the walks, over all hands, and its time.
Processor seconds are those of both threads together; on a machine with nothing else to do, two threads take about half
of them by the clock. Compiling is not counted.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.record import circumstances, write
from regretless.kernels.constants import DEAL, FOLD
from regretless.kernels.public.response_walks import BucketTable
from regretless.poker import Abstraction, LimitHoldem, card_blind, strengths
from regretless.poker.abstraction.bucketed_tree import open_bucketed
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.poker.measuring.bucket_walker import BucketWalker, class_buckets, node_tables
from regretless.poker.measuring.card_blind.blind_flops import BlindFlops
from regretless.poker.measuring.flop_engines import flop_engine
from regretless.poker.measuring.flops import Flop, FlopGame, first_classes
from regretless.poker.results.bucket_strategy import BucketStrategy
from regretless.poker.tree.hand_numbers import hand_numbers
from regretless.poker.tree.public_tree import PublicTree

Array = npt.NDArray[Any]

BLIND = {
    "always call": (0, 1, 0),
    "always raise": (0, 0, 1),
    "half call, half raise": (0, 1, 1),
}
THREADS = 2
TARGET = 90
"""Seconds of the clock for a flop on two cores."""


class BlindFlop:
    """What a hand is worth on a flop against a strategy that sees no cards."""

    def __init__(self, game: LimitHoldem, weights: tuple[float, float, float], flop: tuple[int, ...]) -> None:
        self.game, self.betting, self.weights, self.flop = game, game.betting_tree(), weights, flop
        self.hands = game.deck.hands(2)

    def values(self, player: int, hand: tuple[int, int]) -> list[float]:
        """The value of a best response on each line to the flop."""
        shares = self._shares(hand)
        deals = np.flatnonzero((self.betting.kind == DEAL) & (self.betting.street == 0))
        return [float(self._at(int(self.betting.first_child[deal]), player, shares)) for deal in deals.tolist()]

    def _shares(self, hand: tuple[int, int]) -> Array:
        """[3, turns, rivers] shares of the other player's hands that lose, tie and win."""
        left = [card for card in range(52) if card not in hand and card not in self.flop]
        apart = ~np.isin(self.hands, hand).any(axis=1)
        own = int(np.flatnonzero((self.hands == np.sort(hand)).all(axis=1))[0])
        out = np.zeros((3, len(left), len(left)))
        for t in range(len(left)):
            for r in range(t):
                rank = strengths(self.game.deck, (*self.flop, left[t], left[r]), self.hands)
                others = rank[apart & (rank >= 0)]
                found = [np.mean(others < rank[own]), np.mean(others == rank[own]), np.mean(others > rank[own])]
                out[:, t, r] = out[:, r, t] = found
        rivers = ~np.eye(len(left), dtype=bool)
        return out[:, rivers].reshape(3, len(left), len(left) - 1)

    def _at(self, node: int, player: int, shares: Array) -> Any:
        """A number on the flop, [turns] on the turn and [turns, rivers] on the river."""
        betting, kind = self.betting, int(self.betting.kind[node])
        first = int(betting.first_child[node])
        if kind == FOLD:
            return betting.win[node, player]
        if kind == DEAL:
            below = self._at(first, player, shares)
            return np.mean(np.broadcast_to(below, shares.shape[1 : 1 + int(betting.street[node])]), axis=-1)
        if kind > DEAL:
            return np.tensordot([of[node, player] for of in (betting.win, betting.tie, betting.lose)], shares, 1)
        values = [self._at(first + action, player, shares) for action in range(int(betting.children[node]))]
        if kind == player:
            return np.max(np.stack(np.broadcast_arrays(*values)), axis=0)
        fold, call, raise_ = self.weights
        names = betting.actions[node]
        chances = [fold if n == "fold" else call if n in ("check", "call") else raise_ for n in names]
        if not sum(chances):
            chances = [float(n in ("check", "call")) for n in names]
        return sum(c * v for c, v in zip(chances, values, strict=True)) / sum(chances)


def drawn_buckets(game: LimitHoldem, buckets: int = 200) -> BucketStrategy:
    """A strategy drawn at random with so many buckets on each street, drawn at random as well."""
    rounds, draw, streets = CardRounds.of(game), np.random.default_rng(1), []
    for street in range(rounds.streets):
        bucket_of = draw.integers(0, buckets, rounds.classes(street), dtype=np.uint16)
        ones = np.ones(buckets, np.int64)
        streets.append(StreetBuckets("drawn", bucket_of, ones, ones, ones, np.zeros((0, 0), np.uint16)))
    tree = open_bucketed(LimitHoldem(Abstraction(rounds, tuple(streets), "imperfect")))
    return tree.strategy({"average": draw.random(tree.infoset_actions, np.float32)}, "average")


class Walked(NamedTuple):
    """A flop, walked for both players."""

    tree: PublicTree
    hand: Array  # [classes] the number of each hand
    reach: Array  # [2, lines, classes of the flop] with which the other player arrives
    values: Array  # [2, lines, classes of the flop]
    clock: float
    processor: float


def walked(flop_game: FlopGame, flop: Flop) -> Walked:
    """Lay a flop out and walk it for both players; the times are without compiling."""
    tree = flop_game.piece(flop)
    first = class_buckets(tree, flop_game.tables[0].abstraction)
    BucketWalker(tree, "float32", THREADS).compile(table_of(flop_game, first))
    began, processor = time.perf_counter(), time.process_time()
    tree = flop_game.piece(flop)
    table = table_of(flop_game, class_buckets(tree, flop_game.tables[0].abstraction))
    walker, hand = BucketWalker(tree, "float32", THREADS), hand_numbers(tree, tree.book.hands)
    reach = np.stack([flop_game.trunk.entries(1 - player)[:, hand[first_classes(tree, 0)]] for player in range(2)])
    values = np.stack([walker.values(player, table, reach[player]) for player in range(2)])
    return Walked(tree, hand, reach, values, time.perf_counter() - began, time.process_time() - processor)


def table_of(flop_game: FlopGame, bucket: Array) -> BucketTable:
    """The strategy of both players as a walk over a flop reads it."""
    return flop_game.tables[0].on(flop_game.nodes[flop_game.order.node], 1, bucket)


def difference(game: LimitHoldem, weights: tuple[float, float, float], flop: Flop, found: Walked, hands: int) -> float:
    """The greatest difference between a walk and the independent solution, relative to the greatest value."""
    own, slow, worst = first_classes(found.tree, 0), BlindFlop(game, weights, flop.cards), 0.0
    chosen = np.random.default_rng(0).choice(own.stop - own.start, hands, replace=False)
    for player in range(2):
        reach = found.reach[player, :, 0]
        for k in chosen.tolist():
            cards = tuple(int(card) for card in found.tree.book.hands[own.start + k])
            expected = np.array(slow.values(player, (cards[0], cards[1])))
            # 1,081 hands of the other player have no card of the hand and the flop; all reach a line equally often.
            mine = found.values[player, :, k] / (1_081 * np.where(reach > 0, reach, 1))
            apart = np.where(reach > 0, np.abs(mine - expected), 0.0)
            worst = max(worst, float(apart.max() / np.abs(expected).max()))
    return worst


def short_way(flop_game: FlopGame, flop: Flop, found: Walked) -> dict[str, str]:
    """The engine for card-blind strategies on a flop: its greatest difference from a walk, and its time."""
    engine = flop_engine(flop_game)
    if not isinstance(engine, BlindFlops):
        return {}
    engine.values(flop)
    began = time.process_time()
    short = engine.values(flop).rows[0]
    spent = time.process_time() - began
    walked_rows = np.stack([flop_game._by_class(found.tree, seat, found.hand, found.values[seat]) for seat in range(2)])
    apart = np.abs(short - walked_rows).max() / np.abs(walked_rows).max()
    return {"BlindFlops: difference": f"{apart:.1e}", "BlindFlops: processor": f"{1_000 * spent:.0f} ms"}


def main() -> None:
    """Time and check the flops given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flops", nargs="*", default=["Qs Jh 2d", "Qs Jh 2h", "Qs Js 2s"])
    parser.add_argument("--hands", type=int, default=6)
    parser.add_argument("--only", choices=[*BLIND, "200 buckets"], help="one strategy instead of all")
    parser.add_argument("--note")
    given = parser.parse_args()
    about = circumstances() | ({"note": given.note} if given.note else {})
    game, rows = LimitHoldem(), []
    for name in [given.only] if given.only else [*BLIND, "200 buckets"]:
        fold, call, raise_ = BLIND.get(name, (0, 0, 0))
        blind = card_blind(game, fold=fold, call=call, raise_=raise_) if name in BLIND else drawn_buckets(game)
        tables = node_tables(blind)
        flop_game = FlopGame(game, (tables, tables), "float32", THREADS)
        for text in given.flops:
            flop = Flop(game.deck.cards(text), 1, 1)
            found = walked(flop_game, flop)
            error = f"{difference(game, BLIND[name], flop, found, given.hands):.1e}" if name in BLIND else ""
            rows.append(
                {
                    "strategy": name,
                    "flop": text,
                    "boards": f"{found.tree.boards:,}",
                    "clock": f"{found.clock:.0f} s",
                    "processor": f"{found.processor:.1f} s",
                    "processor ÷ 2": f"{found.processor / 2:.1f} s",
                    "target on two quiet cores": f"{TARGET} s",
                    "difference": error,
                    **short_way(flop_game, flop, found),
                }
            )
            write("hulh-measure", rows, about)


if __name__ == "__main__":
    main()
