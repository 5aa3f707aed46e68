"""Features of hands, compared with enumeration on small decks."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest
import slow_abstraction as slow

from regretless.kernels.cards.hand_features import HISTOGRAM, OPPONENTS, STRENGTH
from regretless.kernels.cards.river_strengths import CLUSTERS
from regretless.poker.abstraction.build.street_plans import BINS
from regretless.poker.abstraction.build.sweeping import BoardSweep
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.cards.deck import STANDARD, Deck

pytestmark = pytest.mark.full  # cold compiles

ROUNDS = {
    "three streets": CardRounds(Deck("9TJQKA", "sh"), 2, (0, 3, 4)),
    "three suits": CardRounds(Deck("TJQKA", "shd"), 2, (0, 1, 3)),
    "one card": CardRounds(Deck("9TJQKA", "shd"), 1, (0, 1, 2)),
}


def clusters_of(rounds: CardRounds) -> np.ndarray:
    """Clusters that do not depend on suits."""
    ranks = rounds.deck.hands(rounds.hand_size) // len(rounds.deck.suits)
    return (ranks.sum(axis=1) % (CLUSTERS - 1)).astype(np.int8)  # the last cluster has no hands


def all_rows(rounds: CardRounds, street: int, kind: int) -> tuple[dict[int, tuple[list[int], int]], int]:
    """Features and strength by index, and the sum of all deals."""
    sweep = BoardSweep(rounds, street, kind, clusters_of(rounds))
    rows, deals = {}, 0
    for piece in sweep.pieces:
        found = sweep.rows(piece)
        for index, features, strength in zip(found.indices, found.features, found.strength, strict=True):
            assert int(index) not in rows, "every hand has one row"
            rows[int(index)] = (features.tolist(), int(strength))
        deals += int(found.deals.sum())
    return rows, deals


@pytest.mark.parametrize("name", ROUNDS)
@pytest.mark.parametrize("kind", [STRENGTH, HISTOGRAM, OPPONENTS])
def test_features_are_those_of_enumeration(name: str, kind: int) -> None:
    rounds, draw = ROUNDS[name], random.Random(1)
    for street, cards in enumerate(rounds.boards):
        rows, deals = all_rows(rounds, street, kind)
        assert sorted(rows) == list(range(rounds.classes(street))) and deals == rounds.deals(street)
        for _ in range(6):
            dealt = draw.sample(range(rounds.deck.size), rounds.hand_size + cards)
            hand, board = dealt[: rounds.hand_size], dealt[rounds.hand_size :]
            features, strength = rows[rounds.indexer(street).index(np.array(dealt))]
            mean = slow.mean_strength(rounds, hand, board)
            assert strength == mean
            if kind == STRENGTH:
                assert features == [mean]
            elif kind == HISTOGRAM:
                assert features == slow.histogram(rounds, hand, board, BINS)
            else:
                clusters = clusters_of(rounds).tolist()
                assert features == slow.against_clusters(rounds, hand, board, clusters, CLUSTERS)


def test_strengths_before_the_flop() -> None:
    """Published equities against a random hand: aces 85.2 %, seven-deuce offsuit 34.6 %, deuces 50.3 %."""
    rounds = CardRounds(STANDARD, 2, (0, 5))
    sweep = BoardSweep(rounds, 0, STRENGTH, np.zeros(1_326, np.int8))
    found = sweep.rows(sweep.pieces[0])
    strength = dict(zip(found.indices.tolist(), (found.strength / 65_535).tolist(), strict=True))
    indexer = rounds.indexer(0)
    for hand, published in (("AsAh", 0.852), ("7s2h", 0.346), ("2s2h", 0.503), ("AsKs", 0.670)):
        assert strength[indexer.index(np.array(STANDARD.cards(hand)))] == pytest.approx(published, abs=6e-4)


def test_indices_of_all_hands_on_a_board() -> None:
    """The fast indices of one board are those of `HandIndexer`, also up to suits."""
    from regretless.kernels.cards.board_hands import hand_indices
    from regretless.poker.abstraction.card_rounds import index_scratch, index_tables

    rounds, draw = CardRounds(STANDARD, 2, (0, 3, 4, 5)), random.Random(3)
    hands = STANDARD.hands(2).astype(np.uint8)
    for street, cards in enumerate(rounds.boards):
        for _ in range(8):
            board = np.array(draw.sample(range(52), cards), np.int64)
            found = np.empty(len(hands), np.int64)
            tables = tuple(index_tables(rounds, street))
            hand_indices(board, hands, tables, index_scratch(STANDARD), found)
            free = ~np.isin(hands, board).any(axis=1)
            assert (found[~free] == -1).all()
            rows = np.hstack([hands[free].astype(np.int64), np.tile(board, (free.sum(), 1))])
            assert (found[free] == rounds.indexer(street).index(rows)).all()


def test_canonical_boards_cover_all_boards() -> None:
    rounds = ROUNDS["three suits"]
    boards = {tuple(sorted(row)) for row in rounds.canonical_boards(2).tolist()}
    suits = len(rounds.deck.suits)
    images = {
        tuple(sorted(card // suits * suits + p[card % suits] for card in board))
        for board in boards
        for p in permutations(range(suits))
    }
    assert len(images) == 455  # 15 choose 3
