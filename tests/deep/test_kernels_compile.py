"""Triton's kernels compiled for a GPU that is not here: the interpreter takes what the compiler may refuse."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch")
triton = pytest.importorskip("triton")
if os.environ.get("TRITON_INTERPRET") == "1":
    pytest.skip("kernels are interpreted here", allow_module_level=True)

from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

from regretless.deep.games.holdem_game import HoldemGame  # noqa: E402
from regretless.deep.memories.reservoir import SampleMemory  # noqa: E402
from regretless.deep.networks import fused_kernels, inference_kernel  # noqa: E402
from regretless.deep.networks.adam import Adam  # noqa: E402
from regretless.deep.networks.fused_inference import fused_card_reader  # noqa: E402
from regretless.deep.networks.fused_step import FusedStep  # noqa: E402
from regretless.deep.networks.holdem_gradients import FlatHoldemNetwork  # noqa: E402
from regretless.deep.networks.holdem_network import HoldemNetwork  # noqa: E402
from regretless.poker import Deck, Limit, PublicGame  # noqa: E402

HOPPER = GPUTarget("cuda", 90, 32)
OPTIONS = ("num_warps", "num_stages", "maxnreg", "enable_fp_fusion")
POINTERS = {
    torch.float32: "*fp32",
    torch.float64: "*fp64",
    torch.bfloat16: "*bf16",
    torch.int8: "*i8",
    torch.int16: "*i16",
    torch.int32: "*i32",
    torch.int64: "*i64",
}
FLOP = PublicGame(Deck("TJQKA", "sh"), 2, (2,), Limit(bets=(2, 4), caps=(2, 1), blinds=(1, 2)), big_blind=2)


class Compiled:
    """Stands for a kernel: what it is called with is what it is compiled for, and nothing is run."""

    def __init__(self, kernel: Any) -> None:
        self.kernel, self.code = kernel, ""

    def __getitem__(self, _: tuple[int, ...]) -> Any:
        return self.compiled

    def compiled(self, *given: Any, **named: Any) -> None:
        options = {name: named.pop(name) for name in OPTIONS if named.get(name) is not None}
        named = {name: value for name, value in named.items() if name not in OPTIONS}
        names = self.kernel.arg_names
        types = {name: self.type_of(value) for name, value in zip(names, given, strict=False)}
        signature = {name: types.get(name, "constexpr") for name in names}
        constants = {(names.index(name),): value for name, value in named.items()}
        source = ASTSource(self.kernel, signature, constants)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nothing that the compiler has to say reaches the user
            self.code = triton.compile(source, target=HOPPER, options=options).asm["ptx"]

    def type_of(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return POINTERS[value.dtype]
        return "i32" if isinstance(value, int) else "fp32"


class Kernels:
    """The kernels of a step, each of which is only compiled."""

    def __init__(self) -> None:
        self.forward_backward = Compiled(fused_kernels.forward_backward)
        self.sum_gradients = Compiled(fused_kernels.sum_gradients)
        self.adam_step = Compiled(fused_kernels.adam_step)


def test_a_step_of_training() -> None:
    game = HoldemGame(FLOP, torch.device("cpu"), strength=True)
    network = FlatHoldemNetwork(
        HoldemNetwork(len(game.groups), game.bets.shape[1], game.heads, width=64, card_width=192, ranks=5, suits=2)
    )
    adam = Adam(network.weights, network.gradient)
    step = FusedStep(network, SampleMemory(game, 100), game, adam, 1_000, logs=False)
    step.kernels = kernels = Kernels()
    step.step(torch.tensor(0.1), 1.0, torch.zeros_like(network.weights), 0.5)
    for kernel in (kernels.forward_backward, kernels.sum_gradients):
        assert "mma" in kernel.code  # products are made by tensor cores
    assert "sqrt" in kernels.adam_step.code


def test_what_a_network_says(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = Compiled(inference_kernel.joint_layers)
    monkeypatch.setattr(inference_kernel, "joint_layers", kernel)
    network = HoldemNetwork(groups=2, bets=8, heads=3, width=64, ranks=5, suits=2)
    features = torch.rand((10, network.feature_size))
    with torch.no_grad():
        fused_card_reader(network, features)(features[:3, -8:])
    assert "mma" in kernel.code
