"""A compiled game gives the answers of the interpreted one."""

from __future__ import annotations

import linecache

import numpy as np
import pytest
from examples import Auction, Bits, Lights

import regretless as rg
from conftest import INTERPRETED
from regretless.compiled import compile_game, is_compiled
from regretless.compiled.checking import Twin
from regretless.kernels.numba_ext.uncounted_arrays import uncounted_view
from regretless.testing import check_game_conformance

pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiles games")


@pytest.mark.parametrize(
    ("game", "histories"), [(Auction(), 32), (Auction(sides=2), 15), (Lights(), 121), (Lights(3, 3), 40), (Bits(), 127)]
)
def test_both_forms_agree_at_every_history(game: rg.Game, histories: int) -> None:
    assert is_compiled(game)
    assert check_game_conformance(game, histories=histories).exhaustive


def test_the_conformance_test_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Bits()
    compile_game(game)
    monkeypatch.setattr(Twin, "play", lambda twin, state, action: (state[0] + 1, 7))
    with pytest.raises(AssertionError, match=r"after 0: the compiled game differs: the state is \(1, 2\)"):
        check_game_conformance(game)


def test_one_module_serves_all_parameters_of_a_class() -> None:
    assert compile_game(Auction()).functions is compile_game(Auction(sides=2)).functions
    small, large = compile_game(Auction(sides=2)), compile_game(Auction())
    assert (small.rules.deck_sides, large.rules.deck_sides) == (2, 3)
    np.testing.assert_array_equal(large.rules.own_steps, [0, 1, 2, 2, 3, 4])
    np.testing.assert_array_equal(large.rules.own_steps_begin, [0, 1, 3, 6])


def test_asking_again_is_free() -> None:
    game = Bits()
    assert compile_game(game) is compile_game(game)


def test_writers_count_what_they_have_no_room_for() -> None:
    compiled = compile_game(Auction())
    functions, rules = compiled.functions, compiled.rules
    out = uncounted_view(np.full(4, -1))
    state = functions.root(rules)
    assert functions.actions(rules, state, out, 2) == 3
    assert out.tolist() == [-1, -1, 10, 11]
    odds = uncounted_view(np.zeros(3))
    assert functions.chance(rules, state, odds, 0) == 3
    assert odds.tolist() == [0.25, 0.5, 0.25]


def test_keys_of_infosets() -> None:
    bits, auction, lights = (compile_game(game) for game in (Bits(), Auction(), Lights()))
    assert bits.functions.infoset_key(bits.rules, (3, 9)) == (9, 0)
    assert bits.infoset_of((9, 0)) == 9
    state = auction.functions.play(auction.rules, auction.functions.root(auction.rules), 12)
    assert auction.functions.infoset_key(auction.rules, state) == (0, 2)
    assert auction.infoset_of((0, 2)) == (0, 2)
    states = [(n // 27, np.array([n % 3, n // 3 % 3, n // 9 % 3])) for n in range(108)]
    keys = {lights.functions.infoset_key(lights.rules, state) for state in states}
    assert len(keys) == len(states) and len({first for first, _ in keys}) == len({second for _, second in keys}) == 108
    assert lights.infoset_of(next(iter(keys))) is None


def test_nothing_is_compiled_twice() -> None:
    """Numbers written out, other layouts and counted arrays would each make another version of a function."""
    for game in (Auction(), Bits(), Lights()):
        compiled = compile_game(game)
        compiled.kernels("compiled_games.game_listing")
        for name in ("root", "player", "actions", "play", "infoset", "payoffs", "infoset_key", "public", "chance"):
            assert len(getattr(compiled.functions, name).nopython_signatures) <= 1, name


@pytest.mark.parametrize("number", [0, 1, 2, 3, 255, 256, 2**31, 2**62 + 1, 2**63 - 1, -1, -5, -(2**40)])
def test_bits_of_numbers(number: int) -> None:
    compiled = compile_game(Bits())
    out = uncounted_view(np.zeros(2))
    compiled.functions.payoffs(compiled.rules, (0, number), out, 0)
    assert out.tolist() == [number.bit_count(), number.bit_length() - 2.0 * number.bit_count()]


def test_the_mark_is_not_inherited() -> None:
    class Other(Bits):
        pass

    assert not is_compiled(Other())
    assert rg.compiled(Other) is Other
    assert is_compiled(Other())


@rg.compiled
class Left(Bits):
    def infoset(self, state: tuple[int, int]) -> int:
        return 2 * super().infoset(state)


@rg.compiled
class Right(Bits):
    def infoset(self, state: tuple[int, int]) -> int:
        return 2 * super().infoset(state) + 1


def test_subclasses_of_one_class_keep_apart() -> None:
    left, right = compile_game(Left()), compile_game(Right())
    assert left.functions.infoset_key(left.rules, (0, 5)) == (10, 0)
    assert right.functions.infoset_key(right.rules, (0, 5)) == (11, 0)


def test_the_decorator_and_its_room_share_a_name() -> None:
    assert rg.compiled is compile_game.__globals__["has_compiler"].__globals__["compiled"]


def test_a_class_in_a_notebook() -> None:
    """A cell is no file, but its lines are kept where tracebacks find them."""
    cell = "@rg.compiled\nclass Cell(Bits):\n    def infoset(self, state):\n        return 3 * state[1]\n"
    linecache.cache["<cell 1>"] = (len(cell), None, cell.splitlines(keepends=True), "<cell 1>")
    space = {"rg": rg, "Bits": Bits, "__name__": "notebook"}
    exec(compile(cell, "<cell 1>", "exec"), space)
    compiled = compile_game(space["Cell"]())  # type: ignore[operator]
    assert compiled.functions.infoset_key(compiled.rules, (0, 5)) == (15, 0)
