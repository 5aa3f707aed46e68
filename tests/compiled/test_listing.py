"""Machine code lists a game into the very same tree as Python does."""

from __future__ import annotations

import numpy as np
import pytest
from examples import Auction, Bits, Lights

import regretless as rg
from conftest import INTERPRETED
from regretless.compiled import compile_game
from regretless.compiled.listing import compiled_listing, listing_pages, subtree_listing
from regretless.compiled.listing.compiled_listing import list_compiled
from regretless.layout import listing

pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiles games")


def by_hand(game: rg.Game, monkeypatch: pytest.MonkeyPatch) -> listing.Listing:
    with monkeypatch.context() as patch:
        patch.setattr(listing, "is_compiled", lambda game: False)
        return listing.list_game(game)


def assert_same(game: rg.Game, monkeypatch: pytest.MonkeyPatch, threads: int = 2) -> None:
    found = list_compiled(compile_game(game), lambda histories, terminals: None, threads)
    expected = by_hand(game, monkeypatch)
    assert found is not None
    histories = listing.Histories(
        found.mover, found.index, found.first_child, found.children, found.chance, found.payoff
    )
    for name in ("mover", "index", "first_child", "children", "probability", "payoffs"):
        one, other = getattr(histories, name), getattr(expected.histories, name)
        np.testing.assert_array_equal(one, other, err_msg=name)
        assert one.dtype == other.dtype
    assert (found.owner, found.infoset, found.actions) == (expected.player, expected.infoset, expected.actions)


@pytest.fixture(params=[0, 1 << 18], ids=["threads", "alone"])
def worth_threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_listing, "WORTH_THREADS", request.param)


@pytest.mark.usefixtures("worth_threads")
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("game", [Auction(), Auction(sides=2), Lights(), Bits(), Bits(0), Bits(12)])
def test_the_same_listing(game: rg.Game, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(game, monkeypatch, threads)


@pytest.mark.usefixtures("worth_threads")
@pytest.mark.parametrize(("subtrees", "levels"), [(1, 6), (2, 1), (3, 6), (10_000, 3), (10_000, 30)])
def test_the_same_wherever_the_game_is_cut(subtrees: int, levels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtree_listing, "SUBTREES", subtrees)
    monkeypatch.setattr(subtree_listing, "MOST_LEVELS", levels)
    for game in (Auction(), Lights(), Bits(9), rg.games.Kuhn(players=3)):
        assert_same(game, monkeypatch)


def test_a_level_with_too_many_histories_stays_below_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtree_listing, "MOST_SUBTREES", 5)
    for game, roots in ((Bits(9), 4), (Bits(0), 0)):
        top = subtree_listing.above_the_cut(compile_game(game))
        assert top is not None and len(top.visited) == (3 if roots else 1)
        assert_same(game, monkeypatch)
    monkeypatch.setattr(subtree_listing, "MOST_SUBTREES", 1)
    assert_same(Auction(), monkeypatch)


def test_the_same_in_many_calls_and_small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    full = listing_pages.first_pages

    def small(kernels: object, players: int) -> object:
        pages = full(kernels, players)
        return pages._replace(
            **{
                name: page[:3].copy()
                for name, page in pages._asdict().items()
                if name not in ("buckets", "moves", "number", "choice", "begin")
            },
            buckets=pages.buckets[:4].copy(),
            **{name: getattr(pages, name)[:8].copy() for name in ("moves", "number", "choice", "begin")},
        )

    monkeypatch.setattr(subtree_listing, "first_pages", small)
    monkeypatch.setattr(compiled_listing, "first_pages", small)
    monkeypatch.setattr(subtree_listing, "HISTORIES_PER_CALL", 7)
    for game in (Auction(), Lights(), Bits(9)):
        assert_same(game, monkeypatch)


def test_actions_that_differ_between_two_subtrees(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Bits(6, odd=23)
    for subtrees in (1, 2, 8, 64):
        monkeypatch.setattr(subtree_listing, "SUBTREES", subtrees)
        assert list_compiled(compile_game(game), lambda histories, terminals: None) is None


def test_a_ready_made_game(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_same(rg.games.Leduc(), monkeypatch)


def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REPORT_EVERY", "WORTH_LOADING", "WORTH_COMPILING"):
        monkeypatch.setattr(listing, name, 20)


def test_build_turns_to_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same tree, and a count that never falls."""
    game, told = Bits(13), list[int]()
    monkeypatch.setattr(listing, "is_compiled", lambda game: False)
    by_python = rg.build(game)
    monkeypatch.undo()
    taken = []
    at_once(monkeypatch)
    monkeypatch.setattr(subtree_listing, "HISTORIES_PER_CALL", 2_000)
    monkeypatch.setattr(compiled_listing, "LOOK_EVERY", 2_000)
    monkeypatch.setattr(listing, "list_compiled", lambda *given: taken.append(list_compiled(*given)) or taken[0])
    tree = rg.build(game, progress=told.append)
    assert taken[0] is not None
    assert tree.fingerprint == by_python.fingerprint
    assert tree.histories == by_python.histories == 2**14 - 1
    assert told == sorted(told) and len(told) > 4


def test_a_broken_rule_is_told_by_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)
    game = Bits(6, odd=23)
    assert list_compiled(compile_game(game), lambda histories, terminals: None) is None
    with pytest.raises(
        rg.GameError, match=r"infoset 5 offers \[0, 1\] after 0, 0, 0, 0 but \[0, 1, 2\] after 0, 1, 1, 1"
    ):
        rg.build(game)


def test_numbers_too_wide_for_machine_code_stay_with_python(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once(monkeypatch)
    assert rg.build(Bits(7, wide=True)).histories == 255


@pytest.mark.usefixtures("worth_threads")
def test_ctrl_c_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtree_listing, "HISTORIES_PER_CALL", 100)
    monkeypatch.setattr(compiled_listing, "LOOK_EVERY", 100)

    def interrupt(histories: int, terminals: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list_compiled(compile_game(Bits(12)), interrupt)


def test_a_small_game_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "compile_game", lambda game: pytest.fail("compiled"))
    assert rg.build(Bits(5)).histories == 63
