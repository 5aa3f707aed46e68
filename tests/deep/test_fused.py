"""Training the hold'em network in few kernels: in Triton's interpreter, beside PyTorch's own differentiation."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")

SIMULATED = os.environ.get("TRITON_INTERPRET") == "1"


@pytest.mark.skipif(SIMULATED, reason="is what it starts")
@pytest.mark.full
def test_in_the_interpreter() -> None:
    """Triton decides when it is imported whether kernels are interpreted: so the tests below run in a new process."""
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-3000:]


needs_interpreter = pytest.mark.skipif(not SIMULATED, reason="needs Triton's interpreter")

if SIMULATED:
    import torch

    from regretless.deep.games.holdem_game import HoldemGame
    from regretless.deep.memories.memory import Batch
    from regretless.deep.memories.reservoir import SampleMemory
    from regretless.deep.networks.adam import Adam
    from regretless.deep.networks.fused_inference import fused_card_reader
    from regretless.deep.networks.fused_step import FusedStep
    from regretless.deep.networks.holdem_gradients import FlatHoldemNetwork
    from regretless.deep.networks.holdem_network import HoldemNetwork
    from regretless.deep.networks.losses import loss_and_gradient
    from regretless.deep.walks.traversal import traverse
    from regretless.poker import Deck, Limit, PublicGame

    FLOP = PublicGame(Deck("TJQKA", "sh"), 2, (2,), Limit(bets=(2, 4), caps=(2, 1), blinds=(1, 2)), big_blind=2)

    def uniform(game: HoldemGame):  # type: ignore[no-untyped-def]
        return lambda _, infosets: game.legal(infosets) / game.legal(infosets).sum(1, keepdim=True)

    def made(logs: bool, batch: int, *, strength: bool = False) -> tuple[FusedStep, SampleMemory, HoldemGame]:
        torch.manual_seed(3)
        game = HoldemGame(FLOP, torch.device("cpu"), strength=strength)
        memory = SampleMemory(game, 10_000)
        generator = torch.Generator().manual_seed(1)
        for weight in (1.0, 2.0):
            walked = traverse(game, 0, 40, uniform(game), generator)
            memory.add(walked.strategies[1] if logs else walked.advantages, weight, generator)
        memory.prepare(batch, scaled=not logs)
        network = HoldemNetwork(
            groups=len(game.groups),
            bets=game.bets.shape[1],
            heads=game.heads,
            width=32,
            card_width=48,
            ranks=5,
            suits=2,
        )
        written = FlatHoldemNetwork(network)
        adam = Adam(written.weights, written.gradient)
        return FusedStep(written, memory, game, adam, batch, logs=logs, rows=16, kept=torch.float32), memory, game


@needs_interpreter
@pytest.mark.parametrize(
    ("logs", "strength"), [(False, False), (True, False), (False, True)], ids=["squares", "cross-entropy", "strength"]
)
def test_slopes_are_those_of_the_samples_that_were_drawn(logs: bool, strength: bool) -> None:
    fused, memory, game = made(logs, 40, strength=strength)  # two and a half programs
    fused.seed.fill_(12345)
    if not logs:
        memory.lowest.fill_(-1.0)
        assert float(memory.targets.min()) < -2.0
    fused.compute_gradient()
    found = fused.network.gradient.clone()
    assert len(set(fused.drawn.tolist())) > 20 and int(fused.drawn.max()) < len(memory)
    rows = memory.infosets[fused.drawn]
    targets = memory.targets[fused.drawn].clamp(min=-3e38 if logs else -1.0) / memory.scale
    weights = memory.weights[fused.drawn] * memory.share
    batch = Batch(game.features(rows), targets, game.legal(rows).float(), weights)
    loss = "cross-entropy" if logs else "squares"
    _, gradient = loss_and_gradient(fused.network.forward(batch.features), batch, loss)
    fused.network.backward(gradient)
    assert float(found.abs().max()) > 0
    assert torch.allclose(found, fused.network.gradient, rtol=1e-3, atol=1e-4 * float(found.abs().max()))
    assert fused.matches_pytorch()


@needs_interpreter
def test_steps_are_those_of_adam_with_clipping_and_averaging() -> None:
    fused, memory, game = made(False, 32)
    mean, rate = torch.zeros_like(fused.network.weights), torch.tensor(0.01)
    weights, plain_mean = fused.network.weights.clone(), mean.clone()
    gradient = torch.zeros_like(weights)
    plain = Adam(weights, gradient)
    for number in range(3):
        fused.seed.fill_(number)
        fused.step(rate, 0.5, mean, 0.9)
        gradient.copy_(fused.network.gradient * (0.5 / fused.network.gradient.norm()).clamp(max=1.0))
        plain.step(0.01)
        plain_mean.lerp_(weights, 0.1)
    assert torch.allclose(fused.network.weights, weights, atol=1e-5)
    assert torch.allclose(mean, plain_mean, atol=1e-5)
    assert game.heads == 3 and memory.seen > 0


@needs_interpreter
def test_draws_are_even_and_others_at_every_step() -> None:
    fused, memory, _ = made(False, 64)
    fused.reseed(7)
    fused.adam.steps.fill_(2**24)  # from there on a 32-bit float counts no further, and draws must not depend on it
    counts, drawn = torch.zeros(len(memory)), []
    mean = torch.zeros_like(fused.network.weights)
    for _ in range(6):
        fused.step(torch.tensor(0.0), 1.0, mean, 0.0)
        counts += torch.bincount(fused.drawn, minlength=len(memory))
        assert not any(torch.equal(fused.drawn, before) for before in drawn)
        drawn.append(fused.drawn.clone())
    assert int(fused.adam.steps) == 2**24
    expected = 6 * 64 / len(memory)
    assert float(((counts - expected) ** 2 / expected).sum()) < len(memory) + 6 * (2 * len(memory)) ** 0.5
    fused.reseed(7)
    fused.step(torch.tensor(0.0), 1.0, mean, 0.0)
    assert torch.equal(fused.drawn, drawn[0])  # a refit that is begun again draws the same


@needs_interpreter
def test_what_a_network_says_of_several_bettings() -> None:
    torch.manual_seed(5)
    network = HoldemNetwork(groups=2, bets=8, heads=3, width=32, card_width=48, ranks=5, suits=2)
    features = torch.rand((77, network.feature_size))  # two programs and a part of one
    with torch.no_grad():
        bets = features[3:6, -8:].clone()
        found = fused_card_reader(network, features, rows=16, share=32)(bets)
        assert found.shape == (3, 77, 3)
        for number, betting in enumerate(bets):
            features[:, -8:] = betting
            expected = network(features)
            assert float(expected.std()) > 0.1
            assert torch.allclose(found[number], expected, atol=1e-4)
