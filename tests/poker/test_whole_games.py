"""Limit and no-limit hold'em from the blinds on: published counts, names, and what is refused."""

from __future__ import annotations

import json

import pytest

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.lookup.allowed_games import may_open
from regretless.poker import Holdem, LimitHoldem, PublicGame
from regretless.poker.formats.game_json import game_from_json, game_to_json
from regretless.poker.tree.memory_estimate import check_game_size


def test_counts_of_limit_holdem() -> None:
    """Johanson 2013 (Measuring the size of large no-limit poker games); Brown et al. 2019."""
    game = LimitHoldem()
    assert game.decisions == (8, 70, 630, 5_670)
    assert game.actions == (21, 182, 1_638, 14_742)
    assert game.hand_classes == (169, 1_286_792, 55_190_538, 2_428_287_420)
    assert game.infosets == 13_803_249_787_132
    assert game.infoset_actions == 35_888_449_446_577


def test_the_betting_of_limit_holdem() -> None:
    tree = LimitHoldem().betting_tree()
    assert [count.lines for count in tree.counts] == [1, 7, 63, 567]
    assert tuple(count.decisions for count in tree.counts) == LimitHoldem().decisions
    assert tuple(count.actions for count in tree.counts) == LimitHoldem().actions
    end = tree.find("r r r c / b r r r c / b r r r c / b r r r c")
    assert tree.win[end].tolist() == [2_400, 2_400]  # 4 + 4 small bets, 4 + 4 big ones
    assert tree.actions[tree.find("r r r")] == ("fold", "call")
    assert tree.kind[tree.find("")] == 0 and tree.kind[tree.find("call check")] == 1


@pytest.mark.parametrize(
    "name",
    ["hulh", "hunl", "hunl:stack=2000", "hunl:stack=2000,ante=5,caps=2x3x3x3,blinds=(1,2),sizes='bet 50%, raise 3x'"],
)
def test_by_name(name: str) -> None:
    game = rg.games.by_name(name)
    assert game.name == name and rg.games.spec_of(game) == name  # type: ignore[attr-defined]
    assert isinstance(game, PublicGame)
    described = game_to_json(game)
    again = game_from_json(json.loads(json.dumps(described)))
    assert type(again) is type(game) and again.name == name and game_to_json(again) == described


def test_names_of_other_settings() -> None:
    donks = Holdem(sizes="bet 50%, raise none, donk 25%")
    assert donks.name == "hunl:sizes='bet 50%, raise none, donk 25%'" and rg.games.by_name(donks.name) == donks
    streets = Holdem(sizes=("bet 50%", "bet 50%", "bet 75%", "bet 75%"))
    assert streets.name == "hunl:sizes=…" and streets.decisions[3] > 0


def test_counts_of_no_limit_holdem() -> None:
    game = Holdem(stack=2_000, sizes="bet 100%, raise 100%")
    counts = game.betting_tree().counts
    assert game.decisions == tuple(count.decisions for count in counts)
    assert game.actions == tuple(count.actions for count in counts)
    assert game.big_blind == 100 and game.pot == 150
    assert game.betting_tree().actions[0] == ("fold", "call", "raise to 300")
    assert Holdem(chip=1, rake=0.05).betting.rake == 0.05  # type: ignore[union-attr]


@pytest.mark.parametrize("game", [LimitHoldem(), Holdem(500, sizes="bet 100%, raise all-in")])
def test_without_an_abstraction_it_is_refused_in_one_sentence(game: PublicGame) -> None:
    sentence = r"infosets, whose tables need .* GB even as int16, .* abstraction="
    for ask in (game.problem, game.public_tree, lambda: rg.solve(game, iterations=1)):
        with pytest.raises(OptionError, match=sentence) as told:
            ask()
        assert "\n" not in str(told.value)
    with pytest.raises(OptionError, match="this game has at least"):
        check_game_size(game)


def test_mistakes() -> None:
    with pytest.raises(OptionError, match="hunl has no setting 'stacks'"):
        Holdem(stacks=3)
    with pytest.raises(OptionError, match="stack"):
        Holdem(stack=-1)
    with pytest.raises(FileError, match=r"cannot read missing\.abs"):
        rg.games.by_name("hulh:abstraction=missing.abs")
    with pytest.raises(OptionError, match="hulh has no parameter 'stack'"):
        rg.games.by_name("hulh:stack=5")
    assert not may_open("hulh:abstraction=a.abs")
