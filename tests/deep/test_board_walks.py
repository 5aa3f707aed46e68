"""Walking boards with all hands at once: the samples of external sampling, with quieter targets."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from two_pieces import goes_on_bit_for_bit

import regretless as rg
from regretless.deep.games.betting_heads import head_of_actions
from regretless.deep.games.hand_strengths import HandStrengths
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem import holdem_learner
from regretless.deep.learners.holdem.holdem_deep_cfr import HoldemDeepCFR
from regretless.deep.memories.fixed_infosets import FixedInfosetMemory
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.memories.undo_log import UndoLog
from regretless.deep.networks.regret_matching import match_regrets
from regretless.deep.walks.board_walks import all_boards, positions_to_follow, sample_boards, walk_boards
from regretless.deep.walks.traversal import Positions, Samples, WalkResult, traverse
from regretless.errors import OptionError
from regretless.lookup.methods import method_by_name
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame, strengths
from regretless.poker.cards.deck import STANDARD

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
FLOP = PublicGame(Deck("QKA", "shd"), 2, (2,), Limit(bets=(2, 4), caps=(2, 1), blinds=(1, 2)), big_blind=2)
CARDS = Deck("QKA", "shd")
THREE = PublicGame(CARDS, 1, (1, 1), Limit(bets=(2, 4, 4), caps=(2, 1, 1), blinds=(1, 2), streets=3))
TURN = PublicGame(Deck("9TJQKA", "sh"), 2, (3, 1), Limit(streets=3, bets=(2, 4, 4), caps=1, blinds=(1, 2)))
BEGUN = PublicGame(CARDS, 2, (1,), Limit(bets=(2, 4), caps=(2, 1), blinds=(1, 2)), board="As")
ONES = torch.ones(100)
METHOD = rg.DeepCFR(traversals=500, boards=10, steps=40, batch=500, widths=(16,), capacity=100_000, strategy_steps=100)


def learner(game: PublicGame) -> HoldemDeepCFR:
    made = HoldemDeepCFR(game.public_tree(), METHOD, Settings(dtype="float32", seed=5))
    for values in made.advantages.values():
        values.trainer.reset(torch.Generator().manual_seed(11 + values.player))
        values.trainer.played.copy_(values.trainer.network.weights)
        values.ready = True
    return made


def by_infoset(found: Samples) -> dict[tuple[int, ...], torch.Tensor]:
    """For each infoset: how many samples, the mean of their numbers, and the error of that mean; [3, A]."""
    rows, which = found.infosets.unique(dim=0, return_inverse=True)
    count = torch.bincount(which).double()[:, None]
    sums = torch.zeros(len(rows), found.values.shape[1], dtype=torch.float64)
    mean = sums.index_add(0, which, found.values.double()) / count
    spread = sums.index_add(0, which, (found.values.double() - mean[which]) ** 2) / count
    error = (spread / count).sqrt()
    found_rows = zip(rows.tolist(), count, mean, error, strict=True)
    return {tuple(row): torch.stack([n.expand_as(m), m, e]) for row, n, m, e in found_rows}


def walked(game: PublicGame, walker: int, *, uniform: bool = False) -> tuple[WalkResult, WalkResult, HoldemDeepCFR]:
    learning = learner(game)
    for values in learning.advantages.values():
        values.ready = not uniform
    one, other = torch.Generator().manual_seed(1), torch.Generator().manual_seed(2)

    strategies = [learning._strategy_of(learning.advantages[who]) for who in range(2)]
    with torch.no_grad():
        drawn = sample_boards(learning.game, 400, other)
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


@pytest.mark.parametrize("off_path", [0.0, 0.4])
def test_samples_follow_the_own_reach_off_path(off_path: float) -> None:
    _, _, learning = walked(LEDUC, 0)
    game, boards = learning.game, all_boards(learning.game, learning.public)
    strategies = [learning._strategy_of(learning.advantages[who]) for who in range(2)]
    with torch.no_grad():
        draws = [torch.Generator().manual_seed(1) for _ in range(2)]
        every = walk_boards(game, 0, boards, 200_000, strategies, draws[0]).advantages
        some = walk_boards(game, 0, boards, 200_000, strategies, draws[1], off_path=off_path).advantages
        reach = own_reach(learning, every.infosets)
    plain, weighed = by_infoset(every), by_infoset(some)
    keys = [tuple(row) for row in every.infosets.unique(dim=0).tolist()]
    reach_of = dict(zip(map(tuple, every.infosets.tolist()), reach.tolist(), strict=True))
    expected = torch.tensor([float(plain[k][0, 0]) * (off_path + (1 - off_path) * reach_of[k]) for k in keys])
    found = torch.tensor([float(weighed[k][0, 0]) if k in weighed else 0.0 for k in keys])
    assert torch.allclose(found / found.sum(), expected / expected.sum(), atol=0.003)
    both = [k for k in keys if k in weighed]
    assert all(torch.allclose(plain[k][1], weighed[k][1], atol=1e-3) for k in both)  # targets stay what they are
    assert some.weights is not None and every.weights is not None
    factor = float(some.weights[0] / every.weights[0])
    assert factor == pytest.approx(float(expected.sum()) / len(every.infosets), rel=0.02)


def own_reach(learning: HoldemDeepCFR, infosets: torch.Tensor) -> torch.Tensor:
    """[n] how probable player 0's own actions before infosets [n, …] are with what it knew at the time."""
    game, tree = learning.game, learning.game.tree
    reach = torch.ones(len(infosets))
    for number, row in enumerate(infosets.tolist()):
        node = int(game.nodes[row[-1]])
        while (above := int(tree.parent[node])) >= 0:
            if tree.kind[above] == 0:
                known = list(row)
                known[-1] = int(game.decision[above])
                if tree.street[above] == 0:
                    known[1:-1] = [game.game.deck.size] * (len(row) - 2)
                head = head_of_actions(tree, above)[node - int(tree.first_child[above])]
                reach[number] *= strategy_for(learning, tuple(known))[head]
            node = above
    return reach


@lru_cache
def strategy_for(learning: HoldemDeepCFR, known: tuple[int, ...]) -> list[float]:
    row = torch.tensor([known], dtype=torch.int16)
    return learning.strategy_at(0, row)[0].tolist()


@pytest.mark.full
def test_learning_from_boards() -> None:
    for averaging in ("value-networks", "strategy-network"):
        run = rg.solve(LEDUC, METHOD.replace(averaging=averaging), iterations=8, seed=3)
        assert run.exploitability < 1.2


@pytest.mark.parametrize(
    ("game", "ways", "draws"),
    [(FLOP, 9 * 8 / 2, 3_000), (THREE, 9 * 8, 20_000), (BEGUN, 8, 3_000)],
    ids=["flop", "three streets", "a board at first"],
)
@pytest.mark.full
def test_all_boards_are_those_of_the_tree_and_targets_are_exact(game: PublicGame, ways: float, draws: int) -> None:
    learning = learner(game)
    boards = all_boards(learning.game, learning.public)
    assert float(boards.weight.sum()) == ways
    strategies = [learning._strategy_of(learning.advantages[who]) for who in range(2)]
    with torch.no_grad():
        walks = [
            walk_boards(learning.game, 0, boards, 5_000, strategies, torch.Generator().manual_seed(seed))
            for seed in (1, 2)
        ]
        many = sample_boards(learning.game, draws, torch.Generator().manual_seed(3))
        drawn = walk_boards(learning.game, 0, many, 100_000, strategies, torch.Generator().manual_seed(4))
    one, other = (by_infoset(walk.advantages) for walk in walks)
    assert len(one.keys() & other.keys()) > 100
    for key in one.keys() & other.keys():
        assert float(one[key][2].abs().max()) < 1e-3  # all samples of an infoset are equal
        assert torch.allclose(one[key][1], other[key][1], atol=1e-3)
    roughly = by_infoset(drawn.advantages)
    early = [key for key in one if key[-2] == game.deck.size and key in roughly]
    assert len(early) >= 9
    apart = torch.stack([(one[key][1] - roughly[key][1]).abs().max() for key in early])
    assert float(apart.max()) < 0.15  # of thousands of draws


def test_followed_infosets_hold_the_mean_of_all_iterations() -> None:
    method = METHOD.replace(boards="all", memory="merged", traversals=2_000, averaging="value-networks")
    run = HoldemDeepCFR(FLOP.public_tree(), method, Settings(dtype="float32", seed=5))
    found: list[Samples] = []
    walk = run.walk

    def noted(player: int, generator: torch.Generator) -> WalkResult:
        walked = walk(player, generator)
        found.extend([walked.advantages] if player == 1 else [])
        return walked

    run.walk = noted  # type: ignore[method-assign]
    run.advance(3)
    memory = run.advantages[1].memory
    assert isinstance(memory, FixedInfosetMemory) and len(memory) == 2_000
    weights = [t * one.positions.reach / memory.positions.reach for t, one in enumerate(found, 1)]  # type: ignore[union-attr]
    total = sum(weights)
    summed = sum(w[:, None] * one.values for w, one in zip(weights, found, strict=True))
    mean = summed / total[:, None].clamp(min=1e-9)  # type: ignore[index]
    assert all(torch.equal(one.infosets, memory.followed) for one in found)
    assert torch.allclose(memory.means, mean, atol=1e-4)  # type: ignore[arg-type]
    assert torch.allclose(memory.reached, total, rtol=1e-5)  # type: ignore[arg-type]
    for _, number, error in by_infoset(Samples(memory.followed, memory.means)).values():
        assert float(error.max()) < 1e-3 + 1e-4 * float(number.abs().max())  # one mean for each infoset


def test_a_floor_cuts_the_targets_of_followed_infosets() -> None:
    game = HoldemGame(LEDUC, torch.device("cpu"))
    memory, rows = FixedInfosetMemory(game, 3, floor=2.0), torch.zeros((3, *game.infoset_shape), dtype=torch.int16)
    numbers = torch.tensor([[3.0, -50.0, 0.0], [0.0, 4.0, -2.0], [-9.0, -9.0, -9.0]])
    places = Positions(torch.arange(3), torch.ones(3))
    memory.add(Samples(rows, numbers, places), 1.0, torch.Generator())
    assert memory.prepare(3, scaled=False) == 1.0
    least = -2 * (25 / 3) ** 0.5
    found = memory.samples(torch.arange(3)).targets
    assert torch.allclose(found.sort(0).values, numbers.clamp(min=least).sort(0).values)  # they are in another order


def test_samples_are_drawn_in_proportion_to_the_weights_of_followed_infosets() -> None:
    game = HoldemGame(LEDUC, torch.device("cpu"))
    memory, rows = FixedInfosetMemory(game, 400), torch.zeros((400, *game.infoset_shape), dtype=torch.int16)
    numbers = torch.arange(400)[:, None] // 200 * torch.ones(game.heads)  # 0 or 1
    reach = 1.0 + 2 * numbers[:, 0]
    memory.follow(Positions(torch.arange(400), torch.ones(400)))
    memory.add(Samples(rows, numbers, Positions(torch.arange(400), reach)), 1.0, torch.Generator().manual_seed(1))
    assert float(memory.targets[:, 0].sum()) == 300 and bool((memory.weights == 1).all())


def test_strategies_as_targets_are_regret_matching_on_means() -> None:
    game = HoldemGame(LEDUC, torch.device("cpu"))
    memory = FixedInfosetMemory(game, 300, strategies="highest")
    rows = torch.zeros((300, *game.infoset_shape), dtype=torch.int16)
    legal = game.legal(rows[:1])[0]
    numbers = torch.tensor([3.0, 1.0, 2.0]).repeat(300, 1) * legal
    numbers[150:] = torch.tensor([-3.0, -1.0, -2.0]) * legal
    memory.add(Samples(rows, numbers, Positions(torch.arange(300), torch.ones(300))), 1.0, torch.Generator())
    wanted = match_regrets(numbers[[0, -1]], legal)
    is_first = (memory.targets == wanted[0]).all(1)
    assert torch.equal(memory.targets[~is_first], wanted[1:].expand(int((~is_first).sum()), -1))
    assert int(is_first.sum()) == pytest.approx(300 * 2.05 / 2.1, abs=2)  # where nothing is positive, little counts


def test_predictive_targets_count_the_last_advantages_again() -> None:
    game = HoldemGame(LEDUC, torch.device("cpu"))
    memory, rows = FixedInfosetMemory(game, 2, predictive=1.0), torch.zeros((2, *game.infoset_shape), dtype=torch.int16)
    places, legal = Positions(torch.arange(2), torch.ones(2)), game.legal(rows).float()
    for weight, number in ((1.0, 3.0), (2.0, 6.0)):
        memory.add(Samples(rows, number * legal, places), weight, torch.Generator())
    assert torch.allclose(memory.means, 5.0 * legal)  # (1 · 3 + 2 · 6) / 3
    assert torch.allclose(memory.targets, 9.0 * legal)  # and once more 2 · 6 / 3


def test_a_run_with_strategies_as_targets_goes_on_as_if_it_had_not_stopped() -> None:
    method = METHOD.replace(
        boards="all",
        memory="merged",
        traversals=500,
        averaging="value-networks",
        targets="strategies",
        steps=5,
        predictive=1.0,
    )
    tree, settings = LEDUC.public_tree(), Settings(dtype="float32", seed=5)
    whole, first, second = (HoldemDeepCFR(tree, method, settings) for _ in range(3))
    whole.advance(3)
    first.advance(2)
    second.restore(first.arrays(), 2)
    second.advance(1)
    assert torch.equal(whole.sums, second.sums)
    assert all(np.array_equal(array, second.arrays()[name]) for name, array in whole.arrays().items())


@pytest.mark.parametrize("game", [FLOP, THREE], ids=["flop", "three streets"])
def test_followed_infosets_stand_for_all_of_them(game: PublicGame) -> None:
    """Weighted by how often the walk comes there ÷ how often they were drawn, they are like drawn samples."""
    learning = learner(game)
    boards, generator = all_boards(learning.game, learning.public), torch.Generator().manual_seed(1)
    strategies = [learning._strategy_of(learning.advantages[who]) for who in range(2)]
    fixed = positions_to_follow(learning.game, 0, boards, 200_000, generator)
    with torch.no_grad():
        drawn = walk_boards(learning.game, 0, boards, 200_000, strategies, generator).advantages
        followed = walk_boards(learning.game, 0, boards, 0, strategies, generator, fixed=fixed, sample_other=False)
    found = followed.advantages
    assert found.positions is not None
    decisions = found.infosets[:, -1].long().bincount(minlength=len(learning.game.bets))
    assert int(decisions[decisions > 0].max() - decisions[decisions > 0].min()) <= 1  # as many at each decision
    rows, which = torch.cat([drawn.infosets, found.infosets]).unique(dim=0, return_inverse=True)
    weights = found.positions.reach.double() / fixed.reach.double()
    one = which[:200_000].bincount(minlength=len(rows)).double()
    other = torch.zeros(len(rows), dtype=torch.float64).index_add_(0, which[200_000:], weights)
    assert float((one / one.sum() - other / other.sum()).abs().sum()) / 2 < 0.06


def test_settings_reach_walks_memories_and_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def walk(*arguments: Any, **options: Any) -> WalkResult:
        given.append(options["off_path"])
        return walk_boards(*arguments, **options)

    monkeypatch.setattr(holdem_learner, "walk_boards", walk)
    settings = Settings(dtype="float32", seed=5)
    HoldemDeepCFR(LEDUC.public_tree(), METHOD.replace(off_path=0.3, steps=2), settings).advance(1)
    assert given == [0.3, 0.3]
    changes = {"boards": "all", "memory": "merged", "targets": "strategies", "predictive": 0.5, "fallback": "uniform"}
    run = HoldemDeepCFR(LEDUC.public_tree(), METHOD.replace(**changes, averaging="value-networks"), settings)
    run.advance(2)
    advantages = run.advantages[0]
    memory = advantages.memory
    assert isinstance(memory, FixedInfosetMemory) and (memory.predictive, memory.strategies) == (0.5, "uniform")
    assert advantages.trainer.options.loss == "cross-entropy"
    rows = memory.followed[:50]
    outputs = advantages.trainer.outputs(run.game.features(rows)).masked_fill(~run.game.legal(rows), -torch.inf)
    assert torch.allclose(run.strategy_at(0, rows), outputs.softmax(1))


def test_strategies_as_targets_need_exact_means() -> None:
    tree, settings = LEDUC.public_tree(), Settings(dtype="float32", seed=5)
    for changes in ({"memory": "reservoir"}, {"memory": "merged", "floor": 3.0}):
        method = METHOD.replace(boards="all", targets="strategies", **changes)
        with pytest.raises(OptionError, match="targets='strategies'"):
            HoldemDeepCFR(tree, method, settings)


def test_what_an_iteration_copies_of_followed_infosets_is_counted() -> None:
    game, log = HoldemGame(LEDUC, torch.device("cpu")), UndoLog()
    memory = FixedInfosetMemory(game, 100)
    wanted = memory.bytes_to_allocate
    rows, places = torch.zeros((100, *game.infoset_shape), dtype=torch.int16), Positions(torch.arange(100), ONES)
    log.watch(memory)
    memory.add(Samples(rows, torch.ones(100, game.heads), places), 1.0, torch.Generator())
    samples, copied = [memory.infosets, memory.targets, memory.weights], [memory.means, memory.reached]
    assert wanted == sum(tensor.nbytes for tensor in (*samples, memory.followed, *copied, *places, *copied))
    log.undo()
    assert not memory.means.any() and not memory.reached.any() and not memory.seen


@pytest.mark.parametrize("linear", [True, False])
def test_recursive_targets_are_what_was_said_moved_towards_what_was_found(linear: bool) -> None:
    method = METHOD.replace(boards="all", refit="recursive", traversals=300, steps=5, linear=linear)
    run = HoldemDeepCFR(LEDUC.public_tree(), method, Settings(dtype="float32", seed=5))
    run.advance(2)
    values, generator = run.advantages[0], torch.Generator().manual_seed(1)
    memory = values.memory
    assert isinstance(memory, SampleMemory)
    scale, found = float(memory.scale), run.walk(0, generator).advantages
    said = values.trainer.outputs(run.game.features(found.infosets)) * scale * run.game.legal(found.infosets)
    values.learn(found, 3.0, generator, 3)
    share = 2 / 4 if linear else 1 / 3
    assert len(memory) == 300 and float(memory.scale) == scale
    assert torch.allclose(memory.targets[:300], said + share * (found.values - said), atol=1e-4)


def test_a_window_without_room_for_an_iteration_keeps_some_of_every_street() -> None:
    game = HoldemGame(FLOP, torch.device("cpu"))
    uniform = learner(FLOP)
    for values in uniform.advantages.values():
        values.ready = False
    strategies = [uniform._strategy_of(uniform.advantages[who]) for who in range(2)]
    boards = sample_boards(game, 20, torch.Generator().manual_seed(1))
    with torch.no_grad():
        found = walk_boards(game, 0, boards, 3_000, strategies, torch.Generator().manual_seed(2)).advantages
    memory = SampleMemory(game, 500, "window")
    memory.add(found, 1.0, torch.Generator())
    decisions = len(memory.infosets[:, -1].unique())
    assert decisions > 0.6 * len(found.infosets[:, -1].unique()) and decisions > 5


@pytest.mark.parametrize(
    "changes",
    [{"memory": "merged"}, {"memory": "merged", "floor": 2.0}, {"refit": "recursive"}, {"strength": True}],
    ids=str,
)
@pytest.mark.full
def test_learning_from_all_boards_and_going_on(changes: dict[str, object], tmp_path: Path) -> None:
    method = METHOD.replace(boards="all", traversals=2_000, steps=60, averaging="value-networks", **changes)
    assert rg.solve(LEDUC, method, iterations=15, seed=3).exploitability < 0.9
    goes_on_bit_for_bit(LEDUC, method, (3, 2), tmp_path, seed=3)


def test_strength_is_the_part_of_all_hands_that_a_hand_belongs_to() -> None:
    game = HoldemGame(FLOP, torch.device("cpu"), strength=True)
    hands, board = game.sample_cards(200, 2, torch.Generator().manual_seed(1))
    rows = game.encode(hands, board, 1)
    assert game.feature_size == HoldemGame(FLOP, torch.device("cpu")).feature_size + 2 * 9
    assert bool((game.encode(hands, board, 0)[:, game.cards : -1] == 9).all())  # unknown before the board has come
    for hand, on, row in zip(hands.tolist(), board.tolist(), rows, strict=True):
        left = [pair for pair in combinations(range(9), 2) if not set(pair) & set(on)]
        strength = [int(game.strength(torch.tensor([[*pair, *on]]))) for pair in left]
        mine = int(game.strength(torch.tensor([[*hand, *on]])))
        middle = (sum(s < mine for s in strength) + strength.count(mine) / 2) / len(left)
        assert row[game.cards : -1].tolist() == [int(middle * 9), int(middle * 81) % 9]


def test_expected_strength_is_the_mean_over_all_cards_to_come() -> None:
    game = HoldemGame(TURN, torch.device("cpu"), strength="expected")
    deck = TURN.deck.size
    hands, board = game.sample_cards(40, 2, torch.Generator().manual_seed(1))
    for street, seen in enumerate((0, 3, 4)):
        rows = game.encode(hands, board, street)[:, game.cards : -1]
        for hand, on, row in zip(hands.tolist(), board[:, :seen].tolist(), rows.tolist(), strict=True):
            if not seen:
                assert row == [deck] * 3  # unknown before a board has come
                continue
            quantiles = [quantile(game, hand, [*on, *more]) for more in ends(deck, {*hand, *on}, 4 - seen)]
            mean, spread = np.mean(quantiles), np.std(quantiles)
            assert row[0] * deck + row[1] == int(mean * deck**2 + 1e-9)
            assert row[2] == min(int(spread / 0.4 * deck + 1e-9), deck - 1)


def ends(deck: int, known: set[int], count: int) -> list[tuple[int, ...]]:
    return list(combinations(sorted(set(range(deck)) - known), count))


def quantile(game: HoldemGame, hand: list[int], board: list[int]) -> float:
    left = [pair for pair in combinations(range(game.game.deck.size), 2) if not set(pair) & set(board)]
    strength = [int(game.strength(torch.tensor([[*pair, *board]]))) for pair in left]
    mine = int(game.strength(torch.tensor([[*hand, *board]])))
    return (sum(s < mine for s in strength) + strength.count(mine) / 2) / len(left)


def test_strength_is_evaluated_alike_from_a_table_and_without() -> None:
    game, hands = rg.poker.LimitHoldem(), torch.from_numpy(STANDARD.hands(2).astype(np.int64))
    strength = HandStrengths(game, 7, torch.device("cpu"))
    boards = torch.tensor([STANDARD.cards(board) for board in ("AsKsQsJs2h", "2c2d2h2s3c", "Tc8c6c4c2c")])
    expected = np.stack([strengths(STANDARD, tuple(board), STANDARD.hands(2)) for board in boards.tolist()])
    assert np.array_equal(strength.of_all_hands(boards, hands).numpy(), expected)
    rows = torch.cat([hands, boards[:1].expand(len(hands), -1)], dim=1)
    fits = expected[0] >= 0
    assert np.array_equal(strength(rows[fits]).numpy(), expected[0][fits])


def test_merged_and_strength_are_for_hold_em() -> None:
    with pytest.raises(rg.OptionError, match="needs boards='all'"):
        rg.solve(LEDUC, METHOD.replace(memory="merged"), iterations=1)
    with pytest.raises(rg.OptionError, match="floor= needs means over iterations"):
        rg.solve(LEDUC, METHOD.replace(floor=1.0), iterations=1)
    with pytest.raises(rg.OptionError, match="recursive refits keep none"):
        rg.solve(LEDUC, METHOD.replace(floor=1.0, refit="recursive", boards="all"), iterations=1)
    with pytest.raises(rg.OptionError, match="boards is a whole number from 0 on, or 'all', got 'some'"):
        METHOD.replace(boards="some")
    assert method_by_name("sd-cfr:boards=all,strength=yes").boards == "all"
    with pytest.raises(rg.OptionError, match="boards is a whole number or all, got 'some'"):
        method_by_name("sd-cfr:boards=some")
    assert method_by_name("sd-cfr:boards=4,strength=expected").strength == "expected"
    with pytest.raises(rg.OptionError, match="strength is yes, no or expected, got 'some'"):
        method_by_name("sd-cfr:strength=some")
    with pytest.raises(rg.OptionError, match="strength is True, False or 'expected', got 2"):
        METHOD.replace(strength=2)
    assert method_by_name("sd-cfr:strength=expected,boards=4").boards == 4  # in any order
    refused = {
        "strength='expected' is computed for all hands on a board together": {"strength": "expected", "boards": 0},
        "off_path= draws samples on boards with all hands": {"off_path": 0.1, "boards": 0},
        "memory='merged' follows the same infosets": {"off_path": 0.1, "boards": "all", "memory": "merged"},
        "recursive refits keep none: use another": {"targets": "strategies", "boards": "all", "refit": "recursive"},
        "follows fewer infosets than player 0 has": {"traversals": 5, "boards": "all", "memory": "merged"},
    }
    for said, changes in refused.items():
        with pytest.raises(rg.OptionError, match=said):
            rg.solve(LEDUC, METHOD.replace(**changes), iterations=1)
    with pytest.raises(rg.OptionError, match="off_path= draws samples on boards"):
        rg.solve("leduc", rg.DeepCFR(off_path=0.5), iterations=1)
    with pytest.raises(rg.OptionError, match="strength= tells networks"):
        rg.solve("leduc", rg.DeepCFR(strength=True), iterations=1)
