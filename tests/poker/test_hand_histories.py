"""Hand histories: hands that PokerKit plays to the same stacks, and nodes found again from their files."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.poker import LEDUC, Deck, FlopHoldem, PublicGame, Spot
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.histories.hand_histories import decisions_of, hand_history, node_of, play_out, save_hands
from regretless.poker.results.playing import PlayedHand, class_on
from regretless.poker.tree.board_lookup import find_board

pokerkit = pytest.importorskip("pokerkit")

SPOT = Spot(
    "Qs Jh 2h 7c", ("AK,QQ,JJ,T9s,98s", "AK,AQs,KQs,22,77"), pot=101, stack=150, sizes="bet 50%, raise all-in", chip=1
)


@pytest.fixture(scope="module")
def strategy():
    return rg.solve(SPOT, rg.CFR_PLUS, iterations=10, dtype="float64").strategy


@pytest.fixture(scope="module")
def hands(strategy):
    return play_out(strategy, 200, seed=5)


@pytest.fixture(scope="module")
def leduc():
    return rg.solve(PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC), rg.CFR_PLUS, iterations=200, dtype="float64")


@pytest.fixture(scope="module")
def played(leduc):
    return play_out(leduc.strategy, 4_000, seed=1)


def test_the_same_seed_plays_the_same_hands(strategy, hands) -> None:
    again = play_out(strategy, 200, seed=5)
    assert [repr(hand) for hand in again] == [repr(hand) for hand in hands]
    assert repr(hands[0]) != repr(play_out(strategy, 1, seed=6)[0])


def test_no_card_is_dealt_twice(hands) -> None:
    for hand in hands:
        cards = [*hand.hands[0], *hand.hands[1], *hand.board]
        assert len(set(cards)) == len(cards)
        assert sum(hand.winnings) == pytest.approx(0)


def test_winnings_are_the_value_of_the_game(leduc, played) -> None:
    won = np.array([hand.winnings[0] for hand in played])
    assert abs(won.mean() - leduc.value) < 4 * won.std() / np.sqrt(len(won))
    assert leduc.value == pytest.approx(-0.0856, abs=0.003)


def test_hands_and_actions_are_drawn_as_often_as_they_should(leduc, played) -> None:
    node = leduc.strategy.at("")
    bet = np.mean([hand.line.startswith("bet") for hand in played])
    share = node.frequencies["bet"]
    assert abs(bet - share) < 4 * np.sqrt(share * (1 - share) / len(played))
    kings = np.mean([hand.hands[0][0] // 2 == 2 for hand in played])
    assert abs(kings - 1 / 3) < 4 * np.sqrt(2 / 9 / len(played))


def test_a_strategy_against_another(leduc) -> None:
    """Player 0 is the first strategy; nodes may be locked in one of them."""
    game = PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC).lock("", {"bet": 1.0})
    always = rg.solve(game, rg.CFR_PLUS, iterations=2, dtype="float64").strategy
    with_it = play_out(always, 50, seed=1, against=leduc.strategy)
    assert all(hand.line.startswith("bet") for hand in with_it)
    swapped = play_out(leduc.strategy, 200, seed=1, against=always)
    assert not all(hand.line.startswith("bet") for hand in swapped)


def test_classes_of_single_hands_are_those_of_all_hands(strategy) -> None:
    found = find_board(strategy.tree, 1, "Qs Jh 2h 7c 3h")
    for player in range(2):
        listed, classes = found.hands(player)
        assert [class_on(found, player, tuple(hand)) for hand in listed.tolist()] == classes.tolist()


def test_wrong_games_are_named(strategy, leduc) -> None:
    with pytest.raises(OptionError, match="different games"):
        play_out(strategy, against=leduc.strategy)
    with pytest.raises(OptionError, match="hands=0"):
        play_out(strategy, 0)
    with pytest.raises(OptionError, match="hand histories are for hold'em"):
        hand_history(play_out(leduc.strategy, 1)[0])


def ended(history):
    *_, state = history
    return state


def test_pokerkit_plays_the_files_to_the_same_stacks(hands, tmp_path) -> None:
    files = save_hands(hands, tmp_path / "session")
    assert files[0].name == "hand-001.phh" and len(files) == len(hands)
    lines = set()
    for hand, file in zip(hands, files, strict=True):
        history = pokerkit.HandHistory.loads(file.read_text())
        state = ended(history)
        assert not state.status
        assert [float(x) for x in state.stacks] == pytest.approx([200.5 + won for won in hand.winnings])
        assert [float(x) for x in history.finishing_stacks] == pytest.approx([float(x) for x in state.stacks])
        lines.add(hand.line)
    assert any(line.endswith("all-in call") and "/" not in line for line in lines), "all-in on the turn"
    assert any(hand.winnings == (0.0, 0.0) for hand in hands), "a tie, of an odd pot"
    assert any(line.endswith("fold") for line in lines)


def test_many_hands_in_one_file(hands, tmp_path) -> None:
    (file,) = save_hands(hands[:5], tmp_path / "session.phhs")
    with file.open("rb") as opened:
        histories = list(pokerkit.HandHistory.load_all(opened))
    assert [history.hand for history in histories] == [1, 2, 3, 4, 5]


def test_every_decision_of_a_hand_is_found_again(strategy, hands, tmp_path) -> None:
    tree = strategy.tree.betting_tree
    for hand, file in zip(hands[:60], save_hands(hands[:60], tmp_path), strict=True):
        decisions = decisions_of(file, SPOT)
        assert [tree.find(one.line) for one in decisions] == [node for node in hand.nodes if tree.kind[node] < 2]
        last = decisions[-1]
        assert tree.line(hand.nodes[-1]).replace(" /", "") == f"{last.line} {last.action}".replace(" /", "").strip()
        for one in decisions:
            assert one.hand == STANDARD.hand_name(hand.hands[one.player])
        assert node_of(file, SPOT) == (last.line, last.board)
        assert strategy.at(*node_of(file, SPOT, 0)).line == ""
        assert strategy.at(*node_of(file, SPOT))[last.hand][last.action] > 0


FHP = """
variant = 'FT'
antes = [0, 0]
blinds_or_straddles = [50, 100]
small_bet = 100
big_bet = 100
starting_stacks = [10000, 10000]
actions = ['d dh p1 QdQc', 'd dh p2 Th5s', 'p2 cbr 200', 'p1 cbr 300', 'p2 cc', 'd db 6c8hJs', 'p1 cbr 100',
  'p2 cbr 200', 'p1 cc']
"""


def test_flop_holdem_in_a_file(tmp_path) -> None:
    (tmp_path / "hand.phh").write_text(FHP)
    decisions = decisions_of(tmp_path / "hand.phh", FlopHoldem())
    assert [one.action for one in decisions] == ["raise", "raise", "call", "bet", "raise", "call"]
    assert [one.player for one in decisions] == [0, 1, 0, 1, 0, 1]
    assert node_of(tmp_path / "hand.phh", FlopHoldem()) == ("raise raise call / bet raise", "6c 8h Js")
    assert node_of(tmp_path / "hand.phh") == ("raise raise call / bet raise", "6c 8h Js")
    assert node_of(tmp_path / "hand.phh", FlopHoldem(), 2) == ("raise raise", "")


def fhp_hand(line: str, winnings: tuple[float, float]) -> PlayedHand:
    game = FlopHoldem()
    tree = game.betting_tree()
    node = tree.find(line)
    nodes = [node]
    while tree.parent[nodes[-1]] >= 0:
        nodes.append(int(tree.parent[nodes[-1]]))
    public = SimpleNamespace(game=game, betting_tree=tree)
    cards = tuple(tuple(STANDARD.cards(text)) for text in ("Th5s", "QdQc"))
    return PlayedHand(public, 1, cards, STANDARD.cards("6c8hJs") if "/" in line else (), tuple(nodes[::-1]), winnings)


def test_flop_holdem_that_is_folded_agrees() -> None:
    history = hand_history(fhp_hand("raise raise call / bet raise fold", (400.0, -400.0)))
    state = ended(history)
    assert history.variant == "FT" and not state.status
    assert list(state.stacks) == [9_600, 10_400] == history.finishing_stacks
    before = hand_history(fhp_hand("fold", (-50.0, 50.0)))
    assert list(ended(before).stacks) == [10_050, 9_950] == before.finishing_stacks


def test_flop_holdem_that_is_shown_down_ends_on_the_flop() -> None:
    history = hand_history(fhp_hand("raise raise call / bet raise call", (-500.0, 500.0)))
    state = ended(history)
    assert state.status and history.finishing_stacks == [10_500, 9_500]
    assert history.actions[-1] == "p1 cc"
    assert node_of(history, FlopHoldem()) == ("raise raise call / bet raise", "6c 8h Js")


def test_other_stacks_than_pokerkit_s_are_refused() -> None:
    with pytest.raises(OptionError, match="PokerKit ends this hand with stacks of"):
        hand_history(fhp_hand("raise raise call / bet raise fold", (300.0, -300.0)))


TABLE = """
variant = 'NT'
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [200, 200, 200]
actions = ['d dh p1 AsKs', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 6', 'p1 f', 'p2 cc', 'd db QsJh2h',
  'p2 cc', 'p3 cbr 6.5', 'p2 cbr 24 # a raise', 'p3 cc', 'd db 7c', 'p2 cbr 200']
"""


def test_a_hand_of_three_players_from_the_flop_on(tmp_path) -> None:
    (tmp_path / "hand.phh").write_text(TABLE)
    spot = Spot("Qs Jh 2h", ("random", "random"), pot=130, stack=1940, sizes="bet 50% 100% all-in, raise 3x")
    assert [one.action for one in decisions_of(tmp_path / "hand.phh", spot, nearest=True)] == [
        "check", "bet 65", "raise to 195", "call", "all-in"]  # fmt: skip
    line, board = node_of(tmp_path / "hand.phh", spot, nearest=True)
    assert (line, board) == ("check bet 65 raise to 195 call", "Qs Jh 2h 7c")
    with pytest.raises(
        OptionError, match=r"a bet of 240 chips of the game after 'check bet 65', which offers raise to 195"
    ):
        node_of(tmp_path / "hand.phh", spot)
    with pytest.raises(OptionError, match="the game begins with QsJh3h and the hand has Qs Jh 2h"):
        node_of(tmp_path / "hand.phh", Spot("Qs Jh 3h", ("random", "random"), pot=130, stack=1940))
    with pytest.raises(OptionError, match="3 players are in the hand where the game begins"):
        node_of(tmp_path / "hand.phh", FlopHoldem())
    with pytest.raises(OptionError, match="this hand has 3 players"):
        node_of(tmp_path / "hand.phh")
    with pytest.raises(OptionError, match="5 decisions in the game, got decision=7"):
        node_of(tmp_path / "hand.phh", spot, 7, nearest=True)


def test_files_that_are_no_hand_histories_are_named(tmp_path) -> None:
    with pytest.raises(FileError, match="cannot read"):
        node_of(tmp_path / "nothing.phh")
    (tmp_path / "wrong.phh").write_text("variant = ")
    with pytest.raises(FileError, match="is no hand history in the PHH format"):
        node_of(tmp_path / "wrong.phh")
    (tmp_path / "empty.phh").write_text("")
    with pytest.raises(FileError, match="is no hand history in the PHH format"):
        node_of(tmp_path / "empty.phh")


def test_without_pokerkit_the_sentence_says_what_to_install(hands, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pokerkit", None)
    with pytest.raises(OptionError, match=r"hand histories need PokerKit.*regretless\[histories\]"):
        save_hands(hands, tmp_path)


ACTIONS = "actions = ['d dh p1 QdQc'"

DAMAGED = {
    "no players": (FHP.replace("[10000, 10000]", "[]"), "starting_stacks must have 2 to 10 entries, got 0"),
    "one stack": (FHP.replace("[10000, 10000]", "5"), "starting_stacks must be a list of at most 10 entries, got 5"),
    "a million players": (FHP.replace("[10000, 10000]", str([1] * 100_000)), "starting_stacks must be a list of at"),
    "three antes": (FHP.replace("[0, 0]", "[0, 0, 0]"), "antes must have an entry for each of the 2 players"),
    "a blind of words": (FHP.replace("[50, 100]", '["a", 100]'), "blinds_or_straddles must be from 0 to"),
    "a huge stack": (FHP.replace("[10000, 10000]", f"[{10**400}, 1]"), "starting_stacks must be from 0 to"),
    "an infinite stack": (FHP.replace("[10000, 10000]", "[inf, 1e999999999]"), "starting_stacks must be from 0 to"),
    "short stacks": (FHP.replace("[10000, 10000]", "[10, 10]"), "does not cover the ante and the blind"),
    "no pot": (FHP.replace("[50, 100]", "[0, 0]"), "the pot is empty where the game begins"),
    "a variant of numbers": (FHP.replace("'FT'", "7"), "variant must be a text, got 7"),
    "actions that are no list": (FHP.partition("actions")[0] + "actions = 'p1 f'", "actions must be a list"),
    "an action that is a number": (FHP.replace(ACTIONS, "actions = [5"), "action 1, 5, cannot be read: it is no text"),
    "a deal without cards": (FHP.replace("d dh p1 QdQc", "d dh p1"), "action 1, 'd dh p1', cannot be read: it has no"),
    "a card that does not exist": (FHP.replace("QdQc", "QdQx"), "action 1, 'd dh p1 QdQx', cannot be read: 'Qx' in"),
    "a board card twice": (FHP.replace("6c8hJs", "6c8h6c"), "cannot be read: 6c is twice"),
    "player 0": (FHP.replace("'p2 cbr 200', 'p1", "'p0 cbr 200', 'p1"), "'p0' is no player; they are p1 to p2"),
    "player 9": (FHP.replace("'p2 cbr 200', 'p1", "'p9 cbr 200', 'p1"), "'p9' is no player; they are p1 to p2"),
    "a player without a number": (FHP.replace("'p2 cbr 200', 'p1", "'p cbr 2', 'p1"), "'p' is no player"),
    "a bet of words": (FHP.replace("cbr 300", "cbr much"), "1,000,000,000,000 chips, got 'much'"),
    "a bet without chips": (FHP.replace("cbr 300", "cbr"), "a bet must be from 0 to 1,000,000,000,000 chips, got None"),
    "a bet of nan": (FHP.replace("cbr 300", "cbr nan"), "a bet must be from 0 to"),
    "a fold to no bet": (FHP.replace("'p1 cbr 100'", "'p1 f'"), "there is no bet to fold to"),
    "the wrong player": (FHP.replace("'p1 cbr 100'", "'p2 cbr 100'"), "it is not p2's turn"),
    "a player who has folded": (TABLE.replace("'p2 cc', 'p3", "'p1 cc', 'p3"), "p1 has folded"),
    "50,000 parts": (".".join("a" * 50_000) + " = 1", "is no hand history in the PHH format"),
    "deep arrays": ("actions = " + "[" * 20_000, "is no hand history in the PHH format"),
    "bytes": ("\x00\xff", "is no hand history in the PHH format"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_files_end_in_a_sentence_that_names_the_file_and_the_action(text, sentence, tmp_path) -> None:
    (tmp_path / "hand.phh").write_text(text)
    game = FlopHoldem() if "FT" in text else Spot("Qs Jh 2h", ("random", "random"), pot=130, stack=1940)
    with pytest.raises(FileError) as caught:
        decisions_of(tmp_path / "hand.phh", game, nearest=True)
    assert sentence in str(caught.value) and "hand.phh" in str(caught.value)
    assert len(str(caught.value).replace(str(tmp_path), "")) < 500


def test_sources_that_are_no_files() -> None:
    with pytest.raises(OptionError, match=r"a hand history is a \.phh file or PokerKit's HandHistory, got 5"):
        node_of(5)
    history = pokerkit.HandHistory.loads(FHP)
    history.actions = [None]
    with pytest.raises(FileError, match="the hand history: action 1, None, cannot be read: it is no text"):
        node_of(history, FlopHoldem())
    with pytest.raises(OptionError, match="6 decisions in the game, got decision='last'"):
        node_of(pokerkit.HandHistory.loads(FHP), FlopHoldem(), "last")  # type: ignore[arg-type]


def test_hands_of_strategies_by_buckets_are_played_and_written(tmp_path: Path) -> None:
    game = rg.poker.LimitHoldem()
    caller, raiser = (rg.poker.card_blind(game, **given) for given in ({"call": 1}, {"call": 1, "raise_": 3}))
    hands = rg.poker.play_out(caller, 40, seed=2, against=raiser)
    assert [hand.line for hand in hands] == [h.line for h in rg.poker.play_out(caller, 40, seed=2, against=raiser)]
    assert all("fold" not in hand.line and sum(hand.winnings) == 0 and len(hand.board) == 5 for hand in hands)
    assert any("raise" in hand.line for hand in hands)
    rg.poker.save_hands(hands, tmp_path / "hands")
    written = sorted((tmp_path / "hands").iterdir())
    assert len(written) == 40 and "variant" in written[0].read_text()
    other = rg.poker.card_blind(rg.poker.Holdem(stack=2_000, sizes="bet 100%, raise 100%"), call=1)
    for second, problem in (
        (other, "different games"),
        (rg.Strategy.uniform("kuhn"), "by buckets or of networks, got"),
    ):
        with pytest.raises(rg.OptionError, match=problem):
            rg.poker.play_out(caller, 1, against=second)  # type: ignore[arg-type]
