"""A step of training the hold'em network on a GPU as two kernels and a few small ones, where Triton is installed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from itertools import accumulate, product
from typing import Any

import torch

from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.memories.memory import Memory
from regretless.deep.memories.reservoir import SampleMemory
from regretless.deep.networks.adam import EPSILON, FIRST, SECOND, Adam
from regretless.deep.networks.flat_network import Sloped
from regretless.deep.networks.holdem_gradients import WrittenOutHoldem
from regretless.deep.networks.losses import Loss, loss_and_slope

__all__ = ["MOST_HEADS", "ROUNDING", "FusedStep", "fused_step", "power", "why_not"]

ROWS, BLOCK, TILE, WARPS, STAGES, REGISTERS = 32, 64, 64, 4, 3, 168
"""Rows that a program takes through the network, values of a layer that it reads and that it makes at once, its warps,
loads under way, and the registers of a thread."""

SHARE, TOGETHER, SIDE = 1_024, 64, 64
"""Rows over which a program adds up slopes of weights, how many of them at once, and the side of a tile of slopes."""

MOST_HEADS = 16
"""Heads that the kernels have room for."""

ALIGNED = 32
"""Values of a layer begin at multiples of this."""

ROUNDING = 0.02
"""How far slopes may be apart, relatively: factors of products are rounded to eleven bits, layer after layer, and what
the slopes of weights are made of to eight."""

STEP_BLOCK = 1_024
"""Weights that a program of Adam takes."""


def fused_step(network: Sloped, memory: Memory, adam: Adam, batch: int, *, logs: bool) -> FusedStep | None:
    """A step in few kernels, if there is one for this network and this memory, and Triton to run it."""
    if not isinstance(network, WrittenOutHoldem) or not isinstance(memory, SampleMemory):
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
    """What the kernels need, where they find it, and how they are started."""

    def __init__(
        self,
        network: WrittenOutHoldem,
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
        self.drawn = torch.zeros(batch, dtype=torch.int64, device=device)  # [batch] numbers of samples
        self.width, self.card_width = network.network.head.in_features, network.network.card_width
        self.groups, self.ends = len(game.groups), tuple(accumulate(game.groups, initial=0))
        self._place_layers()
        padded = -(-batch // SHARE) * SHARE + 1  # and a row into which the last tiles may reach
        self.scratch = torch.zeros((padded, self.scratch_wide), device=device)
        self.values = torch.zeros((padded, self.wide), dtype=kept, device=device)
        self.slopes = torch.zeros((padded, self.wide), dtype=kept, device=device)

    def _place_layers(self) -> None:
        """Where weights lie in the vector of all, and the values of layers in a row."""
        network, begin = self.network.network, 0
        place: dict[int, int] = {}
        for part in network.parameters():
            place[id(part)] = begin
            begin += part.numel()
        layers = [*network.card_layers, *network.bet_layers, *network.joint_layers, network.head]
        self.layers = tuple(place[id(part)] for layer in layers for part in (layer.weight, layer.bias))
        self.embeddings = tuple(
            place[id(table.weight)] for e in self.network.embeddings for table in (e.ranks, e.suits, e.cards) if table
        )
        width, card_width, bets, deck = self.width, self.card_width, network.parts[-1], network.parts[0]
        sizes = [
            self.groups * power(deck),
            self.groups * width,
            card_width,
            card_width,
            2 * width,
            bets,
            *[width] * 5,
            self.game.heads,
        ]
        ends = list(accumulate(-(-size // ALIGNED) * ALIGNED for size in sizes))
        self.places, self.wide = (0, *ends[:-1]), ends[-1]
        widest = max(card_width, self.groups * width, bets)
        self.scratch_wide = 2 * width + 2 * (-(-widest // ALIGNED) * ALIGNED)
        held, embedded, cards_1, cards_2, both, betting, bets_1, joint_1, joint_2, joint_3, normal, head = self.places
        between = [
            (embedded, cards_1), (cards_1, cards_2), (cards_2, both), (betting, bets_1), (bets_1, both + width),
            (both, joint_1), (joint_1, joint_2), (joint_2, joint_3), (normal, head),
        ]  # fmt: skip
        tiles = [
            tile
            for layer, (given, back), table, bias in zip(
                layers, between, self.layers[::2], self.layers[1::2], strict=True
            )
            for tile in _tiles(given, back, layer.in_features, layer.out_features, table, bias)
        ]
        for group in range(self.groups):
            ranks, suits, own = self.embeddings[3 * group : 3 * group + 3]
            tiles += _tiles(held + group * power(deck), embedded + group * width, deck, width, own, -1, ranks, suits)
        self.tiles = torch.tensor(tiles, dtype=torch.int32, device=self.network.weights.device)

    def slope(self) -> None:
        """Draw a batch and fill the slope of the network's weights."""
        network, memory, game = self.network, self.memory, self.game
        network.slope.zero_()
        deck = game.game.deck
        bets = int(game.bets.shape[1])
        self.kernels.carry[(-(-self.batch // self.rows),)](
            memory.infosets, memory.numbers, memory.weights, memory.held, memory.share, memory.scale, memory.least,
            game.bets, self.allowed, self.seed, self.adam.steps, network.weights, self.scratch, self.values,
            self.slopes, self.drawn, self.batch, RANKS=len(deck.ranks), SUITS=len(deck.suits), GROUPS=self.groups,
            ENDS=self.ends, EMBEDDINGS=self.embeddings, LAYERS=self.layers, PLACES=self.places, HEADS=game.heads,
            BETS=bets, WIDTH=self.width, CARD_WIDTH=self.card_width, WIDE=self.wide, SCRATCH=self.scratch_wide,
            LOGS=self.logs, ROWS=self.rows, BLOCK=BLOCK, TILE=min(TILE, power(self.width)),
            CARD_TILE=min(TILE, power(self.card_width)), BOTH_TILE=min(TILE, power(2 * self.width)),
            DECK=power(deck.size), OUT=power(self.width), BET_BLOCK=power(bets), num_warps=WARPS, num_stages=STAGES,
            maxnreg=REGISTERS,
        )  # fmt: skip
        self.kernels.sum_slopes[(len(self.tiles), -(-self.batch // SHARE))](
            self.values, self.slopes, network.slope, self.tiles, SHARE, WIDE=self.wide,
            RANKS=len(deck.ranks), SUITS=len(deck.suits), ROWS=TOGETHER, BLOCK=SIDE, num_warps=4,
        )  # fmt: skip

    def agrees(self) -> bool:
        """Whether it finds the slope that PyTorch finds for the same samples, up to how products round."""
        self.slope()
        found, batch = self.network.slope.clone(), self.memory.samples(self.drawn)
        loss: Loss = "cross-entropy" if self.logs else "squares"
        self.network.backward(loss_and_slope(self.network.forward(batch.features), batch, loss)[1])
        apart = torch.linalg.vector_norm(found - self.network.slope)
        return bool(apart <= ROUNDING * torch.linalg.vector_norm(self.network.slope))

    def step(self, rate: torch.Tensor, clip: float, mean: torch.Tensor, keep: float) -> None:
        """One step downhill on a new batch; `mean` keeps a share of earlier weights."""
        self.adam.steps += 1
        self.slope()
        adam, count = self.adam, len(self.network.weights)
        length = torch.linalg.vector_norm(self.network.slope)
        self.kernels.step_down[(-(-count // STEP_BLOCK),)](
            adam.weights, adam.slope, adam.mean, adam.square, mean, length, adam.steps, rate, clip, keep, count,
            FIRST=FIRST, SECOND=SECOND, LOG_FIRST=math.log(FIRST), LOG_SECOND=math.log(SECOND), EPSILON=EPSILON,
            BLOCK=STEP_BLOCK,
        )  # fmt: skip


def _tiles(
    given: int, back: int, ins: int, outs: int, table: int, bias: int, ranks: int = -1, suits: int = -1
) -> list[list[int]]:
    """The tiles of a layer's slopes, in the order that the kernel reads."""
    return [
        [given, back, ins, outs, table, bias, first_in, first_out, ranks, suits]
        for first_in, first_out in product(range(0, ins, SIDE), range(0, outs, SIDE))
    ]


def why_not(agrees: Callable[[], bool]) -> str | None:
    """Why a kernel is not to be used on this GPU, if it does not compile or does not compute what PyTorch computes."""
    try:
        return None if agrees() else "its numbers differ from PyTorch's"
    except Exception as error:  # of a compiler that does not know this GPU there is no list of what it may raise
        return f"{type(error).__name__}: {error}"


def power(size: int) -> int:
    """The least power of two from 16 on that is not below a size."""
    return max(16, 1 << (size - 1).bit_length())
