"""Exploitability in the units of poker: what `until` says is what a solve stops at."""

from __future__ import annotations

from typing import Any

import pytest

import regretless as rg
from regretless.poker import FlopHoldem, Spot
from regretless.solving.stopping import chips_until, read_until


def spot(**more: Any) -> Spot:
    return Spot("Qs Jh 2h 7c 3d", ("AA,KQs", "KK"), pot=80, stack=100, **more)


@pytest.mark.parametrize(
    ("until", "chips"),
    [
        (0.5, 0.5),
        ("0.5", 0.5),
        ("1e-3", 1e-3),
        ("0.5 chips", 0.5),
        ("0.3%", 0.24),
        ("0.3 %", 0.24),
        ("1% of the pot", 0.8),
        ("1% pot", 0.8),
        ("100mbb", 0.1),
        ("100 mbb/g", 0.1),
        ("100mbb/h total", 0.1),
        ("50 mbb/g average", 0.1),
        (None, None),
    ],
)
def test_units(until: Any, chips: float | None) -> None:
    found = chips_until(until, spot(big_blind=2))
    assert found == (None if chips is None else pytest.approx(chips))


def test_flop_holdem_counts_in_its_blinds() -> None:
    assert chips_until("5mbb", FlopHoldem()) == pytest.approx(0.25)  # NashConv 0.5 of 100 chips; each player half of it
    assert chips_until("1%", FlopHoldem()) == pytest.approx(1.5)


@pytest.mark.parametrize("until", ["", "x", "5mb", "5 bb", "%", "mbb", "5% average", "0.3%%", "5 chips total", "1.2.3"])
def test_what_cannot_be_read(until: str) -> None:
    with pytest.raises(rg.OptionError, match="until is a number of chips"):
        read_until(until)


def test_what_a_game_does_not_have() -> None:
    with pytest.raises(rg.OptionError, match="does not say what a pot is"):
        rg.solve("kuhn", until="0.3%")
    with pytest.raises(rg.OptionError, match="does not say what a big blind is"):
        rg.solve("kuhn", until="5mbb")
    with pytest.raises(rg.OptionError, match="set big_blind"):
        rg.solve(spot(), until="5mbb")  # type: ignore[arg-type]
    with pytest.raises(rg.OptionError, match="above zero"):
        rg.solve(spot(), until="0%")  # type: ignore[arg-type]
    with pytest.raises(rg.OptionError, match="above zero"):
        rg.solve("kuhn", until="nan")


def test_a_text_of_chips_is_for_every_game(kuhn: rg.Tree) -> None:
    assert rg.solve(kuhn, until="0.01").iterations == rg.solve(kuhn, until=0.01).iterations
