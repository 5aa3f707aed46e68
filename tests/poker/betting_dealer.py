"""The slow oracle of betting trees: a dealer who takes actions by name, one at a time, and knows only the table."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.limit import Limit
from regretless.poker.betting.no_limit import NoLimit


@dataclass
class Dealer:
    """A hand in progress, chips counted as a dealer does: behind, and in front of each player."""

    rules: Limit | NoLimit
    behind: list[float] = field(init=False)
    front: list[float] = field(init=False)  # of this street; antes are in the middle at once
    street: int = 0
    mover: int = field(init=False)
    acted: set[int] = field(default_factory=set)  # since the last bet or raise
    increment: float = 0.0
    raises: int = 0
    folder: int = -1
    over: bool = False

    def __post_init__(self) -> None:
        rules = self.rules
        self.front = [float(blind) for blind in rules.blinds]
        self.behind = [rules.chips - rules.ante - blind for blind in rules.blinds]
        self.mover = rules.openers[0]
        self.increment = max(self.front)

    def take(self, action: str) -> None:
        """Play one action of the mover, refusing what the rules of poker refuse."""
        mover, other = self.mover, 1 - self.mover
        owed = max(self.front[other] - self.front[mover], 0.0)
        word = action.split()[0]
        if word == "fold":
            assert owed > 0
            self.folder, self.over = mover, True
            return
        if word in ("check", "call"):
            assert (word == "call") == (owed > 0)
            self.pay(owed)
            self.acted.add(mover)
        else:
            self.bet(action, word)
            self.acted = {mover}
        self.mover = other
        if self.acted == {0, 1}:
            self.end_street()

    def bet(self, action: str, word: str) -> None:
        mover, other = self.mover, 1 - self.mover
        if word == "all-in":
            self.pay(self.behind[mover])
        else:
            assert (word == "raise") == (max(self.front) > 0)
            if isinstance(self.rules, Limit):
                target = max(self.front) + self.rules.bet_sizes[self.street]
            else:
                target = float(action.split()[-1])
            increment = target - max(self.front)
            self.pay(target - self.front[mover])
            if isinstance(self.rules, NoLimit):
                assert increment >= max(self.increment, self.rules.least_bet) - 0.021  # names have two decimals
            self.increment = increment
        assert self.behind[other] > 0
        self.raises += 1
        assert self.raises <= self.rules.most_bets[self.street]

    def pay(self, chips: float) -> None:
        self.behind[self.mover] -= chips
        self.front[self.mover] += chips
        assert self.behind[self.mover] >= -1e-9

    def end_street(self) -> None:
        self.over = self.street == self.rules.streets - 1 or self.behind[0] <= 1e-9
        if not self.over:
            self.street += 1
            self.front, self.acted, self.increment, self.raises = [0.0, 0.0], set(), 0.0, 0
            self.mover = self.rules.openers[self.street]


def check_tree(tree: BettingTree, rules: Limit | NoLimit) -> None:
    """Play every line of the tree at the dealer's table, and hold each node against what lies there."""
    check_shape(tree)
    start = rules.chips if np.isfinite(rules.chips) else 1e9
    for node in range(len(tree)):
        dealer = Dealer(rules)
        dealer.behind = [start - rules.ante - blind for blind in rules.blinds]
        line = tree.line(node)
        for action in split_names(tree, node):
            assert not dealer.over
            dealer.take(action)
        if tree.kind[node] == DEAL:
            continue
        assert tree.find(line) == node
        np.testing.assert_allclose(tree.paid[node], [start - chips for chips in dealer.behind], atol=0.1)
        assert (tree.kind[node] in (FOLD, SHOWDOWN)) == dealer.over
        assert tree.folder[node] == dealer.folder
        if not dealer.over:
            assert tree.kind[node] == dealer.mover and tree.street[node] == dealer.street


def split_names(tree: BettingTree, node: int) -> list[str]:
    """The names of the actions on the way to a node."""
    names: list[str] = []
    while (parent := int(tree.parent[node])) >= 0:
        if tree.actions[parent]:
            names.append(tree.actions[parent][node - int(tree.first_child[parent])])
        node = parent
    return names[::-1]


def check_shape(tree: BettingTree) -> None:
    """Children are runs one after the other, parents know them, kinds have the children they should."""
    nodes = np.arange(len(tree))
    np.testing.assert_array_equal(tree.first_child, 1 + np.cumsum(tree.children) - tree.children)
    np.testing.assert_array_equal(tree.parent, [-1, *np.repeat(nodes, tree.children)])
    assert tree.children.sum() == len(tree) - 1
    np.testing.assert_array_equal(tree.children == 0, tree.kind > DEAL)
    assert (tree.children[tree.kind == DEAL] == 1).all()
    assert (tree.folder >= 0).tolist() == (tree.kind == FOLD).tolist()
    for node in nodes:
        names = tree.actions[node]
        assert len(names) == (tree.children[node] if tree.kind[node] < DEAL else 0)
        assert len(set(names)) == len(names)
        if tree.parent[node] >= 0:
            assert tree.street[node] == tree.street[tree.parent[node]] + (tree.kind[tree.parent[node]] == DEAL)


def check_payoffs(tree: BettingTree, pot: float, rake: float = 0.0, cap: float = np.inf, free: int = 0) -> None:
    """Every end pays what was staked: the winner gets the loser's stake less the rake. `free`: streets without rake."""
    for node in range(len(tree)):
        win, tie, lose = tree.win[node], tree.tie[node], tree.lose[node]
        if tree.kind[node] <= DEAL:
            assert not win.any() and not tie.any() and not lose.any()
            continue
        stake = tree.paid[node].min() + pot / 2
        taken = min(2 * stake * rake, cap)
        if tree.kind[node] == FOLD:
            folder = int(tree.folder[node])
            taken = 0.0 if tree.street[node] < free else taken
            for outcome in (win, tie, lose):
                np.testing.assert_allclose(outcome[folder], -stake, atol=1e-9)
                np.testing.assert_allclose(outcome[1 - folder], stake - taken, atol=1e-9)
        else:
            assert tree.paid[node, 0] == tree.paid[node, 1]
            np.testing.assert_allclose(win, stake - taken, atol=1e-9)
            np.testing.assert_allclose(lose, -stake, atol=1e-9)
            np.testing.assert_allclose(tie, -taken / 2, atol=1e-9)
