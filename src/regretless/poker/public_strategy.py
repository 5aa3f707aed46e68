"""Strategies of games on public trees: what every hand does at a node of the betting, on a board, and what it expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public_layout import DEAL, Numbers
from regretless.poker.board_finding import FoundBoard, find_board
from regretless.poker.bundles import betting_arrays
from regretless.poker.cards import CardText
from regretless.poker.public_tree import PublicTree
from regretless.poker.walks import Walker

__all__ = ["NodeStrategy", "PublicLabels", "PublicStrategy"]

Array = npt.NDArray[Any]

WHOLE_STREET = 1 << 40
"""More lanes than any street has: its bundle is the whole street, so all its values stay to be read."""


@dataclass(frozen=True)
class PublicLabels:
    """What a run of a public tree needs instead of labels of infosets."""

    tree: PublicTree
    players: int = 2

    def average(self, arrays: Mapping[str, Array]) -> PublicStrategy:
        """The average strategy of a run's arrays; the current one before anything is averaged."""
        return PublicStrategy(self.tree, arrays, "average")

    def current(self, arrays: Mapping[str, Array]) -> PublicStrategy:
        """The last iterate of a run's arrays."""
        return PublicStrategy(self.tree, arrays, "guess" if "guess" in arrays else "regret")


@dataclass(frozen=True, eq=False)
class NodeStrategy:
    """What one player does at one node on one board, hand by hand.

    `ev` and `action_ev` are chips that a hand expects from here on: what it will get out of the pot less what it still
    puts in, so folding is worth 0.
    """

    line: str
    board: str
    player: int
    actions: tuple[str, ...]
    hands: Array  # [hands, size] cards
    names: tuple[str, ...]  # [hands]
    probabilities: Array  # [hands, actions]
    weight: Array  # [hands] range weight × own probability of coming here
    opposing: Array  # [hands] weight of the other player's hands that come here and share no card
    ev: Array  # [hands] chips; nan where nobody opposes
    action_ev: Array  # [hands, actions] chips
    pot: float  # chips in the middle

    @property
    def frequencies(self) -> dict[str, float]:
        """How often each action is played, over all hands as they come here."""
        mass = self.weight * self.opposing
        total = float(mass.sum())
        shares = mass @ self.probabilities / total if total > 0 else self.probabilities.mean(axis=0)
        return {action: float(share) for action, share in zip(self.actions, shares, strict=True)}

    @property
    def mean_ev(self) -> float:
        """Chips that the player expects from here on, over all hands."""
        mass = self.weight * self.opposing
        seen = mass > 0
        return float((mass[seen] * self.ev[seen]).sum() / mass[seen].sum()) if seen.any() else float("nan")

    def __getitem__(self, hand: str) -> dict[str, float]:
        """{action: probability} of one hand, such as "AsKh"."""
        at = self._position(hand)
        return {action: float(p) for action, p in zip(self.actions, self.probabilities[at], strict=True)}

    def _position(self, hand: str) -> int:
        known = {frozenset(_pairs(name)): at for at, name in enumerate(self.names)}
        at = known.get(frozenset(_pairs(hand.strip())))
        if at is None:
            raise OptionError(f"there is no hand {hand!r} here on {self.board or 'no board'}; for example {self.names[0]}")
        return at

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        shares = ", ".join(f"{action} {share:.1%}" for action, share in self.frequencies.items())
        where = f" on {self.board}" if self.board else ""
        return f"<player {self.player} at {self.line or 'the beginning'!r}{where}: {shares}>"


def _pairs(name: str) -> list[str]:
    text = name.replace("10", "T").replace(" ", "")
    return [text[i : i + 2].capitalize() for i in range(0, len(text), 2)]


class PublicStrategy:
    """The strategy of a game on a public tree: `strategy.at("check bet", board="Qs Jh 2h")`."""

    def __init__(self, tree: PublicTree, arrays: Mapping[str, Array], source: str) -> None:
        self.tree, self.arrays, self.source_name = tree, arrays, source

    @cached_property
    def source(self) -> Array:
        """The numbers that strategies are proportional to; of a file, those that have been read so far."""
        return self.arrays.need(self.source_name, ()) if hasattr(self.arrays, "need") else self.arrays[self.source_name]

    def _read(self, path: tuple[int, ...]) -> None:
        """See to it that everything on a path of boards, and below its end, has been read."""
        if hasattr(self.arrays, "need"):
            self.arrays.need(self.source_name, [*path, *self.tree.below(path[-1])])

    def node(self, line: str | int) -> int:
        """The number in the betting tree of a line of play."""
        tree = self.tree.betting_tree
        node = line if isinstance(line, int) else tree.find(line)
        if tree.kind[node] >= DEAL:
            raise OptionError(f"nobody decides after {tree.line(node)!r}: the hand is over there")
        return node

    def at(self, line: str | int = "", board: CardText | None = None) -> NodeStrategy:
        """What the player whose turn it is does after a line of play, hand by hand, and what each hand expects."""
        node = self.node(line)
        street = int(self.tree.betting_tree.street[node])
        return self._node_strategy(node, find_board(self.tree, street, board))

    def block(self, node: int, board: int) -> Array:
        """[actions, classes] probabilities at a node of the betting tree on a board of the book."""
        tree = self.tree
        at = tree.order.number[node]
        player = int(tree.betting.kind[at])
        first, stride, count = (int(of[player, board]) for of in (
            tree.book.arrays.first, tree.book.arrays.stride, tree.book.arrays.count))  # fmt: skip
        actions = int(tree.betting.children[at])
        begin = first + int(tree.betting.slot[at]) * stride
        rows = self.source[begin : begin + actions * stride].reshape(actions, stride)[:, :count].astype(np.float64)
        return matched(rows)

    @cached_property
    def _walker(self) -> Walker:
        from regretless.methods.learner import processors

        dtype = "float64" if self.source.dtype == np.float64 else "float32"
        return Walker(self.tree, dtype, processors(), betting_arrays(self.tree.betting_tree, self.tree.order, WHOLE_STREET))

    @cached_property
    def _numbers(self) -> Numbers:
        tree = self.tree
        return Numbers(
            regret=self.source,
            guess=self.source if "guess" in self.arrays else None,
            average=self.source,
            scale=np.zeros((3, 1), np.float32) if "scale" in self.arrays else None,
            scale_first=np.zeros(tree.boards, np.int64),
            locked=None,
        )

    def _node_strategy(self, node: int, board: FoundBoard) -> NodeStrategy:
        tree, game = self.tree, self.tree.game
        self._read(board.path)
        at = int(tree.order.number[node])
        player = int(tree.betting.kind[at])
        hands, classes = board.hands(player)
        walker = self._walker
        street = len(board.path) - 1
        room = walker.look(player, self._numbers, self.source, board.path)
        origin = int(tree.betting.street_nodes[street])
        theirs = room.theirs[walker.betting.row[1 - player, at]]
        mine = room.mine[walker.betting.row[player, at]]
        opposing = tree.available(board.number, player, theirs)[classes]
        child = int(tree.betting.first_child[at]) - origin
        actions = int(tree.betting.children[at])
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = float(tree.betting_tree.paid[node, player]) + game.betting.pot / 2
            ev = room.played[at - origin][classes] / opposing + offset
            action_ev = np.stack([room.played[child + a][classes] / opposing for a in range(actions)], axis=1) + offset
        nobody = opposing <= 0
        ev[nobody], action_ev[nobody] = np.nan, np.nan
        weights = game.hand_weights()[player]
        every = tree.book.symmetry.codes(game.deck.hands(game.hand_size).astype(np.int64))
        own = weights[np.searchsorted(every, tree.book.symmetry.codes(hands))]
        return NodeStrategy(
            line=tree.betting_tree.line(node),
            board=game.deck.names(board.cards),
            player=player,
            actions=tree.betting_tree.actions[node],
            hands=hands,
            names=tuple(game.deck.hand_name(hand) for hand in hands),
            probabilities=self.block(node, board.number)[:, classes].T,
            weight=mine[classes].astype(np.float64) * own,
            opposing=opposing,
            ev=ev,
            action_ev=action_ev,
            pot=float(tree.betting_tree.paid[node].sum()) + game.betting.pot,
        )

    def __repr__(self) -> str:
        return f"<PublicStrategy of {self.tree.game.name}: {self.tree.infosets:,} infosets>"


def matched(rows: Array) -> Array:
    """[actions, classes] in proportion to what is positive, uniform where nothing is."""
    positive = np.maximum(rows, 0.0)
    total = positive.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0, positive / np.where(total > 0, total, 1.0), 1.0 / len(rows))
