"""What computes the values of flops: walks on the CPU or on a GPU, or a shorter way for strategies without cards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from regretless.poker.measuring.card_blind.blind_flops import MOST_BYTES, BlindFlops, plays_blind
from regretless.poker.measuring.flops import Flop, FlopGame, FlopValues

__all__ = ["FlopEngine", "flop_engine"]


class FlopEngine(Protocol):
    """Computes the values of flops."""

    def values(self, flop: Flop) -> FlopValues:
        """What each player gets on each line if this flop comes."""

    def in_turn(self, flops: Sequence[Flop]) -> Iterator[FlopValues]:
        """The values of flops, one after the other; an engine may prepare the next one meanwhile."""


def flop_engine(game: FlopGame) -> FlopEngine:
    """The engine for a game: `GpuFlops` on a GPU, `BlindFlops` for strategies without cards, else the game itself."""
    if not game.by_tables:
        return game
    if game.device == "cuda":
        from regretless.poker.measuring.gpu.gpu_flops import GpuFlops

        return GpuFlops(game)
    if plays_blind(game):
        made = BlindFlops(game)
        if made.nbytes <= MOST_BYTES:
            return made
    return game
