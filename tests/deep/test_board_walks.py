"""Walking boards with all hands at once: the samples of external sampling, with quieter targets."""

from __future__ import annotations

import pytest
import torch

import regretless as rg
from regretless.deep.board_walks import drawn_boards, walk_boards
from regretless.deep.holdem_learner import HoldemDeepCFR
from regretless.deep.traversal import Found, Walked, traverse
from regretless.methods.learner import Settings
from regretless.poker import Deck, Limit, PublicGame

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
FLOP = PublicGame(Deck("QKA", "shd"), 2, (2,), Limit(bets=(2, 4), caps=(2, 1), blinds=(1, 2)), big_blind=2)
METHOD = rg.DeepCFR(traversals=500, boards=10, steps=40, batch=500, widths=(16,), capacity=100_000, strategy_steps=100)


def learner(game: PublicGame) -> HoldemDeepCFR:
    made = HoldemDeepCFR(game.public_tree(), METHOD, Settings(dtype="float32", seed=5))
    for values in made.values.values():
        values.trainer.begin_anew(torch.Generator().manual_seed(11 + values.player))
        values.trainer.played.copy_(values.trainer.network.weights)
        values.ready = True
    return made


def by_infoset(found: Found) -> dict[tuple[int, ...], torch.Tensor]:
    """For each infoset: how many samples, the mean of their numbers, and the error of that mean; [3, A]."""
    rows, which = found.infosets.unique(dim=0, return_inverse=True)
    count = torch.bincount(which).double()[:, None]
    sums = torch.zeros(len(rows), found.numbers.shape[1], dtype=torch.float64)
    mean = sums.index_add(0, which, found.numbers.double()) / count
    spread = sums.index_add(0, which, (found.numbers.double() - mean[which]) ** 2) / count
    error = (spread / count).sqrt()
    found_rows = zip(rows.tolist(), count, mean, error, strict=True)
    return {tuple(row): torch.stack([n.expand_as(m), m, e]) for row, n, m, e in found_rows}


def walked(game: PublicGame, walker: int, *, uniform: bool = False) -> tuple[Walked, Walked, HoldemDeepCFR]:
    learning = learner(game)
    for values in learning.values.values():
        values.ready = not uniform
    one, other = torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)

    strategies = [learning._said_by(learning.values[who]) for who in range(2)]
    with torch.no_grad():
        drawn = drawn_boards(learning.game, 400, other)
        boards = walk_boards(learning.game, walker, drawn, 100_000, strategies, other)
        deals = traverse(learning.game, walker, 20_000, learning.strategy_at, one)
    return boards, deals, learning


@pytest.mark.parametrize("walker", [0, 1])
@pytest.mark.parametrize("game", [LEDUC, FLOP], ids=["leduc", "flop"])
def test_targets_have_the_means_of_external_sampling_with_less_noise(game: PublicGame, walker: int) -> None:
    boards, deals, learning = walked(game, walker, uniform=True)
    mine, theirs = by_infoset(boards.advantages), by_infoset(deals.advantages)
    often = [key for key in theirs if float(theirs[key][0, 0]) > 25]
    assert len(often) > 20
    apart, noise = [], []
    for key in often:
        (_, mean, error), (_, other, other_error) = mine[key], theirs[key]
        apart.append(((mean - other).abs() / (error**2 + other_error**2).sqrt().clamp(min=1e-6)).max())
        noise.append(
            float(error.sum() / other_error.sum().clamp(min=1e-9)) * float((mine[key][0, 0] / theirs[key][0, 0]) ** 0.5)
        )
    street = learning.game.street.numpy()[learning.game.nodes]  # [decisions]
    late = [quiet for key, quiet in zip(often, noise, strict=True) if street[key[-1]] == 1]
    assert float(torch.stack(apart).median()) < 1.5 and float(torch.stack(apart).quantile(0.95)) < 4
    assert max(late) < 0.05  # on the last street nothing but suits is left to chance
    assert sum(noise) / len(noise) < 0.5


@pytest.mark.parametrize("game", [LEDUC, FLOP], ids=["leduc", "flop"])
def test_decisions_are_met_as_often_as_by_external_sampling(game: PublicGame) -> None:
    boards, deals, learning = walked(game, 0)
    for mine, theirs in ((boards.advantages, deals.advantages), (boards.strategies[1], deals.strategies[1])):
        decisions = len(learning.game.bets)
        share, other = (
            torch.bincount(found.infosets[:, -1].long(), minlength=decisions) / len(found.infosets)
            for found in (mine, theirs)
        )
        assert torch.allclose(share, other, atol=0.012)


def test_learning_from_boards() -> None:
    for averaging in ("value-networks", "strategy-network"):
        run = rg.solve(LEDUC, METHOD.replace(averaging=averaging), iterations=8, seed=3)
        assert run.exploitability < 1.2
