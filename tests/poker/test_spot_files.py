"""Spots in TOML: a file says what the constructor says, what is written reads as the same, mistakes name their key."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.lookup.games import find_game
from regretless.poker import NoLimit, Sizes, Spot, read_spot, spot_from_text, spot_text, write_spot
from regretless.poker.formats.game_json import game_from_json, game_to_json, same_game

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
    return same_game(one, other)


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
        ("pot = 100", "pot = -1", "spot.toml, pot: it is a number from 0.000001 to 1,000,000,000,000 chips, got -1"),
        ("pot = 100", "pot = 0", "spot.toml, pot: it is a number from 0.000001"),
        ("pot = 100", 'pot = "100"', "spot.toml, pot: it is a number from 0.000001 to 1,000,000,000,000"),
        ("pot = 100\n", "", "spot.toml, pot: it is missing: write pot = 100"),
        ("stack = 400", "stack = 0", "spot.toml, stack: it is a number from 0.000001"),
        ("stack", "stak", "spot.toml: there is no key 'stak' here: did you mean 'stack'?"),
        ("rake_cap", "rakecap", "did you mean 'rake_cap'?"),
        ("big_blind = 2", "big_blind = 0", "spot.toml, big_blind: it is a number from 0.000001"),
        ("big_blind = 2", 'isomorphism = "no"', "spot.toml, isomorphism: it is true or false"),
        ("2h", "2x", "spot.toml, board: '2x' in 'Qs Jh 2x' is no card"),
        ("2h", "Jh", "spot.toml, board: Jh is twice"),
        (" Jh 2h", "", "spot.toml, board: a spot begins with 3, 4 or 5 cards, got 1"),
        ('"Qs Jh 2h"', "3", "spot.toml, board: 3 is no text: write board ="),
        ('"Qs Jh 2h"', '"Qs Jh 2h 3h"', "spot.toml, sizes.flop: the board begins on the turn"),
        ('"QQ+,AKs:0.3333"', '"ZZ"', "spot.toml, ranges.oop: 'ZZ' at character 1"),
        ('"QQ+,AKs:0.3333"', '""', "spot.toml, ranges.oop: the range '' is empty"),
        ("0.3333", "3", "spot.toml, ranges.oop: 'AKs:3' at character 5 of the range 'QQ+,AKs:3'"),
        ('"QQ+,AKs:0.3333"', "5", "spot.toml, ranges.oop: 5 is no text"),
        ("oop =", "op =", "spot.toml, ranges: there is no key 'op' here: did you mean 'oop'?"),
        ('oop = "QQ+,AKs:0.3333", ', "", "spot.toml, ranges.oop: it is missing"),
        ("pot = 100", 'pot = 100\noop = "AA"', "spot.toml, ranges: it is given twice, here and as oop"),
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
        ("check bet 33", "bet 33 fold", "spot.toml, lock 1: there is no decision after 'bet 33 fold'"),
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


FORM = 'board = "Qs Jh 2h 7c 3d"\noop = "AA"\nip = "QQ"\npot = {pot}\nstack = {stack}\n'

HOSTILE = {
    "tiny pot and huge stack": (FORM.format(pot=1e-300, stack=1e300), "pot: it is a number from 0.000001 to"),
    "400 digits": (FORM.format(pot=1, stack="9" * 400), "stack: it is a number from 0.000001 to"),
    "5,000 digits": (
        FORM.format(pot=1, stack="9" * 5_000),
        "is not written as TOML: it has a number of too many digits",
    ),
    "not a number": (FORM.format(pot="nan", stack="inf"), "pot: it is a number from 0.000001 to"),
    "a key of 50,000 parts": (".".join("a" * 50_000) + " = 1", "it has a key of more than 16 parts"),
    "quoted parts": ('"a"' + ".'a'" * 50_000 + " = 1", "it has a key of more than 16 parts"),
    "a table of 50,000 parts": ("[" + " . ".join("a" * 50_000) + "]", "it has a key of more than 16 parts"),
    "50,000 dotted keys": ("\n".join(f"a.b{n} = 1" for n in range(50_000)), "there is no key 'a' here"),
    "20,000 arrays": ("pot = " + "[" * 20_000 + "]" * 20_000, "its values are nested too deeply"),
    "20,000 tables": ("pot = " + "{a = " * 20_000 + "1" + "}" * 20_000, "its values are nested too deeply"),
    "200 arrays": ("pot = " + "[" * 200 + "]" * 200, "board: it is missing"),
    "too large": ("#" * 1_000_001, "too large for a spot: at most 1,000,000 characters are read"),
    "open quotes": ('"' + '\\"' * 400_000, "is not written as TOML"),
    "a long board": (f'board = "{" " * 500_000}"', "a text with cards has at most 1,000 characters"),
    "a long range": ('board = "Qs Jh 2h"\noop = "' + "AKs," * 200_000 + '"', "a range has at most 100,000 characters"),
    "long sizes": (FORM.format(pot=1, stack=1) + f'sizes = "bet {" " * 500_000}"', "has at most 2,000 characters"),
    "a huge exponent": (
        FORM.format(pot=1, stack=1) + 'sizes = "bet 1e999999999c"',
        "'1e999999999c' cannot be read",
    ),
    "a board that is a number": (
        FORM.format(pot=1, stack=9) + '[[lock]]\nline = ""\nboard = 5\nstrategy = { check = 1 }',
        "lock 1: 5 is no text: write board =",
    ),
}


@pytest.mark.parametrize(("text", "sentence"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_end_in_a_short_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        spot_from_text(text)
    assert sentence in str(caught.value) and len(str(caught.value)) < 500
    (tmp_path / "spot.toml").write_text(text)
    with pytest.raises(FileError):
        read_spot(tmp_path / "spot.toml")


def test_large_files_are_not_read(tmp_path: Path) -> None:
    with (tmp_path / "spot.toml").open("wb") as file:
        file.truncate(1 << 40)  # a sparse file
    with pytest.raises(FileError, match=r"spot\.toml is too large for a spot: at most 1,000,000 bytes are read"):
        read_spot(tmp_path / "spot.toml")
    with pytest.raises(FileError, match="cannot read"):
        read_spot("spot\0.toml")


def test_dots_in_strings_and_comments_are_no_keys() -> None:
    text = FORM.format(pot=1, stack=1) + "# " + "a." * 100 + '\n[[lock]]\nline = "' + ".".join(["check"] * 2) + '"\n'
    with pytest.raises(FileError, match="lock 1"):
        spot_from_text(text)
    assert spot_from_text(FORM.format(pot=1, stack=1) + "# " + "a." * 100).pot == 1
    long = FORM.format(pot=1, stack=1).replace('"AA"', '"' + ",".join(f"AA:0.{n}" for n in range(1, 100)) + '"')
    assert spot_from_text(long).pot == 1


def test_of_two_stacks_the_smaller_counts() -> None:
    one, other = spot_from_text(RIVER), spot_from_text(RIVER.replace("stack = 50", "stack = [80, 50]"))
    assert same(one, other) and one.betting == other.betting and other.betting.both_stacks == (80, 50)  # type: ignore[union-attr]
    ours = Spot("Qs Jh 2h 7c 3d", ("AA", "KK"), pot=100, stack=(80, 50))
    assert ours.betting.stacks_note == other.betting.stacks_note  # type: ignore[union-attr]
    assert ours.betting.stacks_note == (  # type: ignore[union-attr]
        "stacks of 80 and 50 chips differ: the smaller one counts, so both play for 50"
    )
    assert one.betting.stacks_note == "" and "stack = 50\n" in spot_text(one)  # type: ignore[union-attr]
    assert spot_from_text(spot_text(ours)).betting.both_stacks == (80, 50)  # type: ignore[union-attr]
    for wrong, sentence in (("[80]", "two as"), ("[80, 0]", "it is a number from"), ('"many"', "it is a number from")):
        with pytest.raises(FileError, match=f"stack: .*{sentence}"):
            spot_from_text(RIVER.replace("stack = 50", f"stack = {wrong}"))
    with pytest.raises(OptionError, match=r"one for each as \(200, 120\)"):
        Spot("Qs Jh 2h", ("AA", "KK"), pot=100, stack=(80, 50, 30))  # type: ignore[arg-type]


def test_both_stacks_go_through_files_and_copies(tmp_path: Path) -> None:
    one, pair = (Spot("Qs Jh 2h 7c 3d", ("AA", "KK"), pot=100, stack=stack) for stack in (50, (80, 50)))
    described = json.loads(json.dumps(game_to_json(pair)))
    again = game_from_json(described)
    assert isinstance(again, Spot) and isinstance(again.betting, NoLimit) and isinstance(pair.betting, NoLimit)
    assert (
        same_game(again, one)
        and pair == one
        and again.betting.both_stacks == (80, 50)
        and "stack = [\n" in spot_text(again)
    )
    assert "both_stacks" not in game_to_json(one) and "both_stacks" not in described["betting"]
    older = game_from_json({key: value for key, value in described.items() if key != "both_stacks"})
    assert same_game(older, pair) and older.betting.both_stacks == (50, 50)  # type: ignore[union-attr]
    for damaged in ([80, 60], [50], [50, "x"], "80, 50", {"50": 50}, [], [50, None], 50):
        with pytest.raises(FileError, match="the description of the game is damaged"):
            game_from_json({**described, "both_stacks": damaged})
    assert replace(pair.betting, rake=0.05).both_stacks == (80, 50)
    assert replace(pair.betting, stack=40).both_stacks == (40, 40)
    with pytest.raises(OptionError, match="no setting 'both_stacks'"):
        Spot("Qs Jh 2h", ("AA", "KK"), pot=100, stack=50, both_stacks=(80, 50))
    run = rg.solve(pair, rg.CFR_PLUS, iterations=2)
    run.save(tmp_path / "pair.run")
    loaded = rg.load(tmp_path / "pair.run", game=one)
    assert loaded.problem.game.betting.both_stacks == (80, 50)
    assert loaded.fingerprint == one.public_tree().fingerprint
