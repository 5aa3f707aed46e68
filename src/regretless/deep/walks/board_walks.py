"""Public chance sampling for hold'em (Johanson et al. 2012): some boards are sampled and walked with all hands at once.

External sampling draws one hand for each player and one action of the other, so an action's sampled advantage has a
large variance. Here only the board is drawn, or all boards are walked. All pairs of hands that the board leaves are
compared and all actions are followed, so advantages are exact for the board. Samples are then drawn from all decisions
in proportion to their reach under external sampling: memories and networks get the same distribution with less noise.
On streets before the last, the target is the mean over the boards that were walked.

A board of flop hold'em leaves 1,176 hands: one matrix product compares all pairs at all showdowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import HandStrategy, chunks, in_parts
from regretless.deep.memories.reservoir import check_memory
from regretless.deep.walks.drawing import draw
from regretless.deep.walks.traversal import Positions, Samples, WalkResult
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.tree.public_tree import PublicTree

__all__ = [
    "BoardWalk",
    "Boards",
    "all_boards",
    "check_walk",
    "positions_to_follow",
    "sample_boards",
    "walk_boards",
    "walk_bytes",
]

COMPARED = 1 << 26
"""Pairs of hands that are compared at once."""

SUMMED = 64
"""Decisions that are summed over boards at once."""


@dataclass(frozen=True, eq=False)
class Boards:
    """Some boards with all hands on them; B boards, H hands on each."""

    infosets: list[torch.Tensor]  # for each street [B · H, cards + 1] what a player sees
    weight: torch.Tensor  # [B] the number of boards that each stands for
    strength: torch.Tensor  # [B, H] of each hand on the whole board
    disjoint: torch.Tensor  # [H, H] 1 where two hands share no card; the same on all boards
    same_view: list[torch.Tensor]  # for each street but the last [B · H]: equal where a player sees the same

    @property
    def shape(self) -> tuple[int, int]:
        """Boards and hands."""
        return self.strength.shape[0], self.strength.shape[1]

    def compatible(self, reach: torch.Tensor) -> torch.Tensor:
        """[…, H] for each hand the sum of the reaches […, H] of hands that share no card with it."""
        return reach @ self.disjoint

    def beaten(self, reach: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """([B, n, H], [B, n, H]) the reach [B, n, H] of hands that each hand beats, and of those it beats or ties."""
        boards, hands = self.shape
        won, held = torch.empty_like(reach), torch.empty_like(reach)
        size = max(1, COMPARED // hands**2)
        for here in (slice(first, first + size) for first in range(0, boards, size)):
            theirs, mine = self.strength[here, :, None], self.strength[here, None, :]
            torch.bmm(reach[here], (mine > theirs) * self.disjoint, out=won[here])
            torch.bmm(reach[here], (mine >= theirs) * self.disjoint, out=held[here])
        return won, held


def sample_boards(game: HoldemGame, count: int, generator: torch.Generator) -> Boards:
    """`count` whole boards, all equally likely, and all hands on them."""
    _, board = game.sample_cards(count, 0, generator)
    return boards_with_hands(game, board, torch.ones(count, device=game.device))


def all_boards(game: HoldemGame, tree: PublicTree) -> Boards:
    """All boards up to suits, each with the number of boards that it stands for."""
    first, last = (int(number) for number in tree.book.arrays.street_boards[-2:])
    board = torch.tensor(tree.book.cards[first:last], dtype=torch.int64, device=game.device)
    ways = [float(tree.book.ways(number)) for number in range(first, last)]
    return boards_with_hands(game, board.view(last - first, -1), torch.tensor(ways, device=game.device))


def boards_with_hands(game: HoldemGame, board: torch.Tensor, weight: torch.Tensor) -> Boards:
    """Boards [B, cards] with all hands on them."""
    hands, pairs = game.hands_on(board)
    count, hands = len(board), hands.flatten(0, 1)
    repeated = board.repeat_interleave(len(pairs), dim=0)
    pieces = list(chunks(len(hands), game.device))
    infosets = [
        torch.cat([game.encode(hands[rows], repeated[rows], street) for rows in pieces])
        for street in range(game.tree.streets)
    ]
    strength = torch.cat([game.strength(torch.cat([hands[rows], repeated[rows]], dim=1)) for rows in pieces])
    disjoint = ~(pairs[:, None, :, None] == pairs[None, :, None, :]).any(-1).any(-1)
    digits = (game.game.deck.size + 1) ** torch.arange(game.visible + 1, device=game.device)
    same_view = [(rows.long() * digits).sum(1).unique(return_inverse=True)[1] for rows in infosets[:-1]]
    return Boards(infosets, weight, strength.view(count, -1), disjoint.float(), same_view)


def walk_bytes(game: HoldemGame, boards: int) -> int:
    """A lower bound on the bytes that a walk over this many boards allocates."""
    tree, left = game.tree, game.game.deck.size - game.cards + game.game.hand_size
    ends, shown = int((tree.kind > DEAL).sum()), int((tree.kind == SHOWDOWN).sum())
    numbers = 2 * len(tree) + ends + 4 * shown + int(1.5 * game.heads * len(game.bets))
    return 4 * boards * comb(left, game.game.hand_size) * numbers


def check_walk(game: HoldemGame, boards: int) -> None:
    """Raise OptionError if a walk over this many boards does not fit into memory."""
    check_memory(walk_bytes(game, boards), f"walking {boards:,} boards", game.device, "set boards to a lower number")


def positions_to_follow(
    game: HoldemGame, walker: int, boards: Boards, samples: int, generator: torch.Generator
) -> Positions:
    """Positions for a memory that follows the same ones in all iterations: as many at each decision of the betting, and
    all deals there equally likely.

    Were they drawn as often as the first walk comes there, few of them or none would be at lines that the other player
    learns to take later on; and these few would then have most of the weight.
    """
    deals = boards.weight.repeat_interleave(boards.shape[1])  # [B · H]
    own = (game.mover == walker).nonzero()[:, 0]
    place = torch.arange(samples, device=game.device) % len(own)
    deal = draw(deals, samples, generator)
    alike = [deals.new_zeros(len(deals)).index_add_(0, view, deals)[view] for view in boards.same_view]
    often = torch.stack([*alike, deals])  # [streets, B · H] where boards look alike they share what is drawn there
    return Positions(place * len(deals) + deal, often[game.street[own[place]], deal])


def walk_boards(
    game: HoldemGame,
    walker: int,
    boards: Boards,
    samples: int,
    strategies: Sequence[HandStrategy],
    generator: torch.Generator,
    *,
    sample_other: bool = True,
    fixed: Positions | None = None,
    off_path: float = 1.0,
) -> WalkResult:
    """Follow all betting on some boards, and draw `samples` samples for the walking player and for the other.

    `strategies` are those of both players. `sample_other=False` leaves out samples of the other player's strategy. With
    `fixed` positions the walking player's samples are taken there instead of drawn. `off_path` is the share of samples
    that do not depend on the walking player's own reach.
    """
    walk = BoardWalk(game, walker, boards, strategies)
    other = {1 - walker: walk.strategies(samples, generator)} if sample_other else {}
    return WalkResult(walk.advantages(samples, generator, fixed, off_path), other, walk.nodes)


class BoardWalk:
    """Reaches and values at all nodes of the betting, for the hands of one player; N nodes, O own decisions."""

    def __init__(self, game: HoldemGame, walker: int, boards: Boards, strategies: Sequence[HandStrategy]) -> None:
        self.game, self.walker, self.boards, self.tree = game, walker, boards, game.tree
        count, self.own, self.others = boards.strength.numel(), *self._decisions()
        self.played = self._probabilities(strategies)  # [D, B · H, A] the mover's, at all decisions
        self.reach = self._reach_of(1 - walker, self.boards.weight)  # [N, B · H] of the other player
        self.gains = torch.zeros((len(self.own), count, game.heads), device=game.device)
        """[O, B · H, A] advantages × the other's reach, chips"""
        self._compute_values()
        self.nodes = len(self.tree) * count

    def _decisions(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The nodes of the walking player's decisions [O], and those of the other's."""
        mover = self.game.mover
        return (mover == self.walker).nonzero()[:, 0], (mover == 1 - self.walker).nonzero()[:, 0]

    def _probabilities(self, strategies: Sequence[HandStrategy]) -> torch.Tensor:
        """[D, B · H, A] of both players at all decisions; each network reads the cards of a street once."""
        game, rows = self.game, self.boards.strength.numel()
        played = torch.empty((len(game.decisions), rows, game.heads), device=game.device)
        for mover, strategy_of in enumerate(strategies):
            for street, infosets in enumerate(self.boards.infosets):
                nodes = ((game.mover == mover) & (game.street == street)).nonzero()[:, 0]
                decisions, strategy = game.decision[nodes], strategy_of(infosets)
                for part in in_parts(decisions, rows):
                    played[decisions[part]] = strategy(decisions[part])
        return played

    def _reach_of(self, player: int, boards: torch.Tensor) -> torch.Tensor:
        """[N, B · H] a player's reach at every node, from the root down, times a number for each board [B]."""
        reach = torch.empty((len(self.tree), self.boards.strength.numel()), device=self.game.device)
        reach[0] = boards.repeat_interleave(self.boards.shape[1])
        for group in self.game.node_groups:
            below = reach[group.node][:, None]  # [m, 1, B · H]
            if group.mover == player:
                below = below * self.played[group.decision[:, None], :, group.head]  # [m, k, B · H]
            reach[group.child] = below.expand(*group.child.shape, -1)
        return reach

    def _compute_values(self) -> None:
        """The value of every node to each hand of the walking player × the other's reach, from the leaves up."""
        value, place = self._terminal_values(), torch.zeros(len(self.tree), dtype=torch.int64, device=self.game.device)
        place[self.own] = torch.arange(len(self.own), device=self.game.device)
        for group in reversed(self.game.node_groups):
            of_action = value[group.child]  # [m, k, B · H]
            if group.mover != self.walker:
                value[group.node] = of_action.sum(1)
                continue
            here, legal = place[group.node], self.game.allowed[group.decision]
            self.gains[here[:, None], :, group.head] = of_action
            gains = self.gains[here]  # [m, B · H, A]
            played = (gains * self.played[group.decision]).sum(-1)
            self.gains[here] = (gains - played[..., None]) * legal[:, None]
            value[group.node] = played

    def _terminal_values(self) -> torch.Tensor:
        """[N, B · H] with the values of terminal nodes: what each hand wins there from all compatible hands × their
        reach."""
        game, value = self.game, torch.empty_like(self.reach)
        ends = torch.from_numpy(np.flatnonzero(self.tree.kind > DEAL)).to(game.device)
        win, tie, lose = (pays[self.walker, :, None, None] for pays in (game.win, game.tie, game.lose))
        compatible = self.boards.compatible(self.reach[ends].view(-1, *self.boards.shape))  # [ends, B, H]
        value[ends] = (win[ends] * compatible).flatten(1)
        shown = game.shown[ends]
        if bool(shown.any()):
            everyone, ends = compatible[shown], ends[shown]
            reach = self.reach[ends].view(-1, *self.boards.shape).transpose(0, 1).contiguous()  # [B, shown, H]
            won, held = (part.transpose(0, 1) for part in self.boards.beaten(reach))
            found = everyone.mul_(lose[ends]).addcmul_((win - tie)[ends], won).addcmul_((tie - lose)[ends], held)
            value[ends] = found.flatten(1)
        return value

    def advantages(
        self, samples: int, generator: torch.Generator, fixed: Positions | None, off_path: float = 1.0
    ) -> Samples:
        """Samples of the walking player's advantages, in proportion to the reach of the other player and chance, times
        off_path + (1 − off_path) · own reach."""
        total = self.drawn_with()  # [O, B · H]
        drawn = total
        if off_path < 1 and fixed is None:
            own = self._reach_of(self.walker, torch.ones_like(self.boards.weight))[self.own]
            drawn = own.mul_(1 - off_path).add_(off_path).mul_(total)
        index = draw(drawn.flatten(), samples, generator) if fixed is None else fixed.indices
        weights = None if fixed else self._weights(drawn, float(self.boards.disjoint.sum()), len(index))
        del drawn
        gains, streets = self.gains.clone(), self.game.street[self.own]
        for street in range(self.tree.streets - 1):
            self.sum_over_boards(street, (streets == street).nonzero()[:, 0], gains, total)
        reach = total.flatten()[index]
        target = torch.where(reach[:, None] > 0, gains.flatten(0, 1)[index] / reach[:, None], 0.0)
        return Samples(self._infosets(self.own, index), target, Positions(index, reach), weights)

    def drawn_with(self) -> torch.Tensor:
        """[O, B · H] the reach of all compatible hands of the other player: samples are drawn in proportion to it."""
        return self.boards.compatible(self.reach[self.own].view(-1, *self.boards.shape)).flatten(1)

    def _weights(self, reach: torch.Tensor, ways: float, samples: int) -> torch.Tensor:
        """[samples] the mean number of decisions that a deal comes to; `ways` deals of a board have a reach of 1 each.

        Walks of single deals leave a sample at every decision they come to, and the longer the plays, the more samples.
        Here their number is always the same: without this factor draws and iterations of long plays count too little.
        """
        mean = float(reach.double().sum()) / (float(self.boards.weight.double().sum()) * ways)
        return torch.full((samples,), mean, dtype=torch.float64, device=reach.device)

    def sum_over_boards(self, street: int, early: torch.Tensor, gains: torch.Tensor, total: torch.Tensor) -> None:
        """At some decisions of a street, sum gains and reach over all boards that look the same there."""
        same_view = self.boards.same_view[street]
        kinds = int(same_view.max()) + 1
        for table in (gains, total):
            for some in early.split(SUMMED):
                summed = torch.zeros((len(some), kinds, *table.shape[2:]), device=table.device)
                table[some] = summed.index_add_(1, same_view, table[some])[:, same_view]

    def strategies(self, samples: int, generator: torch.Generator) -> Samples:
        """Samples of the other player's strategy, in proportion to its own reach."""
        reach = self.reach[self.others]  # [decisions, B · H]
        index = draw(reach.flatten(), samples, generator)
        decision, count = self.game.decision[self.others], reach.shape[1]
        played = self.played[decision[index // count], index % count]
        weights = self._weights(reach, self.boards.shape[1], len(index))
        return Samples(self._infosets(self.others, index), played, weights=weights)

    def _infosets(self, nodes: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        """[n, cards + 1] the infosets at positions [n] among some decisions with all hands on all boards."""
        count = self.boards.strength.numel()
        node, board_hand = nodes[index // count], index % count
        rows = torch.stack(self.boards.infosets)[self.game.street[node], board_hand]
        rows[:, -1] = self.game.decision[node].to(torch.int16)
        return rows
