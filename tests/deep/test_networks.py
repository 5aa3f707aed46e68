"""Networks: published size, gradients written out against automatic ones, losses and steps against PyTorch's own."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from regretless.deep.memories.memory import Batch, Memory  # noqa: E402
from regretless.deep.networks.adam import Adam  # noqa: E402
from regretless.deep.networks.gradients import AutogradNetwork, FlatPerceptron, flatten  # noqa: E402
from regretless.deep.networks.holdem_network import HoldemNetwork  # noqa: E402
from regretless.deep.networks.losses import loss_and_gradient  # noqa: E402
from regretless.deep.networks.multilayer import Perceptron, ResidualPerceptron, initialise, parameter_count  # noqa: E402
from regretless.deep.networks.regret_matching import masked_softmax, match_regrets  # noqa: E402
from regretless.deep.networks.training import FitOptions, Trainer  # noqa: E402


def test_the_hold_em_network_has_the_published_number_of_parameters() -> None:
    """Brown et al. 2019, §5.1: 98,948."""
    assert parameter_count(HoldemNetwork(heads=4, width=64, card_width=192, card_table=False)) == 98_948
    with_cards = HoldemNetwork(heads=4, width=64, card_width=192)
    assert parameter_count(with_cards) == 98_948 + 2 * 52 * 64
    assert with_cards.feature_size == 2 * 52 + 24


def test_card_embeddings_are_sums_of_looked_up_vectors() -> None:
    network = HoldemNetwork(width=8, card_width=12)
    embedding = network.embeddings[0]
    held = torch.zeros(1, 52)
    held[0, [5, 50]] = 1.0  # ranks 1 and 12, suits 1 and 2
    looked_up = sum(
        embedding.ranks.weight[:, card // 4] + embedding.suits.weight[:, card % 4] + embedding.cards.weight[:, card]
        for card in (5, 50)
    )
    assert torch.allclose(embedding(held)[0], looked_up, atol=1e-6)
    assert torch.equal(embedding(torch.zeros(1, 52)), torch.zeros(1, 8))
    assert network(torch.rand(7, network.feature_size)).shape == (7, 3)


@pytest.mark.parametrize("widths", [(), (5,), (16, 16, 8)])
def test_slopes_written_out_are_the_automatic_ones(widths: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    network = Perceptron(11, 3, widths)
    twin = Perceptron(11, 3, widths)
    twin.load_state_dict(network.state_dict())
    by_hand, automatic = flatten(network), AutogradNetwork(twin)
    assert isinstance(by_hand, FlatPerceptron) and by_hand.weights.numel() == parameter_count(network)
    for rows in (20, 7):
        features, gradient = torch.randn(rows, 11), torch.randn(rows, 3)
        assert torch.allclose(by_hand.forward(features), automatic.forward(features), atol=1e-6)
        by_hand.backward(gradient)
        automatic.backward(gradient)
        assert torch.allclose(by_hand.gradient, automatic.gradient, atol=1e-5)
    assert torch.equal(by_hand.outputs(features), network(features))


def test_a_residual_perceptron_adds_where_widths_agree() -> None:
    network = ResidualPerceptron(6, 2, (8, 8))
    torch.nn.init.zeros_(network.layers[1].weight)
    torch.nn.init.zeros_(network.layers[1].bias)
    features = torch.randn(5, 6)
    first = torch.relu(network.layers[0](features))
    normal = (first - first.mean(1, keepdim=True)) / (first.var(1, keepdim=True, unbiased=False) + 1e-5).sqrt()
    assert torch.allclose(network(features), network.head(normal), atol=1e-5)
    assert isinstance(flatten(network), AutogradNetwork)


def test_drawing_weights_anew_depends_on_the_generator_alone() -> None:
    one, other = Perceptron(4, 2, (6,)), Perceptron(4, 2, (6,))
    for network in (one, other):
        initialise(network, torch.Generator().manual_seed(3))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert float(one.layers[0].weight.detach().abs().max()) <= 4**-0.5


@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
def test_slopes_of_losses(loss: str) -> None:
    torch.manual_seed(1)
    legal = torch.tensor([[1.0, 1, 0], [1, 1, 1], [0, 1, 1]])
    targets = torch.rand(3, 3) * legal
    batch = Batch(torch.zeros(3, 1), targets, legal, torch.tensor([0.2, 0.5, 0.3]))
    output = torch.randn(3, 3, requires_grad=True)
    if loss == "squares":
        plain = (batch.weights[:, None] * legal * (output - targets) ** 2).sum()
    else:
        probabilities = output.masked_fill(legal == 0, -torch.inf).softmax(1)
        plain = -(batch.weights[:, None] * targets * probabilities.clamp(min=1e-30).log()).sum()
    plain.backward()
    found, gradient = loss_and_gradient(output.detach(), batch, loss)  # type: ignore[arg-type]
    assert float(found) == pytest.approx(float(plain.detach()), rel=1e-5)
    assert output.grad is not None and torch.allclose(gradient, output.grad, atol=1e-6)


def test_steps_are_bit_for_bit_those_of_the_fused_optimiser_of_pytorch() -> None:
    torch.manual_seed(2)
    begin = torch.randn(50)
    weights, gradient, theirs = begin.clone(), torch.zeros(50), torch.nn.Parameter(begin.clone())
    mine, other = Adam(weights, gradient), torch.optim.Adam([theirs], lr=0.01, fused=True)
    for step in range(20):
        gradient.copy_(torch.randn(50))
        theirs.grad = gradient.clone()
        other.param_groups[0]["lr"] = 0.01 / (1 + step)
        mine.step(0.01 / (1 + step))
        other.step()
    assert torch.equal(weights, theirs.detach()) and int(mine.steps) == 20


def test_steps_by_plain_operations_are_the_same() -> None:
    torch.manual_seed(3)
    begin, gradients = torch.randn(50), torch.zeros(2, 50)
    one, other = (Adam(begin.clone(), gradient) for gradient in gradients)
    for _ in range(20):
        gradients[:] = torch.randn(50)
        one.step(0.01)
        other.steps += 1
        other.plain_step(torch.tensor(0.01))
    assert torch.allclose(one.weights, other.weights, atol=1e-6)
    for name, tensor in one.state().items():
        assert torch.allclose(tensor, other.state()[name], atol=1e-6)


class Line(Memory):
    """Samples of y = 2x − 1 with a second head that is never legal, all at once."""

    seen = 64

    def __len__(self) -> int:
        return 64

    def add(self, found, weight, generator):  # type: ignore[no-untyped-def]
        raise AssertionError

    def prepare(self, size: int, *, scaled: bool) -> float:
        return 1.0

    def batch(self, generator: torch.Generator) -> Batch:
        x = torch.linspace(-1, 1, 64)[:, None]
        y = torch.cat([2 * x - 1, torch.full_like(x, 99.0)], dim=1)
        return Batch(x, y, torch.tensor([[1.0, 0.0]]).expand(64, 2), torch.full((64,), 1 / 64))

    def arrays(self):  # type: ignore[no-untyped-def]
        return {}

    def restore(self, arrays):  # type: ignore[no-untyped-def]
        raise AssertionError


@pytest.mark.parametrize("kind", [Perceptron, ResidualPerceptron])
def test_training_fits_what_is_legal(kind: type) -> None:
    trainer = Trainer(flatten(kind(1, 2, (32,))), FitOptions(400, 64, 1e-2, "cosine"))
    generator = torch.Generator().manual_seed(0)
    trainer.reset(generator)
    assert trainer.fit(Line(), generator) < 2e-3
    assert torch.allclose(trainer.outputs(torch.tensor([[0.5]]))[0, 0], torch.tensor(0.0), atol=0.15)


def test_schedules() -> None:
    rates = {s: [FitOptions(4, 1, 1.0, s).rate_at(step) for step in range(4)] for s in ("constant", "linear", "cosine")}  # type: ignore[arg-type]
    assert rates["constant"] == [1.0] * 4
    assert rates["linear"] == [1.0, 0.75, 0.5, 0.25]
    assert rates["cosine"] == pytest.approx([1.0, 0.5 + 0.5**1.5, 0.5, 0.5 - 0.5**1.5])


def test_weights_that_are_played_are_a_mean_of_those_of_all_steps() -> None:
    options, generator = FitOptions(1, 64, 1e-2, average=0.9), torch.Generator().manual_seed(0)
    trainer = Trainer(flatten(Perceptron(1, 2, (4,))), options)
    trainer.reset(generator)
    seen = []
    for _ in range(7):
        trainer.fit(Line(), generator)
        seen.append(trainer.network.weights.clone())
    share = np.array([0.9 ** (6 - step) for step in range(7)])
    mean = sum(float(s) * w for s, w in zip(share / share.sum(), seen, strict=True))
    assert torch.allclose(trainer.played, mean, atol=1e-6)


def test_gradients_are_clipped() -> None:
    network = flatten(Perceptron(1, 2, ()))
    trainer = Trainer(network, FitOptions(1, 64, 1e-3, clip=0.01))
    trainer.fit(Line(), torch.Generator())
    trainer.step(Line(), 0.0, torch.Generator())
    assert float(network.gradient.norm()) == pytest.approx(0.01, rel=1e-4)


def test_regret_matching() -> None:
    advantages = torch.tensor([[3.0, -1, 1], [-5, -2, -2], [0, 0, 0], [9, -1, -3]])
    legal = torch.tensor([[True, True, True], [True, True, True], [True, True, True], [False, True, True]])
    highest = [[0.75, 0, 0.25], [0, 0.5, 0.5], [1 / 3] * 3, [0, 1, 0]]
    assert torch.allclose(match_regrets(advantages, legal), torch.tensor(highest))
    uniform = [[0.75, 0, 0.25], [1 / 3] * 3, [1 / 3] * 3, [0, 0.5, 0.5]]
    assert torch.allclose(match_regrets(advantages, legal, "uniform"), torch.tensor(uniform))
    assert torch.allclose(masked_softmax(torch.zeros(4, 3), legal)[3], torch.tensor([0, 0.5, 0.5]))
