"""Memories: fair reservoirs, windows, and sums that say the same as all samples."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

import regretless as rg  # noqa: E402
from regretless.deep.games.listed_game import ListedGame  # noqa: E402
from regretless.deep.memories.merged_samples import MergedMemory  # noqa: E402
from regretless.deep.memories.reservoir import SampleMemory, reservoir_slots  # noqa: E402
from regretless.deep.memories.undo_log import UndoLog  # noqa: E402
from regretless.deep.networks.gradients import flatten  # noqa: E402
from regretless.deep.networks.losses import loss_and_gradient  # noqa: E402
from regretless.deep.networks.multilayer import Perceptron  # noqa: E402
from regretless.deep.walks.traversal import Samples  # noqa: E402

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def game() -> ListedGame:
    return ListedGame(rg.build(rg.games.Leduc()), CPU)


def numbered(game: ListedGame, first: int, count: int) -> Samples:
    """Samples that can be told apart: sample j says j."""
    number = torch.arange(first, first + count)
    return Samples((number % game.tree.infosets).int(), number[:, None].float().expand(-1, game.heads))


def test_every_sample_stays_with_the_same_probability(game: ListedGame) -> None:
    capacity, total, rounds = 50, 600, 800
    kept = np.zeros(total)
    for seed in range(rounds):
        memory, generator = SampleMemory(game, capacity), torch.Generator().manual_seed(seed)
        for first, last in ((0, 20), (20, 90), (90, 91), (91, 400), (400, 600)):
            memory.add(numbered(game, first, last - first), 1.0, generator)
        assert len(memory) == capacity and memory.seen == total
        held = memory.targets[:capacity, 0].long()
        assert len(held.unique()) == capacity
        kept[held.numpy()] += 1
    expected = rounds * capacity / total
    # Sums of squares over 600 samples: chi-square with 599 degrees of freedom, 5 standard deviations.
    chi = float(((kept - expected) ** 2 / (expected * (1 - capacity / total))).sum())
    assert abs(chi - 599) < 5 * (2 * 599) ** 0.5
    for part in np.array_split(kept, 6):  # neither early nor late samples are favoured
        assert abs(part.mean() / expected - 1) < 0.03


def test_a_reservoir_is_what_one_sample_after_the_other_makes_of_it(game: ListedGame) -> None:
    memory, generator, same = SampleMemory(game, 30), torch.Generator().manual_seed(4), torch.Generator().manual_seed(4)
    slow: list[int] = []
    for first, count in ((0, 25), (25, 300), (325, 7)):
        memory.add(numbered(game, first, count), float(first + 1), generator)
        for number, place in enumerate(reservoir_slots(first, count, 30, same).tolist(), start=first):
            if place < 30:
                slow[place : place + 1] = [number]
    assert memory.targets[:30, 0].tolist() == slow
    assert memory.weights[:30].tolist() == [1.0 if n < 25 else 26.0 if n < 325 else 326.0 for n in slow]
    assert memory.total == sum(memory.weights[:30].tolist())


def test_a_window_holds_the_latest(game: ListedGame) -> None:
    memory, generator = SampleMemory(game, 40, "window"), torch.Generator()
    for first, count in ((0, 30), (30, 25), (55, 100)):
        memory.add(numbered(game, first, count), 1.0, generator)
        last = first + count
        assert sorted(memory.targets[: len(memory), 0].tolist()) == list(range(max(0, last - 40), last))


@pytest.mark.parametrize("kind", ["reservoir", "window"])
def test_batches_weigh_samples_by_their_iteration(game: ListedGame, kind: str) -> None:
    memory, generator = SampleMemory(game, 100, kind), torch.Generator().manual_seed(1)  # type: ignore[arg-type]
    memory.add(numbered(game, 0, 50), 1.0, generator)
    memory.add(numbered(game, 50, 50), 3.0, generator)
    scale = memory.prepare(20_000, scaled=True)
    square = memory.targets.square().sum(1)  # the first fifty count once, the others three times
    assert scale == pytest.approx(float((memory.weights * square).sum() / memory.weights.sum()) ** 0.5)
    batch = memory.batch(generator)
    late = batch.targets[:, 0] * scale > 49.5
    assert float(batch.weights.sum()) == pytest.approx(1, abs=0.02)
    assert float(batch.weights[late].sum()) == pytest.approx(0.75, abs=0.02)
    assert torch.equal(batch.legal.bool(), batch.legal > 0) and batch.features.shape == (20_000, game.feature_size)


def test_merged_samples_have_the_loss_and_the_slope_of_all_samples(game: ListedGame) -> None:
    generator = torch.Generator().manual_seed(3)
    own = game.infosets_of([0])
    merged, kept = MergedMemory(game, [0]), SampleMemory(game, 5_000)
    for weight in (1.0, 2.0, 3.0):
        infosets = own[torch.randint(len(own), (900,), generator=generator)].int()
        numbers = torch.randn(900, game.heads, generator=generator) * game.legal(infosets)
        for memory in (merged, kept):
            memory.add(Samples(infosets, numbers), weight, generator)
    gradients, network = [], flatten(Perceptron(game.feature_size, game.heads, (16, 16)))
    for memory in (merged, kept):
        memory.prepare(2_700, scaled=False)
        batch = merged.batch(generator) if memory is merged else whole(game, kept)
        _, gradient = loss_and_gradient(network.forward(batch.features), batch, "squares")
        network.backward(gradient)
        gradients.append(network.gradient.clone())
    assert torch.allclose(gradients[0], gradients[1], atol=1e-6)
    assert merged.seen == kept.seen == 2_700 and len(merged) == len(kept.infosets[:2_700].unique())


def whole(game: ListedGame, memory: SampleMemory):  # type: ignore[no-untyped-def]
    """All samples of a memory as one batch."""
    from regretless.deep.memories.memory import Batch

    infosets, weights = memory.infosets[: len(memory)], memory.weights[: len(memory)]
    return Batch(
        game.features(infosets), memory.targets[: len(memory)], game.legal(infosets).float(), weights / weights.sum()
    )


def test_merged_memories_draw_infosets_by_weight_where_they_are_many(game: ListedGame) -> None:
    own = game.infosets_of([1])
    memory, generator = MergedMemory(game, [1]), torch.Generator().manual_seed(5)
    memory.add(Samples(own[:2].int(), torch.ones(2, game.heads)), 1.0, generator)
    memory.add(Samples(own[1:2].int(), torch.ones(1, game.heads)), 2.0, generator)
    memory.prepare(100, scaled=False)
    assert not memory.whole
    features = memory.batch(generator).features
    first = (features == game.features(own[:1])).all(1)
    second = (features == game.features(own[1:2])).all(1)
    assert bool((first | second).all()) and 8 <= int(first.sum()) <= 45


def test_memories_come_back_from_their_arrays(game: ListedGame) -> None:
    for make in (lambda: SampleMemory(game, 64), lambda: MergedMemory(game, [0])):
        one, other = make(), make()
        for step, memory in enumerate((one, one, other)):
            if memory is other:
                other.restore({name: array.copy() for name, array in one.arrays().items()})
            memory.add(numbered(game, 50 * step, 50), float(step + 1), torch.Generator().manual_seed(step))
        one.add(numbered(game, 100, 50), 3.0, torch.Generator().manual_seed(2))
        for name, array in one.arrays().items():
            assert np.array_equal(array, other.arrays()[name])
        assert one.prepare(10, scaled=True) == other.prepare(10, scaled=True)


@pytest.mark.parametrize("more", [30, 50, 64, 90])
def test_a_memory_that_is_filled_anew_comes_back(game: ListedGame, more: int) -> None:
    """Also where the new samples are fewer or more than those it had."""
    memory, log, generator = SampleMemory(game, 64, "window", one_scale=True), UndoLog(), torch.Generator()
    memory.add(numbered(game, 0, 50), 1.0, generator)
    before = {name: array.copy() for name, array in memory.arrays().items()}
    log.watch(memory)
    memory.forget()
    memory.add(numbered(game, 100, more), 2.0, generator)
    log.undo()
    for name, array in memory.arrays().items():
        assert np.array_equal(array, before[name])
    assert memory.total == 50 and not memory.weights[50:].any()


def test_a_memory_that_will_never_fit(game: ListedGame) -> None:
    with pytest.raises(rg.OptionError) as error:
        SampleMemory(game, 10**13)
    assert "a memory of 10,000,000,000,000 samples takes 200.0 TB, and" in str(error.value)
    assert "set capacity lower" in str(error.value)


def test_a_floor_leaves_positive_means_and_their_order_alone(game: ListedGame) -> None:
    generator = torch.Generator().manual_seed(6)
    own = game.infosets_of([0])
    plain, floored = MergedMemory(game, [0]), MergedMemory(game, [0], floor=2.0)
    numbers = 10 * torch.randn(len(own), game.heads, generator=generator) * game.legal(own)
    numbers = torch.where(numbers < 0, 30 * numbers, numbers)
    for memory in (plain, floored):
        memory.add(Samples(own.int(), numbers), 1.0, generator)
        memory.prepare(len(own), scaled=False)
    positive = plain.targets.clamp(min=0)
    least = -2.0 * float(positive.square().sum(1).mean().sqrt())
    assert -40 < least < -10
    assert torch.allclose(floored.targets, plain.targets.clamp(min=least), atol=1e-4)
    assert floored.prepare(len(own), scaled=True) < 0.2 * plain.prepare(len(own), scaled=True)


def test_a_scale_is_that_of_all_samples_however_they_are_ordered(game: ListedGame) -> None:
    memory, generator = SampleMemory(game, 200_000), torch.Generator().manual_seed(7)
    numbers = torch.cat([torch.full((100_000, game.heads), 1.0), torch.full((100_000, game.heads), 7.0)])
    memory.add(Samples(torch.zeros(200_000, dtype=torch.int32), numbers), 1.0, generator)
    assert memory.prepare(10, scaled=True) == pytest.approx((game.heads * 25.0) ** 0.5, rel=1e-3)
