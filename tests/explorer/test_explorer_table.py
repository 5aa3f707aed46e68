"""Playing: the deals, the score, what choices cost, and what the players of every game see."""

from __future__ import annotations

import numpy as np
import pytest
from explored import exact, solved

import regretless as rg
from conftest import INTERPRETED, built
from regretless.apps.play.opponents import LabelledOpponent, ListedOpponent, Opponent, VisitedOpponent
from regretless.apps.play.table import Table
from regretless.apps.views.infoset_measures import Measures
from regretless.apps.views.infoset_views import Card, Die, InfosetView, infoset_view

GAMES = [
    "kuhn", "kuhn:players=3", "leduc", "one_card_poker", "liars_dice:sides=3", "dudo:sides=3", "liar_die:sides=3",
    "goofspiel:cards=3", "goofspiel:cards=3,hidden=false", "oshi_zumo:coins=4", "dark_hex:size=2", "rps", "blotto",
]  # fmt: skip


def played(opponent: Opponent, hands: int, seed: int = 0, seat: str = "alternate") -> Table:
    """A table at which the player moves at random."""
    table = Table(opponent, seat=seat, seed=seed, hands=hands)
    random = np.random.default_rng(seed)
    while not table.over:
        while table.turn is not None:
            table.act(int(random.integers(len(table.turn.actions))))
        table.deal()
    return table


@pytest.mark.parametrize("spec", GAMES)
def test_every_game_can_be_played(spec: str) -> None:
    measures = Measures(built(spec), solved(spec, 5).strategy)
    table = played(ListedOpponent(measures), 20)
    assert table.score.hands == 20
    assert table.score.won == sum(result.won for result in table.results)
    assert table.score.other_table == sum(result.other_table for result in table.results)
    assert table.score.cost is not None
    assert table.score.cost >= 0
    for result in table.results:
        words = [move.label for move in result.moves if move.player == result.seat]
        assert words == [choice.actions[choice.chosen] for choice in result.choices]
        assert all(sum(choice.probabilities) == pytest.approx(1) for choice in result.choices)
        assert all(view.known or spec.startswith("oshi") for view in result.views.values())


def test_what_choices_cost_is_what_they_lose_on_average() -> None:
    """Against an exact equilibrium a fixed way of playing wins the value of its seat less what its choices give away,
    in expectation: both sides computed exactly."""
    measures = exact("kuhn")
    tree, strategy = measures.tree, measures.strategy
    labels = tree.labels
    for seat in (0, 1):
        bold = rg.Strategy.from_dict(
            tree, {(seat, labels.names[i]): [0, 1] for i in np.flatnonzero(labels.owner == seat)}, missing="uniform"
        )
        mixed = Measures(tree, strategy.with_player(seat, bold))
        lost = 0.0
        for infoset in np.flatnonzero(labels.owner == seat).tolist():
            worth = measures.counterfactual[labels.sequences_of(infoset)]
            lost += float(mixed.own_reach[infoset]) * float(worth.max() - worth[1])  # 1 is to bet
        assert measures.values[seat] - mixed.values[seat] == pytest.approx(lost, abs=1e-9)


@pytest.mark.skipif(INTERPRETED, reason="many hands take too long where nothing is compiled")
def test_luck_is_out_of_the_score() -> None:
    """What is won beside the other table scatters less than what is won, around what choices cost."""
    table = played(ListedOpponent(exact("kuhn")), 4_000, seed=1)
    won = np.array([result.won for result in table.results])
    beside = won - np.array([result.other_table for result in table.results])
    given = np.array([result.cost for result in table.results], float)
    assert beside.std() < won.std()
    error = (beside + given).std() / np.sqrt(len(won))
    assert abs((beside + given).mean()) < 4 * error


def test_the_same_seed_deals_the_same_hands() -> None:
    opponent = ListedOpponent(exact("kuhn"))
    one, two, three = (played(opponent, 50, seed) for seed in (7, 7, 8))
    assert one.results == two.results
    assert one.results != three.results


def test_playing_as_the_strategy_does_what_the_other_table_does() -> None:
    """At the other table the same cards come: a pure strategy that is played by hand wins exactly the same."""
    pure = exact("kuhn").strategy.most_likely()
    table = Table(ListedOpponent(Measures(built("kuhn"), pure)), seat="random", seed=3, hands=60)
    while not table.over:
        while table.turn is not None:
            advice = table.advice()
            assert advice is not None
            table.act(advice.chosen)
        table.deal()
    assert [result.won for result in table.results] == [result.other_table for result in table.results]


def test_seats() -> None:
    opponent = ListedOpponent(exact("kuhn"))
    assert [result.seat for result in played(opponent, 6).results] == [0, 1, 0, 1, 0, 1]
    assert {result.seat for result in played(opponent, 6, seat="1").results} == {1}
    assert {result.seat for result in played(opponent, 60, seat="random").results} == {0, 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seat": "2"}, "a seat is 0 to 1, random or alternate, got '2'"),
        ({"seat": "north"}, "got 'north'"),
        ({"hands": 0}, "hands is a positive whole number, got 0"),
    ],
)
def test_tables_that_cannot_be_meant(options: dict[str, object], said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        Table(ListedOpponent(exact("kuhn")), **options)  # type: ignore[arg-type]


def test_moves_by_name_and_number() -> None:
    table = Table(ListedOpponent(exact("kuhn")), seat="0", seed=0)
    with pytest.raises(rg.OptionError, match="there is no move 'raise' here: pass, bet"):
        table.act("raise")
    with pytest.raises(rg.OptionError, match="there is no move 2 here"):
        table.act(2)
    table.act("bet")
    assert table.results[0].choices[0].chosen == 1
    with pytest.raises(rg.OptionError, match="no move is expected"):
        table.act(0)


def test_a_game_that_forgets() -> None:
    game = rg.games.by_name("dudo:sides=2,recall=1")
    run = rg.solve(game, rg.FSICFR(), iterations=5)
    table = played(LabelledOpponent(game, run.strategy), 5)
    assert table.score.cost is None
    assert table.results[0].cost is None
    assert not table.score.complete
    assert table.advice() is None


def test_a_game_that_was_not_listed() -> None:
    run = rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=50)
    table = played(VisitedOpponent(rg.games.Leduc(), run.strategy), 5)
    assert table.score.cost is None
    assert table.score.hands == 5


def test_costs_that_are_known_of_some_choices_only() -> None:
    class Halting(ListedOpponent):
        """Knows what actions are worth to player 0 alone."""

        def values(self, state: object) -> object:  # type: ignore[override]
            return super().values(state) if self.game.player(state) == 0 else None

    table = played(Halting(exact("kuhn")), 6)
    assert [result.cost is None for result in table.results] == [False, True] * 3
    assert table.score.cost == sum(result.cost for result in table.results if result.cost is not None)
    assert not table.score.complete


def test_a_strategy_of_another_game_is_refused() -> None:
    with pytest.raises(rg.OptionError, match="belongs to another game"):
        Table(LabelledOpponent(rg.games.Kuhn(), rg.Strategy.uniform("leduc")))


# -- what labels show -------------------------------------------------------------------------------------------------


def test_sights_of_cards_and_dice() -> None:
    leduc = infoset_view(rg.games.Leduc(), "Qs rc Jh cr")
    assert (leduc.own, leduc.shared) == ((Card("Q", "s"),), (Card("J", "h"),))
    assert leduc.moves == ("raise", "call", "board Jh", "call", "raise")
    assert infoset_view(rg.games.OneCardPoker(deck=20), "19pb").own == (Card("19"),)
    assert infoset_view(rg.games.LiarsDice(dice=(2, 1)), "2,6 1x4").own == (Die(2), Die(6))
    liar = infoset_view(rg.games.LiarDie(), "3/4 5 2/?")
    assert liar.own == (Die(2),)
    assert liar.moves == ("you claim 4", "they claim 5")
    assert infoset_view(rg.games.LiarDie(), "4?").moves == ("they claim 4",)
    goofspiel = infoset_view(rg.games.Goofspiel(), "P1 4:3+ 3:1- 2")
    assert goofspiel.own == (Card("2"), Card("4"))
    assert goofspiel.shared == (Card("2"),)
    assert goofspiel.moves == ("prize 4: you bid 3, won", "prize 3: you bid 1, lost")
    board = infoset_view(rg.games.DarkHex(), "P1 b2* a1").board
    assert board is not None
    assert board.cells[1][1] == "taken"
    assert board.cells[0][0] == "own"
    assert board.text.splitlines()[0] == "  a b c"


@pytest.mark.parametrize("spec", [spec for spec in GAMES if not spec.startswith("oshi")])
def test_every_label_of_a_known_game_can_be_taken_apart(spec: str) -> None:
    tree = built(spec)
    assert all(infoset_view(tree.game, str(name)).known for name in tree.labels.names)


@pytest.mark.parametrize("label", ["", "<script>", "Xx yy", "5x 5x 5x", "\x00"])
def test_labels_that_make_no_sense_are_shown_as_they_stand(label: str) -> None:
    for game in (rg.games.Kuhn(), rg.games.LiarsDice(), rg.games.LiarDie(), rg.games.Goofspiel(), None):
        assert infoset_view(game, label) == InfosetView(label, known=False)
