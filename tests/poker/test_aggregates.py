"""Aggregates: by boards against single nodes, up to suits against all suits, kinds of flops against their counts."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import Deck, Limit, PublicGame, Spot
from regretless.poker.cards.board_kinds import kinds_of
from regretless.poker.cards.deck import STANDARD
from regretless.poker.results.aggregates import aggregate
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import find_board

DECK = Deck("TJQKA", "cdh")
BETTING = Limit(streets=2, bets=(2, 4), caps=(1, 2), blinds=(1, 2))


@pytest.fixture(scope="module")
def strategy():
    return rg.solve(PublicGame(DECK, 2, (3,), BETTING), rg.CFR_PLUS, iterations=8, dtype="float64").strategy


@pytest.fixture(scope="module")
def every_suit(strategy):
    """The same strategy written out for every board and hand."""
    tree = PublicGame(DECK, 2, (3,), BETTING, isomorphism=False).public_tree()
    numbers, book, betting = np.zeros(tree.numbers), tree.book, tree.betting_tree
    for board, cards in enumerate(book.cards):
        found = find_board(strategy.tree, int(tree.board_street[board]), cards)
        for player in range(2):
            hands, classes = found.hands(player)
            place = {tuple(hand): at for hand, at in zip(hands.tolist(), classes.tolist(), strict=True)}
            begin, count = int(book.arrays.begin[player, board]), int(book.arrays.count[player, board])
            own = [place[tuple(hand)] for hand in book.hands[begin : begin + count].tolist()]
            stride, first = int(book.arrays.stride[player, board]), int(book.arrays.first[player, board])
            for node in np.flatnonzero((betting.kind == player) & (betting.street == tree.board_street[board])):
                block = strategy.block(int(node), found.number)
                start = first + int(tree.betting.slot[tree.order.number[node]]) * stride
                for action, row in enumerate(block):
                    numbers[start + action * stride : start + action * stride + count] = row[own]
    return PublicStrategy(tree, {"average": numbers}, "average")


LINES = ["call check", "raise call / check", "raise call / check bet", "call raise call / bet raise"]


@pytest.mark.parametrize("line", LINES)
def test_each_board_is_its_node(strategy, line: str) -> None:
    table = aggregate(strategy, line, ev=True)
    for at in range(0, len(table), 7):
        node = strategy.at(line, board=table.boards[at])
        assert table.frequencies[at] == pytest.approx(list(node.frequencies.values()))
        assert table.ev[at] == pytest.approx(node.mean_ev)
        taken = node.mass[:, None] * node.probabilities
        wanted = (taken * node.action_ev).sum(axis=0) / taken.sum(axis=0)
        assert table.action_ev[at] == pytest.approx(wanted)


@pytest.mark.parametrize("line", LINES[:3])
def test_up_to_suits_is_the_same_as_all_suits(strategy, every_suit, line: str) -> None:
    merged, whole = aggregate(strategy, line, ev=True), aggregate(every_suit, line, ev=True)
    assert len(whole) == 455 == merged.deals.sum() and len(merged) == 95
    assert (whole.deals == 1).all()
    for mine, theirs in [(merged.total, whole.total), *zip(merged.by("suits"), whole.by("suits"), strict=True)]:
        assert mine.name == theirs.name and mine.deals == theirs.deals == theirs.boards
        assert mine.reach == pytest.approx(theirs.reach)
        assert mine.ev == pytest.approx(theirs.ev)
        assert list(mine.frequencies.values()) == pytest.approx(list(theirs.frequencies.values()))


def test_all_boards_together_are_what_the_street_before_leads_to(every_suit) -> None:
    """After a check the weights of both players at the flop are those that called before it, card removal included."""
    table = aggregate(every_suit, "call check")
    before = every_suit.at("call")
    hands = DECK.hands(2)
    caller = every_suit.at("").probabilities[:, 1]
    checker = before.probabilities[:, 0]
    wanted = []
    for board in table.boards:
        cards = DECK.cards(board)
        free = ~np.isin(hands, cards).any(axis=1)
        apart = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
        wanted.append((caller * free) @ apart @ (checker * free))
    assert table.reach == pytest.approx(np.array(wanted) / sum(wanted))


def test_kinds_of_all_flops() -> None:
    kinds = [kinds_of(STANDARD, flop) for flop in combinations(range(52), 3)]
    assert Counter(kind[0] for kind in kinds) == {"monotone": 1_144, "two-tone": 12_168, "rainbow": 8_788}
    assert Counter(kind[1] for kind in kinds) == {"unpaired": 18_304, "paired": 3_744, "trips": 52}
    assert Counter(kind[2] for kind in kinds)["A"] == 4_804


@pytest.mark.parametrize(
    ("board", "kinds"),
    [
        ("", ("no board",) * 3),
        ("Ks", ("rainbow", "unpaired", "K")),
        ("QsJhQh2h", ("3 of one suit", "paired", "Q")),
        ("QsQhJhJs", ("2 of one suit", "two pair", "Q")),
        ("QsQhJhJsQd", ("2 of one suit", "full house", "Q")),
        ("2s2h2d2cAs", ("2 of one suit", "quads", "A")),
        ("AhKhQhJh2h", ("5 of one suit", "unpaired", "A")),
    ],
)
def test_kinds_of_other_boards(board: str, kinds: tuple[str, str, str]) -> None:
    assert kinds_of(STANDARD, STANDARD.cards(board)) == kinds


def test_groups_and_order(strategy) -> None:
    table = strategy.by_board("raise call / check")
    assert [group.name for group in table.by("suits")] == ["monotone", "two-tone", "rainbow"]
    assert [group.name for group in table.by("pairing")] == ["unpaired", "paired", "trips"]
    assert [group.name for group in table.by("high")] == ["A", "K", "Q", "J", "T"]
    for kind in ("suits", "pairing", "high"):
        groups = table.by(kind)
        assert sum(group.reach for group in groups) == pytest.approx(1)
        assert sum(group.reach * group.frequencies["bet"] for group in groups) == pytest.approx(
            table.total.frequencies["bet"]
        )
    best = table.sorted("bet")
    assert (np.diff(best.frequencies[:, 1]) <= 0).all() and sorted(best.boards) == sorted(table.boards)
    assert best.boards[0] == table.boards[int(np.argmax(table.frequencies[:, 1]))]
    assert (np.diff(table.sorted("deals", descending=False).deals) >= 0).all()
    with pytest.raises(OptionError, match="no column 'bte'"):
        table.sorted("bte")
    with pytest.raises(OptionError, match="grouped by 'suit': did you mean 'suits'"):
        table.by("suit")


def test_boards_on_which_no_hand_is_left_have_no_frequencies() -> None:
    """The only hand of a range holds the card that comes."""
    spot = Spot("Qs Jh 2h 7c", ("AcAd", "KK,QcJs"), pot=100, stack=50, sizes="bet all-in")
    table = rg.solve(spot, rg.CFR_PLUS, iterations=3, dtype="float64").strategy.by_board("check check", ev=True)
    blocked = np.array([board.endswith(("Ac", "Ad")) for board in table.boards])
    assert blocked.any() and (np.isnan(table.frequencies[:, 0]) == blocked).all()
    assert (table.reach[blocked] == 0).all() and np.isnan(table.ev[blocked]).all()
    assert sum(table.total.frequencies.values()) == pytest.approx(1)
    assert table.sorted("check").boards[-1].endswith(("Ac", "Ad"))


def test_tables_are_written(strategy, tmp_path) -> None:
    table = aggregate(strategy, "raise call", ev=True)
    frame = table.frame()
    assert list(frame.columns)[:6] == ["board", "suits", "pairing", "high", "deals", "reach"]
    assert list(frame.columns)[6:] == ["p check", "p bet", "ev", "ev check", "ev bet"]
    table.to_csv(tmp_path / "flops.csv")
    rows = list(csv.DictReader((tmp_path / "flops.csv").open()))
    assert [row["board"] for row in rows] == list(table.boards)
    assert [float(row["p bet"]) for row in rows] == pytest.approx(table.frequencies[:, 1].tolist(), abs=1e-8)
    table.to_parquet(tmp_path / "flops.parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(tmp_path / "flops.parquet").column("ev").to_pylist() == table.ev.tolist()
    table.plot(tmp_path / "flops.png")
    assert (tmp_path / "flops.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("dtype", ["float64", "int16"])
def test_files_give_the_same_tables(dtype: str, tmp_path) -> None:
    run = rg.solve(PublicGame(DECK, 2, (3,), BETTING), rg.CFR_PLUS, iterations=8, dtype=dtype)
    run.save(tmp_path / "game.run")
    mine, theirs = (aggregate(r.strategy, "raise call / check", ev=True) for r in (run, rg.load(tmp_path / "game.run")))
    assert (mine.frequencies == theirs.frequencies).all() and (mine.ev == theirs.ev).all()
    for at in range(0, len(mine), 11):
        node = run.strategy.at("raise call / check", board=mine.boards[at])
        assert mine.frequencies[at] == pytest.approx(list(node.frequencies.values()), abs=1e-6)


def test_reports_are_text(strategy) -> None:
    report = str(strategy.by_board("raise call"))
    assert report.splitlines()[0].split() == ["deals", "reach", "check", "bet"]
    assert report.splitlines()[1].startswith("all boards") and " 100.0% " in report.splitlines()[1]
    assert repr(strategy.by_board("raise call")).startswith("<player 1 after 'raise call' on 95 boards: check ")
