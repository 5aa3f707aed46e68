"""Best responses to card-blind strategies by the short way: the general engine and published figures are the checks."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_buckets import merged

import regretless as rg
from regretless.errors import FileError
from regretless.kernels.public.blind_walks import write_points, write_values, write_worth
from regretless.poker import Deck, Limit, NoLimit, PublicGame, Range
from regretless.poker.measuring.bucket_walker import node_tables
from regretless.poker.measuring.card_blind.blind_flops import BlindFlops
from regretless.poker.measuring.flop_engines import flop_engine
from regretless.poker.measuring.flop_measurement import measure_by_flops
from regretless.poker.measuring.flops import Flop, FlopGame, FlopValues
from regretless.poker.results.bucket_strategy import BucketStrategy

ONE_CARD = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
RAKED = PublicGame(Deck("TJQK", "sh"), 2, (1, 1), NoLimit(stack=10, streets=3, blinds=(1, 2), rake=0.1))
HOLDEM = PublicGame(
    Deck("9TJQK", "shd"), 2, (3, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=(1, 2, 1, 2), blinds=(1, 2))
)
MIXED = (1, 2, 3)


def engine(
    game: PublicGame, weights: tuple[float, float, float] = MIXED, dtype: str = "float64", threads: int = 1
) -> FlopGame:
    fold, call, raise_ = weights
    tables = node_tables(rg.poker.card_blind(game, fold=fold, call=call, raise_=raise_))
    return FlopGame(game, (tables, tables), dtype, threads)


def shortened(game: FlopGame) -> BlindFlops:
    made = flop_engine(game)
    assert isinstance(made, BlindFlops)
    return made


def compared(game: FlopGame, flops: Any) -> None:
    short, share = shortened(game), 1e-12 if game.dtype == "float64" else 2e-6
    for flop in flops:
        expected = game.values(flop).rows
        assert short.values(flop).rows == pytest.approx(expected, rel=share, abs=share * np.abs(expected).max())


def test_values_are_those_of_the_general_engine() -> None:
    game = engine(ONE_CARD, dtype="float32")
    compared(game, game.flops)


@pytest.mark.full
def test_values_are_those_of_the_general_engine_to_the_last_digits() -> None:
    game = engine(ONE_CARD)
    compared(game, game.flops)


@pytest.mark.full
@pytest.mark.parametrize("weights", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), MIXED])
def test_two_rounds_after_the_flop(weights: tuple[float, float, float]) -> None:
    game = engine(HOLDEM, weights)
    compared(game, game.flops[::7])


@pytest.mark.full
@pytest.mark.parametrize("game", [RAKED, dataclasses.replace(RAKED, isomorphism=False)], ids=["suits", "no suits"])
def test_rake_and_several_sizes(game: PublicGame) -> None:
    whole = engine(game)
    assert whole.kinds == 2
    compared(whole, whole.flops)


@pytest.mark.full
def test_lines_with_strategies_of_their_own() -> None:
    """Without cards, but not the same on all lines: nothing can be merged."""
    tree: Any = rg.poker.card_blind(HOLDEM, call=1).tree
    numbers = np.random.default_rng(1).random(tree.infoset_actions).astype(np.float32)
    tables = node_tables(BucketStrategy(tree, numbers))
    game = FlopGame(HOLDEM, (tables, tables), "float64")
    compared(game, game.flops[::20])


def test_equal_lines_are_merged() -> None:
    programs = shortened(engine(rg.poker.LimitHoldem(), (0, 1, 1))).programs
    assert [len(street.outputs) for street in programs.streets] == [8, 16, 32]  # 4, 8 and 16 pots for each player


def test_threads_do_not_change_a_bit() -> None:
    one, two = (shortened(engine(HOLDEM, threads=threads)) for threads in (1, 2))
    flop = one.game.flops[3]
    assert np.array_equal(one.values(flop).rows, two.values(flop).rows)


@pytest.mark.skipif(not hasattr(write_values, "signatures"), reason="nothing is compiled")
def test_a_flop_is_timed_without_compiling() -> None:
    """With several threads, too: the time of the first flop is what the other flops are expected to take."""
    short = shortened(engine(HOLDEM, threads=2))
    short.compile(short.game.flops[3])
    short.values(short.game.flops[3])
    assert [len(each.signatures) for each in (write_points, write_values, write_worth)] == [1, 1, 1]


def test_other_games_and_strategies_take_the_general_engine() -> None:
    wide = Range.from_weights(np.linspace(0, 1, 28), deck=RAKED.deck)
    with_range = engine(dataclasses.replace(RAKED, ranges=(wide, None)))
    assert flop_engine(with_range) is with_range
    tree: Any = merged(ONE_CARD, (2, 3)).problem()
    for numbers, blind in ((np.ones(tree.infoset_actions), True), (np.arange(1.0, 1 + tree.infoset_actions), False)):
        tables = node_tables(BucketStrategy(tree, numbers.astype(np.float32)))
        assert isinstance(flop_engine(FlopGame(ONE_CARD, (tables, tables))), BlindFlops) == blind


def test_files_and_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    strategy, path = rg.poker.card_blind(HOLDEM, call=1, raise_=1), tmp_path / "blind.flops"
    part = measure_by_flops(strategy, flops=4, checkpoint=path)
    assert not part.exact and part.low < part < part.high
    seen: list[Flop] = []
    values = BlindFlops.values

    def watched(self: BlindFlops, flop: Flop) -> FlopValues:
        seen.append(flop)
        return values(self, flop)

    monkeypatch.setattr(BlindFlops, "values", watched)
    found: Any = rg.exploitability(HOLDEM, strategy, checkpoint=path)
    assert found.exact and 0 < len(seen) < found.flops
    with pytest.raises(FileError, match="another strategy"):
        measure_by_flops(rg.poker.card_blind(HOLDEM, call=1), checkpoint=path)


# -- limit hold'em ------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_flop_of_limit_holdem_by_both_ways() -> None:
    game = engine(rg.poker.LimitHoldem(), (0, 1, 0), "float32", 2)
    compared(game, [Flop(game.game.deck.cards("Qs Js 2s"), 4, 6)])


@pytest.mark.full
@pytest.mark.parametrize(
    ("weights", "published"), [({"call": 1}, 1163.48), ({"call": 1, "raise_": 1}, 2406.55)], ids=["call", "half"]
)
def test_published_figures_of_limit_holdem(weights: dict[str, float], published: float) -> None:
    """Johanson, Waugh, Bowling & Zinkevich 2011, Table 1; the other two are in `regretless reproduce`."""
    game = rg.poker.LimitHoldem()
    found: Any = rg.exploitability(game, rg.poker.card_blind(game, **weights))
    assert found.exact and found.flops == 1_755
    assert found.mbb == pytest.approx(published, abs=0.01)
