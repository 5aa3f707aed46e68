"""A local best response the obvious way, one hand against one hand, in plain Python: the oracle of the fast one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

from slow_poker import score

from regretless.kernels.constants import DEAL, FOLD
from regretless.poker.games import PublicGame
from regretless.poker.results.hand_lookups import lookup_of

Cards = tuple[int, ...]
CLOSE = 1e-9


class SlowLocalResponse:
    """One seat of a game against a strategy; hands are tuples of cards."""

    def __init__(self, strategy: Any, seat: int, actions: tuple[str, ...], first_street: int = 0) -> None:
        self.lookup = lookup_of(strategy)
        self.game: PublicGame = self.lookup.game
        self.tree, self.seat, self.actions, self.first_street = self.lookup.betting_tree, seat, actions, first_street
        self.hands = [tuple(hand) for hand in self.game.deck.hands(self.game.hand_size).tolist()]
        self.weights = [dict(zip(self.hands, w.tolist(), strict=True)) for w in self.game.hand_weights()]
        self.chosen = cache(self.choice)
        self.chances = cache(lambda node, hand, board: list(self.lookup.probabilities(node, hand, board)))

    def value(self) -> float:
        """What the seat wins per game: every pair of hands, every deal."""
        total = pairs = 0.0
        for mine in self.hands:
            for theirs in self.hands:
                weight = self.weights[self.seat][mine] * self.weights[1 - self.seat][theirs]
                if weight and not {*mine} & {*theirs}:
                    pairs += weight
                    total += weight * self.played(0, mine, theirs, self.game.first_board)
        return total / pairs

    def played(self, node: int, mine: Cards, theirs: Cards, board: Cards) -> float:
        """What the seat wins from a node on when both hands are known."""
        tree, kind = self.tree, int(self.tree.kind[node])
        first = int(tree.first_child[node])
        if kind > DEAL:
            return self.payoff(node, mine, theirs, board)
        if kind == DEAL:
            size = self.game.board_cards[int(tree.street[node])]
            boards = list(self.deals(board, {*mine, *theirs}, size))
            return sum(self.played(first, mine, theirs, more) for more in boards) / len(boards)
        if kind == self.seat:
            return self.played(self.chosen(node, mine, board), mine, theirs, board)
        chances = self.chances(node, theirs, board)
        return sum(p * self.played(first + a, mine, theirs, board) for a, p in enumerate(chances) if p)

    def deals(self, board: Cards, taken: set[int], size: int) -> Iterator[Cards]:
        """All boards with `size` more cards."""
        left = [card for card in range(self.game.deck.size) if card not in {*board, *taken}]
        return ((*board, *more) for more in combinations(left, size))

    def payoff(self, node: int, mine: Cards, theirs: Cards, board: Cards) -> float:
        """Chips at the end of a hand."""
        tree, better = self.tree, 0
        if tree.kind[node] != FOLD:
            one, other = (score(self.game.deck, [*hand, *board]) for hand in (mine, theirs))
            better = (one > other) - (one < other)
        return float({1: tree.win, 0: tree.tie, -1: tree.lose}[better][node, self.seat])

    def range_at(self, node: int, mine: Cards, board: Cards) -> dict[Cards, float]:
        """The weights of the opponent's hands at a node, given one's own hand."""
        out = {}
        for hand, weight in self.weights[1 - self.seat].items():
            if weight and not {*hand} & {*mine, *board}:
                out[hand] = weight * self.chance_of(node, hand, board)
        return out

    def chance_of(self, node: int, hand: Cards, board: Cards) -> float:
        """The product of the opponent's probabilities on the way to a node."""
        tree, chance = self.tree, 1.0
        while (parent := int(tree.parent[node])) >= 0:
            if tree.kind[parent] == 1 - self.seat:
                cards = len(self.game.first_board) + sum(self.game.board_cards[: int(tree.street[parent])])
                chance *= self.chances(parent, hand, board[:cards])[node - int(tree.first_child[parent])]
            node = parent
        return chance

    def passive(self, node: int) -> int:
        """Where a hand ends if both players check and call."""
        tree = self.tree
        while tree.kind[node] <= DEAL:
            step = 0
            if tree.kind[node] < DEAL:
                step = next(at for at, name in enumerate(tree.actions[node]) if name in ("check", "call"))
            node = int(tree.first_child[node]) + step
        return node

    def rolled_out(self, node: int, mine: Cards, theirs: Cards, board: Cards) -> float:
        """The mean payoff over all boards to come if both players check and call."""
        end, to_come = self.passive(node), sum(self.game.board_cards) + len(self.game.first_board) - len(board)
        boards = list(self.deals(board, {*mine, *theirs}, to_come))
        return sum(self.payoff(end, mine, theirs, full) for full in boards) / len(boards)

    def choice(self, node: int, mine: Cards, board: Cards) -> int:
        """The child that the local best response goes to; the first of equal ones."""
        tree, theirs, best = self.tree, self.range_at(node, mine, board), (-1e300, -1)
        late = int(tree.street[node]) >= self.first_street
        for at, name in enumerate(tree.actions[node]):
            kind = "fold" if name == "fold" else "raise"
            if name not in ("check", "call") and not (late and (kind in self.actions or name in self.actions)):
                continue
            child = int(tree.first_child[node]) + at
            worth = sum(w * self.worth(child, mine, other, board) for other, w in theirs.items() if w)
            if worth > best[0] + CLOSE:
                best = (worth, child)
        return best[1]

    def worth(self, child: int, mine: Cards, theirs: Cards, board: Cards) -> float:
        """What going to a child is worth against one hand, which folds to a raise as its strategy says."""
        tree = self.tree
        if tree.kind[child] == 1 - self.seat and "fold" in tree.actions[child]:
            at = tree.actions[child].index("fold")
            fold = self.chances(child, theirs, board)[at]
            end = int(tree.first_child[child]) + at
            called = self.rolled_out(child, mine, theirs, board)
            return fold * self.payoff(end, mine, theirs, board) + (1 - fold) * called
        if tree.kind[child] == FOLD:
            return self.payoff(child, mine, theirs, board)
        return self.rolled_out(child, mine, theirs, board)
