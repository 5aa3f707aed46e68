"""A training step of the hold'em network on a GPU in three kernels and a few small ones, where Triton is installed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from itertools import accumulate, product
from typing import Any

import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.memories.memory import BatchSource
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.networks.adam import EPSILON, FIRST, SECOND, Adam
from regretless.deep.networks.flat_network import FlatNetwork
from regretless.deep.networks.holdem_gradients import FlatHoldemNetwork
from regretless.deep.networks.losses import Loss, loss_and_gradient

__all__ = ["FUSED_ARITHMETIC", "MOST_HEADS", "ROUNDING", "FusedStep", "fused_step", "padded_size", "why_unusable"]

FUSED_ARITHMETIC = {"enable_fp_fusion": True}
"""Multiplications and additions are fused. Triton warns where this is left to its default, which is going to change."""

ROWS, BLOCK, TILE, WARPS, STAGES, REGISTERS = 32, 64, 64, 4, 3, 168
"""Of `forward_backward`: rows of a program, inputs and outputs of a layer per block, warps, pipeline stages, and
registers of a thread."""

SHARE, TOGETHER, SIDE = 1_024, 64, 64
"""Of `sum_gradients`: rows of a program, rows per block, and the side of a tile of the gradient."""

MOST_HEADS = 16
"""The most heads that the kernels support."""

ALIGNED = 32
"""The columns of a layer begin at multiples of this."""

ROUNDING = 0.02
"""The largest relative distance to PyTorch's gradient: factors of products are rounded to 11 bits in every layer, and
the factors of the weights' gradients to 8 bits."""

STEP_BLOCK = 1_024
"""Weights per program of the Adam step."""

SEED_STRIDE = 0x632BE5AB
"""Added to the seed at every step, in 64-bit integers: all steps of a refit draw different samples."""


def fused_step(network: FlatNetwork, memory: BatchSource, adam: Adam, batch: int, *, logs: bool) -> FusedStep | None:
    """The fused step, if there is one for this network and this memory, and Triton is installed."""
    if not isinstance(network, FlatHoldemNetwork) or not isinstance(memory, SampleMemory):
        return None
    has_tables = all(embedding.cards is not None for embedding in network.embeddings)
    if not isinstance(memory.game, HoldemGame) or not has_tables:
        return None
    if network.network.head.in_features % 16 or memory.game.heads > MOST_HEADS:
        return None
    if importlib.util.find_spec("triton") is None:
        return None
    return FusedStep(network, memory, memory.game, adam, batch, logs=logs)


class FusedStep:
    """The buffers and offsets that the kernels use, and their launches."""

    def __init__(
        self,
        network: FlatHoldemNetwork,
        memory: SampleMemory,
        game: HoldemGame,
        adam: Adam,
        batch: int,
        *,
        logs: bool,
        rows: int = ROWS,
        kept: torch.dtype = torch.bfloat16,
    ) -> None:
        from regretless.deep.networks import fused_kernels

        self.kernels: Any = fused_kernels
        self.network, self.memory, self.game, self.adam = network, memory, game, adam
        self.batch, self.logs, self.rows = batch, logs, rows
        device = network.weights.device
        self.seed = torch.zeros((), dtype=torch.int64, device=device)
        self.allowed = self.game.allowed.to(torch.int8)  # [D, A]
        self.drawn = torch.zeros(batch, dtype=torch.int64, device=device)  # [batch] indices of samples
        self.width, self.card_width = network.network.head.in_features, network.network.card_width
        self.groups, self.ends = len(game.groups), tuple(accumulate(game.groups, initial=0))
        self._place_weights()
        self._place_columns()
        self._make_tiles()
        padded = -(-batch // SHARE) * SHARE + 1  # one more row, because the last tiles may read beyond the batch
        self.scratch = torch.zeros((padded, self.scratch_wide), device=device)
        self.values = torch.zeros((padded, self.wide), dtype=kept, device=device)
        self.gradients = torch.zeros((padded, self.wide), dtype=kept, device=device)

    def _place_weights(self) -> None:
        """The offsets of tables and biases in the vector of all weights."""
        network, begin = self.network.network, 0
        offset: dict[int, int] = {}
        for parameter in network.parameters():
            offset[id(parameter)] = begin
            begin += parameter.numel()
        self.linear = [*network.card_layers, *network.bet_layers, *network.joint_layers, network.head]
        self.layers = tuple(offset[id(part)] for layer in self.linear for part in (layer.weight, layer.bias))
        self.embeddings = tuple(
            offset[id(table.weight)] for e in self.network.embeddings for table in (e.ranks, e.suits, e.cards) if table
        )

    def _place_columns(self) -> None:
        """The first column of each layer in a row of values, in the order of `forward_backward`'s COLUMNS."""
        width, card_width, groups = self.width, self.card_width, self.groups
        deck, bets = self.network.network.parts[0], self.network.network.parts[-1]
        sizes = [
            groups * padded_size(deck), groups * width, card_width, card_width, 2 * width, bets, *[width] * 5,
            self.game.heads,
        ]  # fmt: skip
        ends = list(accumulate(-(-size // ALIGNED) * ALIGNED for size in sizes))
        self.columns, self.wide = (0, *ends[:-1]), ends[-1]
        widest = max(card_width, groups * width, bets)
        self.scratch_wide = 2 * width + 2 * (-(-widest // ALIGNED) * ALIGNED)

    def _make_tiles(self) -> None:
        """The tiles of all gradients, as rows that `sum_gradients` reads."""
        deck, width = self.network.network.parts[0], self.width
        held, embedded, cards_1, cards_2, both, betting, bets_1, joint_1, joint_2, joint_3, normal, head = self.columns
        between = [
            (embedded, cards_1), (cards_1, cards_2), (cards_2, both), (betting, bets_1), (bets_1, both + width),
            (both, joint_1), (joint_1, joint_2), (joint_2, joint_3), (normal, head),
        ]  # fmt: skip
        tiles = [
            tile
            for layer, (given, back), table, bias in zip(
                self.linear, between, self.layers[::2], self.layers[1::2], strict=True
            )
            for tile in _tiles(given, back, layer.in_features, layer.out_features, table, bias)
        ]
        for group in range(self.groups):
            ranks, suits, own = self.embeddings[3 * group : 3 * group + 3]
            cards, vector = held + group * padded_size(deck), embedded + group * width
            tiles += _tiles(cards, vector, deck, width, own, -1, ranks, suits)
        self.tiles = torch.tensor(tiles, dtype=torch.int32, device=self.network.weights.device)

    def reseed(self, seed: int) -> None:
        """Let the samples of the next steps depend on a seed and on how many steps have followed it."""
        self.seed.fill_(seed)

    def compute_gradient(self) -> None:
        """Draw a batch by the seed and fill the gradient of the network's weights."""
        network, memory, game = self.network, self.memory, self.game
        network.gradient.zero_()
        deck = game.game.deck
        bets = int(game.bets.shape[1])
        self.kernels.forward_backward[(-(-self.batch // self.rows),)](
            memory.infosets, memory.targets, memory.weights, memory.held, memory.share, memory.scale, memory.lowest,
            game.bets, self.allowed, self.seed, network.weights, self.scratch, self.values, self.gradients, self.drawn,
            self.batch, RANKS=len(deck.ranks), SUITS=len(deck.suits), GROUPS=self.groups, ENDS=self.ends,
            EMBEDDINGS=self.embeddings, LAYERS=self.layers, COLUMNS=self.columns, HEADS=game.heads, BETS=bets,
            WIDTH=self.width, CARD_WIDTH=self.card_width, WIDE=self.wide, SCRATCH=self.scratch_wide, LOGS=self.logs,
            ROWS=self.rows, BLOCK=BLOCK, TILE=min(TILE, padded_size(self.width)),
            CARD_TILE=min(TILE, padded_size(self.card_width)), BOTH_TILE=min(TILE, padded_size(2 * self.width)),
            DECK=padded_size(deck.size), OUT=padded_size(self.width), BET_BLOCK=padded_size(bets), num_warps=WARPS,
            num_stages=STAGES, maxnreg=REGISTERS, **FUSED_ARITHMETIC,
        )  # fmt: skip
        self.kernels.sum_gradients[(len(self.tiles), -(-self.batch // SHARE))](
            self.values, self.gradients, network.gradient, self.tiles, SHARE, WIDE=self.wide,
            RANKS=len(deck.ranks), SUITS=len(deck.suits), ROWS=TOGETHER, BLOCK=SIDE, num_warps=4,
            **FUSED_ARITHMETIC,
        )  # fmt: skip

    def matches_pytorch(self) -> bool:
        """Whether the gradient is that of PyTorch for the same samples, up to rounding."""
        self.compute_gradient()
        found, batch = self.network.gradient.clone(), self.memory.samples(self.drawn)
        loss: Loss = "cross-entropy" if self.logs else "squares"
        self.network.backward(loss_and_gradient(self.network.forward(batch.features), batch, loss)[1])
        distance = torch.linalg.vector_norm(found - self.network.gradient)
        return bool(distance <= ROUNDING * torch.linalg.vector_norm(self.network.gradient))

    def step(self, rate: torch.Tensor, clip: float, mean: torch.Tensor, keep: float) -> None:
        """One step of gradient descent on a new batch; `mean` is the exponential mean of the weights."""
        self.adam.steps += 1
        self.seed += SEED_STRIDE
        self.compute_gradient()
        adam, count = self.adam, len(self.network.weights)
        length = torch.linalg.vector_norm(self.network.gradient)
        self.kernels.adam_step[(-(-count // STEP_BLOCK),)](
            adam.weights, adam.gradient, adam.mean, adam.square, mean, length, adam.steps, rate, clip, keep, count,
            FIRST=FIRST, SECOND=SECOND, LOG_FIRST=math.log(FIRST), LOG_SECOND=math.log(SECOND), EPSILON=EPSILON,
            BLOCK=STEP_BLOCK, **FUSED_ARITHMETIC,
        )  # fmt: skip


def _tiles(
    given: int, back: int, ins: int, outs: int, table: int, bias: int, ranks: int = -1, suits: int = -1
) -> list[list[int]]:
    """The tiles of a layer's gradient, in the order that the kernel reads."""
    return [
        [given, back, ins, outs, table, bias, first_in, first_out, ranks, suits]
        for first_in, first_out in product(range(0, ins, SIDE), range(0, outs, SIDE))
    ]


def why_unusable(matches: Callable[[], bool]) -> str | None:
    """Why a kernel cannot be used on this GPU: it does not compile, or its results differ from PyTorch's."""
    try:
        return None if matches() else "its numbers differ from PyTorch's"
    except Exception as error:  # a compiler that does not support this GPU may raise anything
        return f"{type(error).__name__}: {error}"


def padded_size(size: int) -> int:
    """The smallest power of two that is at least `size` and at least 16."""
    return max(16, 1 << (size - 1).bit_length())
