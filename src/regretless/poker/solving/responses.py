"""Exact best-response values of strategies on a public tree, and matches between strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.public.layout import SolveState
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.solving.cpu_walker import NO_STEP, Walker
from regretless.poker.tree.public_tree import PublicTree

__all__ = ["Responses", "best_responses", "copy_player", "head_to_head", "response_row", "units"]

Array = npt.NDArray[Any]


def units(tree: PublicTree, nash_conv: float) -> dict[str, float]:
    """A NashConv in thousandths of a big blind per game and in shares of the pot."""
    out = {}
    if tree.game.big_blind:
        out["mbb_total"] = 1_000 * nash_conv / tree.game.big_blind
        out["mbb_average"] = out["mbb_total"] / 2
    if tree.game.pot:
        out["pot_share"] = nash_conv / 2 / tree.game.pot
    return out


def response_row(tree: PublicTree, best: list[tuple[float, float]]) -> dict[str, float]:
    """One row of a run's history, from the values of best responses and of the strategies themselves, in chips."""
    conv = max(sum(response - own for response, own in best), 0.0)  # rounding may make it slightly negative
    row = {"exploitability": conv / 2, "nash_conv": conv, "value": best[0][1], **units(tree, conv)}
    return row | {"value_least": -best[1][0], "value_most": best[0][0]}


class Responses:
    """Best responses to strategies in the layout of a tree's numbers [tree.numbers], in 32 bits.

    With device="cuda", strategies may be on the GPU: any object with `__cuda_array_interface__`, such as a PyTorch
    tensor.
    """

    def __init__(self, tree: PublicTree, device: str = "cpu", threads: int | None = None) -> None:
        self.tree, self.device = tree, device
        self.walker: Any
        if device == "cpu":
            self.walker = Walker(tree, "float32", threads or tree.default_threads)
        else:
            from regretless.poker.solving.cuda_walker import CudaWalker

            self.walker = CudaWalker(tree, "float32")

    def values(self, numbers: Any) -> list[tuple[float, float]]:
        """For each player the value of a best response and the value of the strategies, in chips."""
        source, state = self._on_cpu(numbers) if self.device == "cpu" else self._on_gpu(numbers)
        return _values(self.walker, state, source)

    def measured(self, numbers: Any) -> dict[str, float]:
        """One row of a run's history: exploitability in chips, thousandths of a big blind and shares of the pot."""
        return response_row(self.tree, self.values(numbers))

    def _on_cpu(self, numbers: Any) -> tuple[Array, SolveState]:
        source = np.asarray(numbers)
        return source, SolveState(source, None, source, None, np.zeros(self.tree.boards, np.int64), None)

    def _on_gpu(self, numbers: Any) -> tuple[Any, Any]:
        from regretless.kernels.cuda_target import cuda
        from regretless.poker.solving.cuda_state import CudaNumbers

        on_device = hasattr(numbers, "__cuda_array_interface__")
        source = cuda.as_cuda_array(numbers) if on_device else cuda.to_device(numbers)
        first = cuda.to_device(np.zeros(self.tree.boards, np.int64))
        return source, CudaNumbers(source, None, source, None, first, None)


def best_responses(strategy: PublicStrategy) -> list[tuple[float, float]]:
    """For each player the value of a best response to a strategy and the value of the strategy, in chips."""
    strategy.need(range(strategy.tree.boards))
    return _values(strategy.walker, strategy.state, strategy.source)


def _values(walker: Any, state: Any, source: Any) -> list[tuple[float, float]]:
    out = []
    for player in range(2):
        root = walker.walk(player, state, source, False, NO_STEP)
        out.append((walker.worth(player, root.value[0]), walker.worth(player, root.played[0])))
    return out


def head_to_head(one: PublicStrategy, other: PublicStrategy) -> tuple[float, float]:
    """The exact winnings of `one` against `other` as player 0 and as player 1, in chips per game."""
    if one.tree.fingerprint != other.tree.fingerprint:
        raise OptionError(f"{one!r} and {other!r} are strategies of different games")
    responses = Responses(one.tree)
    seatings = [seated(one, other), seated(other, one)]
    first, second = (responses.values(numbers)[seat][1] for seat, numbers in enumerate(seatings))
    return first, second


def seated(first: PublicStrategy, second: PublicStrategy) -> Array:
    """[numbers] the numbers of one strategy for player 0 and of another for player 1."""
    tree = first.tree
    out = np.zeros(tree.numbers, np.float32)
    for player, strategy in enumerate((first, second)):
        strategy.need(range(tree.boards))
        copy_player(tree, player, strategy.source, out)
    return out


def copy_player(tree: PublicTree, player: int, source: Array, out: Array) -> None:
    """Copy the numbers of one player from `source` to `out`, both [numbers]."""
    arrays = tree.book.arrays
    begin = arrays.first[player]
    end = begin + tree.slots[player, tree.board_street] * arrays.stride[player]
    for board in range(tree.boards):
        out[begin[board] : end[board]] = source[begin[board] : end[board]]
