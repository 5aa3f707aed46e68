"""Spots in TOML: a file says what the constructor says, what is written reads as the same, mistakes name their key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.lookup.games import find_game
from regretless.poker import Sizes, Spot, read_spot, spot_from_text, spot_text, write_spot
from regretless.poker.formats.game_json import game_to_json

FLOP = """
board = "Qs Jh 2h"
ranges = { oop = "QQ+,AKs:0.3333", ip = "22+,A2s+" }
pot = 100
stack = 400
big_blind = 2
rake = 0.05
rake_cap = 3
caps = [3, 2, 2]

[sizes]
donk = "none"
flop = { bet = "33% 75%", raise = "2.5x" }
turn = "bet 66%, raise 60%"
river = { oop = "bet 1/3 pot all-in, raise 60%", ip = { bet = [0.75, "e"], raise = "all-in" } }

[[lock]]
line = "check bet 33"
strategy = { fold = 0.5, call = 0.5 }

[[lock]]
line = "check check / check bet"
board = "Qs Jh 2h 7c"
strategy = { "QQ+" = { call = 1 }, AKs = { fold = 0.25, call = 0.75 } }
"""
RIVER = 'board = "Qs Jh 2h 7c 3d"\noop = "AA"\nip = "KK"\npot = 100\nstack = 50\n'


def same(one: Spot, other: Spot) -> bool:
    """Whether two spots are the same game, whatever their sizes were spelled like."""
    return game_to_json(one) == game_to_json(other)


def test_a_file_says_what_the_constructor_says() -> None:
    no_donk = {"donk": "none"}
    spot = Spot(
        "Qs Jh 2h",
        ("QQ+,AKs:0.3333", "22+,A2s+"),
        pot=100,
        stack=400,
        big_blind=2,
        rake=0.05,
        rake_cap=3,
        caps=(3, 2, 2),
        sizes=(
            {"bet": "33% 75%", "raise": "2.5x", **no_donk},
            "bet 66%, raise 60%",
            ("bet 1/3 pot all-in, raise 60%", {"bet": "75% e", "raise": "all-in", **no_donk}),
        ),
    )
    locked = spot.lock("check bet 33", {"fold": 0.5, "call": 0.5}).lock(
        "check check / check bet", {"QQ+": {"call": 1}, "AKs": {"fold": 0.25, "call": 0.75}}, board="Qs Jh 2h 7c"
    )
    assert isinstance(locked, Spot)
    assert same(spot_from_text(FLOP), locked)


@pytest.mark.parametrize(
    "ranges", ['oop = "AA"\nip = "KK"', 'ranges = ["AA", "KK"]', '[ranges]\noop = "AA"\nip = "KK"']
)
def test_ranges_may_be_written_in_three_ways(ranges: str) -> None:
    text = f'board = "Qs Jh 2h 7c 3d"\npot = 100\nstack = 50\n{ranges}\n'
    assert same(spot_from_text(text), spot_from_text(RIVER))


@pytest.mark.parametrize(
    ("sizes", "flop_oop", "turn_ip"),
    [
        ('sizes = "bet 50%, raise 3x"', Sizes("50%", "3x"), Sizes("50%", "3x")),
        ('[sizes]\nbet = "50%"\nturn = { bet = "75%" }', Sizes("50%"), Sizes("75%")),
        ('[sizes]\nbet = 0.5\nip = { bet = "75%" }', Sizes("50%"), Sizes("75%")),
        ('[sizes]\nbet = "50%"\nip = { bet = "75%" }\nturn = { bet = "20%" }', Sizes("50%"), Sizes("20%")),
        ('[sizes]\nbets = "50%"\nraises = "3x"\nturn = "bet 20%"', Sizes("50%", "3x"), Sizes("20%")),
        ('sizes = ["bet 50%", "bet 60%", "bet 70%"]', Sizes("50%"), Sizes("60%")),
        ("", Sizes(), Sizes()),
    ],
)
def test_nearer_sizes_count_more(sizes: str, flop_oop: Sizes, turn_ip: Sizes) -> None:
    spot = spot_from_text(f'board = "Qs Jh 2h"\noop = "AA"\nip = "KK"\npot = 100\nstack = 50\n{sizes}\n')
    menu: Any = spot.betting.sizes_by_street  # type: ignore[union-attr]
    assert (menu[0][0], menu[1][1]) == (flop_oop, turn_ip)


def test_files_come_back(tmp_path: Path) -> None:
    path = tmp_path / "spot.toml"
    spot = spot_from_text(FLOP)
    write_spot(spot, path)
    assert same(read_spot(path), spot)
    assert spot_text(read_spot(path)) == path.read_text()
    found: Any = find_game(str(path))
    assert isinstance(found, Spot) and same(found, spot) and found.source == str(path)


SIZE = st.one_of(
    st.floats(0.01, 5).map(lambda share: f"{share!r}pot"),
    st.integers(1, 200).map("{}%".format),
    st.floats(1, 500).map("{!r}c".format),
    st.sampled_from(("e", "2e", "all-in")),
)
MENU = st.fixed_dictionaries(
    {
        "bet": st.lists(SIZE, max_size=3),
        "raise": st.lists(SIZE | st.floats(1.01, 9).map("{!r}x".format), max_size=2),
    },
    optional={"donk": st.lists(SIZE, max_size=2)},
)


@given(
    menus=st.lists(st.tuples(MENU, MENU), min_size=2, max_size=2),
    pot=st.floats(0.1, 1e6),
    stack=st.integers(1, 10**6),
    weights=st.lists(st.floats(0.001, 1), min_size=1, max_size=5),
    rules=st.fixed_dictionaries(
        {},
        optional={
            "rake": st.floats(0, 0.99),
            "caps": st.integers(0, 5) | st.tuples(st.integers(0, 5), st.integers(0, 5)),
            "chip": st.floats(0.01, 5),
            "merge": st.floats(0, 0.5),
            "add_all_in": st.floats(0, 3),
        },
    ),
)
def test_any_spot_comes_back(menus: Any, pot: float, stack: int, weights: list[float], rules: dict[str, Any]) -> None:
    held = ",".join(
        f"{name}:{weight!r}" for name, weight in zip(("KK", "AKs", "8h7h", "T9", "55"), weights, strict=False)
    )
    spot = Spot("Qs Jh 2h 7c", (held, "random"), pot=pot, stack=stack, sizes=menus, **rules)
    assert same(spot_from_text(spot_text(spot)), spot)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pot = 100", "pot = -1", "spot.toml, pot: it is a number of chips above 0, got -1"),
        ("pot = 100", "pot = 0", "spot.toml, pot: it is a number of chips above 0"),
        ("pot = 100", 'pot = "100"', "spot.toml, pot: it is a number of chips above 0, got '100'"),
        ("pot = 100\n", "", "spot.toml, pot: it is missing: write pot = 100"),
        ("stack = 400", "stack = 0", "spot.toml, stack: it is a number of chips above 0"),
        ("stack", "stak", "spot.toml: there is no key 'stak' here: did you mean 'stack'?"),
        ("rake_cap", "rakecap", "did you mean 'rake_cap'?"),
        ("big_blind = 2", "big_blind = 0", "spot.toml, big_blind: it is a number of chips above 0"),
        ("big_blind = 2", 'isomorphism = "no"', "spot.toml, isomorphism: it is true or false"),
        ("2h", "2x", "spot.toml, board: '2x' in 'Qs Jh 2x' is no card"),
        ("2h", "Jh", "spot.toml, board: Jh is twice"),
        (" Jh 2h", "", "spot.toml, board: a spot begins with 3, 4 or 5 cards, got 1"),
        ('"Qs Jh 2h"', "3", "spot.toml, board: 3 cannot be meant"),
        ('"Qs Jh 2h"', '"Qs Jh 2h 3h"', "spot.toml, sizes.flop: the board begins on the turn"),
        ('"QQ+,AKs:0.3333"', '"ZZ"', "spot.toml, ranges.oop: 'ZZ' at character 1"),
        ('"QQ+,AKs:0.3333"', '""', "spot.toml, ranges.oop: the range '' is empty"),
        ("0.3333", "3", "spot.toml, ranges.oop: 'AKs:3' at character 5 of the range 'QQ+,AKs:3'"),
        ('"QQ+,AKs:0.3333"', "5", "spot.toml, ranges.oop: 5 is no text"),
        ("oop =", "op =", "spot.toml, ranges: there is no key 'op' here: did you mean 'oop'?"),
        ('oop = "QQ+,AKs:0.3333", ', "", "spot.toml, ranges.oop: it is missing"),
        ("pot = 100", 'pot = 100\noop = "AA"', "spot.toml, ranges: oop beside it say the same again"),
        ('"22+,A2s+"', '"QsJh"', "player 1's range is empty"),
        ("75%", "75z", "spot.toml, sizes.flop.bet: the bet size '75z' cannot be read"),
        ("turn =", "trn =", "spot.toml, sizes: there is no key 'trn' here: did you mean 'turn'?"),
        ('"bet 66%, raise 60%"', "5", "spot.toml, sizes.turn: sizes are a text"),
        ('"bet 66%, raise 60%"', '"66%"', "spot.toml, sizes.turn: the sizes '66%' do not say whether"),
        ("flop = {", "flop = { bets = 1, ", "spot.toml, sizes.flop: sizes are given twice"),
        ('raise = "2.5x"', 'rais = "2x"', "sizes.flop: there is no key 'rais' here: did you mean 'raise'?"),
        ("rake = 0.05", "rake = 5", "spot.toml: NoLimit needs rake to be a share"),
        ("[3, 2, 2]", "[3, 2]", "needs one value of caps for all streets or one for each of the 3"),
        ("check bet 33", "check bet 99", "spot.toml, lock 1: in the line 'check bet 99', 'bet 99' after 'check'"),
        ("check bet 33", "bet 33 fold", "spot.toml, lock 1: nobody decides after 'bet 33 fold'"),
        ("strategy = { fold", "strat = { fold", "spot.toml, lock 1: there is no key 'strat' here"),
        ("strategy = { fold = 0.5, call = 0.5 }", "", "spot.toml, lock 1.strategy: it is missing"),
        ("7c", "7x", "spot.toml, lock 2: '7x'"),
        ("[sizes]", "[sizes", "spot.toml is not written as TOML: "),
    ],
)  # fmt: skip
def test_mistakes_name_the_file_and_the_key(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert FLOP.count(old) >= 1
    (tmp_path / "spot.toml").write_text(FLOP.replace(old, new, 1))
    with pytest.raises(FileError) as caught:
        read_spot(tmp_path / "spot.toml")
    assert said in str(caught.value).replace(f"{tmp_path}/", "")
    assert "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "picture.toml").write_bytes(bytes(range(256)))
    for name, said in (("nowhere.toml", "cannot read"), ("picture.toml", "no text file")):
        with pytest.raises(FileError, match=said):
            read_spot(tmp_path / name)


def test_only_spots_are_written() -> None:
    with pytest.raises(OptionError, match="only spots"):
        spot_text(rg.poker.FlopHoldem())  # type: ignore[arg-type]
