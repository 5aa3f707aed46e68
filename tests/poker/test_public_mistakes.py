"""What cannot be meant is refused in one sentence, before anything is laid out."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import Deck, FlopHoldem, Limit, NoLimit, PublicGame, Range, Spot
from regretless.poker.tree import memory_estimate as memory

SMALL = Deck("TJQKA", "sh")
LIMIT = Limit(bets=2, caps=1, blinds=(0, 0), ante=1)
KUHN = PublicGame(Deck("JQK", "s"), 1, (), Limit(streets=1, bets=1, caps=1, blinds=(0, 0), ante=1))


def spot(**changes: Any) -> Spot:
    return Spot(**{"board": "Qs Jh 2h", "ranges": ("QQ+,AK", "JJ-99"), "pot": 10, "stack": 30, **changes})


def game(**changes: Any) -> PublicGame:
    return PublicGame(**{"deck": SMALL, "hand_size": 2, "board_cards": (1,), "betting": LIMIT, **changes})


def refused(make: Callable[[], Any], *parts: str) -> None:
    with pytest.raises(OptionError) as raised:
        make()
    sentence = str(raised.value)
    assert all(part in sentence for part in parts), sentence
    assert "\n" not in sentence and len(sentence) < 400


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"board": "Qs Jh 1h"}, ["'1h'", "is no card"]),
        ({"board": "Qs Jx 2h"}, ["is no card"]),
        ({"board": "Qs Jh Qs"}, ["Qs is twice"]),
        ({"board": (0, 1, 99)}, ["numbered from 0 to 51, got 99"]),
        ({"board": "Qs Jh"}, ["a board of 3, 4 or 5 cards, got 2"]),
        ({"board": "Qs Jh 2h 3h 4h 5h"}, ["a board of 3, 4 or 5 cards, got 6"]),
        ({"ranges": ("QsQh", "JJ")}, ["player 0's range is empty on the board QsJh2h"]),
        ({"ranges": ("QQ", "AsQs,QsJs")}, ["player 1's range is empty on the board QsJh2h"]),
        ({"ranges": (Range(np.zeros(1326)), "JJ")}, ["player 0's range is empty: it has no hand"]),
        ({"ranges": ("", "JJ")}, ["range"]),
        ({"ranges": ("QQ:1.5", "JJ")}, ["1.5"]),
        ({"ranges": ("QQ:-0.5", "JJ")}, ["-0.5"]),
        ({"ranges": ("QQ+", "JJ", "AA")}, ["multiway", "got 3 ranges"]),
        ({"ranges": "QQ+"}, ["two ranges"]),
        ({"ranges": (None, 7)}, ["player 1's range is no Range", "7"]),
        ({"ranges": ("AsAh", "AsAd,AhAc")}, ["no hand of one range can be dealt together"]),
        ({"pot": 0}, ["pot to be a positive number of chips, got pot=0"]),
        ({"pot": -5}, ["pot=-5"]),
        ({"pot": "10"}, ["pot='10'"]),
        ({"pot": float("nan")}, ["pot"]),
        ({"stack": 0}, ["stack"]),
        ({"stack": -1}, ["stack"]),
        ({"sizes": "bet lots"}, ["lots"]),
        ({"rake": 1.5}, ["rake", "1.5"]),
        ({"big_blind": 0}, ["big_blind to be a positive number of chips, got big_blind=0"]),
        ({"big_blind": "two"}, ["big_blind"]),
        ({"speed": 9}, ["a spot has no setting 'speed'"]),
        ({"streets": 2}, ["a spot has no setting 'streets'"]),
        ({"blinds": (1, 2)}, ["a spot has no setting 'blinds'"]),
    ],
)  # fmt: skip
def test_spots(changes: dict[str, Any], parts: list[str]) -> None:
    refused(lambda: spot(**changes), *parts)


def test_weights_outside_zero_and_one() -> None:
    weights = np.zeros(1326)
    weights[7] = 1.25
    refused(lambda: Range(weights), "weights are between 0 and 1, got 1.25")
    refused(lambda: Range.from_weights(-weights), "weights are between 0 and 1, got -1.25")
    weights[7] = np.nan
    refused(lambda: Range(weights), "weights are between 0 and 1, got nan")


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"deck": "JQK"}, ["a game has a Deck"]),
        ({"betting": None}, ["Limit or NoLimit betting, got"]),
        ({"hand_size": 0}, ["a hand has 1 to 4 cards, got hand_size=0"]),
        ({"hand_size": 5}, ["hand_size=5"]),
        ({"hand_size": True}, ["hand_size=True"]),
        ({"hand_size": 2.0}, ["hand_size=2.0"]),
        ({"board_cards": ()}, ["the betting has 2 streets and the board cards () make 1"]),
        ({"board_cards": (1, 1)}, ["the betting has 2 streets and the board cards (1, 1) make 3"]),
        ({"board_cards": (0,)}, ["numbers of cards from 1 on"]),
        ({"board_cards": 3}, ["board_cards is a tuple"]),
        ({"board_cards": (7,)}, ["a hand of 2 and a board of 7 cards are more than the 7"]),
        ({"deck": Deck("JQK", "s")}, ["two hands and the board need 5 cards; the deck has 3"]),
        ({"board": "As Zs"}, ["is no card"]),
        ({"board": "2c"}, ["'2c' in '2c' is not in this deck"]),
        (
            {"ranges": (None, Range.parse("AA"))},
            ["player 1's range is no Range of two-card hands of the game's deck"],
        ),
        ({"hand_size": 1, "ranges": (Range.parse("AA", SMALL), None)}, ["range is no Range of two-card hands"]),
        ({"ranges": ("AA", "KK")}, ["range is no Range", "'AA'"]),
        ({"ranges": (None,)}, ["ranges are a pair"]),
        ({"big_blind": -1}, ["big_blind"]),
    ],
)
def test_games(changes: dict[str, Any], parts: list[str]) -> None:
    refused(lambda: game(**changes), *parts)


def test_stacks_below_the_blinds() -> None:
    refused(lambda: NoLimit(stack=2, blinds=(1, 2)), "needs a stack above the 2 chips of the ante and the larger blind")
    refused(lambda: Limit(stack=100), "needs a stack above the 100 chips")
    refused(lambda: FlopHoldem((3, -1)), "caps")
    refused(lambda: FlopHoldem((3, 4, 4)), "caps")  # type: ignore[arg-type]
    refused(lambda: FlopHoldem((3, 2.5)), "caps")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"dtype": "float16"}, ["dtype is 'float32' or 'float64' or 'int16', got 'float16'"]),
        ({"dtype": 32}, ["dtype is"]),
        ({"device": "gpu"}, ["there is no device 'gpu': use device='cpu' or 'cuda'"]),
        ({"device": "tpu"}, ["there is no device 'tpu'"]),
        ({"method": rg.MCCFR()}, ["does not work on a public tree"]),
        ({"method": rg.CFR_PLUS.replace(alternating=False)}, ["updates players in turn"]),
        ({"fixed": {0: "uniform"}}, ["lock nodes with game.lock"]),
        ({"threads": 0}, ["threads is a positive whole number"]),
        ({"iterations": 0}, ["iterations is a positive whole number"]),
    ],
)
def test_options(options: dict[str, Any], parts: list[str]) -> None:
    chosen = {"method": rg.CFR_PLUS, "iterations": 1, **options}
    refused(lambda: rg.solve(KUHN, **chosen), *parts)


def test_a_tree_that_will_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before the boards are laid out where that is certain, and in any case before anything is solved."""
    turn = spot(board="Qs Jh 2h 3c", ranges=("QQ+", "JJ,TT"), sizes="bet 50%, raise 60%")
    tree = turn.public_tree()
    monkeypatch.setattr(memory, "free_memory", lambda: 50_000)
    refused(lambda: rg.solve(turn, iterations=1), "this game has at least", "50 KB are free: take fewer bet sizes")
    refused(lambda: rg.solve(tree, iterations=1), "tables of this solve need", "50 KB are free: take fewer bet sizes")
    monkeypatch.setattr(memory, "free_memory", lambda: tree.bytes_needed("int16"))
    refused(lambda: rg.solve(tree, iterations=1, dtype="float32"), "dtype='int16' fits")
    monkeypatch.setattr(memory, "free_memory", lambda: None)
    memory.check_memory(tree, "float32")
    monkeypatch.setattr(memory, "free_memory", lambda: 1_000_000_000)
    refused(lambda: rg.solve(FlopHoldem(isomorphism=False), iterations=1), "this game has at least", "1.00 GB are free")


def test_hands_and_boards_without_number() -> None:
    """Hold'em from before the flop to the river is refused at once; so are boards that no memory could list."""
    refused(lambda: rg.solve(PublicGame(Deck(), 2, (3, 1, 1), Limit(streets=4, caps=1))), "this game has at least")
    many = PublicGame(Deck(), 2, (2, 1, 2), Limit(streets=4, caps=1))
    refused(lambda: rg.solve(many), "boards even up to suits, too many for memory")
    six = PublicGame(Deck(), 1, (6,), Limit(streets=2, caps=1))
    refused(lambda: rg.solve(six), "has a street with 20,358,520 deals, and the limit is 3,000,000: deal fewer cards")


@pytest.mark.parametrize(
    ("ask", "named"),
    [
        (lambda: rg.poker.Spot("Qs Jh 2h", ("AA", "KK", "QQ"), pot=10, stack=20), "multiway"),
        (lambda: rg.poker.Spot("Qs Jh 2h", ("AA", "KK"), pot=10, stack=20, game="omaha"), "Omaha"),
        (lambda: rg.poker.Spot("Qs Jh 2h", ("AsKsQdJd", "KK"), pot=10, stack=20), "Omaha"),
        (lambda: rg.poker.flop_spots(25, ("AA", "KK"), pot=10, stack=20, bunching=True), "bunching"),
        (lambda: rg.poker.push_fold(10, players=3), "multiway"),
        (lambda: rg.poker.push_fold(10, payouts=[50, 30, 20]), "ICM"),
        (lambda: rg.poker.LimitHoldem(players=3), "multiway"),
        (lambda: rg.poker.PushFold(stack=10, players=3), "multiway"),
        (lambda: rg.poker.PushFold(stack=10, icm=True), "ICM"),
        (lambda: rg.poker.NoLimit(players=3), "multiway"),
        (lambda: rg.poker.NoLimit(stack=100, icm=1), "ICM"),
        (lambda: rg.poker.Limit(players=3), "multiway"),
        (lambda: rg.poker.Spot("Qs Jh 2h", ("AA", "KK"), pot=10, stack=20, co="QQ"), "multiway"),
        (lambda: rg.poker.FlopHoldem(icm=True), "ICM"),
    ],
)
def test_what_is_not_offered_is_named(ask: Any, named: str) -> None:
    with pytest.raises(rg.OptionError, match=f"{named}.* not offered"):
        ask()


def test_a_missing_name_says_what_is_not_offered() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Omaha': Omaha is not offered"):
        _ = rg.poker.Omaha
    assert not hasattr(rg.poker, "Omahaha")


def test_betting_still_shows_its_parameters() -> None:
    assert list(inspect.signature(rg.poker.PushFold).parameters) == ["stack", "ante", "small_blind"]
    rules = rg.poker.NoLimit(stack=100, pot=10)
    assert replace(rules, pot=20).pot == 20 and pickle.loads(pickle.dumps(rules)) == rules


def test_an_unknown_setting_of_push_or_fold() -> None:
    with pytest.raises(rg.OptionError, match="no setting 'antes': they are ante and small_blind"):
        rg.poker.push_fold(10, antes=1)
