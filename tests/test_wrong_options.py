"""Options that cannot be meant: each is answered with one sentence, before any work is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import regretless as rg

MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "until": (lambda: rg.solve("kuhn", until="x"), "until is a number"),
    "seconds": (lambda: rg.solve("kuhn", seconds="x"), "seconds is a number"),
    "checkpoint_every": (lambda: rg.solve("kuhn", checkpoint_every="x"), "checkpoint_every is a number"),
    "negative checkpoint_every": (lambda: rg.solve("kuhn", checkpoint_every=-1), "from 0 on"),
    "checkpoint": (lambda: rg.solve("kuhn", checkpoint=5), "name of a file"),
    "callback": (lambda: rg.solve("kuhn", callback=5), "a function"),
    "delay": (lambda: rg.solve("kuhn", "cfr:delay=--3"), "number of iterations"),
    "a class for a method": (lambda: rg.solve("kuhn", rg.CFRBR), "CFRBR is a class: write CFRBR()"),
    "a number for a method": (lambda: rg.solve("kuhn", 5), "a method such as rg.CFR_PLUS, got 5"),
    "a class for a game to build": (lambda: rg.build(rg.games.Kuhn), "Kuhn is a class: write Kuhn()"),
    "a class for a game to play": (lambda: rg.match(rg.games.Kuhn, None, None), "Kuhn is a class: write Kuhn()"),
    "a class for a game to estimate": (lambda: rg.estimate_size(rg.games.Kuhn), "Kuhn is a class: write Kuhn()"),
    "plus in letters": (lambda: rg.solve("kuhn", "cfrplus"), "unknown algorithm 'cfrplus'; did you mean 'cfr+'?"),
    "plus in other letters": (lambda: rg.solve("kuhn", "DCFR_Plus"), "did you mean 'dcfr+'?"),
    "too large": (
        lambda: rg.build(rg.games.Dudo(dice=(3, 3))),
        "rg.MCCFR(listed=False) of a compiled game, rg.solve_round of a round",
    ),
    "fixed text": (lambda: rg.solve("rps", fixed={0: "abc"}), "not probabilities"),
    "fixed words": (lambda: rg.solve("rps", fixed={0: ["a", "b", "c"]}), "not probabilities"),
    "fixed list": (lambda: rg.solve("rps", fixed=[1, 2]), "fixed is {player: strategy}"),
    "no strategy": (lambda: rg.value("kuhn", {}), "a Strategy is needed"),
    "player": (lambda: rg.best_response("kuhn", rg.Strategy.uniform("kuhn"), player="a"), "players 0 to 1"),
    "no game": (lambda: rg.equilibrium(5), "a Tree, a Game or a name"),
    "averaging": (lambda: rg.Variant(averaging=2), "rg.Polynomial"),
    "discount": (lambda: rg.Variant(discount=3), "rg.Discounted"),
    "exponent": (lambda: rg.Discounted("a"), "exponent of a discount"),
    "no exponent": (lambda: rg.Discounted(float("nan")), "exponent of a discount"),
    "negative power": (lambda: rg.Polynomial(-1), "from 0 on"),
    "horizon": (lambda: rg.Polynomial(rg.Ramp(1, 2, 0)), "at least one iteration"),
    "recall": (lambda: rg.build(rg.games.Dudo(recall=3)), "forgets on purpose"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_sentence(mistake: str) -> None:
    call, said = MISTAKES[mistake]
    with pytest.raises(rg.RegretlessError) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_questions_take_a_game_or_its_name(kuhn: rg.Tree) -> None:
    uniform = rg.Strategy.uniform("kuhn")
    assert uniform == rg.Strategy.uniform(kuhn)
    assert rg.value("kuhn", uniform) == rg.value(rg.games.Kuhn(), uniform) == rg.value(kuhn, uniform)
    assert rg.equilibrium("kuhn").value == rg.equilibrium(kuhn).value


def test_a_fixed_player_by_pair() -> None:
    by_pair = rg.solve("rps", iterations=10, fixed={0: {(0, "player 0"): [0.4, 0.3, 0.3]}})
    assert by_pair.strategy == rg.solve("rps", iterations=10, fixed={0: [0.4, 0.3, 0.3]}).strategy


def test_the_regret_bound_counts_the_learners(kuhn: rg.Tree) -> None:
    plain = rg.CFR.replace(alternating=False)
    run = rg.solve(kuhn, plain, iterations=200, fixed={0: rg.Strategy.uniform(kuhn)})
    assert run.exploitability <= run.regret_bound * (1 + 1e-9)


def test_a_snapshot_speaks_only_for_its_iteration(kuhn: rg.Tree) -> None:
    kept: list[rg.Snapshot] = []
    strategies: list[rg.Strategy] = []

    def keep(snapshot: rg.Snapshot) -> None:
        kept.append(snapshot)
        strategies.append(snapshot.strategy)

    rg.solve(kuhn, rg.CFR, iterations=20, callback=keep)
    assert rg.exploitability(kuhn, strategies[0]) == pytest.approx(kept[0].exploitability)
    with pytest.raises(rg.OptionError, match="within the callback"):
        _ = kept[0].strategy


@pytest.mark.full
def test_a_game_too_large_to_list_is_refused_soon() -> None:
    with pytest.raises(rg.GameError, match="make the game smaller"):
        rg.build(rg.games.Kuhn(players=9))
