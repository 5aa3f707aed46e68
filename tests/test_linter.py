"""Every kind of broken game, each a tiny class, and what the linter says about it."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest

from regretless.errors import GameError, OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.games import Dudo, Kuhn, Leduc, LiarsDice
from regretless.linter import Estimate, available_memory, check_game, estimate_size, fits_in_memory
from regretless.linter import memory as memory_module


class Guess(Game):
    """Player 0 hides a coin, player 1 guesses the side. Sound; the games below each break one thing."""

    def root(self) -> Any:
        return ""

    def player(self, state: Any) -> Any:
        return TERMINAL if len(state) == 2 else len(state)

    def actions(self, state: Any) -> Any:
        return "HT"

    def play(self, state: Any, action: Any) -> Any:
        return state + action

    def infoset(self, state: Any) -> Any:
        return len(state)

    def payoffs(self, state: Any) -> Any:
        return (-1, 1) if state[0] == state[1] else (1, -1)


class Coin(Guess):
    """The coin falls instead of being hidden."""

    def player(self, state: Any) -> int:
        return [CHANCE, 1, TERMINAL][len(state)]


def only_problem(game: Any, kind: str) -> str:
    """The first problem's sentence; all problems must be of one kind, and the text must show them."""
    report = check_game(game)
    assert not report.ok
    assert {problem.kind for problem in report.problems} == {kind}, str(report)
    assert report.problems[0].message in str(report)
    with pytest.raises(GameError, match=kind):
        report.raise_if_broken()
    return report.problems[0].message


def test_a_sound_game_is_counted_exactly() -> None:
    report = check_game(Kuhn())
    assert report.ok and report.exact and report.perfect_recall and report.zero_sum
    assert (report.histories, report.terminals, report.infosets, report.depth) == (58, 30, 12, 5)
    assert (report.decisions, report.chances) == (24, 4)
    assert report.estimate is not None
    assert report.estimate.exact and report.estimate.sequences == 2 + 24
    assert report.notes == ()
    report.raise_if_broken()
    assert "no problem found" in str(report) and "58 histories" in str(report)


def test_leduc_has_its_published_size() -> None:
    report = check_game(Leduc())
    assert (report.ok, report.exact, report.histories, report.infosets) == (True, True, 9_457, 936)


def test_infoset_with_different_actions_names_both_histories() -> None:
    class Different(Guess):
        def actions(self, state: Any) -> Any:
            return "HTX" if state == "T" else "HT"

        def payoffs(self, state: Any) -> Any:
            return (0, 0)

    message = only_problem(Different(), "different actions")
    assert "after T, infoset 1 offers H, T, X here and H, T after H" in message


def test_actions_in_another_order_are_different() -> None:
    class Reordered(Guess):
        def actions(self, state: Any) -> Any:
            return "TH" if state == "T" else "HT"

    assert "in the same order" in only_problem(Reordered(), "different actions")


def test_infoset_of_two_players() -> None:
    class Shared(Guess):
        def infoset(self, state: Any) -> Any:
            return "knows nothing"

    message = only_problem(Shared(), "different players")
    assert "after H, infoset 'knows nothing' belongs to player 1 here and to player 0 at the start" in message


def test_players_who_forget_may_share_infosets() -> None:
    report = check_game(Dudo(sides=2, recall=1))
    assert report.ok and not report.perfect_recall
    assert any("players share infosets" in note for note in report.notes)


@pytest.mark.parametrize(
    ("probabilities", "found"),
    [
        ((0.5, 0.4), "chance() returned 0.5, 0.4, which sum to 0.9"),
        ((1.5, -0.5), "chance() gave T the probability -0.5"),
        ((1.0,), "chance() returned 1 numbers for 2 actions: 1.0"),
        ((0.5, float("nan")), "nan is not a finite number"),
        (("0.5", 0.5), "'0.5' is not a finite number"),
        (None, "chance() returned None (is a return missing?)"),
    ],
)
def test_chance_that_is_no_distribution(probabilities: Any, found: str) -> None:
    class Biased(Coin):
        def chance(self, state: Any) -> Any:
            return probabilities

    message = only_problem(Biased(), "chance")
    assert message.startswith("at the start, ") and found in message


@pytest.mark.parametrize(
    ("payoffs", "found"),
    [
        ((1,), "payoffs() returned 1 numbers for 2 players: 1"),
        ((1, float("inf")), "inf is not a finite number"),
        ((1, "lost"), "'lost' is not a finite number"),
        ((1, None), "None is not a finite number"),
        (7, "payoffs() returned 7; return 2 numbers"),
        (None, "payoffs() returned None (is a return missing?)"),
    ],
)
def test_payoffs_that_are_none(payoffs: Any, found: str) -> None:
    class Paid(Guess):
        def payoffs(self, state: Any) -> Any:
            return payoffs

    message = only_problem(Paid(), "payoffs")
    assert message.startswith("after H, H, ") and found in message


def test_play_that_returns_its_state() -> None:
    class Stuck(Guess):
        def play(self, state: Any, action: Any) -> Any:
            return state

    assert "at the start, play(state, H) returned the state it was given, ''" in only_problem(
        Stuck(), "play returns its state"
    )


class ListGuess(Guess):
    """States are lists, which can be changed."""

    def root(self) -> Any:
        return []


def test_play_that_changes_and_returns_its_state() -> None:
    class InPlace(ListGuess):
        def play(self, state: Any, action: Any) -> Any:
            state.append(action)
            return state

    only_problem(InPlace(), "play returns its state")


def test_play_that_changes_its_state() -> None:
    class Scribbles(ListGuess):
        def play(self, state: Any, action: Any) -> Any:
            state.append(action)
            return list(state)

    assert "copy the state before changing it" in only_problem(Scribbles(), "play changes its state")


class Board:
    """A state that cannot be compared: an object with attributes, one of them filled in late."""

    def __init__(self, moves: list[str]) -> None:
        self.moves = moves
        self.length: int | None = None

    def __len__(self) -> int:
        self.length = len(self.moves)
        return self.length

    def __getitem__(self, place: int) -> str:
        return self.moves[place]


def test_objects_as_states_may_fill_their_caches() -> None:
    class Boards(Guess):
        def root(self) -> Any:
            return Board([])

        def play(self, state: Any, action: Any) -> Any:
            len(state)
            return Board([*state.moves, action])

    assert check_game(Boards()).ok


def test_objects_as_states_may_not_share_their_lists() -> None:
    class Shares(Guess):
        def root(self) -> Any:
            return Board([])

        def play(self, state: Any, action: Any) -> Any:
            state.moves.append(action)
            return Board(list(state.moves))

    only_problem(Shares(), "play changes its state")


def test_cycle() -> None:
    class Circle(Guess):
        def player(self, state: Any) -> Any:
            return 0

        def play(self, state: Any, action: Any) -> Any:
            return {"": "a", "a": "b", "b": "a"}[state]

        def infoset(self, state: Any) -> Any:
            return state

    message = only_problem(Circle(), "cycle")
    assert message.startswith("after H, H, play(state, H) returned 'a', a state that came before")


def test_cycle_of_lists() -> None:
    class Circle(ListGuess):
        def player(self, state: Any) -> Any:
            return 0

        def play(self, state: Any, action: Any) -> Any:
            return [(sum(state) + 1) % 3]

        def infoset(self, state: Any) -> Any:
            return tuple(state)

    only_problem(Circle(), "cycle")


def test_endless_game() -> None:
    class Endless(Guess):
        def player(self, state: Any) -> Any:
            return 0

    assert "has not ended after 1,000 moves" in only_problem(Endless(), "endless")


@pytest.mark.parametrize("answer", [2, -4, None, 0.5, "chance"])
def test_player_out_of_range(answer: Any) -> None:
    class Who(Guess):
        def player(self, state: Any) -> Any:
            return answer

    message = only_problem(Who(), "player out of range")
    assert repr(answer) in message and "a player from 0 to 1, rg.CHANCE or rg.TERMINAL" in message


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ((), "no actions"),
        (("H", "H"), "duplicate actions"),
        ((["H"], ["T"]), "unhashable"),
        ({"H", "T"}, "actions unordered"),
        (None, "actions unordered"),
        (iter("HT"), "actions unordered"),
    ],
)
def test_actions_that_are_none(answer: Any, kind: str) -> None:
    class Offers(Guess):
        def actions(self, state: Any) -> Any:
            return answer

    only_problem(Offers(), kind)


def test_unhashable_infoset() -> None:
    class Unhashable(Guess):
        def infoset(self, state: Any) -> Any:
            return [len(state)]

    assert "infoset() returned [0], which cannot be hashed" in only_problem(Unhashable(), "unhashable")


def test_play_that_forgets_to_return() -> None:
    class Forgets(Guess):
        def play(self, state: Any, action: Any) -> Any:
            pass

    assert "play(state, H) returned None" in only_problem(Forgets(), "play")


@pytest.mark.parametrize(
    "method", ["root", "player", "actions", "play", "infoset", "payoffs", "chance", "infoset_label"]
)
def test_methods_that_raise(method: str) -> None:
    class Raises(Coin):
        pass

    def fail(self: Any, *given: Any) -> Any:
        raise KeyError("oh no")

    setattr(Raises, method, fail)
    message = only_problem(Raises(), "raises")
    assert method in message and "KeyError: 'oh no'" in message


def test_action_label_that_raises_does_not_hide_the_history() -> None:
    class Raises(Guess):
        def action_label(self, action: Any) -> Any:
            raise ValueError(action)

    assert "action_label('H') raised ValueError" in only_problem(Raises(), "raises")


@pytest.mark.parametrize("players", [0, -1, 2.0, None, "two", True])
def test_number_of_players(players: Any) -> None:
    game = Guess()
    game.players = players
    assert f"players is {players!r}" in only_problem(game, "players")


def test_missing_methods_and_what_is_no_game() -> None:
    class Half(Game):
        def root(self) -> Any:
            return ""

    class Needy(Guess):
        def __init__(self, sides: int) -> None:
            self.sides = sides

    message = only_problem(Half, "missing method")
    assert "Half has no player, actions, play, infoset, payoffs" in message
    assert "def player(self, state)" in message
    assert "object has no root" in only_problem(object(), "missing method")
    assert "pass an object, Needy(…)" in only_problem(Needy, "not a game")
    assert check_game(Guess).ok  # type: ignore[arg-type]  # a class that needs no arguments is forgiven


def test_something_like_a_game_must_derive_from_game() -> None:
    lookalike = type("Lookalike", (), {name: getattr(Guess, name) for name in vars(Guess) if name[0] != "_"})
    assert "class Lookalike(rg.Game)" in only_problem(lookalike(), "not a game")


def test_labels_must_differ() -> None:
    class SameInfosets(Guess):
        def player(self, state: Any) -> Any:
            return TERMINAL if len(state) == 2 else 0

        def infoset_label(self, infoset: Any) -> Any:
            return "here"

    class SameActions(Guess):
        def action_label(self, action: Any) -> Any:
            return "side"

    class Unhashable(Guess):
        def infoset_label(self, infoset: Any) -> Any:
            return [infoset]

    assert "both labelled 'here'" in only_problem(SameInfosets(), "same label")
    assert "action labels side, side" in only_problem(SameActions(), "same label")
    assert "infoset_label(0) returned [0]" in only_problem(Unhashable(), "unhashable")


def test_luck_outside_chance_moves() -> None:
    class Lucky(Guess):
        rng = random.Random(7)

        def payoffs(self, state: Any) -> Any:
            win = self.rng.choice((-1, 1))
            return (win, -win)

    assert "the same moves were answered with the payoffs" in only_problem(Lucky(), "not repeatable")


def test_problems_are_collected_but_not_without_end() -> None:
    class Bad(Coin):
        def chance(self, state: Any) -> Any:
            return (1, 1)

        def payoffs(self, state: Any) -> Any:
            return ()

    kinds = [problem.kind for problem in check_game(Bad()).problems]
    assert kinds == ["chance", "payoffs", "payoffs", "payoffs"]


def test_imperfect_recall_is_said_with_two_histories() -> None:
    class Forgetful(Guess):
        def player(self, state: Any) -> Any:
            return TERMINAL if len(state) == 2 else 0

    report = check_game(Forgetful())
    assert report.ok and not report.perfect_recall
    note = next(note for note in report.notes if note.startswith("imperfect recall"))
    assert "player 0 has infoset 1 both after T, having played T at 0, and after H, having played H at 0" in note
    assert note.endswith("if that is meant, set perfect_recall = False and solve it with rg.FSICFR()")
    assert "player 1 never makes a decision" in report.notes


def test_not_zero_sum_is_said_with_an_example() -> None:
    class Kind(Guess):
        def payoffs(self, state: Any) -> Any:
            return (2, 1) if state == "HT" else (1, -1)

    class Constant(Guess):
        def payoffs(self, state: Any) -> Any:
            return (0, 1) if state[0] == state[1] else (1, 0)

    report = check_game(Kind())
    assert report.ok and not report.zero_sum
    assert "not zero-sum: after H, T the payoffs 2, 1 sum to 3" in report.notes
    assert any(note.startswith("not zero-sum, but constant-sum: ") for note in check_game(Constant()).notes)


def test_other_notes() -> None:
    class Sure(Coin):
        def chance(self, state: Any) -> Any:
            return (1, 0)

    notes = check_game(Sure()).notes
    assert "at the start chance makes the move T with probability 0: it could be left out" in notes
    assert "player 0 never makes a decision" in notes
    assert any(note.startswith("3 players") for note in check_game(Kuhn(players=3)).notes)


@pytest.mark.full
def test_a_large_game_is_sampled_and_the_report_says_so() -> None:
    report = check_game(Leduc(), max_histories=1_000, probes=200)
    assert report.ok and not report.exact
    assert 1_500 <= report.histories < 1_600
    assert report.estimate is not None and report.estimate.histories == pytest.approx(9_457, rel=0.1)
    assert "a sample: mistakes may hide elsewhere" in str(report) and "estimated from 200 probes" in str(report)
    assert check_game(Leduc(), max_histories=1_000, probes=200) == report


def test_a_mistake_beyond_the_walk_is_found_by_random_plays() -> None:
    class Late(Guess):
        """Eight sides are named; depth first, the plays that begin with T come last."""

        def player(self, state: Any) -> Any:
            return TERMINAL if len(state) == 8 else len(state) % 2

        def payoffs(self, state: Any) -> Any:
            return (float("nan"), 0) if state[0] == "T" else (0, 0)

    report = check_game(Late(), max_histories=100)
    assert {problem.kind for problem in report.problems} == {"payoffs"}
    assert report.problems[0].history.startswith("T, ")
    with pytest.raises(OptionError, match="max_histories is 1"):
        check_game(Late(), max_histories=1)


@pytest.mark.parametrize(
    ("game", "histories", "terminals", "infosets"),
    [
        (Kuhn(), 58, 30, 12),
        (Leduc(), 9_457, 5_520, 936),
        (LiarsDice(), 294_883, 147_420, 24_576),
    ],
)
def test_estimates_of_games_of_known_size(game: Game, histories: int, terminals: int, infosets: int) -> None:
    estimate = estimate_size(game)
    assert estimate.histories == pytest.approx(histories, abs=4 * estimate.histories_error + 1e-6)
    assert estimate.terminals == pytest.approx(terminals, abs=4 * estimate.terminals_error + 1e-6)
    assert infosets / 3 < estimate.infosets < infosets * 3
    assert estimate.infosets_seen <= infosets
    assert estimate == estimate_size(game)


@pytest.mark.full
def test_estimates_are_unbiased() -> None:
    means = [estimate_size(Kuhn(), probes=20, seed=seed).histories for seed in range(200)]
    assert sum(means) / len(means) == pytest.approx(58, abs=0.8)


def test_very_many_children_are_sampled() -> None:
    @dataclass(frozen=True)
    class Wide(Guess):
        width: int = 1_000

        def root(self) -> Any:
            return ()

        def actions(self, state: Any) -> Any:
            return range(self.width)

        def play(self, state: Any, action: Any) -> Any:
            return (*state, action)

    estimate = estimate_size(Wide(), probes=5)
    assert estimate.histories == pytest.approx(1_001_001)
    assert estimate.terminals == pytest.approx(1_000_000)


def test_estimate_refuses_what_cannot_be() -> None:
    class Endless(Guess):
        def player(self, state: Any) -> Any:
            return 0

    with pytest.raises(OptionError, match="probes is 0"):
        estimate_size(Kuhn(), probes=0)
    with pytest.raises(GameError, match="did not end within 1,000 moves"):
        estimate_size(Endless(), probes=1)


def test_memory_is_compared_with_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Estimate(2, histories=58, terminals=30, decisions=24, infosets=12, sequences=26, depth=5)
    huge = Estimate(2, histories=1e13, terminals=5e12, decisions=5e12, infosets=1e12, sequences=3e12, depth=40)
    assert fits_in_memory(small) is None
    warning = fits_in_memory(huge)
    assert warning is not None and "10,000,000,000,000 histories" in warning and "are free" in warning
    monkeypatch.setattr(memory_module, "available_memory", lambda: 100)
    assert fits_in_memory(small) is not None
    assert any("are free" in note for note in check_game(Kuhn()).notes)
    monkeypatch.setattr(memory_module, "available_memory", lambda: None)
    assert fits_in_memory(huge) is None


def test_memory_of_containers(tmp_path: Any) -> None:
    assert (available_memory() or 1) > 0
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("700\n")
    (tmp_path / "memory.stat").write_text("anon 400\ninactive_file 200\n")
    assert memory_module._container_free(tmp_path) == 500
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_module._container_free(tmp_path) is None


def test_the_linter_needs_no_compiler() -> None:
    code = (
        "import sys, types; package = types.ModuleType('regretless'); package.__path__ = [sys.argv[1]];"
        "sys.modules['regretless'] = package; import regretless.linter;"
        "assert not {'numba', 'scipy', 'numpy'} & set(sys.modules)"
    )
    source = str(memory_module.__file__).rsplit("/linter/", 1)[0]
    subprocess.run([sys.executable, "-c", code, source], check=True)
