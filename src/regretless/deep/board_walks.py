"""Public chance sampling for hold'em (Johanson et al. 2012): a few boards are drawn, and walked with all hands at once.

External sampling draws one hand for each player and one action of the other: what an action gained then says little of
what it gains on average. Here only the board is drawn. Every pair of hands that it leaves is compared, all actions are
followed, and what an action gains is exact for the board. Samples are then drawn from all decisions on it, each as
often as external sampling would come there, so memories and networks notice nothing but that targets are quieter.

A board of flop hold'em leaves 1,176 hands: a product of two matrices compares all pairs at every showdown together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import torch

from regretless.deep.holdem import HoldemGame, head_of_actions
from regretless.deep.holdem_policy import StrategyOn
from regretless.deep.traversal import Found, Walked
from regretless.kernels.public_layout import DEAL, SHOWDOWN

__all__ = ["Boards", "drawn_boards", "walk_boards"]


@dataclass(frozen=True, eq=False)
class Boards:
    """Some boards with all hands on them; B boards, H hands on each."""

    infosets: list[torch.Tensor]  # for each street [B · H, cards + 1] what a player sees
    meets: torch.Tensor  # [B, H, H] 1 where two hands share no card
    beats: torch.Tensor  # [B, H, H] 1 where the first hand also wins
    holds: torch.Tensor  # [B, H, H] 1 where it also wins or ties

    @property
    def shape(self) -> tuple[int, int]:
        """Boards and hands."""
        return self.meets.shape[0], self.meets.shape[1]


def drawn_boards(game: HoldemGame, count: int, generator: torch.Generator) -> Boards:
    """So many whole boards, all equally likely, and all hands on them."""
    _, board = game.drawn(count, 0, generator)
    left = torch.ones((count, game.game.deck.size), dtype=torch.bool, device=game.device).scatter_(1, board, False)
    cards = left.nonzero()[:, 1].view(count, -1)  # [B, cards that are left]
    pairs = torch.tensor(list(combinations(range(cards.shape[1]), game.game.hand_size)), device=game.device)
    return laid_out(game, board, cards[:, pairs])


def laid_out(game: HoldemGame, board: torch.Tensor, hands: torch.Tensor) -> Boards:
    """Boards [B, cards] with hands [B, H, size] compared pair by pair."""
    count, number, size = hands.shape
    flat, repeated = hands.reshape(-1, size), board.repeat_interleave(number, dim=0)
    infosets = [game.spelled(flat, repeated, street) for street in range(game.tree.streets)]
    strength = game.strength(torch.cat([flat, repeated], dim=1)).view(count, number)
    shared = (hands[:, :, None, :, None] == hands[:, None, :, None, :]).any(-1).any(-1)  # [B, H, H]
    meets = ~shared
    beats = meets & (strength[:, :, None] > strength[:, None, :])
    holds = meets & (strength[:, :, None] >= strength[:, None, :])
    return Boards(infosets, meets.float(), beats.float(), holds.float())


def walk_boards(
    game: HoldemGame,
    walker: int,
    boards: Boards,
    samples: int,
    strategies: Sequence[StrategyOn],
    generator: torch.Generator,
) -> Walked:
    """Follow all betting on some boards, and draw so many samples for the walker and for the other player.

    `strategies` are those of both players.
    """
    walk = _Walk(game, walker, boards, strategies)
    return Walked(walk.advantages(samples, generator), {1 - walker: walk.strategies(samples, generator)}, walk.nodes)


class _Walk:
    """What is known at the nodes of the betting, for the hands of one player; all tensors are [B, H, …]."""

    def __init__(self, game: HoldemGame, walker: int, boards: Boards, strategies: Sequence[StrategyOn]) -> None:
        self.game, self.walker, self.boards, self.tree = game, walker, boards, game.tree
        self.number = game.decision.cpu().numpy()  # [N] of a node among all decisions
        self.says = [[strategy_on(rows) for rows in boards.infosets] for strategy_on in strategies]
        self.played: dict[int, torch.Tensor] = {}  # [B, H, A] at decisions: what the player who decides does
        self.reach: dict[int, torch.Tensor] = {0: torch.ones(boards.shape, device=game.device)}  # [B, H] of the other
        self.gains: dict[int, torch.Tensor] = {}  # [B, H, A] at the walker's decisions: chips, counted with that reach
        self._down()
        self._up()
        self.nodes = len(self.tree) * boards.shape[0] * boards.shape[1]

    def _down(self) -> None:
        """The other player's reach at every node, from the root on."""
        tree = self.tree
        for node in range(len(tree)):
            kind, child = int(tree.kind[node]), int(tree.first_child[node])
            if kind >= 2:
                if kind == DEAL:
                    self.reach[child] = self.reach[node]
                continue
            strategy = self.says[kind][int(tree.street[node])](int(self.number[node]))
            self.played[node] = strategy.view(*self.boards.shape, -1)
            for action, head in enumerate(head_of_actions(tree, node)):
                share = 1.0 if kind == self.walker else self.played[node][..., head]
                self.reach[child + action] = self.reach[node] * share

    def _up(self) -> None:
        """What every hand of the walker wins from there on, counted with the other's reach; from the leaves up."""
        tree = self.tree
        worth = self._at_ends()
        for node in range(len(tree) - 1, -1, -1):
            kind, child = int(tree.kind[node]), int(tree.first_child[node])
            if kind == DEAL:
                worth[node] = worth.pop(child)
            elif kind < 2:
                of_action = [worth.pop(child + action) for action in range(int(tree.children[node]))]
                worth[node] = self._gained(node, of_action) if kind == self.walker else torch.stack(of_action).sum(0)

    def _gained(self, node: int, of_action: list[torch.Tensor]) -> torch.Tensor:
        """What the walker's strategy wins at a decision of its own; what each action gains over that is noted."""
        gains = torch.zeros_like(self.played[node])
        for head, value in zip(head_of_actions(self.tree, node), of_action, strict=True):
            gains[..., head] = value
        played = (gains * self.played[node]).sum(-1)
        legal = self.game.allowed[int(self.number[node])]
        self.gains[node] = (gains - played[..., None]) * legal
        return played

    def _at_ends(self) -> dict[int, torch.Tensor]:
        """[B, H] by terminal node: chips that each hand wins there, from all hands that it can meet."""
        tree, walker = self.tree, self.walker
        ends = [node for node in range(len(tree)) if tree.kind[node] > DEAL]
        shown = [node for node in ends if tree.kind[node] == SHOWDOWN]
        reach = torch.stack([self.reach[node] for node in ends], dim=-1)  # [B, H, ends]
        met = self.boards.meets @ reach
        worth = {node: float(tree.win[node, walker]) * met[..., at] for at, node in enumerate(ends)}
        if not shown:
            return worth
        reach = torch.stack([self.reach[node] for node in shown], dim=-1)
        won, held = self.boards.beats @ reach, self.boards.holds @ reach
        for at, node in enumerate(shown):
            win, tie, lose = (float(pays[node, walker]) for pays in (tree.win, tree.tie, tree.lose))
            met_there = met[..., ends.index(node)]
            worth[node] = (win - tie) * won[..., at] + (tie - lose) * held[..., at] + lose * met_there
        return worth

    def advantages(self, samples: int, generator: torch.Generator) -> Found:
        """Samples of what actions gain the walker, drawn as often as the other player and chance let it come there."""
        decisions = list(self.gains)
        reach = torch.stack([self.reach[node] for node in decisions], dim=-1)  # [B, H, decisions]
        coming = (self.boards.meets @ reach).movedim(-1, 0).contiguous()  # [decisions, B, H] of all hands it can meet
        at, board_hand = _drawn(coming, samples, generator)
        gains = torch.stack([self.gains[node] for node in decisions]).flatten(1, 2)[at, board_hand]
        return Found(self._seen(decisions, at, board_hand), gains / coming.flatten(1)[at, board_hand][:, None])

    def strategies(self, samples: int, generator: torch.Generator) -> Found:
        """Samples of what the other player does, drawn as often as it comes there by its own choice."""
        decisions = [node for node in self.played if int(self.tree.kind[node]) != self.walker]
        at, board_hand = _drawn(torch.stack([self.reach[node] for node in decisions]), samples, generator)
        played = torch.stack([self.played[node] for node in decisions]).flatten(1, 2)[at, board_hand]
        return Found(self._seen(decisions, at, board_hand), played)

    def _seen(self, decisions: list[int], at: torch.Tensor, board_hand: torch.Tensor) -> torch.Tensor:
        """[n, cards + 1] the infosets of some decisions [n] with some hands on some boards [n]."""
        street = torch.tensor([int(self.tree.street[node]) for node in decisions], device=at.device)
        number = torch.tensor([int(self.number[node]) for node in decisions], device=at.device)
        rows = torch.stack(self.boards.infosets)[street[at], board_hand]
        rows[:, -1] = number[at].to(torch.int16)
        return rows


def _drawn(weight: torch.Tensor, count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Places drawn in proportion to weights [decisions, B, H]: the decision [n], and board and hand as one number [n].

    Draws are spread evenly (one for each n-th part of the weight), so few weights are met more often than is their due.
    """
    up_to = weight.double().flatten().cumsum(0)
    draw = torch.rand(count, dtype=torch.float64, device=weight.device, generator=generator)
    point = (torch.arange(count, device=weight.device) + draw) / count * up_to[-1]
    place = torch.searchsorted(up_to, point, right=True).clamp(max=len(up_to) - 1)
    hands = weight[0].numel()
    return place // hands, place % hands
