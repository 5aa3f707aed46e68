"""Played hands beside solutions: texts of poker rooms, PHH files, logs, the right solution, and what decisions cost."""

from __future__ import annotations

import random

import pytest
from room_hands import RANGES, SPOT, stars

import regretless as rg
from regretless.errors import FileError, OptionError
from regretless.poker import Spot, play_out, save_hands
from regretless.poker.formats.histories.hand_histories import hand_history
from regretless.poker.results.card_blind import uniform_by_bucket
from regretless.poker.reviewing.hand_sources import hands_in_text
from regretless.poker.reviewing.review import review_hands

pokerkit = pytest.importorskip("pokerkit")


@pytest.fixture(scope="module")
def run() -> rg.Run:
    return rg.solve(SPOT, rg.CFR_PLUS, iterations=20, dtype="float64")


def test_the_loss_is_the_difference_of_expected_values(run) -> None:
    """Also where the hand has other chips and other suits than the solution."""
    node = run.strategy.at("check")
    at = node.names.index("AhKh")
    values = dict(zip(node.actions, node.action_ev[at], strict=True))
    result = review_hands(hands_in_text(stars()), run)
    (decision,) = result.decisions
    assert (decision.player, decision.street, decision.cards, decision.action) == ("Hero", "turn", "AhKh", "bet 70")
    assert decision.board == "Qs Jh 2h 7c" and decision.line == "check" and decision.exact and decision.pot == 14
    lost = max(values.values()) - values["bet 70"]
    assert decision.loss == pytest.approx(lost / 10) and decision.share == pytest.approx(lost / 140)
    assert repr(result).startswith("<Review: 1 hand, 1 decision, ")
    assert decision.in_hand(decision.action) == "bet 7" and decision.in_hand("check bet 70 raise to 215") == (
        "check bet 7 raise to 21.5"
    )
    with pytest.raises(OptionError, match=r"no hand has a player 'Nobody'.*Hero"):
        review_hands(hands_in_text(stars()), run, player="Nobody")
    assert decision.probability == pytest.approx(node["AhKh"]["bet 70"])
    moved = review_hands(hands_in_text(stars(cards="As Ks", flop="2s Qd Js")), run).decisions[0]
    assert moved.loss == pytest.approx(decision.loss) and (moved.cards, moved.board) == ("AsKs", "2s Qd Js 7c")


def test_a_player_whose_hands_cannot_be_read(run) -> None:
    """The reasons are reported; the name may be right."""
    unreadable = stars(2).replace("Hero", "Anna").replace("$30 in", "x in")
    result = review_hands(hands_in_text("\n\n\n".join([stars(), unreadable])), run, player="Anna")
    assert not result.decisions and "PokerKit cannot read it" in result.misfits[0][1]
    assert result.note.startswith(
        "no hand that was read has a player 'Anna', and 1 hand could not be read: known: Hero"
    )
    assert not review_hands(hands_in_text("\n\n\n".join([stars(), unreadable])), run, player="Hero").note


def test_worst_decisions_come_first(run) -> None:
    text = "\n\n\n".join(stars(number, cards) for number, cards in enumerate(("Ah Kh", "7s 7d", "2c 2d", "Kc Qc"), 1))
    result = review_hands(hands_in_text(text), run)
    losses = [decision.loss for decision in result.decisions]
    assert len(losses) == 4 == result.hands and losses == sorted(losses, reverse=True)
    assert result.loss == pytest.approx(sum(losses)) and "4 hands, 4 decisions" in repr(result)


def test_ggpoker_is_read_as_pokerstars(run) -> None:
    text = (
        stars()
        .replace("PokerStars Hand #1", "Poker Hand #HD123")
        .replace("Dealt to Hero", "Dealt to Villain \nDealt to Hero")
    )
    (hand,) = hands_in_text(text.replace("\n", "\r\n"), "gg.txt")
    assert hand.name == "gg.txt, hand HD123"
    one, other = review_hands([hand], run), review_hands(hands_in_text(stars()), run)
    assert one.decisions[0].loss == other.decisions[0].loss


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (stars(flop="Qs Jh 3h"), "the hand has QsJh3h7c, and no solution begins with it"),
        (stars().replace("$30 in", "$300 in").replace("$1,030", "$1030"), "the stacks are 20.9 pots, and 1.6 pots"),
        (stars(cards="3c 3d"), "3d3c is not in the range of player 1"),
        (stars(move="bets $3"), "nearest=True takes the nearest"),
        (stars().replace("Hold'em No Limit", "Omaha Pot Limit"), "only no-limit hold'em is read"),
        (stars().replace("Hero: posts small", "Hero: posts the ante $1\nHero: posts small"), "antes, straddles"),
        (
            stars().replace("Villain: calls $2", "Villain: falls asleep"),
            "read it: 'Unable to repair the hand history'",
        ),
        (stars().replace("$30 in", "x in"), "PokerKit cannot read it: 'Hero' is missing"),
        (stars()[:200], "PokerKit cannot read it: 'Cannot find button'"),
        (stars() + "x" * 600 + "\n", "too long for a hand"),
    ],
)
def test_hands_that_do_not_fit_say_why(run, text, reason, capsys) -> None:
    result = review_hands(hands_in_text(text), run, nearest=False)
    assert not result.decisions and reason in result.misfits[0][1]
    assert result.reasons == [(result.misfits[0][1], 1)]
    assert capsys.readouterr().err == ""


def test_the_nearest_bet_is_marked(run) -> None:
    result = review_hands(hands_in_text(stars(move="bets $6")), run)
    assert [(one.action, one.exact) for one in result.decisions] == [("bet 70", False)]


def test_the_solution_with_the_nearest_stacks_is_taken(run) -> None:
    other = rg.solve(
        Spot("Qs Jh 2h 7c", RANGES, pot=140, stack=260, sizes="bet 50%, raise all-in", chip=1),
        rg.CFR_PLUS,
        iterations=2,
    )
    result = review_hands(hands_in_text(stars()), {"other": other, "near": run})
    assert [decision.solution for decision in result.decisions] == ["near"]


@pytest.mark.full
def test_every_decision_of_played_hands_is_found(run, tmp_path) -> None:
    """Hands of the strategy itself, from a PHH file: both players' cards are known, every decision is in the tree."""
    hands = play_out(run.strategy, 40, seed=2)
    save_hands(hands, tmp_path / "session.phhs")
    result = rg.poker.review(tmp_path / "session.phhs", run)
    made = sum(sum(run.strategy.tree.betting_tree.kind[node] < 2 for node in hand.nodes) for hand in hands)
    assert not result.misfits and len(result.decisions) == made
    assert all(one.exact and one.probability > 0 for one in result.decisions)
    assert all((one.loss == 0) == (one.action == one.best) and one.loss >= 0 for one in result.decisions)
    assert result.loss / len(hands) < 3 * run.exploitability
    only = rg.poker.review(tmp_path / "session.phhs", run, player="player 0")
    assert 0 < len(only.decisions) < made


def test_one_phh_file(run, tmp_path) -> None:
    hand = play_out(run.strategy, 1, seed=2)[0]
    (tmp_path / "h.phh").write_text(hand_history(hand).dumps())
    assert rg.poker.review([tmp_path / "h.phh"], [run]).decisions


def test_logs_of_the_competition() -> None:
    """Values are not known with buckets; the solution's probabilities are."""
    strategy = uniform_by_bucket(rg.poker.LimitHoldem())
    log = "# a comment\nSTATE:0:rrc/crf:AsKh|7c2d/QsJh2h:-300|300:ours|theirs\nSCORE:-300|300:ours|theirs\n"
    result = review_hands(hands_in_text(log, "m.log"), strategy)
    assert [one.action for one in sorted(result.decisions, key=lambda one: len(one.line))] == [
        "raise", "raise", "call", "check", "bet", "fold"]  # fmt: skip
    assert {one.player for one in result.decisions} == {"ours", "theirs"}
    shares = [one.probability for one in sorted(result.decisions, key=lambda one: len(one.line))]
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1 / 3])
    assert all(one.loss is None for one in result.decisions)
    bets = "STATE:3:r300c/cr600f:AsKh|7c2d/QsJh2h:-300|300:a|b\n"
    assert "is a limit game, and the hand is not" in review_hands(hands_in_text(bets), strategy).misfits[0][1]
    no_limit = "STATE:3:r300c/cr600f:AsKh|7c2d/QsJh2h:-250|250:a|b\n"
    (hand,) = hands_in_text(no_limit)
    assert hand.problem == "its winnings are not those of blinds 50 and 100 and 20,000 chips"


def test_files_that_are_no_hands(tmp_path) -> None:
    with pytest.raises(FileError, match="has no hand of PokerStars"):
        hands_in_text("hello")
    with pytest.raises(FileError, match="cannot read"):
        rg.poker.review(tmp_path / "none.txt", [])
    with pytest.raises(OptionError, match="runs or strategies of hold'em"):
        review_hands([], rg.solve(rg.games.Kuhn(), iterations=1))


def mutated(draw: random.Random, text: str) -> str:
    """A text with some characters changed, dropped or repeated."""
    for _ in range(draw.randrange(1, 6)):
        at, length = draw.randrange(len(text)), draw.randrange(30)
        middle = draw.choice(["", draw.choice("09cdhsAK:/|$ \n\x00?-.rf'"), 2 * text[at : at + length]])
        text = text[:at] + middle + text[at + draw.randrange(2) * length :] or "x"
    return text


@pytest.mark.full
def test_damaged_hands_end_in_reasons(run) -> None:
    draw = random.Random(1)
    sources = [
        stars(),
        "STATE:0:rrc/crf:AsKh|7c2d/QsJh2h:-300|300:ours|theirs\n",
        "STATE:3:r20000c///:AsKh|7c2d/QsJh2h/3c/4d:20000|-20000:a|b\n",
        hand_history(play_out(run.strategy, 1, seed=2)[0]).dumps(),
    ]
    outcomes = set()
    for _ in range(40):
        for source in sources:
            try:
                result = review_hands(hands_in_text(mutated(draw, source)), run)
                outcomes.add("found" if result.decisions else "misfit")
            except FileError:
                outcomes.add("refused")
    assert outcomes == {"found", "misfit", "refused"}
