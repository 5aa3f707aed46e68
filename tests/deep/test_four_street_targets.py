"""What Deep CFR learns on four streets has counterfactual regrets as its expectation: all chance moves are listed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
import torch
from four_streets import FOUR
from slow_regrets import Regret, all_deals, exact_regrets

from regretless.deep.games.holdem_game import HoldemGame, HoldemStates
from regretless.deep.learners.holdem.holdem_policy import DecisionFunction
from regretless.deep.walks.board_walks import BoardWalk, boards_with_hands
from regretless.deep.walks.traversal import Positions, Samples, traverse
from regretless.poker import Deck, Limit, PublicGame

TINY = PublicGame(Deck("QKA", "sh"), 1, (1, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=1, blinds=(1, 2)))
"""Hands of one card."""
GAMES = [pytest.param(TINY, id="one card"), pytest.param(FOUR, id="two cards", marks=pytest.mark.full)]
CPU, HEADS = torch.device("cpu"), 3


@cache
def batched(game: PublicGame) -> HoldemGame:
    """The game as it is walked."""
    return HoldemGame(game, CPU)


def mixed(game: PublicGame, infosets: torch.Tensor) -> torch.Tensor:
    """[n, A] a strategy that differs at all infosets."""
    weights = torch.randn((infosets.shape[1], HEADS), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    said = 3 * torch.sin(infosets.double() @ weights)
    return said.masked_fill(~batched(game).legal(infosets), -torch.inf).softmax(1).float()


def pure(game: PublicGame, infosets: torch.Tensor) -> torch.Tensor:
    """[n, A] the likeliest action of `mixed`: nothing is left to draw but cards."""
    return torch.nn.functional.one_hot(mixed(game, infosets).argmax(1), HEADS).float()


Strategy = Callable[[PublicGame, torch.Tensor], torch.Tensor]
Sums = dict[tuple[int, ...], npt.NDArray[np.float64]]


@cache
def exact(game: PublicGame, walker: int, strategy: Strategy) -> dict[tuple[int, ...], Regret]:
    """The regrets by definition."""
    return exact_regrets(game, walker, partial(strategy, game))


class EveryDeal(HoldemGame):
    """The game in which chance deals every deal once."""

    def after_chance(self, states: HoldemStates, generator: torch.Generator) -> HoldemStates:
        """All deals."""
        (one, two), board = all_deals(self.game)
        return self.deal((torch.from_numpy(one), torch.from_numpy(two)), torch.from_numpy(board))


def summed(found: Samples, weights: torch.Tensor) -> Sums:
    """By infoset the sum of the values × weights."""
    rows, which = found.infosets.unique(dim=0, return_inverse=True)
    values = found.values.double() * weights.double()[:, None]
    sums = torch.zeros(len(rows), HEADS, dtype=torch.float64).index_add_(0, which, values)
    return dict(zip(map(tuple, rows.tolist()), sums.numpy(), strict=True))


def deals_walked(game: PublicGame, walker: int, strategy: Strategy, seed: int) -> Sums:
    """The sums of the samples of one walk through each deal."""
    count, generator = len(all_deals(game).board), torch.Generator().manual_seed(seed)
    walk = traverse(EveryDeal(game, CPU), walker, count, lambda _, rows: strategy(game, rows), generator)
    return summed(walk.advantages, torch.ones(len(walk.advantages.values)))


@pytest.mark.parametrize("walker", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_sampled_deals_sum_to_counterfactual_regrets(game: PublicGame, walker: int) -> None:
    """Against a pure strategy deals are all that is sampled, and every deal is walked once."""
    found, expected = deals_walked(game, walker, pure, 1), exact(game, walker, pure)
    assert found.keys() == {infoset for infoset, regret in expected.items() if regret.reach}
    for infoset, gains in found.items():
        assert np.allclose(gains, expected[infoset].gains, atol=1e-3), infoset


@pytest.mark.full
@pytest.mark.parametrize("walker", [0, 1])
def test_sampled_actions_have_counterfactual_regrets_as_their_mean(walker: int) -> None:
    """Against a mixed strategy its actions are sampled as well: means of many walks through each deal."""
    passes, expected = 100, exact(TINY, walker, mixed)
    walked = [deals_walked(TINY, walker, mixed, seed) for seed in range(passes)]
    none = np.zeros(HEADS)
    sums = np.array([[one.get(infoset, none) for infoset in expected] for one in walked])  # [passes, infosets, A]
    gains = np.array([regret.gains for regret in expected.values()])
    error = sums.std(0, ddof=1) / passes**0.5
    often = ((sums != 0).mean(0) > 0.3) & (error > 1e-3)  # a few numbers that are not zero have no normal mean
    apart = ((sums.mean(0) - gains) / error.clip(1e-9))[often]
    assert len(apart) > 2_000
    assert abs((apart**2).mean() - 1) < 0.15 and np.abs(apart).max() < 5.5 and abs(apart.mean()) < 0.1


def board_walk(game: PublicGame, walker: int, board: torch.Tensor) -> BoardWalk:
    """A walk over some boards [B, cards] with all hands."""

    def strategy_of(infosets: torch.Tensor) -> DecisionFunction:
        def decide(decision: torch.Tensor) -> torch.Tensor:
            rows = infosets.clone()
            rows[:, -1] = decision
            return mixed(game, rows)

        return lambda decisions: torch.stack([decide(decision) for decision in decisions])

    boards = boards_with_hands(batched(game), board, torch.ones(len(board)))
    return BoardWalk(batched(game), walker, boards, [strategy_of] * 2)


def every_position(walk: BoardWalk) -> Samples:
    """The targets at all decisions with all hands."""
    count = walk.gains[..., 0].numel()
    return walk.advantages(count, torch.Generator(), Positions(torch.arange(count), torch.ones(count)))


def drawn_with(walk: BoardWalk) -> torch.Tensor:
    """[positions] what samples are drawn in proportion to."""
    return walk.drawn_with().flatten()


def every_board(game: PublicGame) -> torch.Tensor:
    """[B, cards] all boards, card by card."""
    return torch.tensor(list(permutations(range(game.deck.size), sum(game.board_cards))))


@pytest.mark.parametrize("walker", [0, 1])
@pytest.mark.parametrize("game", GAMES)
def test_targets_on_all_boards_are_counterfactual_regrets(game: PublicGame, walker: int) -> None:
    """Each target is the regret of its infoset for a unit of reach."""
    found, expected = every_position(board_walk(game, walker, every_board(game))), exact(game, walker, mixed)
    rows, which = found.infosets.unique(dim=0, return_inverse=True)
    assert {*map(tuple, rows.tolist())} == expected.keys()
    targets = np.array([expected[tuple(row)].gains / expected[tuple(row)].reach for row in rows.tolist()])
    assert np.allclose(found.values, targets[which], atol=1e-3)


@pytest.mark.full
@pytest.mark.parametrize("walker", [0, 1])
def test_drawn_boards_have_counterfactual_regrets_as_their_mean(walker: int) -> None:
    """One board is drawn, each as likely as any other. The mean of the samples' weight × target over all draws of
    boards and of positions on them is the regret, for a deal."""
    total: Sums = {}
    for board in every_board(TINY).split(1):
        walk = board_walk(TINY, walker, board)
        reach, weights = drawn_with(walk), walk.advantages(7, torch.Generator(), None).weights
        assert weights is not None and len(weights.unique()) == 1
        for infoset, gains in summed(every_position(walk), float(weights[0]) * reach / reach.sum()).items():
            total[infoset] = total.get(infoset, 0.0) + gains
    expected, deals = exact(TINY, walker, mixed), len(all_deals(TINY).board) / len(every_board(TINY))
    assert total.keys() == expected.keys()
    for infoset, regret in expected.items():
        assert np.allclose(deals * total[infoset], regret.gains, atol=1e-3, rtol=1e-4), infoset
