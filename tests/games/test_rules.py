"""What single plays pay and how histories read, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from walk import label_at, play_by_label

from regretless import games
from regretless.errors import OptionError
from regretless.game import TERMINAL, Game


def paid(game: Game, *labels: object) -> list[float]:
    state = play_by_label(game, *labels)
    assert game.player(state) == TERMINAL
    return list(game.payoffs(state))


def test_kuhn() -> None:
    kuhn = games.Kuhn()
    assert label_at(kuhn, "K", "Q") == "K"
    assert label_at(kuhn, "K", "Q", "pass") == "Qp"
    assert label_at(kuhn, "J", "K", "pass", "bet") == "Jpb"
    assert paid(kuhn, "K", "Q", "pass", "pass") == [1, -1]
    assert paid(kuhn, "J", "Q", "bet", "pass") == [1, -1]
    assert paid(kuhn, "J", "Q", "pass", "bet", "bet") == [-2, 2]
    assert paid(kuhn, "J", "Q", "pass", "bet", "pass") == [-1, 1]


def test_kuhn_for_three() -> None:
    kuhn = games.Kuhn(players=3)
    assert label_at(kuhn, "T", "J", "K", "pass", "bet", "pass") == "Tpbp"
    assert paid(kuhn, "T", "J", "K", "pass", "bet", "bet", "pass") == [-1, -2, 3]


def test_ranks() -> None:
    assert label_at(games.OneCardPoker(), "A", "2") == "A"
    assert label_at(games.OneCardPoker(12), "K", "2", "bet") == "2b"
    assert label_at(games.OneCardPoker(20), "20", "7", "bet") == "7b"


def test_leduc() -> None:
    leduc = games.Leduc()
    assert label_at(leduc, "Qs", "Jh") == "Qs"
    assert label_at(leduc, "Qs", "Jh", "raise") == "Jh r"
    line = ("Qs", "Jh", "raise", "call", "Js")
    assert label_at(leduc, *line) == "Qs rc Js"
    assert label_at(leduc, *line, "call", "raise") == "Qs rc Js cr"
    assert paid(leduc, *line, "call", "raise", "call") == [-7, 7]
    assert paid(leduc, *line, "raise", "fold") == [3, -3]
    assert paid(leduc, "Qs", "Qh", "call", "call", "Ks", "raise", "raise", "call") == [0, 0]
    assert paid(leduc, "Qs", "Kh", "raise", "raise", "fold") == [-3, 3]


def test_leduc_splits_a_pot_of_three() -> None:
    # Player 0 pays 3 and folds; the equal hands of 1 and 2 halve a pot of 3 + 7 + 7.
    line = ("Ts", "Ks", "Kh", "raise", "call", "call", "Jh", "call", "raise", "call", "fold")
    assert paid(games.Leduc(players=3), *line) == [-3, 1.5, 1.5]


def test_leduc_with_three_suits_pairs_any_of_them() -> None:
    leduc = games.Leduc(ranks=2, suits=3)
    assert paid(leduc, "Qd", "Ks", "call", "call", "Qs", "call", "call") == [1, -1]


def test_leduc_raises() -> None:
    leduc = games.Leduc(raises=1)
    state = play_by_label(leduc, "Qs", "Jh", "raise")
    assert [leduc.action_label(action) for action in leduc.actions(state)] == ["fold", "call"]


def test_liars_dice() -> None:
    dice = games.LiarsDice()
    assert label_at(dice, "roll 3", "roll 6") == "3"
    assert label_at(dice, "roll 3", "roll 6", "1x2", "2x5") == "3 1x2 2x5"
    assert paid(dice, "roll 3", "roll 6", "2x3", "liar") == [1, -1]  # the 6 is wild
    assert paid(dice, "roll 3", "roll 6", "2x6", "liar") == [-1, 1]
    assert paid(dice, "roll 3", "roll 4", "1x3", "1x5", "liar") == [1, -1]
    assert label_at(games.LiarsDice((2, 1)), "roll 6", "roll 2", "roll 1") == "2,6"


def test_dudo_order_of_claims() -> None:
    dudo = games.Dudo()
    state = play_by_label(dudo, "roll 3", "roll 1")
    claims = [dudo.action_label(action) for action in dudo.actions(state)]
    assert claims == ["1x2", "1x3", "1x4", "1x5", "1x6", "1x1", "2x2", "2x3", "2x4", "2x5", "2x6", "2x1"]
    state = play_by_label(dudo, "roll 3", "roll 1", "2x1")
    assert [dudo.action_label(action) for action in dudo.actions(state)] == ["dudo"]


def test_dudo_pays_the_dice_lost() -> None:
    assert paid(games.Dudo(), "roll 3", "roll 1", "2x3", "dudo") == [1, -1]  # a 1 is wild
    assert paid(games.Dudo(), "roll 3", "roll 1", "2x1", "dudo") == [-1, 1]  # but not in a claim of 1s
    dudo = games.Dudo(dice=(3, 2))
    rolls = ("roll 3", "roll 3", "roll 1", "roll 3", "roll 5")  # four 3s
    assert paid(dudo, *rolls, "4x3", "dudo") == [1, -1]  # exactly: the challenger loses one
    assert paid(dudo, *rolls, "2x3", "dudo") == [2, -2]
    assert paid(dudo, *rolls, "1x3", "dudo") == [2, -2]  # three, but the challenger holds two
    assert paid(dudo, *rolls, "5x6", "dudo") == [-3, 3]  # one wild 1, so four short: all that player 0 holds
    assert paid(dudo, *rolls, "1x2", "3x4", "dudo") == [2, -2]


def test_dudo_forgets_old_claims() -> None:
    dudo = games.Dudo(recall=2)
    assert not dudo.perfect_recall
    assert label_at(dudo, "roll 3", "roll 1", "1x2", "1x3", "1x1", "2x2") == "3 1x1 2x2"
    assert games.Dudo(recall=12).perfect_recall
    assert games.Dudo(dice=1) == games.Dudo()


def test_goofspiel() -> None:
    game = games.Goofspiel()
    assert label_at(game) == "P0 4"
    assert label_at(game, "3", "1", "1", "4", "2") == "P1 4:1- 3:4+ 2"
    assert label_at(games.Goofspiel(hidden=False), "3", "1", "1", "4") == "P0 4:3/1 3:1/4 2"
    assert label_at(games.Goofspiel(points="random"), "prize 2", "3", "3", "prize 4") == "P0 2:3= 4"
    assert paid(game, "3", "1", "1", "4", "2", "2") == [1, -1]  # 4 and the last 1 to 3
    assert paid(game, "1", "1", "2", "2", "3", "3") == [0, 0]
    assert paid(games.Goofspiel(cards=2, points=(3, 5)), "2", "1") == [-1, 1]


def test_oshi_zumo() -> None:
    game = games.OshiZumo(coins=4, size=1)
    assert label_at(game, "2", "1", "1", "1") == "P0 2-1 1-1"
    assert paid(game, "2", "1", "2", "1") == [1, -1]
    # Both have spent everything with the wrestler in the middle.
    assert paid(game, "2", "1", "1", "2", "1", "1") == [0, 0]


def test_phantom_tic_tac_toe() -> None:
    game = games.PhantomTicTacToe()
    assert label_at(game) == "P0"
    assert label_at(game, "b2") == "P1"
    assert label_at(game, "b2", "b2") == "P1 b2*"  # taken: the same player tries again
    assert label_at(game, "b2", "b2", "a1") == "P0 b2"  # who does not hear of it
    assert label_at(game, "b2", "b2", "a1", "a1", "c1") == "P1 b2* a1"
    state = play_by_label(game, "b2", "b2")
    labels = [game.action_label(action) for action in game.actions(state)]
    assert labels == ["a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3"]
    assert paid(game, "b2", "a1", "c1", "b1", "a3") == [1, -1]
    assert paid(game, "b2", "a1", "c1", "a2", "c2", "a3") == [-1, 1]
    assert paid(game, "a1", "b1", "c1", "a2", "b2", "c3", "c2", "a3", "b3") == [0, 0]


def test_dark_hex() -> None:
    game = games.DarkHex()
    assert label_at(game, "a1", "a1", "b2") == "P0 a1"
    assert label_at(game, "a1", "a1", "b2", "b2", "a3") == "P1 a1* b2"
    assert paid(game, "a1", "b1", "a2", "b2", "a3") == [1, -1]  # straight down
    assert paid(game, "c1", "a1", "b2", "b1", "a3") == [1, -1]  # each touches the next at its lower left
    assert paid(game, "a1", "a2", "c1", "b2", "b1", "c2") == [-1, 1]  # straight across
    state = play_by_label(game, "a1", "b1", "b2", "a2", "c3")
    assert game.player(state) == 1  # a1, b2 and c3 do not touch


def test_dark_hex_joins_no_opposite_ends_of_two_rows() -> None:
    """The last cell of a row and the first of the next are neighbours by their numbers only."""
    assert games.DarkHex().wins(0, 0b001_100_100) is False
    assert games.DarkHex((2, 3)).wins(1, 0b011_100) is True  # c1, then a2 and b2, which touches c1
    assert games.DarkHex((2, 3)).wins(1, 0b001_100) is False


def test_an_abrupt_game_passes_the_turn() -> None:
    for game in (games.PhantomTicTacToe(abrupt=True), games.DarkHex(abrupt=True)):
        assert label_at(game, "b2", "b2") == "P0 b2"
        assert label_at(game, "b2", "b2", "a1") == "P1 b2*"


def test_what_all_see_of_chance() -> None:
    leduc = games.Leduc()
    assert not leduc.public(play_by_label(leduc, "Qs"))
    assert leduc.public(play_by_label(leduc, "Qs", "Jh", "call", "call"))
    assert not leduc.public(play_by_label(leduc, "Qs", "Jh", "call", "call", "Js"))
    goofspiel = games.Goofspiel(points="random")
    assert goofspiel.public(goofspiel.root())
    assert not games.Kuhn().public(games.Kuhn().root())
    assert not games.Dudo().public(games.Dudo().root())


def test_matrix_reads_lists_and_arrays() -> None:
    given = np.array([[1, -1], [-1, 1]])
    assert games.Matrix(given) == games.Matrix([[1, -1], [-1, 1]])
    assert hash(games.Matrix(given)) == hash(games.Matrix(given.tolist()))
    assert paid(games.Matrix(given), "0", "1") == [-1, 1]
    three = np.arange(36.0).reshape(3, 2, 3, 2)
    game = games.Matrix(three, action_names=[["a", "b"], ["x", "y", "z"], ["l", "r"]], name="mine")
    assert game.players == 3
    assert paid(game, "b", "z", "l") == list(three[:, 1, 2, 0])
    assert label_at(game, "b") == "player 1"


def test_battle_of_the_sexes() -> None:
    game = games.BattleOfTheSexes()
    assert paid(game, "movie", "movie") == [2, 1]
    assert paid(game, "game", "game") == [1, 2]
    assert paid(game, "movie", "game") == [0, 0]


def test_matching_pennies() -> None:
    assert paid(games.MatchingPennies(), "heads", "heads") == [1, -1]
    assert paid(games.MatchingPennies(), "heads", "tails") == [-1, 1]


def test_blotto_supports_only_the_published_plans() -> None:
    """Neller and Lanctot's exercise: equilibria use only permutations of (3,2,0) and (3,1,1)."""
    optimize = pytest.importorskip("scipy.optimize")
    game = games.Blotto()
    plans = game.plans
    assert len(plans) == 21
    payoffs = np.array([[game.outcome((row, column))[0] for column in range(21)] for row in range(21)])
    assert (payoffs == -payoffs.T).all()
    for plan in range(21):
        # The most that an optimal strategy (one that no plan beats, as the value is 0) can put on this plan.
        most = optimize.linprog(-np.eye(21)[plan], A_ub=-payoffs.T, b_ub=np.zeros(21), A_eq=np.ones((1, 21)), b_eq=[1])
        supported = sorted(plans[plan]) in ([0, 2, 3], [1, 1, 3])
        assert (-most.fun > 1e-9) == supported


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: games.Leduc(ranks=-1), "Leduc needs at least 2 ranks, got ranks=-1"),
        (lambda: games.Leduc(players=1), "Leduc needs at least 2 players, got players=1"),
        (lambda: games.Leduc(raises=0), "Leduc needs at least 1 raise, got raises=0"),
        (lambda: games.Leduc(suits=0), "Leduc needs at least 1 suit, got suits=0"),
        (
            lambda: games.Leduc(players=4, ranks=2, suits=2),
            "Leduc for 4 players needs at least 5 cards, got ranks=2 and suits=2",
        ),
        (lambda: games.Kuhn(players=11), "Kuhn takes at most 10 players, got players=11"),
        (lambda: games.Kuhn(players=2.0), "Kuhn needs a whole number of players, got players=2.0"),  # type: ignore[arg-type]
        (lambda: games.OneCardPoker(1), "One-card poker needs at least 2 cards in the deck, got deck=1"),
        (lambda: games.Blotto(soldiers=0), "Blotto needs at least 1 soldier, got soldiers=0"),
        (lambda: games.Dudo(dice=0), "Dudo needs at least 1 die for each player, got dice=0"),
        (lambda: games.Dudo(dice=(1, 2, 3)), "Dudo needs one number of dice for each of two players"),  # type: ignore[arg-type]
        (lambda: games.Dudo(recall=0), "Dudo needs at least 1 last claim, got recall=0"),
        (lambda: games.LiarsDice(sides=1), "Liar's dice needs at least 2 sides, got sides=1"),
        (lambda: games.Goofspiel(cards=1), "Goofspiel needs at least 2 cards, got cards=1"),
        (
            lambda: games.Goofspiel(points="up"),
            "Goofspiel knows the point orders descending, ascending, random",
        ),
        (lambda: games.Goofspiel(points=(1, 2)), "Goofspiel with 4 cards needs 4 whole prizes above 0"),
        (lambda: games.Goofspiel(hidden=1), "hidden to be True or False, got hidden=1"),  # type: ignore[arg-type]
        (lambda: games.OshiZumo(coins=3, min_bid=4), "min_bid of at most the 3 coins, got min_bid=4"),
        (lambda: games.PhantomTicTacToe(abrupt=1), "abrupt to be True or False, got abrupt=1"),  # type: ignore[arg-type]
        (lambda: games.DarkHex(1), "Dark hex needs at least 2 rows and columns, got size=1"),
        (lambda: games.DarkHex((2, 1)), "Dark hex needs at least 2 rows and columns, got size=1"),
        (lambda: games.DarkHex((2, 3, 4)), "Dark hex needs one size or a number of rows and one of columns"),  # type: ignore[arg-type]
        (lambda: games.Matrix([1, 2]), r"got an array of shape \(2,\)"),
        (lambda: games.Matrix([[1, 2], [3]]), "arrays without gaps"),
        (lambda: games.Matrix([[1, float("nan")]]), "finite payoffs, got nan"),
        (lambda: games.Matrix([["a", 1]]), "numbers as payoffs, got 'a'"),
        (lambda: games.Matrix([[[1]]] * 3), r"got an array of shape \(3, 1, 1\)"),
        (lambda: games.Matrix([[1, 2]], action_names=["a", "b"]), "1 and 2 action names .* got 2 and 2"),
        (lambda: games.Matrix([[1, 2]], action_names=[["a"], ["b", "b"]]), "different names .* got b, b"),
    ],
)
def test_impossible_parameters_end_in_one_sentence(make: object, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence) as error:
        make()  # type: ignore[operator]
    assert "\n" not in str(error.value)
