"""Correlated play on trees: gaps against brute force over all deviations, and the learners that close them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import regretless as rg
from conftest import INTERPRETED, built
from random_games import RandomGame, random_games
from regretless.evaluation.correlated import one_shot_payoffs
from regretless.method import Settings
from regretless.methods.trigger_regret import KINDS, TriggerRegretLearner

Behaviour = dict[tuple[int, Hashable], dict[Any, float]]
"""By (player, infoset): the probability of each action."""


def random_profile(tree: rg.Tree, rng: np.random.Generator) -> rg.Strategy:
    """Action probabilities, some of them 0."""
    numbers = rng.gamma(0.4, size=tree.sequences) * (rng.random(tree.sequences) < 0.8)
    return rg.Strategy.from_plan(tree.labels, numbers)


def behaviour_of(tree: rg.Tree, strategy: rg.Strategy) -> Behaviour:
    labels = tree.labels
    return {
        (int(labels.owner[i]), labels.names[i]): dict(
            zip(labels.actions[i], strategy.probabilities[labels.sequences_of(i)].tolist(), strict=True)
        )
        for i in range(len(labels.names))
    }


# -- the slow way: play with a player who deviates, history by history ------------------------------------------------

Begins = Callable[[Hashable, Any], bool]
"""Whether a deviation begins at an infoset where an action is recommended (None: not yet known)."""


def expected(
    game: rg.Game, state: Any, profile: Behaviour, player: int, begins: Begins, plan: dict[Hashable, Any], away: bool
) -> float:
    """What `player` wins who follows recommendations until a deviation begins, and the deviation plan from then on."""
    mover = game.player(state)
    if mover == rg.TERMINAL:
        return float(game.payoffs(state)[player])
    actions = list(game.actions(state))
    if mover == rg.CHANCE:
        weights = dict(zip(actions, game.chance(state), strict=True))
    else:
        weights = profile[mover, game.infoset(state)]
    total = 0.0
    for recommended in actions:
        if weights[recommended] == 0:
            continue
        now, taken = away, recommended
        if mover == player:
            infoset = game.infoset(state)
            now = away or begins(infoset, None) or begins(infoset, recommended)
            taken = plan[infoset] if now else recommended
        after = game.play(state, taken)
        total += weights[recommended] * expected(game, after, profile, player, begins, plan, now)
    return total


def plans_from(tree: rg.Tree, player: int, top: Hashable | None) -> Iterator[dict[Hashable, Any]]:
    """Every pure plan of a player for the infosets from `top` on (None: for all of them)."""
    labels, parent = tree.labels, tree.form.parent
    below = {i for i in range(len(labels.names)) if labels.owner[i] == player and top in (None, labels.names[i])}
    for i in range(len(labels.names)):  # parents come first
        if labels.infoset_of_sequence[parent[i]] in below:
            below.add(i)
    assume(np.prod([len(labels.actions[i]) for i in below]) <= 800)
    for choice in itertools.product(*(labels.actions[i] for i in sorted(below))):
        yield dict(zip([labels.names[i] for i in sorted(below)], choice, strict=True))


def brute_gaps(tree: rg.Tree, profiles: list[Behaviour], weights: list[float]) -> dict[str, list[float]]:
    """The best gain of each player by each kind of deviation, over all of them."""
    game, labels = tree.game, tree.labels

    def worth(player: int, begins: Begins, plan: dict[Hashable, Any], away: bool = False) -> float:
        return sum(
            w * expected(game, game.root(), profile, player, begins, plan, away)
            for w, profile in zip(weights, profiles, strict=True)
        )

    def never(infoset: Hashable, recommended: Any) -> bool:
        return False

    gaps: dict[str, list[float]] = {kind: [0.0] * tree.players for kind in KINDS}
    for player in range(tree.players):
        followed = worth(player, never, {})
        for plan in plans_from(tree, player, None):
            gaps["nfcce"][player] = max(gaps["nfcce"][player], worth(player, never, plan, away=True) - followed)
        for i in np.flatnonzero(labels.owner == player).tolist():
            name = labels.names[i]
            for plan in plans_from(tree, player, name):

                def coarse(infoset: Hashable, recommended: Any, name: Hashable = name) -> bool:
                    return infoset == name and recommended is None

                gaps["efcce"][player] = max(gaps["efcce"][player], worth(player, coarse, plan) - followed)
                for action in labels.actions[i]:

                    def begins(infoset: Hashable, given: Any, name: Hashable = name, at: Any = action) -> bool:
                        return infoset == name and given is not None and given == at

                    gaps["efce"][player] = max(gaps["efce"][player], worth(player, begins, plan) - followed)
    return gaps


@given(game=random_games(depth=4, zero_sum=False), seed=st.integers(0, 100))
def test_gaps_are_those_of_the_best_of_all_deviations(game: RandomGame, seed: int) -> None:
    tree, rng = rg.build(game), np.random.default_rng(seed)
    assume(tree.infosets and tree.histories <= 60)
    strategies = [random_profile(tree, rng) for _ in range(2)]
    weights = rng.dirichlet(np.ones(2))
    found = rg.correlated_gaps(tree, rg.CorrelatedPlay.of(tree, strategies, weights))
    slow = brute_gaps(tree, [behaviour_of(tree, s) for s in strategies], weights.tolist())
    for kind in KINDS:
        np.testing.assert_allclose(getattr(found, kind), slow[kind], atol=1e-12)
    both = sum(w * rg.values(tree, s) for w, s in zip(weights, strategies, strict=True))
    np.testing.assert_allclose(found.values, both, atol=1e-12)


def test_one_shot_games_have_the_gaps_of_their_joint_distribution() -> None:
    rng = np.random.default_rng(3)
    tree = rg.build(rg.games.Matrix(rng.normal(size=(3, 2, 3, 2))))
    strategies = [random_profile(tree, rng) for _ in range(4)]
    weights = rng.dirichlet(np.ones(4))
    play = rg.CorrelatedPlay.of(tree, strategies, weights)
    parts = [[s[f"player {p}"].values() for p in range(3)] for s in strategies]
    joint = sum(
        w * np.einsum("a,b,c->abc", *(np.array(list(part)) for part in profile))
        for w, profile in zip(weights, parts, strict=True)
    )
    assert one_shot_payoffs(tree).shape[1:] == joint.shape
    assert rg.efce_gap(tree, play) == pytest.approx(rg.correlated_gap(tree, joint))
    assert rg.efcce_gap(tree, play) == pytest.approx(rg.coarse_correlated_gap(tree, joint))
    assert rg.nfcce_gap(tree, play) == pytest.approx(rg.coarse_correlated_gap(tree, joint))


def test_an_equilibrium_has_no_gap_of_any_kind(kuhn: rg.Tree) -> None:
    gaps = rg.correlated_gaps(kuhn, rg.equilibrium(kuhn).strategy)
    for kind in KINDS:
        assert getattr(gaps, kind).max() == pytest.approx(0.0, abs=1e-12)
    assert gaps.values.tolist() == pytest.approx([-1 / 18, 1 / 18])
    assert gaps.welfare == pytest.approx(0.0, abs=1e-12)


def test_a_single_strategy_has_the_gap_of_a_best_response(leduc: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(leduc)
    gains = [rg.best_response(leduc, uniform, p).value - rg.value(leduc, uniform, p) for p in (0, 1)]
    assert rg.nfcce_gap("leduc", uniform) == pytest.approx(max(gains))


def test_sums_with_decay_are_weights(kuhn3: rg.Tree) -> None:
    rng = np.random.default_rng(5)
    plans = [kuhn3.plan(random_profile(kuhn3, rng).probabilities) for _ in range(3)]
    sums = rg.PlaySums(kuhn3)
    for plan in plans:
        sums.add(plan, sums.gradients(plan), weight=1.0, decay=0.5)
    play = rg.CorrelatedPlay(np.stack(plans), np.array([0.25, 0.5, 1.0]))
    for kind in KINDS:
        np.testing.assert_allclose(
            getattr(rg.correlated_gaps(kuhn3, sums), kind), getattr(rg.correlated_gaps(kuhn3, play), kind), atol=1e-14
        )


def test_what_is_no_play(kuhn: rg.Tree, leduc: rg.Tree) -> None:
    plan = leduc.plan(rg.Strategy.uniform(leduc).probabilities)
    for wrong, said in [
        (rg.CorrelatedPlay(plan[None], np.ones(1)), "a plan of this game has 26 numbers, got 2186"),
        (rg.PlaySums(leduc), "belongs to another game"),
        (rg.Strategy.uniform(leduc), "belongs to another game"),
        (rg.PlaySums(kuhn), "nothing has been played yet"),
        ([0.5, 0.5], "play is a rg.CorrelatedPlay"),
        (rg.solve(kuhn, iterations=1), "keeps no joint play; solve with rg.TriggerRegret"),
    ]:
        with pytest.raises(rg.OptionError, match=said):
            rg.efce_gap(kuhn, wrong)  # type: ignore[arg-type]
    for plans, weights in [(plan, [1.0]), (plan[None], [1.0, 2.0]), (plan[None], [-1.0]), (plan[None], [0.0])]:
        with pytest.raises(rg.OptionError, match="correlated play"):
            rg.CorrelatedPlay(plans, np.array(weights))
    with pytest.raises(rg.OptionError, match="at least one strategy"):
        rg.CorrelatedPlay.of(kuhn, [])


# -- learning ---------------------------------------------------------------------------------------------------------


def mixture_of_deviations(learner: TriggerRegretLearner, player: int) -> tuple[np.ndarray, np.ndarray]:
    """(x, Σ λ φ(x)) of a player by slot, with every trigger's deviation applied to the whole plan."""
    sub, triggers = learner.tree.subtrees, learner.triggers
    x = triggers.reach.copy()
    out = np.zeros_like(x)
    source = triggers.guess if learner.predictive else triggers.regret
    for i in range(sub.player_first[player], sub.player_first[player + 1]):
        for action in range(1 if learner.coarse else sub.actions[i]):
            k = i if learner.coarse else sub.begin[i] + action
            entry = triggers.entry[k]
            above = 1.0 if sub.parent[i] < 0 else x[sub.parent[i]]
            y = np.zeros_like(x)
            for j in range(i, sub.last[i]):
                where = slice(sub.begin[j], sub.begin[j] + sub.actions[j])
                share = np.maximum(source[entry + where.start - sub.begin[i] : entry + where.stop - sub.begin[i]], 0)
                share = share / share.sum() if share.sum() > 0 else np.full(len(share), 1 / len(share))
                y[where] = share * (1.0 if j == i else y[sub.parent[j]])
            moved = x.copy()
            replaced = [*range(sub.begin[i], sub.end[i])]
            if not learner.coarse:
                replaced = [s for s in replaced if _leads_to(sub, k, s)]
            moved[replaced] = 0.0
            moved[sub.begin[i] : sub.end[i]] += (above if learner.coarse else x[k]) * y[sub.begin[i] : sub.end[i]]
            out += triggers.mix[k] * moved
    return x, out


VARIANTS = [rg.CFR, rg.CFR_PLUS, rg.PCFR_PLUS, rg.DCFR]


def _leads_to(sub: Any, above: int, slot: int) -> bool:
    """Whether a slot is `above` or one of the sequences after it."""
    while slot > above:
        i = int(np.searchsorted(sub.begin, slot, side="right")) - 1
        slot = int(sub.parent[i])
    return slot == above


@pytest.mark.parametrize("kind", ["efce", "efcce"])
@given(game=random_games(depth=5, zero_sum=False), variant=st.sampled_from(VARIANTS))
def test_play_is_a_fixed_point_of_the_mixture_of_deviations(kind: str, game: RandomGame, variant: rg.Variant) -> None:
    tree = rg.build(game)
    assume(tree.infosets)
    learner = rg.TriggerRegret(kind, variant).learner(tree, Settings())
    assert isinstance(learner, TriggerRegretLearner)
    for _ in range(4):
        learner.advance(1)
        for player in range(tree.players):
            x, moved = mixture_of_deviations(learner, player)
            begin, last = tree.subtrees.player_first[player : player + 2]
            if begin < last:
                mine = slice(tree.subtrees.begin[begin], tree.subtrees.end[last - 1])
                np.testing.assert_allclose(moved[mine], x[mine], atol=1e-9)
        np.testing.assert_allclose(tree.plan(learner.current()), learner.plan, atol=1e-15)


@given(game=random_games(depth=4, zero_sum=False), kind=st.sampled_from(KINDS))
def test_gaps_fall_on_random_games(game: RandomGame, kind: str) -> None:
    tree = rg.build(game)
    assume(tree.infosets)
    run = rg.solve(tree, rg.TriggerRegret(kind, rg.CFR_PLUS), iterations=400)
    assert run.history[f"{kind}_gap"][-1] < 0.03
    assert rg.correlated_gaps(tree, run).welfare == pytest.approx(run.history.welfare[-1])


@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("spec", "iterations"), [("kuhn:players=3", 400), ("sheriff:rounds=2", 1_500), ("battleship:shots=2", 400)]
)
def test_gaps_reach_a_thousandth(spec: str, iterations: int, kind: str) -> None:
    run = rg.solve(built(spec), rg.TriggerRegret(kind), iterations=iterations)
    assert run.history[f"{kind}_gap"][-1] < 1e-3


@pytest.mark.full
@pytest.mark.skipif(INTERPRETED, reason="whole solves take too long where nothing is compiled")
@pytest.mark.parametrize(
    ("spec", "variant"), [("kuhn:players=3", rg.CFR), ("kuhn:players=3", rg.PCFR_PLUS), ("sheriff", rg.PCFR_PLUS)]
)
def test_the_efce_gap_falls_as_the_square_root_or_faster(spec: str, variant: rg.Variant) -> None:
    run = rg.solve(built(spec), rg.TriggerRegret("efce", variant), until=1e-3, iterations=20_000)
    assert run.stopped == "until"
    iteration, gap = run.history.iteration, run.history.efce_gap
    late = iteration >= 30
    slope = np.polyfit(np.log(iteration[late]), np.log(gap[late]), 1)[0]
    assert slope < -0.5


def test_all_gaps_of_zero_sum_play_bound_exploitability(kuhn: rg.Tree) -> None:
    """In two-player zero-sum games the averages of coarse correlated play are an equilibrium."""
    run = rg.solve(kuhn, rg.TriggerRegret("nfcce"), iterations=500)
    gaps = rg.correlated_gaps(kuhn, run)
    assert run.nash_conv == pytest.approx(gaps.nfcce.sum(), abs=1e-9)
    assert "gap_0" not in run.history


def test_players_held_still_are_not_measured(kuhn3: rg.Tree) -> None:
    uniform = rg.Strategy.uniform(kuhn3)
    run = rg.solve(kuhn3, rg.TriggerRegret("efce"), iterations=300, fixed={0: uniform, 1: uniform})
    assert run.strategy["J"] == uniform["J"]
    assert run.history.efce_gap[-1] < 1e-3
    assert rg.efce_gap(kuhn3, run) > 0.01
    assert {name for name in run.history if name.startswith("gap_")} == {"gap_2"}


@pytest.mark.parametrize("kind", KINDS)
def test_runs_stop_at_their_gap_and_are_measured_from_their_files(kuhn3: rg.Tree, kind: str, tmp_path: Path) -> None:
    run = rg.solve(kuhn3, rg.TriggerRegret(kind), until=0.01, checkpoint=tmp_path / "run")
    assert run.stopped == "until"
    assert run.history[f"{kind}_gap"][-1] <= 0.01 < run.history[f"{kind}_gap"][-2]
    loaded = rg.load(tmp_path / "run")
    assert isinstance(loaded, rg.Run)
    assert loaded.method == rg.TriggerRegret(kind)
    assert rg.correlated_gaps(kuhn3, loaded).efce.tolist() == rg.correlated_gaps(kuhn3, run).efce.tolist()


def test_each_players_gain_is_in_the_history(kuhn3: rg.Tree) -> None:
    run = rg.solve(kuhn3, rg.CFR, iterations=50)
    gains = [
        rg.best_response(kuhn3, run.strategy, p).value - rg.value(kuhn3, run.strategy, p) for p in range(kuhn3.players)
    ]
    assert [run.history[f"gap_{p}"][-1] for p in range(3)] == pytest.approx(gains)
    assert sum(gains) == pytest.approx(run.nash_conv)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: rg.TriggerRegret("efc"), "kind is efce, efcce or nfcce, got 'efc'; did you mean 'efce'?"),
        (lambda: rg.TriggerRegret(minimiser="cfr"), "minimiser is a variant such as rg.CFR"),  # type: ignore[arg-type]
    ],
)
def test_wrong_settings(make: Callable[[], object], said: str) -> None:
    with pytest.raises(rg.OptionError, match=said.replace("?", r"\?")):
        make()


def test_settings_as_text() -> None:
    from regretless.lookup.methods import method_by_name

    assert method_by_name("efce:minimiser=cfr+") == rg.TriggerRegret("efce", rg.CFR_PLUS)
    assert method_by_name("nfcce").name == "NFCCE regret (PCFR+)"
