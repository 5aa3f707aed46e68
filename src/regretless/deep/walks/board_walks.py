"""Public chance sampling for hold'em (Johanson et al. 2012): a few boards are drawn, and walked with all hands at once.

External sampling draws one hand for each player and one action of the other: what an action gained then says little of
what it gains on average. Here only the board is drawn, or not even that if all boards are walked. Every pair of hands
that it leaves is compared, all actions are followed, and what an action gains is exact for the board. Samples are then
drawn from all decisions, each as often as external sampling would come there, so memories and networks notice nothing
but that targets are quieter. Where boards have not come yet, a target is the mean over those that were walked.

A board of flop hold'em leaves 1,176 hands: a product of two matrices compares all pairs at every showdown together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import torch

from regretless.deep.games.holdem_game import HoldemGame, head_of_actions
from regretless.deep.learners.holdem_policy import StrategyOn, chunks_of
from regretless.deep.walks.traversal import Found, Places, Walked
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["Boards", "all_boards", "drawn_boards", "room_for", "walk_boards"]

COMPARED = 1 << 26
"""Pairs of hands that are compared at once."""


@dataclass(frozen=True, eq=False)
class Boards:
    """Some boards with all hands on them; B boards, H hands on each."""

    infosets: list[torch.Tensor]  # for each street [B · H, cards + 1] what a player sees
    weight: torch.Tensor  # [B] how many boards each stands for
    strength: torch.Tensor  # [B, H] of each hand on the whole board
    meets: torch.Tensor  # [H, H] 1 where two hands share no card, which is the same on all boards
    alike: list[torch.Tensor]  # for each street but the last [B · H] equal numbers where a player sees the same

    @property
    def shape(self) -> tuple[int, int]:
        """Boards and hands."""
        return self.strength.shape[0], self.strength.shape[1]

    def met(self, reach: torch.Tensor) -> torch.Tensor:
        """[…, H] how much of reaches […, H] each hand can meet."""
        return reach @ self.meets

    def beaten(self, reach: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """([B, n, H], [B, n, H]) how much of reaches [B, n, H] each hand beats, and how much it beats or ties."""
        boards, hands = self.shape
        won, held = torch.empty_like(reach), torch.empty_like(reach)
        size = max(1, COMPARED // hands**2)
        for here in (slice(first, first + size) for first in range(0, boards, size)):
            theirs, mine = self.strength[here, :, None], self.strength[here, None, :]
            torch.bmm(reach[here], (mine > theirs) * self.meets, out=won[here])
            torch.bmm(reach[here], (mine >= theirs) * self.meets, out=held[here])
        return won, held


def drawn_boards(game: HoldemGame, count: int, generator: torch.Generator) -> Boards:
    """So many whole boards, all equally likely, and all hands on them."""
    _, board = game.drawn(count, 0, generator)
    return open_problem(game, board, torch.ones(count, device=game.device))


def all_boards(game: HoldemGame, tree: PublicTree) -> Boards:
    """All boards up to suits, each with the number of boards that it stands for."""
    first, last = (int(number) for number in tree.book.arrays.street_boards[-2:])
    board = torch.tensor(tree.book.cards[first:last], dtype=torch.int64, device=game.device)
    ways = [float(tree.book.ways(number)) for number in range(first, last)]
    return open_problem(game, board.view(last - first, -1), torch.tensor(ways, device=game.device))


def open_problem(game: HoldemGame, board: torch.Tensor, weight: torch.Tensor) -> Boards:
    """Boards [B, cards] with all hands on them."""
    hands, pairs = game.hands_on(board)
    count, hands = len(board), hands.flatten(0, 1)
    repeated = board.repeat_interleave(len(pairs), dim=0)
    chunks = list(chunks_of(len(hands), game.device))
    infosets = [
        torch.cat([game.spelled(hands[c], repeated[c], street) for c in chunks]) for street in range(game.tree.streets)
    ]
    strength = torch.cat([game.strength(torch.cat([hands[c], repeated[c]], dim=1)) for c in chunks])
    meets = ~(pairs[:, None, :, None] == pairs[None, :, None, :]).any(-1).any(-1)
    digits = (game.game.deck.size + 1) ** torch.arange(game.told + 1, device=game.device)
    alike = [(rows.long() * digits).sum(1).unique(return_inverse=True)[1] for rows in infosets[:-1]]
    return Boards(infosets, weight, strength.view(count, -1), meets.float(), alike)


def room_for(game: HoldemGame, boards: int) -> int:
    """Bytes that walking so many boards takes, at least."""
    tree, left = game.tree, game.game.deck.size - game.cards + game.game.hand_size
    ends, shown = int((tree.kind > DEAL).sum()), int((tree.kind == SHOWDOWN).sum())
    numbers = len(tree) + 2 * ends + 3 * shown + 2 * game.heads * len(game.bets)
    return 4 * boards * comb(left, game.game.hand_size) * numbers


def walk_boards(
    game: HoldemGame,
    walker: int,
    boards: Boards,
    samples: int,
    strategies: Sequence[StrategyOn],
    generator: torch.Generator,
    *,
    remember: bool = True,
    followed: Places | None = None,
) -> Walked:
    """Follow all betting on some boards, and draw so many samples for the walker, and for the other player.

    `strategies` are those of both players; what the other player does is left out if nobody is to `remember` it. Where
    places are followed, the walker's samples are those found there.
    """
    walk = _Walk(game, walker, boards, strategies)
    other = {1 - walker: walk.strategies(samples, generator)} if remember else {}
    return Walked(walk.advantages(samples, generator, followed), other, walk.nodes)


class _Walk:
    """What is known at the nodes of the betting, for the hands of one player; all tensors are [B, H, …]."""

    def __init__(self, game: HoldemGame, walker: int, boards: Boards, strategies: Sequence[StrategyOn]) -> None:
        self.game, self.walker, self.boards, self.tree = game, walker, boards, game.tree
        self.number = game.decision.cpu().numpy()  # [N] of a node among all decisions
        self.says = [[strategy_on(rows) for rows in boards.infosets] for strategy_on in strategies]
        self.played: dict[int, torch.Tensor] = {}  # [B, H, A] at decisions: what the player who decides does
        self.reach: dict[int, torch.Tensor] = {0: boards.weight[:, None].expand(boards.shape)}  # [B, H] of the other
        self.gains: dict[int, torch.Tensor] = {}  # [B, H, A] at the walker's decisions: chips, counted with that reach
        self._down()
        self._up()
        self.nodes = len(self.tree) * boards.shape[0] * boards.shape[1]

    def _down(self) -> None:
        """The other player's reach at every node, from the root on."""
        tree = self.tree
        for node in range(len(tree)):
            kind, child = int(tree.kind[node]), int(tree.first_child[node])
            if kind >= DEAL:
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
            elif kind < DEAL:
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
        reach = torch.stack([self.reach[node] for node in ends], dim=1)  # [B, ends, H]
        met = self.boards.met(reach)
        worth = {node: float(tree.win[node, walker]) * met[:, at] for at, node in enumerate(ends)}
        if not shown:
            return worth
        reach = torch.stack([self.reach[node] for node in shown], dim=1)
        won, held = self.boards.beaten(reach)
        for at, node in enumerate(shown):
            win, tie, lose = (float(pays[node, walker]) for pays in (tree.win, tree.tie, tree.lose))
            met_there = met[:, ends.index(node)]
            worth[node] = (win - tie) * won[:, at] + (tie - lose) * held[:, at] + lose * met_there
        return worth

    def advantages(self, samples: int, generator: torch.Generator, followed: Places | None) -> Found:
        """Samples of what actions gain the walker, drawn as often as the other player and chance let it come there."""
        decisions = list(self.gains)
        reach = torch.stack([self.reach[node] for node in decisions])  # [decisions, B, H]
        coming = self.boards.met(reach).flatten(1)  # [decisions, B · H] of all hands it can meet
        gains = torch.stack([self.gains[node] for node in decisions]).flatten(1, 2)  # [decisions, B · H, A]
        where = _drawn(coming.flatten(), samples, generator) if followed is None else followed.where
        for street in range(self.tree.streets - 1):
            early = [number for number, node in enumerate(decisions) if self.tree.street[node] == street]
            self._average(street, early, gains, coming)
        often = coming.flatten()[where]
        target = torch.where(often[:, None] > 0, gains.flatten(0, 1)[where] / often[:, None], 0.0)
        return Found(self._seen(decisions, where), target, Places(where, often))

    def _average(self, street: int, early: list[int], gains: torch.Tensor, coming: torch.Tensor) -> None:
        """Add up decisions of a street over all boards that look the same there."""
        alike = self.boards.alike[street]
        kinds = int(alike.max()) + 1
        for number in early:
            for table in (gains[number], coming[number]):
                summed = torch.zeros((kinds, *table.shape[1:]), device=table.device).index_add_(0, alike, table)
                table.copy_(summed[alike])

    def strategies(self, samples: int, generator: torch.Generator) -> Found:
        """Samples of what the other player does, drawn as often as it comes there by its own choice."""
        decisions = [node for node in self.played if int(self.tree.kind[node]) != self.walker]
        reach = torch.stack([self.reach[node] for node in decisions]).flatten(1)  # [decisions, B · H]
        where = _drawn(reach.flatten(), samples, generator)
        played = torch.stack([self.played[node] for node in decisions]).flatten(0, 2)[where]
        return Found(self._seen(decisions, where), played)

    def _seen(self, decisions: list[int], where: torch.Tensor) -> torch.Tensor:
        """[n, cards + 1] the infosets of some places [n] among some decisions with all hands on all boards."""
        boards, hands = self.boards.shape
        at, board_hand = where // (boards * hands), where % (boards * hands)
        street = torch.tensor([int(self.tree.street[node]) for node in decisions], device=at.device)
        number = torch.tensor([int(self.number[node]) for node in decisions], device=at.device)
        rows = torch.stack(self.boards.infosets)[street[at], board_hand]
        rows[:, -1] = number[at].to(torch.int16)
        return rows


def _drawn(weight: torch.Tensor, count: int, generator: torch.Generator) -> torch.Tensor:
    """[count] places drawn in proportion to weights [all places].

    Draws are spread evenly (one for each n-th part of the weight), so few weights are met more often than is their due.
    They come in any order, so that a memory without room for all keeps some of every kind.
    """
    up_to = weight.double().cumsum(0)
    draw = torch.rand(count, dtype=torch.float64, device=weight.device, generator=generator)
    point = (torch.arange(count, device=weight.device) + draw) / count * up_to[-1]
    places = torch.searchsorted(up_to, point, right=True).clamp(max=len(up_to) - 1)
    return places[torch.randperm(count, device=weight.device, generator=generator)]
