"""A local best response on given boards, for all hands of both players at once.

Actions are chosen by what they are worth if both players check or call from then on, so nothing is backed up: the walk
goes down the betting once. At each node it keeps the weight of every hand of the opponent, which follows from the
opponent's strategy alone, and the hands of its own that come here by their choices.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.measuring.local_response.range_lookups import RangeLookup
from regretless.poker.measuring.runouts import HandCards, Runouts, runouts_on

__all__ = ["DealtBoard", "LocalResponder"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PASSIVE = ("check", "call")
NODES = 256
"""Nodes whose choices are computed together: they bound the memory."""
ROUNDING = 1e-9
"""Of the pot: an action that is better by less is not better, and the first of equal ones is taken."""


class DealtBoard:
    """The board of a street, the boards of the next street that follow, and its runouts, which both seats share."""

    def __init__(self, hands: HandCards, cards: tuple[int, ...], to_come: int) -> None:
        self.hands, self.cards, self.to_come = hands, cards, to_come
        self.following: Sequence[DealtBoard] = ()

    @cached_property
    def free(self) -> npt.NDArray[np.bool_]:
        """[hands] whether a hand fits the board."""
        return self.hands.free(self.cards)

    @cached_property
    def runouts(self) -> Runouts:
        """The boards to come."""
        return runouts_on(self.hands, self.cards, self.to_come)


class Arrivals(NamedTuple):
    """Nodes of the betting, and the hands that come there."""

    nodes: Ints  # [n]
    own: Floats  # [n, hands] the responder's weights: a hand goes to one child of each of its nodes
    theirs: Floats  # [n, hands] the opponent's weights times the probabilities of its actions

    def rows(self, chosen: npt.NDArray[np.bool_]) -> Arrivals:
        """Some of them."""
        return Arrivals(self.nodes[chosen], self.own[chosen], self.theirs[chosen])

    def alive(self) -> Arrivals:
        """Those where both players still have hands."""
        return self.rows(np.asarray(self.own.any(axis=1) & self.theirs.any(axis=1)))


class LocalResponder:
    """Plays every hand of a seat against a strategy."""

    def __init__(self, lookup: RangeLookup, actions: Sequence[str], first_street: int) -> None:
        """actions: "fold", "raise" (bets, too) and names of actions; before `first_street` it checks and calls."""
        self.lookup, self.actions, self.first_street = lookup, actions, first_street
        game, self.tree = lookup.game, lookup.betting_tree
        self.hands = HandCards(game.deck, game.hand_size)
        self.weight = np.stack(game.hand_weights())
        pairs = float(self.weight[0] @ self.hands.opposing(self.weight[1:])[0])
        left = game.deck.size - len(game.first_board)
        dealt = np.cumsum((0, *game.board_cards)).tolist()
        # A drawn board must fit both hands: this is one over the probability that it does, for each street.
        self.scale = [comb(left, n) / comb(left - 2 * game.hand_size, n) / pairs for n in dealt]
        self.passive_end, self.settled = self._passive_ends()

    def _passive_ends(self) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """[nodes] where a hand ends if both players check and call, and whether cards alone are left until then."""
        tree = self.tree
        end, settled = np.arange(len(tree)), tree.kind == SHOWDOWN
        for node in range(len(tree) - 1, -1, -1):
            if tree.kind[node] <= DEAL:
                below = self._passive(node)
                end[node] = end[below]
                settled[node] = tree.kind[node] == DEAL and settled[below]
        return end, settled

    def _passive(self, node: int) -> int:
        """The child after a check or call, or after a deal."""
        return self._child(node, PASSIVE) if self.tree.kind[node] < DEAL else int(self.tree.first_child[node])

    def _child(self, node: int, names: Sequence[str]) -> int:
        """The child of the action with one of these names; −1 without one."""
        found = [at for at, name in enumerate(self.tree.actions[node]) if name in names]
        return int(self.tree.first_child[node]) + found[0] if found else -1

    # -- walks over boards ---------------------------------------------------------------------------------------------

    def start(self, seat: int) -> Arrivals:
        """Both players at the root."""
        return Arrivals(np.zeros(1, np.int64), self.weight[seat][None], self.weight[1 - seat][None])

    def below(self, seat: int, street: int, board: DealtBoard, entries: Arrivals, responding: bool = True) -> float:
        """What the seat wins from where a street begins to the end of the hand; chips per game.

        Without `responding` it plays the strategy itself. The boards that follow a board count equally.
        """
        won, deals = self.street(seat, street, board, entries, responding)
        if len(deals.nodes):
            won += self.after(seat, street, board, deals, responding)
        return won

    def after(self, seat: int, street: int, board: DealtBoard, deals: Arrivals, responding: bool = True) -> float:
        """What the seat wins on the streets after this one."""
        won = 0.0
        for following in board.following:
            for at in range(0, len(deals.nodes), NODES):
                part = slice(at, at + NODES)
                nodes = self.tree.first_child[deals.nodes[part]].astype(np.int64)
                entries = Arrivals(nodes, deals.own[part] * following.free, deals.theirs[part] * following.free)
                won += self.below(seat, street + 1, following, entries.alive(), responding) / len(board.following)
        return won

    def street(
        self, seat: int, street: int, board: DealtBoard, entries: Arrivals, responding: bool = True
    ) -> tuple[float, Arrivals]:
        """What hands win that end on this street, and where the others wait for a deal."""
        won, here = 0.0, entries
        hands = len(self.hands.cards)
        waiting = [Arrivals(np.zeros(0, np.int64), np.zeros((0, hands)), np.zeros((0, hands)))]
        while len(here.nodes):
            kind = self.tree.kind[here.nodes]
            ended = kind >= FOLD
            if board.runouts.exact:
                ended |= self.settled[here.nodes]
            won += self._ended(seat, board, here.rows(ended))
            waiting.append(here.rows((kind == DEAL) & ~ended))
            theirs = self._played(board, here.rows(kind == 1 - seat), own=False)
            choose = self._chosen if responding else self._followed
            mine = choose(seat, street, board, here.rows(kind == seat))
            here = _joined([theirs, mine]).alive()
        return won * self.scale[street], _joined(waiting)

    def _ended(self, seat: int, board: DealtBoard, ended: Arrivals) -> float:
        """The winnings of hands that are over, or all-in."""
        won = 0.0
        for folded in (True, False):
            found = ended.rows((self.tree.kind[ended.nodes] == FOLD) == folded)
            if len(found.nodes):
                ends = self.passive_end[found.nodes]
                if folded:
                    values = self.tree.win[ends, seat][:, None] * self.hands.opposing(found.theirs)
                else:
                    values = self._shown_down(seat, board, ends, found.theirs)
                won += float((found.own * values).sum())
        return won

    def _shown_down(self, seat: int, board: DealtBoard, ends: Ints, ranges: Floats) -> Floats:
        """[n, hands] what hands win from ranges [n, hands] at showdowns, times the opposing weight."""
        shares, tree = board.runouts.shares(ranges), self.tree
        win, tie, lose = (of[ends, seat][:, None] for of in (tree.win, tree.tie, tree.lose))
        return np.asarray((win * shares.won + tie * shares.tied + lose * shares.lost) * self.hands.opposing(ranges))

    def _followed(self, seat: int, street: int, board: DealtBoard, here: Arrivals) -> Arrivals:
        return self._played(board, here, own=True)

    def _played(self, board: DealtBoard, here: Arrivals, own: bool) -> Arrivals:
        """The children of nodes at which a player follows the strategy: the responder (`own`) or the opponent."""
        chances = self.lookup.probabilities_on(here.nodes.tolist(), board.cards)
        children = []
        for node, mine, theirs, chance in zip(*here, chances, strict=True):
            nodes = int(self.tree.first_child[node]) + np.arange(len(chance))
            same = np.ones((len(chance), 1))
            made = (mine * chance, theirs * same) if own else (mine * same, theirs * chance)
            children.append(Arrivals(nodes, *made))
        return _joined(children, here)

    # -- choices -------------------------------------------------------------------------------------------------------

    def _chosen(self, seat: int, street: int, board: DealtBoard, here: Arrivals) -> Arrivals:
        """The children of the responder's nodes: every hand goes to the one that it chooses."""
        parts = [here.rows(np.arange(len(here.nodes)) // NODES == k) for k in range(-(-len(here.nodes) // NODES))]
        return _joined([self._choose(seat, street, board, part) for part in parts], here)

    def _choose(self, seat: int, street: int, board: DealtBoard, here: Arrivals) -> Arrivals:
        options = [(row, child) for row, node in enumerate(here.nodes) for child in self._options(int(node), street)]
        row, child = (np.array(each, np.int64) for each in zip(*options, strict=True))
        values = self._worth(seat, board, child, here.theirs[row])
        margin = ROUNDING * here.theirs.sum(axis=1) * self._pot(here.nodes)
        children = []
        for at, (own, theirs) in enumerate(zip(here.own, here.theirs, strict=True)):
            mine = row == at
            best = _first_best(values[mine], margin[at])
            own_here = np.where(best == np.arange(int(mine.sum()))[:, None], own, 0.0)
            children.append(Arrivals(child[mine], own_here, np.broadcast_to(theirs, own_here.shape)))
        return _joined(children)

    def _pot(self, nodes: Ints) -> Floats:
        return np.asarray(self.tree.paid[nodes].sum(axis=1) + float(self.lookup.game.betting.pot))

    def _options(self, node: int, street: int) -> list[int]:
        """The children that the responder may go to, in the order of the tree."""
        found, late = [], street >= self.first_street
        for at, name in enumerate(self.tree.actions[node]):
            kind = "fold" if name == "fold" else "raise"
            if name in PASSIVE or (late and (kind in self.actions or name in self.actions)):
                found.append(int(self.tree.first_child[node]) + at)
        return found

    def _worth(self, seat: int, board: DealtBoard, child: Ints, theirs: Floats) -> Floats:
        """[options, hands] what going to each child is worth, times the opposing weight.

        A fold has its payoff, and a check or call that of the showdown after checks and calls. After a raise the
        opponent folds as its strategy says; the hands that do not fold are taken to call.
        """
        tree, out = self.tree, np.empty(theirs.shape)
        folds = tree.kind[child] == FOLD
        out[folds] = tree.win[child[folds], seat][:, None] * self.hands.opposing(theirs[folds])
        ranges = theirs.copy()
        raises = np.flatnonzero([self._child(int(node), ("fold",)) >= 0 for node in child])
        raises = raises[tree.kind[child[raises]] == 1 - seat]
        taken = np.zeros(theirs.shape)  # what a raise wins from hands that fold
        chances = self.lookup.probabilities_on(child[raises].tolist(), board.cards)
        for at, chance in zip(raises.tolist(), chances, strict=True):
            end = self._child(int(child[at]), ("fold",))
            fold = chance[end - int(tree.first_child[child[at]])]
            ranges[at] *= 1 - fold
            taken[at] = tree.win[end, seat] * self.hands.opposing((theirs[at] * fold)[None])[0]
        shown = ~folds
        ends = self.passive_end[child[shown]]
        out[shown] = taken[shown] + self._shown_down(seat, board, ends, ranges[shown])
        return out


def _first_best(values: Floats, margin: float) -> Ints:
    """[hands] the first of the best rows of values [options, hands]."""
    best, highest = np.zeros(values.shape[1], np.int64), values[0].copy()
    for option in range(1, len(values)):
        better = values[option] > highest + margin
        best[better], highest[better] = option, values[option][better]
    return best


def _joined(parts: Sequence[Arrivals], empty: Arrivals | None = None) -> Arrivals:
    """Arrivals one after the other; without parts, no row of `empty`."""
    if not parts:
        assert empty is not None
        return empty.rows(np.zeros(len(empty.nodes), np.bool_))
    return Arrivals(*(np.concatenate(each) for each in zip(*parts, strict=True)))
