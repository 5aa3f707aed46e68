"""Public chance sampling with buckets, compared with plain Python on one board and with exact solutions."""

from __future__ import annotations

import dataclasses
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_abstraction import made_up_streets
from slow_poker import score

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL, FOLD
from regretless.method import Settings
from regretless.poker import Abstraction, Deck, Limit, LimitHoldem, NoLimit, PublicGame, Range
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import StreetBuckets
from regretless.poker.solving.bucket_learner import BucketLearner

LEDUC = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
LEDUC_VALUE = -0.085606424
PAIRS = PublicGame(Deck("TJQK", "sh"), 2, (1, 1), Limit(streets=3, bets=2, caps=1, blinds=(1, 2)))
METHOD = rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR)


def lossless(game: PublicGame, recall: str = "perfect") -> PublicGame:
    """A game with an abstraction that merges nothing."""
    rounds = CardRounds.of(game)
    streets = []
    for street in range(rounds.streets):
        classes = rounds.classes(street)
        ones = np.ones(classes, np.int64)
        index = np.arange(classes, dtype=np.uint16)
        streets.append(StreetBuckets("lossless", index, ones, ones, ones, np.zeros((0, 0), np.uint16)))
    return dataclasses.replace(game, abstraction=Abstraction(rounds, tuple(streets), recall))


def merged(game: PublicGame, counts: tuple[int, ...], recall: str = "imperfect") -> PublicGame:
    """A game with buckets drawn at random."""
    rounds = CardRounds.of(game)
    return dataclasses.replace(game, abstraction=Abstraction(rounds, made_up_streets(rounds, counts), recall))


def learner(game: PublicGame, method: rg.MCCFR = METHOD, seed: int = 0) -> BucketLearner:
    made = method.learner(game.problem(), Settings(seed=seed))
    assert isinstance(made, BucketLearner)
    return made


# -- one walk against plain Python ------------------------------------------------------------------------------------


class SlowWalk:
    """One walk of one board, pair of hands by pair of hands."""

    def __init__(self, made: BucketLearner, player: int, board: tuple[int, ...], weight: float) -> None:
        self.tree, self.player, self.board, self.weight = made.tree, player, board, weight
        self.game, self.betting = made.tree.game, made.tree.betting_tree
        self.hands = [h for h in self.game.deck.hands(self.game.hand_size).tolist() if not {*h} & {*board}]
        numbers = self.game.deck.hands(self.game.hand_size).tolist()
        cards = made.tree.abstraction.rounds.boards
        known = [made.tree.abstraction.sequences_on(board[:count]) for count in cards]
        self.bucket = [[int(k[numbers.index(h)]) for h in self.hands] for k in known]
        self.score = [score(self.game.deck, [*h, *board]) for h in self.hands]
        self.weights = [[float(w[numbers.index(h)]) for h in self.hands] for w in self.game.hand_weights()]
        self.regret = made.regret
        self.gain, self.average = np.zeros_like(made.gain), np.zeros(len(made.gain))

    def entries(self, node: int, hand: int) -> list[int]:
        known = int(self.tree.known[self.betting.street[node]])
        first = int(self.tree.first[node]) + self.bucket[self.betting.street[node]][hand]
        return [first + a * known for a in range(int(self.betting.children[node]))]

    def strategy(self, node: int, hand: int) -> list[float]:
        positive = [max(float(self.regret[at]), 0.0) for at in self.entries(node, hand)]
        return [p / sum(positive) if sum(positive) else 1 / len(positive) for p in positive]

    def values(self, node: int, mine: list[float], theirs: list[float]) -> list[float]:
        kind, p = int(self.betting.kind[node]), self.player
        count = len(self.hands)
        if kind > DEAL:
            return [self.ended(node, h, theirs) for h in range(count)]
        child = int(self.betting.first_child[node])
        if kind == DEAL:
            return self.values(child, mine, theirs)
        actions = range(int(self.betting.children[node]))
        sigma = [self.strategy(node, h) for h in range(count)]
        if kind != p:
            parts = [self.values(child + a, mine, [theirs[h] * sigma[h][a] for h in range(count)]) for a in actions]
            return [sum(part[h] for part in parts) for h in range(count)]
        parts = [self.values(child + a, [mine[h] * sigma[h][a] for h in range(count)], theirs) for a in actions]
        found = [sum(sigma[h][a] * parts[a][h] for a in actions) for h in range(count)]
        for h in range(count):
            for a, at in enumerate(self.entries(node, h)):
                self.gain[at] += parts[a][h] - found[h]
                self.average[at] += self.weight * mine[h] * sigma[h][a]
        return found

    def ended(self, node: int, h: int, theirs: list[float]) -> float:
        total, p = 0.0, self.player
        for other, reach in enumerate(theirs):
            if {*self.hands[h]} & {*self.hands[other]}:
                continue
            better = (self.score[h] > self.score[other]) - (self.score[h] < self.score[other])
            paid = {1: self.betting.win, 0: self.betting.tie, -1: self.betting.lose}
            table = self.betting.win if self.betting.kind[node] == FOLD else paid[better]
            total += reach * float(table[node, p])
        return total


GAMES: dict[str, PublicGame] = {
    "one card": merged(LEDUC, (2, 5)),
    "two cards": merged(PAIRS, (6, 9, 11)),
    "perfect recall": merged(PAIRS, (4, 5, 6), "perfect"),
    "rake": merged(
        PublicGame(Deck("TJQK", "sh"), 2, (1,), NoLimit(stack=10, streets=2, blinds=(1, 2), rake=0.1)), (5, 8)
    ),
}


@pytest.mark.full
@pytest.mark.parametrize("name", GAMES)
def test_a_walk_is_that_of_plain_python(name: str) -> None:
    made, draw = learner(GAMES[name]), np.random.default_rng(4)
    made.regret[:] = draw.normal(size=len(made.regret))
    for player, n in ((0, 0), (1, 1)):
        board = made.boards.draw(9, 1, player, n)
        made.gain[:], made.average[:] = 0, 0
        values = made._walk(player, board, 2.5)
        slow = SlowWalk(made, player, board, 2.5)
        expected = slow.values(0, slow.weights[player], slow.weights[1 - player])
        assert sorted(values.tolist()) == pytest.approx(sorted(expected), abs=1e-9)
        assert made.gain == pytest.approx(slow.gain, abs=1e-9)
        assert made.average == pytest.approx(slow.average, abs=1e-9)


@pytest.mark.full
def test_all_boards_together_have_the_exact_value() -> None:
    """Uniform play: the mean over all boards is the value on the public tree."""
    for game in (lossless(LEDUC), merged(PAIRS, (3, 4, 5))):
        made = learner(game)
        total = pairs = 0.0
        cards = sum(game.board_cards)
        hands = game.deck.hands(game.hand_size)
        for board in permutations(range(game.deck.size), cards):
            total += float(made._walk(0, board, 0.0).sum())
            live = hands[~np.isin(hands, board).any(axis=1)]
            apart = ~(live[:, None, :, None] == live[None, :, None, :]).any(axis=(2, 3))
            pairs += float(apart.sum())
        exact = made.tree.uniform().game_values()[0]
        assert total / pairs == pytest.approx(exact, abs=1e-5)


# -- solves -----------------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("variant", [rg.LINEAR_CFR, rg.CFR_PLUS, rg.DCFR])
def test_leduc_is_solved(variant: rg.Variant) -> None:
    game = lossless(LEDUC)
    run = rg.solve(game, rg.MCCFR(sampling="public-chance", variant=variant, traversals=6), iterations=1_500, seed=1)
    assert run.exploitability < 0.03 and run.value == pytest.approx(LEDUC_VALUE, abs=0.02)
    assert run.infosets == game.problem().infosets and run.problem.exact
    uniform = game.problem().uniform()
    assert rg.exploitability(LEDUC, run.strategy) == pytest.approx(run.exploitability, abs=1e-6)
    assert rg.exploitability(game, uniform) > 1 and run.strategy.against(uniform) > 0.3


@pytest.mark.full
def test_merging_hands_costs() -> None:
    """Two buckets of three ranks: worse than lossless, better than uniform."""
    game = merged(LEDUC, (2, 4))
    run = rg.solve(game, METHOD.replace(traversals=6), iterations=800, seed=1)
    assert 0.05 < run.exploitability < rg.exploitability(game, game.problem().uniform())


@pytest.mark.full
def test_the_same_bits_resumed_and_from_files(tmp_path: Path) -> None:
    game = merged(PAIRS, (6, 9, 11))
    whole = rg.solve(game, METHOD, iterations=30, seed=5, measure="never")
    rg.solve(game, METHOD, iterations=10, seed=5).save(tmp_path / "a.run")
    again = rg.resume(tmp_path / "a.run", iterations=20, game=game)
    for name, array in whole.arrays.items():
        assert (array == again.arrays[name]).all()
    assert (whole.arrays["regret"] != rg.solve(game, METHOD, iterations=30, seed=6).arrays["regret"]).any()
    loaded: Any = rg.load(tmp_path / "a.run", game=game)
    assert loaded.iterations == 10 and loaded.strategy.at("").probabilities.shape == (28, 3)
    with pytest.raises(FileError, match="this game needs its abstraction with 6-9-11 buckets"):
        rg.load(tmp_path / "a.run")
    with pytest.raises(FileError, match="this game needs its abstraction"):
        rg.load(tmp_path / "a.run", game=merged(PAIRS, (6, 9, 12)))
    small = rg.solve(game, METHOD, iterations=30, seed=5, dtype="float32")
    assert small.arrays["regret"].dtype == np.float32
    assert small.exploitability == pytest.approx(rg.solve(game, METHOD, iterations=30, seed=5).exploitability, rel=0.05)


@pytest.mark.full
def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    from regretless.apps.commands.show.bucket_nodes import show_buckets

    run = rg.solve(merged(PAIRS, (6, 9, 11)), METHOD, iterations=2)
    options = {"limit": None, "current": False, "json": False, "csv": None, "ev": False}
    show_buckets(run, "call check", "Js", {**options, "limit": 3})
    told = capsys.readouterr().out
    assert "call check on Js, player 1" in told and "18 more hands: --limit 21 prints all" in told
    show_buckets(run, "call check", "Js", {**options, "json": True})
    hands = json.loads(capsys.readouterr().out)["hands"]
    assert len(hands) == 21 and sum(hands["KhKs"].values()) == pytest.approx(1)
    with pytest.raises(OptionError, match="--csv is not for runs of games with an abstraction"):
        show_buckets(run, "", None, {**options, "csv": "a.csv"})


def test_the_layout_of_numbers() -> None:
    tree = merged(PAIRS, (4, 5, 6), "perfect").problem()
    assert isinstance(tree, BucketedTree)
    assert tree.known.tolist() == [4, 20, 120] and tree.infoset_actions == tree.abstraction.infoset_actions(tree.game)
    betting, used = tree.betting_tree, np.zeros(tree.infoset_actions, np.int64)
    for node in np.flatnonzero(betting.kind < DEAL):
        size = int(betting.children[node] * tree.known[betting.street[node]])
        used[tree.first[node] : tree.first[node] + size] += 1
        low, high = tree.bounds[betting.kind[node]], tree.bounds[betting.kind[node] + 1]
        assert low <= tree.first[node] and tree.first[node] + size <= high
    assert (used == 1).all()
    assert tree.sizes["bytes"] == tree.infoset_actions * 16


def test_strategies_are_looked_up_by_bucket() -> None:
    tree = merged(PAIRS, (6, 9, 11)).problem()
    assert isinstance(tree, BucketedTree)
    numbers = np.random.default_rng(1).uniform(size=tree.infoset_actions)
    strategy = tree.strategy({"average": numbers}, "average")
    node = strategy.at("call check", "Js")
    assert node.player == 1 and node.board == "Js" and node.actions == ("check", "bet") and len(node.names) == 21
    bucket = tree.abstraction.bucket("KsKh", "Js")
    first, known = int(tree.first[tree.betting_tree.find("call check")]), 9
    both = numbers[[first + bucket, first + known + bucket]]
    assert node["KhKs"] == pytest.approx(dict(zip(node.actions, both / both.sum(), strict=True)))
    for line, board, sentence in (
        ("fold", "", "the hand is over there"),
        ("call check", "", "a board of 1 cards, got 0"),
        ("", "Js", "a board of 0 cards, got 1"),
    ):
        with pytest.raises(OptionError, match=sentence):
            strategy.at(line, board)
    with pytest.raises(OptionError, match="there is no hand 'JsJh' here"):
        node["JsJh"]


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = merged(LEDUC, (2, 5))
    for method, sentence in (
        (rg.CFR_PLUS, r"does not work on a bucketed tree: take rg\.MCCFR\(sampling='public-chance'\)"),
        (rg.MCCFR(), "is solved with sampling='public-chance', not with 'external'"),
        (METHOD.replace(prune=5.0), "prune= does not work"),
    ):
        with pytest.raises(OptionError, match=sentence):
            rg.solve(game, method, iterations=1)
    with pytest.raises(OptionError, match="cannot be held fixed"):
        rg.solve(game, METHOD, iterations=1, fixed={0: game.problem().uniform()})
    with pytest.raises(OptionError, match="cannot have locked nodes"):
        game.lock("", {"check": 1}).problem()
    tree = game.problem()
    assert isinstance(tree, BucketedTree)
    with pytest.raises(OptionError, match="the strategy is of poker, not of poker"):
        rg.exploitability(PAIRS, tree.uniform())
    monkeypatch.setattr("regretless.poker.abstraction.bucketed_tree.free_memory", lambda: 10)
    with pytest.raises(OptionError, match=r"infoset-actions need .* as float64, and 10 bytes are free: take fewer"):
        rg.solve(game, METHOD, iterations=1)


def test_a_game_too_large_to_be_measured() -> None:
    rounds = CardRounds.of(LimitHoldem())
    tree = BucketedTree(LimitHoldem(), LimitHoldem().betting_tree(), Abstraction(rounds, (), "imperfect"))
    assert not tree.exact
    with pytest.raises(OptionError, match="does not fit into memory hand by hand"):
        _ = tree.public_tree


@pytest.mark.full
def test_ranges_and_a_first_board() -> None:
    deck = Deck("9TJQKA", "sh")
    ranges = (Range.parse("AA,KK,QJs:0.5", deck), Range.parse("AK,QQ,TT", deck))
    rules = Limit(streets=2, bets=2, caps=1, blinds=(0, 0), pot=4)
    game = PublicGame(deck, 2, (1,), rules, "9sTh", ranges)
    rounds = CardRounds.of(game)
    assert rounds.boards == (2, 3)
    streets = []
    for street in range(2):
        classes = rounds.classes(street)
        ones, index = np.ones(classes, np.int64), np.arange(classes, dtype=np.uint16)
        streets.append(StreetBuckets("lossless", index, ones, ones, ones, np.zeros((0, 0), np.uint16)))
    whole = dataclasses.replace(game, abstraction=Abstraction(rounds, tuple(streets), "imperfect"))
    run = rg.solve(whole, METHOD.replace(traversals=10), iterations=200, seed=1)
    exact = rg.solve(game, rg.CFR_PLUS, iterations=300)
    assert run.exploitability < 0.05 and run.value == pytest.approx(exact.value, abs=0.05)
