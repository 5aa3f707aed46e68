"""Networks of the user's own: they learn, resume bit for bit, and break their contract with one clear sentence."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from torch import nn  # noqa: E402

import regretless as rg  # noqa: E402
from regretless.deep.networks.custom_network import CustomNetwork  # noqa: E402
from regretless.lookup.methods import check_storable, method_from_json, method_to_json  # noqa: E402
from regretless.poker import Deck, Limit, PublicGame  # noqa: E402

CPU = torch.device("cpu")
SMALL: dict[str, Any] = {"traversals": 60, "steps": 10, "strategy_steps": 20, "batch": 64}


class Gated(nn.Module):
    """Two layers with a gate, layer normalisation and a parameter that is no linear layer's."""

    def __init__(self, features: int, heads: int, width: int = 16) -> None:
        super().__init__()
        self.inner, self.gate = nn.Linear(features, width), nn.Linear(features, width)
        self.normal, self.head = nn.LayerNorm(width), nn.Linear(width, heads)
        self.scale = nn.Parameter(torch.rand(heads))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """[n, heads] from features [n, features]."""
        hidden = torch.nn.functional.silu(self.inner(features)) * torch.sigmoid(self.gate(features))
        return self.head(self.normal(hidden)) * self.scale


def small(features: int, heads: int) -> nn.Module:
    """A function is as good as a class."""
    return nn.Sequential(nn.Linear(features, 8), nn.Tanh(), nn.Linear(8, heads))


@pytest.mark.full
def test_kuhn_is_solved() -> None:
    method = rg.SD_CFR.replace(network=Gated, traversals=500, steps=30)
    assert method.name == "SD-CFR (network Gated)"
    assert rg.solve(rg.games.Kuhn(), method, iterations=60, seed=1).exploitability < 0.03


@pytest.mark.parametrize("network", [Gated, small, partial(Gated, width=6)])
@pytest.mark.parametrize("change", [{}, {"refit": "fresh"}, {"averaging": "value-networks", "memory": "reservoir"}])
def test_runs_resume_bit_for_bit(network: Any, change: dict[str, Any], tmp_path: Path) -> None:
    method = rg.DeepCFR(network=network, **SMALL, **change)
    whole = rg.solve("kuhn", method, iterations=5, seed=3, threads=1)
    rg.solve("kuhn", method, iterations=3, seed=3, threads=1, checkpoint=tmp_path / "half.run")
    torch.manual_seed(99)  # what a user draws in between changes nothing
    resumed = rg.resume(tmp_path / "half.run", iterations=2, method=method)
    assert all(np.array_equal(array, resumed.arrays[name]) for name, array in whole.arrays.items())
    assert resumed.strategy == whole.strategy


def test_weights_depend_on_the_generator_alone_and_leave_pytorchs_own_as_it_was() -> None:
    before = torch.get_rng_state()
    one, other = (CustomNetwork(Gated, 5, 3, CPU) for _ in range(2))
    for network in (one, other):
        network.initialise(torch.Generator().manual_seed(4))
    assert torch.equal(one.weights, other.weights) and torch.equal(torch.get_rng_state(), before)
    other.initialise(torch.Generator().manual_seed(5))
    assert not torch.equal(one.weights, other.weights)
    assert one.weights.numel() == sum(parameter.numel() for parameter in Gated(5, 3).parameters())


def test_on_hold_em(tmp_path: Path) -> None:
    game = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
    method = rg.SD_CFR.replace(network=Gated, **SMALL)
    run = rg.solve(game, method, iterations=2, seed=1)
    assert np.isfinite(run.exploitability)


def test_a_file_names_the_network_and_needs_the_method(tmp_path: Path) -> None:
    method, path = rg.DeepCFR(network=Gated, **SMALL), tmp_path / "own.run"
    check_storable(method)
    rg.solve("kuhn", method, iterations=1, checkpoint=path)
    assert method_to_json(method)["network"] == {"function": "Gated"}
    with pytest.raises(rg.FileError, match=r"uses Gated, a class or function that a file cannot hold: pass the method"):
        rg.load(path)
    loaded = rg.load(path, method=method)
    assert isinstance(loaded, rg.Run) and loaded.method == method
    with pytest.raises(rg.FileError, match="made with another method"):
        rg.load(path, method=method.replace(network=small))
    described = method_to_json(rg.DeepCFR(network=partial(Gated, width=6)))
    assert described["network"] == {"function": "Gated(width=6)"}
    assert method_from_json(described | {"network": None}) == rg.DeepCFR()


def test_a_method_for_a_file_of_an_earlier_version(tmp_path: Path) -> None:
    """Settings that were added since are not in the file."""
    method = rg.DeepCFR(network=Gated, **SMALL)
    run = rg.solve("kuhn", method, iterations=1)
    described = {name: value for name, value in method_to_json(method).items() if name != "anneal_after"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("regretless.run.method_to_json", lambda _: described)
        run.save(tmp_path / "old.run")
    assert rg.load(tmp_path / "old.run", method=method).method == method  # type: ignore[union-attr]


class Dropping(nn.Module):
    def __init__(self, features: int, heads: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(features, heads), nn.Dropout(0.5))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.layers(features)


class Batched(Dropping):
    def __init__(self, features: int, heads: int) -> None:
        super().__init__(features, heads)
        self.layers = nn.Sequential(nn.Linear(features, heads), nn.BatchNorm1d(heads))


def by_numpy(features: int, heads: int) -> nn.Module:
    network = nn.Linear(features, heads)
    network.weight.data.copy_(torch.from_numpy(np.random.default_rng().normal(size=network.weight.shape)))
    return network


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (lambda features, heads: nn.Linear(features, heads + 1), r"maps features \(3, 11\) to .*\(3, 3\).*not to"),
        (lambda features, heads: nn.Linear(features + 1, heads), r"could not map features of shape \(3, 11\): "),
        (lambda features, heads: nn.Linear(features, heads).double(), "needs parameters, all of them float32"),
        (lambda features, heads: nn.Identity(), "needs parameters"),
        (lambda features, heads: "network", "returned 'network': it has to return a torch.nn.Module"),
        (lambda features: nn.Linear(features, 2), r"could not be called with \(11, 2\): "),
        (Dropping, "network=Dropping gives two outputs for the same input: leave out dropout"),
        (Batched, "network=Batched changes its buffers in a forward pass: use layer"),
        (by_numpy, "network=by_numpy draws other weights for the same seed"),
    ],
)
def test_broken_contracts(network: Any, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        rg.solve("kuhn", rg.DeepCFR(network=network, **SMALL), iterations=1)


def test_a_module_is_not_a_class() -> None:
    with pytest.raises(rg.OptionError, match="got the module Linear: pass its class, or a function"):
        rg.DeepCFR(network=nn.Linear(3, 2))
