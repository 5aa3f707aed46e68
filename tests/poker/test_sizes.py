"""Bet sizes: every spelling, sizes as text and as mappings, and what cannot be read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import OptionError
from regretless.poker.betting.sizes import Size, Sizes, read_list, read_size, read_sizes_by_street, spell_chips


@pytest.mark.parametrize(
    ("spelling", "size"),
    [
        (0.5, Size("pot", 0.5)),
        (2, Size("pot", 2.0)),
        ("50%", Size("pot", 0.5)),
        ("50 % pot", Size("pot", 0.5)),
        ("50% of the pot", Size("pot", 0.5)),
        ("1/2 pot", Size("pot", 0.5)),
        ("1/2", Size("pot", 0.5)),
        (".75", Size("pot", 0.75)),
        ("0.5 pot", Size("pot", 0.5)),
        ("2 pots", Size("pot", 2.0)),
        ("Pot", Size("pot", 1.0)),
        ("120c", Size("chips", 120.0)),
        ("120 chips", Size("chips", 120.0)),
        ("=120.5", Size("chips", 120.5)),
        ("2.5x", Size("times", 2.5)),
        ("3 times", Size("times", 3.0)),
        ("e", Size("geometric")),
        ("2e", Size("geometric", 2.0)),
        ("all-in", Size("all-in")),
        ("ALL IN", Size("all-in")),
        ("allin", Size("all-in")),
        ("jam", Size("all-in")),
    ],
)
def test_spellings(spelling: float | str, size: Size) -> None:
    assert read_size(spelling) == size
    assert read_size(size) is size
    assert read_size(str(size)) == size


@given(
    st.one_of(
        st.builds(Size, st.just("pot"), st.integers(1, 2000).map(lambda percent: percent / 100)),
        st.builds(Size, st.just("chips"), st.integers(1, 10**6).map(float)),
        st.builds(Size, st.just("times"), st.integers(11, 100).map(lambda tenths: tenths / 10)),
    )
)
def test_what_is_spelled_is_read_back(size: Size) -> None:
    back = read_size(str(size))
    assert back.kind == size.kind and back.amount == pytest.approx(size.amount, rel=1e-12)


@pytest.mark.parametrize(
    ("spelling", "sentence"),
    [
        ("much", "the bet size 'much' cannot be read: write 50% or 1/2 pot, 120c for chips"),
        ("50", "the bet size '50' cannot be read"),
        ("1/0 pot", "cannot be read"),
        ("x", "cannot be read"),
        (None, "the bet size None cannot be read"),
        (True, "the bet size True cannot be read"),
        (0, "the bet size 0 is not above 0"),
        ("-5c", "the bet size '-5c' is not above 0"),
        (50, "the bet size 50 is 50 pots: write 50c for 50 chips, or 50% for half the pot"),
        (float("inf"), "cannot be read"),
        ("1x", "does not raise: a raise is to more than 1x the bet faced"),
        ("9e", "is spread over 9 streets: write e, or 1e to 4e"),
    ],
)
def test_what_cannot_be_read(spelling: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_size(spelling)
    assert sentence in str(caught.value)


def test_lists() -> None:
    half, pot, all_in = Size("pot", 0.5), Size("pot", 1.0), Size("all-in")
    assert read_list("50%, pot; all in") == read_list(("1/2 pot", 1, "a")) == (half, pot, all_in)
    assert read_list("1/2 pot 120 chips = 30") == (half, Size("chips", 120.0), Size("chips", 30.0))
    assert read_list(0.5) == (half,) and read_list(()) == read_list("none") == ()


def test_sizes() -> None:
    sizes = Sizes(bets=(0.5, "all-in"), raises="3x", donks=())
    assert sizes == Sizes.read("bet 50% all-in, raise 3x, donk none")
    assert sizes == Sizes.read({"bet": [0.5, "a"], "raises": "3x", "donk": ()})
    assert sizes == Sizes.read("Bets: 50%, all-in; Raises: 3x; Donks: none") and Sizes.read(sizes) is sizes
    assert repr(sizes) == "Sizes(bets='50% all-in', raises='3x', donks='')"
    assert Sizes().bets == read_list("33% 75%") and Sizes().raises == read_list("2.5x") and Sizes().donks is None
    assert Sizes.read("bet pot").raises == Sizes().raises
    assert len({sizes, Sizes.read("bet 1/2 a, raise 3x, donk none"), Sizes()}) == 2


@pytest.mark.parametrize(
    ("given_sizes", "sentence"),
    [
        ("33% 75%", "do not say whether they are for bets or raises: write 'bet 33% 75%, raise 2.5x'"),
        ("", "do not say whether they are for bets or raises"),
        ({"bat": "50%"}, "there are no sizes for 'bat': did you mean 'bet'?"),
        (0.5, "sizes are Sizes(bets=…, raises=…) or 'bet 33% 75%, raise 2.5x', got 0.5"),
        ("bet 2x", "the size '2x' multiplies the bet faced, and a bet faces none"),
    ],
)
def test_sizes_that_cannot_be_read(given_sizes: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        Sizes.read(given_sizes)
    assert sentence in str(caught.value)


def test_sizes_by_street() -> None:
    one, other = Sizes(bets="25%"), Sizes(bets="50%")
    assert read_sizes_by_street(one, 2) == ((one, one), (one, one))
    assert read_sizes_by_street([one, ("bet 50%", "bet 25%")], 2) == ((one, one), (other, one))
    with pytest.raises(OptionError, match="for each of the 3, got 2 of them"):
        read_sizes_by_street([one, other], 3)
    with pytest.raises(OptionError, match="the sizes of a street are for both players, or a pair of them"):
        read_sizes_by_street([(one, one, one)], 1)  # type: ignore[list-item]
    with pytest.raises(OptionError, match=r"got 0\.5"):
        read_sizes_by_street([0.5], 1)  # type: ignore[list-item]


def test_chips_are_spelled_short() -> None:
    assert [spell_chips(chips) for chips in (100, 0.5, 33.333, 1e6, 0)] == ["100", "0.5", "33.33", "1000000", "0"]


@pytest.mark.parametrize(
    ("spelling", "sentence"),
    [
        ("1e999999999c", "cannot be read"),
        ("1e-999999999%", "cannot be read"),
        ("9" * 5_000 + "c", "cannot be read"),
        ("9" * 5_000 + "e", "cannot be read"),
        ("99999e", "is spread over 99999 streets"),
        (10**400, "cannot be read"),
        ("1e13c", "is 1e+13 chips: it must be from 1e-06 to 1e+12"),
        ("1e9x", "is 1e+09 times: it must be from 1 to 1e+06"),
        ("1e-9%", "is 1e-11 pot: it must be from 1e-06 to 20"),
    ],
)
def test_sizes_have_limits(spelling: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_size(spelling)
    assert sentence in str(caught.value) and len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("kind", "amount", "sentence"),
    [
        ("pots", 1.0, "there is no kind of bet size 'pots': did you mean 'pot'?"),
        ("chips", float("nan"), "a bet size of the kind 'chips' is from 1e-06 to 1e+12, got nan"),
        ("times", 0.5, "a bet size of the kind 'times' is from 1 to 1e+06, got 0.5"),
        ("pot", "much", "a bet size of the kind 'pot' is from 1e-06 to 20, got 'much'"),
    ],
)
def test_a_size_is_checked_however_it_is_made(kind: str, amount: Any, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        Size(kind, amount)
    assert sentence in str(caught.value)


def test_lists_have_limits() -> None:
    with pytest.raises(OptionError, match="a text with bet sizes has at most 2,000 characters, got 1,000,004"):
        Sizes.read("bet " + " " * 1_000_000)
    with pytest.raises(OptionError, match="a text with bet sizes has at most 2,000 characters"):
        read_list("50% " * 1_000)
    with pytest.raises(OptionError, match="a list has at most 100 bet sizes, got 101"):
        read_list(["50%"] * 101)
