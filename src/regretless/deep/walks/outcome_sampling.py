"""Outcome sampling in batches: all plays advance move by move, and one action is sampled at every state.

Only sampled moves are used: neither the probabilities of chance nor states that a play did not visit. So it works
without a model of the game (Lanctot et al. 2009; Steinberger, Lerer & Brown 2020).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch

from regretless.deep.games.batched_game import BatchedGame, States, sample_heads
from regretless.deep.walks.traversal import Samples, StrategyFunction
from regretless.game import CHANCE, TERMINAL

__all__ = ["Moves", "Paths", "SamplingPolicy", "corrected_values", "explore", "sample_paths", "strategies_of_others"]

SamplingPolicy = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
"""(strategy [n, A], legal [n, A]) → the probabilities [n, A] that the walking player's actions are sampled with."""


class Moves(NamedTuple):
    """Decisions of all players on some paths, in the order of play; n of them."""

    states: States  # [n]
    movers: torch.Tensor  # [n] int8
    infosets: torch.Tensor  # [n, …]
    legal: torch.Tensor  # [n, A] bool
    strategy: torch.Tensor  # [n, A] the mover's strategy
    heads: torch.Tensor  # [n] int64 the sampled action …
    probability: torch.Tensor  # [n] … and the probability that it was sampled with
    reach: torch.Tensor  # [n] float64 the walking player's sampling probabilities before this move, multiplied
    paths: torch.Tensor  # [n] int64


@dataclass(frozen=True)
class Paths:
    """Plays from the root to the end."""

    moves: Moves
    following: torch.Tensor
    """[n] int64 the next decision on the path of each one, −1 after the last."""
    steps: list[int]
    """The number of decisions in each step; a path has at most one of them in a step."""
    payoffs: torch.Tensor
    """[P, paths] chips."""
    nodes: int
    """Histories visited."""


def explore(share: float) -> SamplingPolicy:
    """The policy that plays uniformly with probability `share`, else the strategy."""

    def policy(strategy: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        return (1 - share) * strategy + share * legal / legal.sum(1, keepdim=True)

    return policy


def sample_paths(
    game: BatchedGame, walker: int, count: int, strategy_at: StrategyFunction, policy: SamplingPolicy,
    generator: torch.Generator,
) -> Paths:  # fmt: skip
    """Play `count` times: the walker's actions are sampled from the policy, those of others from their strategies."""
    record = _Record(game, count)
    states, paths = game.begin(count), torch.arange(count, device=game.device)
    nodes, steps = 0, []
    while len(paths):
        nodes += len(paths)
        movers = game.movers(states)
        record.end(game.select(states, movers == TERMINAL), paths[movers == TERMINAL])
        parts, numbers = [states[:0]], [paths[:0]]
        before = record.count
        for mover in (CHANCE, *range(game.players)):
            which = (movers == mover).nonzero()[:, 0]
            if not len(which):
                continue
            here, mine = game.select(states, which), paths[which]
            numbers.append(mine)
            if mover == CHANCE:
                parts.append(game.after_chance(here, generator))
                continue
            infosets = game.infosets(here)
            legal, strategy = game.legal(infosets), strategy_at(mover, infosets)
            sampled = policy(strategy, legal) if mover == walker else strategy
            heads = sample_heads(sampled, generator)
            probability = sampled.gather(1, heads[:, None])[:, 0]
            move = Moves(here, movers[which], infosets, legal, strategy, heads, probability, record.reach[mine], mine)
            record.add(move, own=mover == walker)
            parts.append(game.after(here, heads))
        steps.append(record.count - before)
        states, paths = game.concatenate(parts), torch.cat(numbers)
    return record.finished(steps, nodes)


class _Record:
    """What is known of some plays while they run."""

    def __init__(self, game: BatchedGame, plays: int) -> None:
        self.game, self.count = game, 0
        self.payoffs = torch.zeros(game.players, plays, device=game.device)
        self.reach = torch.ones(plays, dtype=torch.float64, device=game.device)
        self.latest = torch.full((plays,), -1, dtype=torch.int64, device=game.device)  # the latest decision of a play
        self.moves: list[Moves] = []
        self.links: list[tuple[torch.Tensor, torch.Tensor]] = []  # decisions and the next ones

    def end(self, states: States, paths: torch.Tensor) -> None:
        """Write the payoffs of plays that end in these states."""
        for player in range(self.game.players):
            self.payoffs[player, paths] = self.game.payoffs(states, player)

    def add(self, move: Moves, *, own: bool) -> None:
        """Add a decision in each of some plays; `own` decisions are the walking player's."""
        paths = move.paths
        index = torch.arange(self.count, self.count + len(paths), device=paths.device)
        before = self.latest[paths]
        self.links.append((before[before >= 0], index[before >= 0]))
        self.latest[paths] = index
        if own:
            self.reach[paths] *= move.probability
        self.moves.append(move)
        self.count += len(paths)

    def finished(self, steps: list[int], nodes: int) -> Paths:
        """All plays as arrays."""
        moves = [_no_moves(self.game), *self.moves]
        columns = [torch.cat([move[column] for move in moves]) for column in range(1, len(Moves._fields))]
        following = torch.full((self.count,), -1, dtype=torch.int64, device=self.game.device)
        for before, after in self.links:
            following[before] = after
        states = self.game.concatenate([move.states for move in moves])
        return Paths(Moves(states, *columns), following, steps, self.payoffs, nodes)


def _no_moves(game: BatchedGame) -> Moves:
    """No decision."""
    device = game.device
    infosets = torch.zeros((0, *game.infoset_shape), dtype=game.infoset_dtype, device=device)
    strategy, none = torch.zeros((0, game.heads), device=device), torch.zeros(0, device=device)
    return Moves(
        game.begin(0), none.to(torch.int8), infosets, strategy > 0, strategy, none.long(), none, none.double(),
        none.long(),
    )  # fmt: skip


def corrected_values(paths: Paths, walker: int, estimates: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The values of actions [n, A] and of decisions [n] to the walker, from a sampled path and estimates [n, A], chips.

    With a* the sampled action, ξ its probability and v the value of what followed (VR-MCCFR, Schmid et al. 2019; DREAM
    uses it):

        v(h, a) = b(h, a) + [a = a*] (v(h a*) − b(h, a*)) / ξ(a*),      v(h) = Σ_a σ(a) v(h, a)

    The means over samples are the values for any estimates b that do not depend on the sample.
    """
    moves = paths.moves
    value = paths.payoffs[walker].clone()  # [paths] of what followed
    of_action = estimates * moves.legal
    of_decision = torch.empty(len(estimates), device=estimates.device)
    end = len(estimates)
    for size in reversed(paths.steps):
        at = slice(end - size, end)
        rows, heads, mine = of_action[at], moves.heads[at, None], moves.paths[at]
        correction = (value[mine] - rows.gather(1, heads)[:, 0]) / moves.probability[at]
        rows.scatter_add_(1, heads, correction[:, None])
        of_decision[at] = (moves.strategy[at] * rows).sum(1)
        value[mine] = of_decision[at]
        end -= size
    return of_action, of_decision


def strategies_of_others(paths: Paths, walker: int, players: int, *, weighted: bool) -> dict[int, Samples]:
    """The strategies of the other players at the decisions visited.

    A state is visited with a probability that contains the walker's. With `weighted`, samples are divided by it.
    """
    moves, found = paths.moves, {}
    for player in range(players):
        if player != walker:
            which = (moves.movers == player).nonzero()[:, 0]
            weights = 1 / moves.reach[which] if weighted else None
            found[player] = Samples(moves.infosets[which], moves.strategy[which], weights=weights)
    return found
