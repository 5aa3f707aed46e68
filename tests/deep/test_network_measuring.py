"""Networks on a small deck with a flop, a turn and a river, measured in every way beside the exact answer."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from four_streets import SD_SMALL, SMALL, random_networks

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import Deck, Limit, PublicGame, abstract
from regretless.poker.results.hand_lookups import lookup_of

pytestmark = pytest.mark.full

GAME = PublicGame(
    Deck("JQKA", "sh"), 2, (2, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=1, blinds=(1, 2)), big_blind=2
)
"""Eight cards: 28 flops, of which 16 differ by more than suits."""


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other cost more than they bring on so few hands."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def networks() -> Any:
    return random_networks(GAME)[1]


@pytest.fixture(scope="module")
def exact(networks: Any) -> float:
    """Exploitability on the whole tree, laid out hand by hand."""
    return float(networks.public.nash_conv() / 2)


@pytest.fixture(scope="module")
def buckets() -> Any:
    """A strategy with an abstraction, solved for a moment by linear sampling."""
    game = dataclasses.replace(GAME, abstraction=abstract(GAME, buckets=(6, 8, 8, 8), seed=1))
    method = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR, boards=4)
    return rg.solve(game, method, iterations=10, seed=1).strategy


def test_all_flops_are_exact(networks: Any, exact: float) -> None:
    assert float(rg.exploitability(GAME, networks, threads=1)) == pytest.approx(exact, rel=1e-4)
    by_flops = rg.exploitability(GAME, networks, flops=16, seed=1, threads=1)
    assert by_flops.exact and float(by_flops) == pytest.approx(exact, rel=1e-4)


def test_intervals_of_some_flops_surround_the_exact_answer(networks: Any, exact: float) -> None:
    """95 % intervals: at least 8 of 10 (fewer come with probability 0.012); the mean is near."""
    found = [rg.exploitability(GAME, networks, flops=6, seed=seed, threads=1) for seed in range(10)]
    assert sum(one.low <= exact <= one.high for one in found) >= 8
    assert not any(one.exact for one in found)
    mean = np.mean([float(one) for one in found])
    assert abs(mean - exact) < 4 * np.std([float(one) for one in found]) / np.sqrt(len(found))


def test_a_match_with_buckets_on_all_boards_is_exact(networks: Any, buckets: Any) -> None:
    expected = networks.public.against(buckets.public)
    assert rg.match(GAME, networks, buckets).mean == pytest.approx(expected, abs=1e-5)
    drawn = rg.match(GAME, networks, buckets, hands=100, exact=False, seed=1)
    assert abs(drawn.mean - expected) < 4 * drawn.standard_error
    assert rg.match(GAME, buckets, networks, hands=100, exact=False, seed=1).mean == pytest.approx(
        -drawn.mean, abs=1e-5
    )


def test_local_best_responses_win_no_more_than_best_ones(networks: Any, exact: float) -> None:
    found = rg.poker.local_best_response(GAME, networks)
    assert 0 < found.mean <= exact + 1e-4


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "networks.run"
    for method in (SMALL, rg.NFSP(plays=8, every=8, batch=8, widths=(8,), listed=False)):
        rg.solve(GAME, method, iterations=1, seed=1, checkpoint=path, overwrite=True)
        before = path.read_bytes()
        for other, seed in ((SD_SMALL, 1), (method, 2), (method.replace(batch=9), 1)):
            with pytest.raises(OptionError, match=r"networks\.run holds 1 iterations? of another solve"):
                rg.solve(GAME, other, iterations=1, seed=seed, checkpoint=path)
        with pytest.raises(OptionError, match=r"another solve, on .*, which is another game"):
            rg.solve(rg.poker.LimitHoldem(), method, iterations=1, seed=1, checkpoint=path)
        assert path.read_bytes() == before


def test_networks_play_a_function(networks: Any, buckets: Any) -> None:
    """One of the players is enough to know: the function plays a strategy whose exact result is known."""
    lookup = lookup_of(buckets)

    def player(state: Any, legal: Sequence[str]) -> Sequence[float]:
        return lookup.probabilities(state.node, state.cards, state.board_cards)

    played = rg.match(GAME, networks, player, hands=40, seed=1, control="value")
    assert abs(played.mean - networks.against(buckets)) < 4 * played.standard_error
    assert played.variance < played.variance_without_control
