"""Flops measured on a GPU against flops measured on the CPU, in Numba's CUDA simulator.

The simulator must be asked for before Numba is imported, so this file runs itself in a process of its own, with the
compiler off.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from drawn_buckets import drawn, merged
from simulated_gpu import run_in_the_simulator

import regretless as rg
from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.poker import Deck, Limit, NoLimit, PublicGame
from regretless.poker.measuring.bucket_walker import node_tables
from regretless.poker.measuring.flops import FlopGame
from regretless.poker.solving.cuda_walker import Launch

SIMULATED = bool(os.environ.get("NUMBA_ENABLE_CUDASIM"))
in_the_simulator = pytest.mark.skipif(not SIMULATED, reason="runs in a process of its own")

ONE_CARD = PublicGame(
    Deck("QK", "sh"), 1, (1, 1), Limit(streets=3, bets=(1, 2, 3), caps=(1, 0, 1), blinds=(0, 0), ante=1)
)
RAKED = PublicGame(Deck("QK", "sh"), 1, (1,), NoLimit(stack=7, streets=2, blinds=(1, 2), rake=0.05, caps=1))
TWO_CARDS = PublicGame(Deck("QK", "shd"), 2, (1,), Limit(streets=2, bets=(2, 4), caps=1, blinds=(0, 0), ante=1))


@pytest.mark.skipif(SIMULATED, reason="this is the process of its own")
@pytest.mark.full
def test_in_the_simulator() -> None:
    done = run_in_the_simulator(__file__)
    assert done.returncode == 0, done.stdout[-4_000:]


@in_the_simulator
@pytest.mark.parametrize("game", [ONE_CARD, RAKED, TWO_CARDS], ids=["one card", "rake", "two cards"])
def test_values_of_flops_are_those_of_the_cpu(game: PublicGame) -> None:
    strategy = drawn(merged(game, (2, 3, 3)[: len(game.board_cards) + 1]))
    tables = node_tables(strategy)
    on_cpu, on_gpu = (FlopGame(game, (tables, tables), "float64", 1, device) for device in ("cpu", "cuda"))
    assert on_cpu.lines > 1
    on_gpu.launch = Launch(4, 2, 4_096, 2)
    flop = on_cpu.flops[-1]
    assert np.allclose(
        on_gpu.values(flop).rows, on_cpu.values(flop).rows, rtol=1e-6, atol=1e-6
    )  # probabilities are float32


@pytest.mark.skipif(SIMULATED or cuda_available() is None, reason="there is a GPU")
def test_a_missing_gpu_is_said() -> None:
    with pytest.raises(OptionError, match="GPU"):
        rg.exploitability(ONE_CARD, rg.poker.card_blind(ONE_CARD, call=1), device="cuda")
