"""Counterfactual regrets of small hold'em by definition: all deals, one recursion over the betting, nothing sampled."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.betting_heads import head_of_actions
from regretless.kernels.constants import DEAL, FOLD
from regretless.poker import PublicGame, strengths

Array = npt.NDArray[Any]
RowStrategy = Callable[[torch.Tensor], torch.Tensor]
"""Infosets [n, cards + 1] → probabilities [n, heads]."""
HEADS = 3


class Deals(NamedTuple):
    """All ways to deal two hands and a board, which comes card by card; n of them, all equally likely."""

    hands: tuple[Array, Array]  # [n, size] each
    board: Array  # [n, cards]


def all_deals(game: PublicGame) -> Deals:
    """Each deal once."""
    deck, size, cards = set(range(game.deck.size)), game.hand_size, sum(game.board_cards)
    rows = [
        (*one, *two, *board)
        for one in combinations(sorted(deck), size)
        for two in combinations(sorted(deck - {*one}), size)
        for board in permutations(sorted(deck - {*one, *two}), cards)
    ]
    every = np.array(rows, np.int64)
    return Deals((every[:, :size], every[:, size : 2 * size]), every[:, 2 * size :])


def seen_cards(game: PublicGame, deals: Deals, player: int, street: int) -> Array:
    """[n, cards + 1] what a player sees on a street, as rows of Deep CFR: the hand, then a card of the board for each
    street, in the suits that give the lowest board and then the lowest hand. Cards to come are numbered behind the
    deck, and the last column is for the decision."""
    assert all(size == 1 for size in game.board_cards)
    suits, known = len(game.deck.suits), sum(game.board_cards[:street])
    out = np.full((len(deals.board), game.hand_size + deals.board.shape[1] + 1), game.deck.size)
    for row, hand, board in zip(out, deals.hands[player].tolist(), deals.board[:, :known].tolist(), strict=True):
        looks = []
        for to in permutations(range(suits)):
            move = [card // suits * suits + to[card % suits] for card in range(game.deck.size)]
            looks.append(([move[card] for card in board], sorted(move[card] for card in hand)))
        lowest, held = min(looks)
        row[: len(held) + known] = held + lowest
    return out


def shown_strengths(game: PublicGame, deals: Deals) -> list[Array]:
    """For each player [n] the strength of its hand on the whole board."""
    hands = [tuple(sorted(hand)) for hand in game.deck.hands(game.hand_size).tolist()]
    rank = {
        (board, hand): strength
        for board in {*map(tuple, deals.board.tolist())}
        for hand, strength in zip(hands, strengths(game.deck, board, np.array(hands)).tolist(), strict=True)
    }
    boards = list(map(tuple, deals.board.tolist()))
    return [
        np.array([rank[board, tuple(hand)] for board, hand in zip(boards, dealt.tolist(), strict=True)])
        for dealt in deals.hands
    ]


class Regret(NamedTuple):
    """At an infoset, summed over all deals."""

    gains: Array  # [heads] reach of the other player × (value of each action − value of the strategy)
    reach: float  # of the other player


def exact_regrets(game: PublicGame, walker: int, strategy: RowStrategy) -> dict[tuple[int, ...], Regret]:
    """By infoset the counterfactual regrets of a player, times the number of deals, if both play a strategy."""
    tree, deals = game.betting_tree(), all_deals(game)
    decisions = {int(node): number for number, node in enumerate(np.flatnonzero(tree.kind < DEAL))}
    shown = shown_strengths(game, deals)
    views = [
        [np.unique(seen_cards(game, deals, player, street), axis=0, return_inverse=True) for street in range(4)]
        for player in range(2)
    ]
    found: dict[tuple[int, ...], Regret] = {}

    def value(node: int, reach: Array) -> Array:
        """[n] what the player wins in each deal; reach [n] is that of the other player."""
        kind, child = int(tree.kind[node]), int(tree.first_child[node])
        if kind == DEAL:
            return value(child, reach)
        if kind == FOLD:
            return np.full(len(reach), tree.win[node, walker])
        if kind > DEAL:
            win, tie, lose = (pays[node, walker] for pays in (tree.win, tree.tie, tree.lose))
            mine, theirs = shown[walker], shown[1 - walker]
            return np.where(mine > theirs, win, np.where(mine == theirs, tie, lose))
        rows, which = views[kind][int(tree.street[node])]
        rows[:, -1] = decisions[node]
        heads = head_of_actions(tree, node)
        played = strategy(torch.from_numpy(rows)).double().numpy()[which][:, heads].T  # [actions, n]
        other = np.ones_like(played) if kind == walker else played
        values = np.array([value(child + action, reach * other[action]) for action in range(len(heads))])
        mean = (played * values).sum(0)
        if kind == walker:
            gains, total = np.zeros((len(rows), HEADS)), np.bincount(which, reach, len(rows))
            for action, head in enumerate(heads):
                gains[:, head] = np.bincount(which, reach * (values[action] - mean), len(rows))
            rows[:, -1] = decisions[node]
            found.update(zip(map(tuple, rows.tolist()), map(Regret, gains, total.tolist()), strict=True))
        return mean

    value(0, np.ones(len(deals.board)))
    return found
