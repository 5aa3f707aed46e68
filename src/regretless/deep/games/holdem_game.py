"""Hold'em and its relatives as batches: a state is a deal and a node of the betting tree.

All cards are dealt when the play begins; cards that are not visible yet are not read. What a player knows is canonical
in suits: the permutation of suits that gives the lowest board, and then the lowest hand, is applied before anything is
looked up or learned. So a network plays hands that differ only by suits alike, as in the public tree, where its
strategy can be evaluated exactly.

Heads are fold, check or call, and one for each size of a bet or raise (limit games: three heads in all).

With `strength=True` a player also knows the strength of the hand on the whole board: its quantile among all hands
there, as two digits that are encoded like two more cards, each in a group of its own. With `strength="expected"` that
is so on all boards: before the last street the quantile is expected over the cards to come, and a third digit says how
far it may still move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch

from regretless.deep.games.batched_game import BatchedGame
from regretless.deep.games.betting_heads import bet_features, head_of_actions, pass_deals
from regretless.deep.games.hand_strengths import ExpectedQuantiles, HandQuantiles, HandStrengths
from regretless.deep.games.node_groups import NodeGroup, node_groups
from regretless.deep.problems import check_deals
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.games import PublicGame

__all__ = ["HoldemGame", "HoldemStates"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Deals:
    """The cards of some plays; n plays, S streets, W the most cards that a player sees."""

    seen: torch.Tensor  # [n, 2, S, W] int16 what each player sees on each street: hand, then board, canonical in suits
    strength: torch.Tensor  # [n, 2] int32


@dataclass(frozen=True, eq=False)
class HoldemStates:
    """A batch of states: index of the deal, and node; `deals` is None before the deal."""

    deal: torch.Tensor  # [n] int64
    node: torch.Tensor  # [n] int64
    deals: Deals | None

    def __len__(self) -> int:
        return len(self.node)


class HoldemGame(BatchedGame):
    """A game on a public tree, with all hands equally likely; N nodes, D decisions, A heads."""

    players = 2
    infoset_dtype = torch.int16

    def __init__(self, game: PublicGame, device: torch.device, *, strength: bool | Literal["expected"] = False) -> None:
        check_deals(game)
        self.game, self.tree, self.device = game, game.betting_tree(), device
        self.cards = game.hand_size + len(game.first_board) + sum(game.board_cards)
        digits = 3 if strength == "expected" else 2 * strength
        self.visible = self.cards + digits  # cards of an infoset, the digits of the strength included
        self.infoset_shape = (self.visible + 1,)
        self.boards = [len(game.first_board), *game.board_cards]
        self.groups = [size for size in (game.hand_size, *self.boards, *[1] * digits) if size]
        self._lay_out_betting()
        self._lay_out_cards()
        self.known_strength = strength
        self.quantiles = HandQuantiles(self) if strength is True else None
        self.expected = ExpectedQuantiles(self) if strength == "expected" else None

    @cached_property
    def node_groups(self) -> list[NodeGroup]:
        """The betting from the root down, in groups of nodes that are walked together."""
        return node_groups(self.tree, self.decision)

    def _put(self, array: Array) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _lay_out_betting(self) -> None:
        """The betting tree as tensors on the device."""
        tree, put = self.tree, self._put
        decisions = np.flatnonzero(tree.kind < DEAL)
        if len(decisions) > np.iinfo(np.int16).max:
            raise OptionError(
                f"deep methods know at most {np.iinfo(np.int16).max:,} lines of betting, and this game has "
                f"{len(decisions):,}: allow fewer sizes"
            )
        decision = np.full(len(tree), -1, np.int64)
        decision[decisions] = np.arange(len(decisions))
        heads = [head_of_actions(tree, int(node)) for node in decisions]
        self.heads = max(max(h) for h in heads) + 1
        child = np.full((len(decisions), self.heads), -1, np.int64)
        for at, (node, chosen) in enumerate(zip(decisions, heads, strict=True)):
            child[at, chosen] = [pass_deals(tree, int(tree.first_child[node]) + a) for a in range(len(chosen))]
        mover = np.where(tree.kind < DEAL, tree.kind, TERMINAL).astype(np.int8)
        self.mover, self.decision, self.child = put(mover), put(decision), put(child)  # [N], [N], [D, A]
        self.allowed = self.child >= 0  # [D, A]
        self.street = put(tree.street.astype(np.int64))  # [N]
        self.shown = put(tree.kind == SHOWDOWN)  # [N]
        self.win, self.tie, self.lose = (put(a.T.astype(np.float32)) for a in (tree.win, tree.tie, tree.lose))  # [2, N]
        self.bets = put(bet_features(tree)[decisions])  # [D, B]
        self.nodes = decisions  # [D] nodes in the betting tree
        self.decisions = torch.arange(len(decisions), device=self.device)  # [D]

    def _lay_out_cards(self) -> None:
        """Permutations of suits, strengths of hands, and the columns of cards in a row of features."""
        game, put = self.game, self._put
        symmetry = Symmetry(game.deck, game.hand_size)
        self.permutations = put(symmetry.cards[symmetry.keeping(game.first_board, ())])  # [permutations, cards]
        self.strength = HandStrengths(game, self.cards, self.device)
        deck = game.deck.size
        self.feature_size = deck * len(self.groups) + self.bets.shape[1]
        column = np.full((self.visible, deck + 1), self.feature_size, np.int64)
        column[:, :deck] = np.repeat(np.arange(len(self.groups)), self.groups)[:, None] * deck + np.arange(deck)
        self.column, self.position = put(column), put(np.arange(self.visible))  # [visible, deck + 1], [visible]

    def begin(self, count: int) -> HoldemStates:
        """`count` plays before the deal."""
        none = torch.zeros(count, dtype=torch.int64, device=self.device)
        return HoldemStates(none, none - 1, None)

    def movers(self, states: HoldemStates) -> torch.Tensor:
        """[n] who moves; chance before the deal."""
        if states.deals is None:
            return torch.full((len(states),), CHANCE, dtype=torch.int8, device=self.device)
        return self.mover[states.node]

    def select(self, states: HoldemStates, which: torch.Tensor) -> HoldemStates:
        """Some of the states."""
        return HoldemStates(states.deal[which], states.node[which], states.deals)

    def concatenate(self, batches: list[HoldemStates]) -> HoldemStates:
        """Several batches of the same deals as one."""
        deals = next((b.deals for b in batches if b.deals is not None), None)
        batches = [b for b in batches if len(b)] or batches[:1]
        return HoldemStates(torch.cat([b.deal for b in batches]), torch.cat([b.node for b in batches]), deals)

    def after_chance(self, states: HoldemStates, generator: torch.Generator) -> HoldemStates:
        """Both hands and the whole board, all deals equally likely."""
        size = self.game.hand_size
        hands, board = self.sample_cards(len(states), 2 * size, generator)
        return self.deal((hands[:, :size], hands[:, size:]), board)

    def sample_cards(self, count: int, others: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        """`others` cards [count, others] and whole boards [count, cards of a board], all deals equally likely."""
        draw = torch.rand((count, self.game.deck.size), device=self.device, generator=generator)
        first = list(self.game.first_board)
        draw[:, first] = 2.0  # already on the board: sorted behind all other cards
        left = self.cards - self.game.hand_size - len(first) + others
        dealt = draw.topk(left, dim=1, largest=False).indices
        fixed = torch.tensor(first, device=self.device, dtype=torch.int64).expand(count, -1)
        return dealt[:, :others], torch.cat([fixed, dealt[:, others:]], dim=1)

    def deal(self, hands: tuple[torch.Tensor, torch.Tensor], board: torch.Tensor) -> HoldemStates:
        """The beginning of plays with given cards: two hands [n, size] and the whole board [n, cards]."""
        count, streets = len(board), self.tree.streets
        seen = torch.empty((count, 2, streets, self.visible), dtype=torch.int16, device=self.device)
        strength = torch.empty((count, 2), dtype=torch.int32, device=self.device)
        for player, hand in enumerate(hands):
            for street in range(streets):
                seen[:, player, street] = self.encode(hand, board, street)[:, :-1]
            strength[:, player] = self.strength(torch.cat([hand, board], dim=1))
        order = torch.arange(count, device=self.device)
        return HoldemStates(order, torch.zeros_like(order), Deals(seen, strength))

    def canonical(self, hand: torch.Tensor, board: torch.Tensor, street: int) -> torch.Tensor:
        """[n, cards seen] hand and board of a street, under the permutation of suits that makes them lowest."""
        deck = self.game.deck.size
        groups, at = [], 0
        for size in self.boards[: street + 1]:
            groups.append(self.permutations[:, board[:, at : at + size]].sort(dim=-1).values)  # [permutations, n, size]
            at += size
        groups.append(self.permutations[:, hand].sort(dim=-1).values)
        code = torch.zeros(groups[-1].shape[:2], dtype=torch.int64, device=self.device)
        for group in groups:
            for column in range(group.shape[-1]):
                code = code * deck + group[..., column]
        best = code.argmin(dim=0)  # [n]
        rows = torch.arange(len(hand), device=self.device)
        chosen = [group[best, rows] for group in groups]
        return torch.cat([chosen[-1], *chosen[:-1]], dim=1)

    def encode(self, hand: torch.Tensor, board: torch.Tensor, street: int) -> torch.Tensor:
        """[n, cards + 1] int16 hand and board of a street as an infoset row, with decision 0 in the last column."""
        rows = torch.full((len(hand), *self.infoset_shape), self.game.deck.size, dtype=torch.int16, device=self.device)
        known = self.canonical(hand, board, street)
        rows[:, : known.shape[1]] = known.to(torch.int16)
        size = self.game.hand_size
        if self.quantiles is not None and street == self.tree.streets - 1:
            rows[:, self.cards : self.visible] = self.quantiles(hand, board)
        elif self.expected is not None and known.shape[1] > size:
            rows[:, self.cards : self.visible] = self.expected(known[:, :size], known[:, size:])
        rows[:, -1] = 0
        return rows

    @property
    def hands_left(self) -> int:
        """Hands that a whole board leaves."""
        size = self.game.hand_size
        return comb(self.game.deck.size - self.cards + size, size)

    def hands_on(self, board: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """All hands that boards [B, cards] leave, [B, H, size], and their indices among the cards left, [H, size]."""
        return self.sets_left(board, self.game.hand_size)

    def sets_left(self, board: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor]:
        """All sets of `size` cards that boards [B, cards] leave, [B, sets, size], and their indices among the cards
        left, [sets, size]."""
        left = torch.ones((len(board), self.game.deck.size), dtype=torch.bool, device=self.device)
        cards = left.scatter_(1, board, False).nonzero()[:, 1].view(len(board), -1)
        chosen = list(combinations(range(cards.shape[1]), size))
        index = torch.tensor(chosen, dtype=torch.int64, device=self.device).view(len(chosen), size)
        return cards[:, index], index

    def infosets(self, states: HoldemStates) -> torch.Tensor:
        """[n, cards + 1] int16 the cards that the mover sees, padded, and the index of the decision."""
        if states.deals is None or not len(states):
            return torch.zeros((0, *self.infoset_shape), dtype=torch.int16, device=self.device)
        player, street = self.mover[states.node].to(torch.int64), self.street[states.node]
        known = states.deals.seen[states.deal, player, street]
        return torch.cat([known, self.decision[states.node][:, None].to(torch.int16)], dim=1)

    def legal(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, A] which heads are actions."""
        return self.allowed[infosets[:, -1].to(torch.int64)]

    def features(self, infosets: torch.Tensor) -> torch.Tensor:
        """[n, F] the cards of the hand and of each part of the board, multi-hot, then the betting."""
        known = infosets.to(torch.int64)
        spread = torch.zeros((len(infosets), self.feature_size + 1), device=self.device)
        spread.scatter_(1, self.column[self.position, known[:, :-1]], 1.0)  # padding goes to the last column
        bets = self.bets.shape[1]
        spread[:, -bets - 1 : -1] = self.bets[known[:, -1]]
        return spread[:, :-1]

    def after(self, states: HoldemStates, heads: torch.Tensor) -> HoldemStates:
        """The nodes that heads lead to."""
        return HoldemStates(states.deal, self.child[self.decision[states.node], heads], states.deals)

    def payoffs(self, states: HoldemStates, player: int) -> torch.Tensor:
        """[n] a player's payoffs, chips."""
        if states.deals is None or not len(states):
            return torch.zeros(0, device=self.device)
        strength = states.deals.strength[states.deal]
        mine, theirs = strength[:, player], strength[:, 1 - player]
        node = states.node
        at_showdown = torch.where(mine > theirs, self.win[player, node], self.lose[player, node])
        at_showdown = torch.where(mine == theirs, self.tie[player, node], at_showdown)
        return torch.where(self.shown[node], at_showdown, self.win[player, node])
