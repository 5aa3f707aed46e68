"""Abstractions in files and what can be asked of them; buckets are drawn at random, so nothing is built."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_abstraction import made_up_streets

from conftest import INTERPRETED
from regretless.errors import FileError, OptionError
from regretless.poker import Abstraction, Deck, Limit, LimitHoldem, PublicGame, card_blind, load_abstraction
from regretless.poker.abstraction import bucketed_tree
from regretless.poker.abstraction.bucketed_tree import open_bucketed, read_bucketed_run
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.formats.game_json import game_from_json, game_to_json

ROUNDS = CardRounds(Deck("9TJQKA", "sh"), 2, (0, 3, 4))
GAME = PublicGame(Deck("9TJQKA", "sh"), 2, (3, 1), Limit(streets=3, caps=2))


@pytest.fixture
def made() -> Abstraction:
    return Abstraction(ROUNDS, made_up_streets(ROUNDS, (10, 12, 15)), "imperfect", {"seed": 7})


@pytest.fixture
def saved(made: Abstraction, tmp_path: Path) -> Path:
    made.save(tmp_path / "a.abs")
    return tmp_path / "a.abs"


def test_there_and_back(made: Abstraction, saved: Path) -> None:
    found = load_abstraction(saved)
    assert found == made and found.fingerprint == made.fingerprint and found.source == str(saved)
    assert found.rounds == ROUNDS and found.settings == {"seed": 7} and found.recall == "imperfect"
    assert repr(found) == repr(made) and hash(found) == hash(made)
    for mine, theirs in zip(found.streets, made.streets, strict=True):
        assert isinstance(mine.bucket_of, np.memmap) and not mine.bucket_of.flags.writeable
        for name, array in mine.arrays.items():
            assert (array == getattr(theirs, name)).all()
    found.verify()
    found.save(saved.with_name("b.abs"))
    assert saved.with_name("b.abs").read_bytes() == saved.read_bytes()
    other = Abstraction(ROUNDS, made.streets, "perfect")
    assert other != made and other.fingerprint != made.fingerprint


def test_one_bucket_for_all_hands_there_and_back(tmp_path: Path) -> None:
    """The abstraction of strategies that look at no cards has no feature."""
    strategy = card_blind(GAME, call=1)
    one = strategy.tree.abstraction
    one.save(tmp_path / "one.abs")
    found = load_abstraction(tmp_path / "one.abs")
    found.verify()
    assert found == one and found.features == ("none",) * 3 and found.fingerprint == one.fingerprint
    assert found.describe("AsKh", "9s Th Jh").buckets == 1
    game = dataclasses.replace(GAME, abstraction=found)
    assert open_bucketed(game).fingerprint == strategy.tree.fingerprint


def test_the_header_is_checked_at_once_and_a_map_when_it_is_used(saved: Path) -> None:
    data = saved.read_bytes()
    length = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:length])
    begin, _ = header["1.bucket_of"]["data_offsets"]
    changed = bytearray(data)
    changed[length + begin + 100] ^= 1
    saved.write_bytes(changed)
    found = load_abstraction(saved)
    assert found.bucket("9s9h") >= 0
    with pytest.raises(FileError, match="the map of street 1 differs from its checksum"):
        found.bucket("9s9h", "TsJsQs")
    with pytest.raises(FileError, match="the map of street 1"):
        found.verify()
    begin, _ = header["2.deals"]["data_offsets"]
    changed = bytearray(data)
    changed[length + begin] ^= 1
    saved.write_bytes(changed)
    with pytest.raises(FileError, match=r"'2\.deals' differs from its checksum"):
        load_abstraction(saved)


def test_cut_and_foreign_files(saved: Path, tmp_path: Path) -> None:
    data = saved.read_bytes()
    for length in (0, 5, 8, 100, len(data) // 2, len(data) - 1):
        (tmp_path / "cut.abs").write_bytes(data[:length])
        with pytest.raises(FileError, match=r"cut\.abs is"):
            load_abstraction(tmp_path / "cut.abs").verify()
    (tmp_path / "text.abs").write_text("no abstraction at all, but long enough to be read as one" * 9)
    with pytest.raises(FileError, match="is not a regretless file"):
        load_abstraction(tmp_path / "text.abs")
    with pytest.raises(FileError, match="cannot read"):
        load_abstraction(tmp_path / "missing.abs")
    newer = data.replace(b'"version": "1"', b'"version": "2"')
    assert newer != data
    saved.write_bytes(newer)
    with pytest.raises(FileError, match="has version 2 of its format; this regretless reads up to 1"):
        load_abstraction(saved)
    saved.write_bytes(data.replace(b"regretless abstraction", b"regretless abstractiom"))
    with pytest.raises(FileError, match="a regretless abstraction file is needed here"):
        load_abstraction(saved)


def test_a_header_that_was_changed(saved: Path) -> None:
    data = saved.read_bytes()
    saved.write_bytes(data.replace(b"imperfect", b"imperfecT"))
    with pytest.raises(FileError, match="its header does not agree with its checksum"):
        load_abstraction(saved)


@pytest.mark.skipif(INTERPRETED, reason="hundreds of files")
def test_mutated_files(made: Abstraction, saved: Path) -> None:
    """A file with some other bytes is refused with one short sentence, or is read as it was."""
    data, draw = saved.read_bytes(), np.random.default_rng(5)
    header = 8 + int.from_bytes(data[:8], "little")
    for number in range(300):
        changed = bytearray(data)
        most = header if number % 2 else len(data)
        for place in draw.integers(0, most, draw.integers(1, 4)):
            changed[place] = draw.integers(0, 256)
        if number % 10 == 0:
            begin = int(draw.integers(0, len(changed)))
            del changed[begin : begin + int(draw.integers(1, 200))]
        saved.write_bytes(changed)
        try:
            found = load_abstraction(saved)
            found.verify()
        except FileError as error:
            assert 0 < len(str(error)) < 500 and "\n" not in str(error)
        else:
            assert found.counts == made.counts and found.fingerprint == made.fingerprint


# -- what can be asked ------------------------------------------------------------------------------------------------


def test_describe(made: Abstraction) -> None:
    view = made.describe("AsAh", "9s Th Jh")
    assert (view.street, view.hand, view.board, view.buckets) == ("flop", "AsAh", "9sThJh", 12)
    assert view.bucket == made.bucket("AsAh", "9sThJh") and view.hands == made.sizes(1)[view.bucket]
    assert len(view.examples) == 5 and all(made.bucket(*other) == view.bucket for other in view.examples)
    assert 0 < view.share < 1 and 0 < view.strength <= 1
    assert str(view).startswith(f"AsAh on 9sThJh (flop): bucket {view.bucket} of 12, ")
    assert "AsAh (preflop): bucket" in str(made.describe("AsAh"))


def test_hands_of_a_bucket(made: Abstraction) -> None:
    size = int(made.sizes(0)[3])
    hands = made.hands(0, 3, count=100)
    assert len(hands) == size == len(set(hands)) and all(made.bucket(*hand) == 3 for hand in hands)
    assert len(made.hands(2, 3, count=4)) == 4
    assert made.hands(2, 3, count=4, seed=1) != made.hands(2, 3, count=4)


def test_a_bucket_of_one_hand() -> None:
    lossless = Abstraction(ROUNDS, made_up_streets(ROUNDS, (36, 12, 15)), "imperfect")
    view = lossless.describe("9s9h")
    assert view.hands == 1 and view.examples == () and "1 hand up to suits" in str(view)


def test_pictures(made: Abstraction, tmp_path: Path) -> None:
    for street in range(3):
        made.plot(street, tmp_path / f"{street}.png")
        assert (tmp_path / f"{street}.png").stat().st_size > 10_000


WRONG: list[tuple[Any, str]] = [
    (lambda a: a.bucket("AsAh", "9s"), "a board of this abstraction has 0 or 3 or 4 cards, got 1"),
    (lambda a: a.bucket("As"), "2 cards wanted, got 1"),
    (lambda a: a.bucket("AsAh", "AsKsQs"), "As is twice"),
    (lambda a: a.bucket("2s2h"), "is not in this deck"),
    (lambda a: a.buckets_on("9sTs"), "a board of this abstraction has"),
    (lambda a: a.hands(3, 0), "streets are numbered from 0 to 2, got 3"),
    (lambda a: a.hands(0, 10), "the preflop has buckets from 0 to 9, got 10"),
    (lambda a: a.hands(0, 1, count=0), "count is a number of hands"),
    (lambda a: a.sizes("flop"), "streets are numbered from 0 to 2, got 'flop'"),
    (lambda a: a.infosets(LimitHoldem()), "the abstraction is for 12 cards"),
    (lambda a: LimitHoldem(a), "the abstraction is for 12 cards .* the game has 52 cards"),
    (lambda a: LimitHoldem(5), "abstraction is an Abstraction"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("ask", "sentence"), WRONG)
def test_wrong_questions(ask: Any, sentence: str, made: Abstraction) -> None:
    with pytest.raises(OptionError, match=sentence):
        ask(made)


def test_a_game_with_an_abstraction(made: Abstraction, saved: Path) -> None:
    game = dataclasses.replace(GAME, abstraction=made)
    described = json.loads(json.dumps(game_to_json(game)))
    assert described["abstraction"] == {"fingerprint": made.fingerprint, "buckets": "10-12-15"}
    assert game_from_json(described, load_abstraction(saved)) == game
    with pytest.raises(FileError, match="this game needs its abstraction with 10-12-15 buckets"):
        game_from_json(described)
    other = Abstraction(ROUNDS, made_up_streets(ROUNDS, (10, 12, 15), 1), "imperfect")
    with pytest.raises(FileError, match=f"and the one given is another, with 10-12-15 buckets .*{other.fingerprint}"):
        game_from_json(described, other)
    with pytest.raises(OptionError, match="merges hands into buckets"):
        game.public_tree()
    assert "abstraction" not in game_to_json(GAME)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("hunl:abstraction=cards.abs,stack=1000", "cards.abs"),
        ("hunl:stack=1000,abstraction='runs/a, b.abs'", "a, b.abs"),
        ("small.game:abstraction=a,b.abs", "a,b.abs"),
        ("hulh:abstraction=cards", "cards"),
        ("hulh:abstraction=another.abs", "renamed.abs"),
        ("PublicGame", "any.abs"),
    ],
)
def test_the_abstraction_of_a_run_is_found_in_its_folder(
    name: str, file: str, made: Abstraction, tmp_path: Path
) -> None:
    """By the name in any place among the parameters, or under any name that ends in .abs."""
    run = run_of(made, name, tmp_path)
    with pytest.raises(FileError, match="this game needs its abstraction") as lost:
        read_bucketed_run(run)
    assert f"an .abs file in {str(tmp_path)!r}: give the game with it" in str(lost.value)
    assert ("neither" in str(lost.value)) == ("abstraction=" in name)
    assert str(lost.value).endswith("at the command line --game GAME:abstraction=FILE")
    Abstraction(ROUNDS, made_up_streets(ROUNDS, (10, 12, 15), 1), "imperfect").save(tmp_path / "0.abs")  # another one
    made.save(tmp_path / file)
    assert read_bucketed_run(run)[0].abstraction.source == str(tmp_path / file)


def test_a_file_is_looked_for_only_if_the_game_has_no_abstraction(
    made: Abstraction, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(made, "hulh:abstraction=a.abs", tmp_path)
    assert read_bucketed_run(run, GAME)[0].abstraction.source == str(saved)
    monkeypatch.setattr(bucketed_tree, "load_abstraction", lambda place: pytest.fail(f"{place} was read"))
    assert read_bucketed_run(run, dataclasses.replace(GAME, abstraction=made))[0].abstraction is made


def run_of(made: Abstraction, name: str, folder: Path) -> Path:
    """The file of a run that has not begun; its game has a name."""
    tree = open_bucketed(dataclasses.replace(GAME, abstraction=made))
    zeros = np.zeros(tree.infoset_actions, np.float32)
    tree.write(folder / "a.run", {"regret": zeros, "average": zeros}, {"game": name})
    return folder / "a.run"
