"""Public chance sampling with buckets, compared with plain Python on one board and with exact solutions."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import drawn_buckets
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
from regretless.poker.solving.buckets.bucket_learner import BucketLearner

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
    """One batch of boards for one player, pair of hands by pair of hands."""

    def __init__(self, made: BucketLearner, player: int, batch: list[list[tuple[tuple[int, ...], int]]]) -> None:
        self.tree, self.player, self.batch = made.tree, player, batch
        self.game, self.betting = made.tree.game, made.tree.betting_tree
        self.hands = self.game.deck.hands(self.game.hand_size).tolist()
        self.known = [[made.tree.abstraction.sequences_on(board) for board, _ in street] for street in batch]
        self.regret = made.tables.regret
        self.gain, self.average = np.zeros_like(made.tables.gain), np.zeros_like(made.tables.gain)

    def boards_below(self, street: int, number: int) -> list[int]:
        if street + 1 == len(self.batch):
            return []
        return [n for n, (_, parent) in enumerate(self.batch[street + 1]) if parent == number]

    def complete(self, street: int, number: int) -> int:
        """Complete boards below a board."""
        below = self.boards_below(street, number)
        return sum(self.complete(street + 1, n) for n in below) if street + 1 < len(self.batch) else 1

    def entries(self, node: int, number: int, hand: int) -> list[int]:
        street = int(self.betting.street[node])
        known, bucket = int(self.tree.known[street]), int(self.known[street][number][hand])
        return [int(self.tree.first[node]) + bucket + a * known for a in range(int(self.betting.children[node]))]

    def strategy(self, node: int, number: int, hand: int) -> list[float]:
        positive = [max(float(self.regret[at]), 0.0) for at in self.entries(node, number, hand)]
        return [p / sum(positive) if sum(positive) else 1 / len(positive) for p in positive]

    def values(self, node: int, number: int, mine: dict[int, float], theirs: dict[int, float]) -> dict[int, float]:
        """Values of the player's live hands; reach of the live hands of both players."""
        kind, street, child = (int(a[node]) for a in (self.betting.kind, self.betting.street, self.betting.first_child))
        if kind > DEAL:
            factor = self.complete(street, number) * self.missed(street)
            return {h: factor * self.ended(node, street, number, h, theirs) for h in mine}
        if kind == DEAL:
            total = dict.fromkeys(mine, 0.0)
            for n in self.boards_below(street, number):
                live = {h for h in mine if self.known[street + 1][n][h] >= 0}
                parts = ({h: r for h, r in reach.items() if h in live} for reach in (mine, theirs))
                for h, value in self.values(child, n, *parts).items():
                    total[h] += value
            return total
        actions = range(int(self.betting.children[node]))
        sigma = {h: self.strategy(node, number, h) for h in mine}
        if kind != self.player:
            found = [
                self.values(child + a, number, mine, {h: r * sigma[h][a] for h, r in theirs.items()}) for a in actions
            ]
            return {h: sum(part[h] for part in found) for h in mine}
        found = [self.values(child + a, number, {h: r * sigma[h][a] for h, r in mine.items()}, theirs) for a in actions]
        mean = {h: sum(sigma[h][a] * found[a][h] for a in actions) for h in mine}
        for h in mine:
            for a, at in enumerate(self.entries(node, number, h)):
                self.gain[at] += found[a][h] - mean[h]
                self.average[at] += self.complete(street, number) * mine[h] * sigma[h][a]
        return mean

    def missed(self, street: int) -> float:
        """How often the rest of the board holds none of both players' cards, by listing."""
        cards, dealt = self.game.deck.size - len(self.batch[street][0][0]), self.batch[-1][0][0]
        rests = list(combinations(range(cards), len(dealt) - len(self.batch[street][0][0])))
        return sum(min(rest, default=cards) >= 2 * self.game.hand_size for rest in rests) / len(rests)

    def ended(self, node: int, street: int, number: int, h: int, theirs: dict[int, float]) -> float:
        total, board = 0.0, self.batch[street][number][0]
        own = score(self.game.deck, [*self.hands[h], *board])
        for other, reach in theirs.items():
            if {*self.hands[h]} & {*self.hands[other]}:
                continue
            strength = score(self.game.deck, [*self.hands[other], *board])
            better = (own > strength) - (own < strength)
            paid = {1: self.betting.win, 0: self.betting.tie, -1: self.betting.lose}
            table = self.betting.win if self.betting.kind[node] == FOLD else paid[better]
            total += reach * float(table[node, self.player])
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
    made, draw = learner(GAMES[name], METHOD.replace(boards=3)), np.random.default_rng(4)
    made.tables.regret[:] = draw.normal(size=len(made.tables.regret))
    batch = made.batches.draw(9, 1)
    values = made.walker.walk(made.batches.prepared(batch), made.tables, 2.5)
    ranges = [dict(enumerate(weights.tolist())) for weights in made.tree.game.hand_weights()]
    gain = average = np.zeros(0)
    for player in range(2):
        slow = SlowWalk(made, player, batch)
        expected = slow.values(0, 0, ranges[player], ranges[1 - player])
        assert values[player].tolist() == pytest.approx(list(expected.values()), abs=1e-9)
        gain, average = (slow.gain, slow.average) if player == 0 else (gain + slow.gain, average + slow.average)
    assert made.tables.gain == pytest.approx(gain, abs=1e-9)
    assert made.tables.average == pytest.approx(2.5 * average, abs=1e-9)


def test_a_batch_shares_its_flop_and_turns() -> None:
    made = learner(merged(PAIRS, (6, 9, 11)), METHOD.replace(boards=6))
    _, flops, rivers = made.batches.draw(3)
    assert len(flops) == 1 and len(rivers) == 6 and {board[:1] for board, _ in rivers} == {flops[0][0]}
    assert len({board for board, _ in rivers}) == 6  # single cards are drawn without repetition
    assert made.batches.draw(3) == made.batches.draw(3) != made.batches.draw(4)
    four = PublicGame(Deck("9TJQK", "sh"), 2, (3, 1, 1), Limit(streets=4, bets=2, caps=1, blinds=(1, 2)))
    made = learner(merged(four, (6, 5, 5, 5)), METHOD.replace(boards=9))
    streets = made.batches.draw(1)
    assert [len(street) for street in streets] == [1, 1, 3, 9]
    assert [parent for _, parent in streets[3]] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert made.batches.prepared(streets)[1].complete.tolist() == [9]


@pytest.mark.full
def test_all_boards_together_have_the_exact_value() -> None:
    """Uniform play: the mean over all boards is the value on the public tree."""
    for game in (lossless(LEDUC), merged(PAIRS, (3, 4, 5))):
        made = learner(game)
        total = pairs = 0.0
        hands = game.deck.hands(game.hand_size)
        for board in permutations(range(game.deck.size), sum(game.board_cards)):
            batch = [[(board[:cards], 0)] for cards in made.tree.abstraction.rounds.boards]
            total += float(made.walker.walk(made.batches.prepared(batch), made.tables, 0.0)[0].sum())
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
    run = rg.solve(game, rg.MCCFR(sampling="public-chance", variant=variant, boards=3), iterations=5_000, seed=1)
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
    two = rg.solve(game, METHOD.replace(boards=4), iterations=10, seed=5, threads=2, measure="never")
    one = rg.solve(game, METHOD.replace(boards=4), iterations=10, seed=5, threads=1, measure="never")
    for name, array in one.arrays.items():
        assert (array == two.arrays[name]).all()
    small = rg.solve(game, METHOD, iterations=30, seed=5, dtype="float32")
    assert small.arrays["regret"].dtype == np.float32
    assert small.exploitability == pytest.approx(rg.solve(game, METHOD, iterations=30, seed=5).exploitability, rel=0.05)


@pytest.mark.full
def test_show(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from regretless.apps.commands.show.bucket_nodes import show_buckets

    run = rg.solve(merged(PAIRS, (6, 9, 11)), METHOD, iterations=2)
    options = {"limit": None, "current": False, "json": False, "csv": None, "ev": False}
    show_buckets(run, "call check", "Js", {**options, "limit": 3})
    told = capsys.readouterr().out
    assert "call check on Js, player 1" in told and "18 more hands: --limit 21 prints all" in told
    assert "main action of each class" in told and "next: " in told
    show_buckets(run, "", None, options)
    assert "the beginning, player 0" in capsys.readouterr().out
    show_buckets(run, "call check", "Js", {**options, "json": True})
    hands = json.loads(capsys.readouterr().out)["hands"]
    assert len(hands) == 21 and sum(hands["KhKs"].values()) == pytest.approx(1)
    show_buckets(run, "call check", "Js", {**options, "csv": str(tmp_path / "a.csv")})
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 22
    for wrong, board, sentence in (({"ev": True}, None, "--ev is not for runs"), ({}, "all", "name the cards of one")):
        with pytest.raises(OptionError, match=sentence):
            show_buckets(run, "", board, {**options, **wrong})


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
    assert tree.sizes["bytes"] == tree.infoset_actions * 12


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
    own, theirs = (strategy.at("call check", "Js").weight, strategy.at("call check", "Js").others)
    first_block, second_block = strategy.block(0), strategy.block(tree.betting_tree.find("call"))
    bucket_before = tree.abstraction.buckets_on()
    free = tree.abstraction.buckets_on("Js") >= 0
    assert own == pytest.approx(second_block[0][bucket_before][free])
    assert theirs == pytest.approx(np.where(free, first_block[1][bucket_before], 0))
    for line, board, sentence in (
        ("fold", "", "the hand is over there"),
        ("call check", "", "a board of 1 card, got no board"),
        ("", "Js", "a board of 0 cards, got 1"),
    ):
        with pytest.raises(OptionError, match=sentence):
            strategy.at(line, board)
    with pytest.raises(OptionError, match="there is no hand 'JsJh' here"):
        node["JsJh"]


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = merged(LEDUC, (2, 5))
    for method, sentence in (
        (rg.CFR_PLUS, r"does not work on a bucketed tree: take rg\.MCCFR\(sampling='public-chance'\) or rg\.CFRBR\(\)"),
        (rg.MCCFR("outcome"), "is solved with sampling='public-chance' or 'external', not with 'outcome'"),
        (METHOD.replace(prune=5.0), "prune= on a game with an abstraction goes with"),
        (METHOD.replace(boards=10**9), "need .* as float32, and .* are free: take fewer buckets or boards"),
    ):
        with pytest.raises(OptionError, match=sentence):
            rg.solve(game, method, iterations=1)
    with pytest.raises(OptionError, match="cannot be held fixed"):
        rg.solve(game, METHOD, iterations=1, fixed={0: game.problem().uniform()})
    with pytest.raises(OptionError, match="cannot have locked nodes"):
        game.lock("", {"check": 1}).problem()
    tree = game.problem()
    assert isinstance(tree, BucketedTree)
    with pytest.raises(OptionError, match="another game with the name poker"):
        rg.exploitability(PAIRS, tree.uniform())
    monkeypatch.setattr("regretless.poker.abstraction.bucketed_tree.free_memory", lambda: 10)
    with pytest.raises(OptionError, match=r"need .* as float32, and 10 bytes are free: take fewer buckets"):
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


def test_strategies_by_buckets_are_compared_copied_and_pickled() -> None:
    game = merged(PublicGame(Deck("TJQ", "sh"), 2, (1,), Limit(streets=2, bets=2, caps=1, blinds=(1, 2))), (3, 4))
    one, other = drawn_buckets.drawn(game), drawn_buckets.drawn(game, seed=5)
    assert one == drawn_buckets.drawn(game) and one == one.tree.strategy({"average": 2 * one.source}, "average")
    assert one != other and one != drawn_buckets.drawn(merged(one.tree.unabstracted, (3, 5))) and one != "buckets"
    for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert again == one
