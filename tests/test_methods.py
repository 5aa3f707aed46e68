"""Methods by name and in files, and the reference methods against others' implementations of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import regretless as rg
from compare_tables import as_table, worst
from conftest import INTERPRETED, built
from oracle import HistoryWalker, Table, expected, infosets, normalised, pure_strategies, rules
from random_games import Tilted
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.random_streams import STEP, uniform
from regretless.lookup.methods import METHODS, method_by_name, method_from_json, method_to_json, with_defaults
from regretless.method import Method

# -- names and files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "method"), METHODS.items())
def test_by_name(name: str, method: Any) -> None:
    assert method_by_name(name) == method
    assert method_by_name(f" {name.upper()} ") == method
    assert method.name


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("cfr_plus", rg.CFR_PLUS),
        ("linear-cfr", rg.LINEAR_CFR),
        ("lcfr", rg.LINEAR_CFR),
        ("fp", rg.FictitiousPlay()),
        ("cfr+:delay=100", rg.CFR_PLUS.replace(delay=100)),
        ("cfr-br:variant=linear", rg.CFRBR(rg.LINEAR_CFR)),
        ("dcfr:alternating=no", rg.DCFR.replace(alternating=False)),
        ("dcfr:alternating=yes", rg.DCFR),
        ("hs-dcfr:horizon=5000,delay=3", rg.HS_DCFR.with_horizon(5000).replace(delay=3)),
    ],
)
def test_spellings(text: str, method: Any) -> None:
    assert method_by_name(text) == method


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dfcr", "unknown algorithm 'dfcr'; did you mean 'dcfr'?"),
        ("simplex", "unknown algorithm 'simplex'; known: cfr, cfr+, cfr-br"),
        ("", "unknown algorithm ''"),
        ("cfr+:delay", "'delay' is no setting"),
        ("cfr+:speed=9", "'speed=9' is no setting"),
        ("cfr+:delay=x", "delay is a number of iterations, got 'x'"),
        ("cfr+:delay=-1", "delay counts iterations left out of the average, got -1"),
        ("cfr+:alternating=maybe", "alternating is yes or no, got 'maybe'"),
        ("cfr-br:delay=1", "'delay=1' is no setting of cfr-br; its settings are variant"),
        ("xfp:delay=1", "'delay=1' is no setting"),
        ("hs-dcfr:horizon=0", "a horizon is a number of iterations, got 0"),
    ],
)
def test_names_that_mean_nothing(text: str, said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        method_by_name(text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "method",
    [
        *METHODS.values(),
        rg.CFRBR(rg.PDCFR_PLUS.replace(delay=2)),
        rg.HS_DCFR.with_horizon(7),
        rg.Variant(predictive=0.25, floor=True),
    ],
    ids=lambda method: method.name,
)
def test_through_json(method: Any) -> None:
    assert method_from_json(json.loads(json.dumps(method_to_json(method)))) == method


def test_descriptions_of_earlier_versions_get_the_defaults_of_newer_settings() -> None:
    method = rg.DeepCFR(steps=7, off_path=0.5)
    now = json.loads(json.dumps(method_to_json(method)))
    earlier = {name: value for name, value in now.items() if name not in ("targets", "predictive")}
    assert with_defaults(earlier, method) == now
    assert with_defaults({**earlier, "off_path": 0.1}, method) != now


def test_names_of_methods() -> None:
    assert rg.CFRBR().name == "CFR-BR"
    assert rg.CFRBR(rg.CFR_PLUS).name == "CFR-BR (CFR+)"
    assert rg.FictitiousPlay() == rg.XFP
    assert isinstance(rg.CFRBR(), Method)
    assert isinstance(rg.CFR, Method)


# -- CFR-BR -----------------------------------------------------------------------------------------------------------


def best_table(game: rg.Game, strategy: Table, player: int) -> Table:
    """A pure best response, found by trying all pure strategies."""
    return max(pure_strategies(game, player), key=lambda pure: expected(game, {**strategy, **pure})[player])


class BestResponding(HistoryWalker):
    """CFR against opponents who answer the current strategies with a best response."""

    def run(self, iterations: int) -> HistoryWalker:
        for t in range(1, iterations + 1):
            for player in range(self.game.players):
                mine = dict(self.current)
                for other in range(self.game.players):
                    if other != player:
                        self.current.update(best_table(self.game, mine, other))
                new, own = self.instant(player)
                self.current = mine
                self.update(player, new, own, t)
        return self


@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_cfr_br_by_walking_histories(name: str) -> None:
    tree = rg.build(Tilted(rg.games.Kuhn()))
    walker = BestResponding(tree.game, rules()[name]).run(4)
    run = rg.solve(tree, rg.CFRBR(METHODS[name]), iterations=4)  # type: ignore[arg-type]
    assert worst(as_table(tree, run.arrays["regret"]), walker.regret) < 1e-10
    assert worst(as_table(tree, run.strategy.probabilities), walker.average) < 1e-9


def test_cfr_br_in_32_bits() -> None:
    run = rg.solve("kuhn", rg.CFRBR(rg.CFR_PLUS), iterations=300, dtype="float32")
    assert run.arrays["regret"].dtype == "float32" and run.exploitability < 0.01


# -- fictitious play --------------------------------------------------------------------------------------------------


def test_fictitious_play_on_a_matrix_is_browns() -> None:
    """Counts of best answers to the opponent's counts, both starting from one uniform round."""
    payoffs = np.array([[0.1, -1.0, 1.2], [1.3, 0.2, -0.7], [-1.0, 0.9, 0.05]])
    rows, columns = np.full(3, 1 / 3), np.full(3, 1 / 3)
    for _ in range(40):
        row, column = int((payoffs @ columns).argmax()), int((rows @ payoffs).argmin())
        rows[row] += 1
        columns[column] += 1
    run = rg.solve(rg.games.Matrix(payoffs), rg.FictitiousPlay(), iterations=40)
    np.testing.assert_allclose(list(run.strategy["player 0"].values()), rows / 41)
    np.testing.assert_allclose(list(run.strategy["player 1"].values()), columns / 41)
    assert run.current["player 0"][str(row)] == 1.0


@pytest.mark.peer
def test_xfp_is_openspiels() -> None:
    """OpenSpiel's XFP also answers all players at once and averages by reach.

    Kuhn has ties, which the two break differently, so the sequences agree in size and not to the last digit; the test
    below is exact.
    """
    fictitious_play = pytest.importorskip("open_spiel.python.algorithms.fictitious_play")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    import pyspiel

    game = pyspiel.load_game("kuhn_poker")
    solver = fictitious_play.XFPSolver(game)
    tree = rg.build(rg.games.OpenSpiel("kuhn_poker"))
    ours: dict[int, float] = {}
    rg.solve(tree, rg.XFP, iterations=10, callback=lambda s: ours.update({s.iteration: s.nash_conv}))
    theirs = {}
    for iteration in range(1, 11):
        solver.iteration()
        theirs[iteration] = exploitability.nash_conv(game, solver.average_policy())
    assert theirs[1] == pytest.approx(ours[1], rel=0.5)
    assert min(theirs.values()) == pytest.approx(min(ours.values()), rel=0.5)


def test_fictitious_play_by_walking_histories() -> None:
    """The average strategy at an infoset is that of all answers so far, each weighted by its own reach of it."""
    tree = rg.build(Tilted(rg.games.Kuhn()))
    walker = HistoryWalker(tree.game, rules()["cfr"])
    uniform = dict(walker.current)
    answers: list[Table] = [uniform]
    for _ in range(6):
        total: Table = {infoset: [0.0] * len(row) for infoset, row in uniform.items()}
        for answer in answers:
            walker.current = answer
            for player in range(2):
                for infoset, reach in walker.instant(player)[1].items():
                    for action, probability in enumerate(answer[infoset]):
                        total[infoset][action] += reach * probability
        average = {infoset: normalised(row) for infoset, row in total.items()}
        run = rg.solve(tree, rg.FictitiousPlay(), iterations=len(answers) - 1) if len(answers) > 1 else None
        if run is not None:
            assert worst(as_table(tree, run.strategy.probabilities), average) < 1e-12
        answers.append({**best_table(tree.game, average, 0), **best_table(tree.game, average, 1)})


def test_three_player_fictitious_play(kuhn3: rg.Tree) -> None:
    run = rg.solve(kuhn3, rg.XFP, iterations=20 if INTERPRETED else 500)
    assert run.exploitability < (0.5 if INTERPRETED else 0.05)


# -- regret matching --------------------------------------------------------------------------------------------------


def splitmix(state: int) -> tuple[int, float]:
    """SplitMix64 in Python's own whole numbers."""
    mask = 2**64 - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    z ^= z >> 31
    return state, (z >> 11) / 2**53


@kernel
def draws(words):  # type: ignore[no-untyped-def]
    return np.array([uniform(word) for word in words])


def test_the_generator_is_splitmix() -> None:
    """Reference outputs for seed 1234567 (Vigna, splitmix64.c; Rosetta Code)."""
    reference = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    words = np.uint64(1234567) + STEP * np.arange(1, 4, dtype=np.uint64)
    assert draws(words).tolist() == [(z >> 11) / 2**53 for z in reference]


@pytest.mark.parametrize("spec", ["rps", "battle_of_the_sexes"])
def test_regret_matching_by_hand(spec: str) -> None:
    """Sample, compare with every alternative, play in proportion to positive regret: in plain Python."""
    tree = built(spec)
    game = tree.game
    widths = [len(infosets(game, p)) and next(iter(infosets(game, p).values())) for p in range(2)]
    regret = [[0.0] * width for width in widths]
    total = [[0.0] * width for width in widths]
    joint = np.zeros(widths)
    state = 9
    for _ in range(50):
        strategies, chosen = [], []
        for player in range(2):
            positive = [max(r, 0.0) for r in regret[player]]
            norm = sum(positive)
            strategies.append([p / norm for p in positive] if norm > 0 else [1 / widths[player]] * widths[player])
            state, draw = splitmix(state)
            choice = 0
            while choice < widths[player] - 1 and draw >= strategies[player][choice]:
                draw -= strategies[player][choice]
                choice += 1
            chosen.append(choice)
        joint[tuple(chosen)] += 1
        for player in range(2):
            won = game.outcome(tuple(chosen))[player]  # type: ignore[attr-defined]
            for action in range(widths[player]):
                total[player][action] += strategies[player][action]
                instead = [*chosen]
                instead[player] = action
                regret[player][action] += game.outcome(tuple(instead))[player] - won  # type: ignore[attr-defined]
    run = rg.solve(tree, rg.RegretMatching(), iterations=50, seed=9)
    assert np.array_equal(run.arrays["joint"], joint.ravel())
    np.testing.assert_allclose(run.arrays["regret"], np.concatenate(regret), atol=1e-12)
    for player in range(2):
        np.testing.assert_allclose(list(run.strategy[f"player {player}"].values()), np.array(total[player]) / 50)


def test_joint_play_tends_to_coarse_correlated_equilibria() -> None:
    for spec in ("rps", "battle_of_the_sexes", "matching_pennies"):
        run = rg.solve(built(spec), rg.RegretMatching(), iterations=2_000 if INTERPRETED else 100_000, seed=2)
        gap = run.history["coarse_correlated_gap"]
        assert gap[-1] == pytest.approx(rg.coarse_correlated_gap(built(spec), run.joint))
        assert gap[-1] < (0.1 if INTERPRETED else 0.02)
        assert run.history["correlated_gap"][-1] == pytest.approx(rg.correlated_gap(built(spec), run.joint))


def test_joint_play_of_three_players() -> None:
    payoffs = np.random.default_rng(4).normal(size=(3, 2, 3, 2))
    tree = rg.build(rg.games.Matrix(payoffs))
    run = rg.solve(tree, rg.RegretMatching(), iterations=1_000 if INTERPRETED else 50_000)
    assert run.joint.shape == (2, 3, 2)
    assert rg.coarse_correlated_gap(tree, run.joint) < (0.3 if INTERPRETED else 0.05)


def test_regret_matching_learns_to_answer_rock(rps: rg.Tree) -> None:
    run = rg.solve(rps, rg.RegretMatching(), iterations=20_000, fixed={0: [0.4, 0.3, 0.3]}, seed=1)
    assert run.current["player 1"]["paper"] > 0.9 or run.strategy["player 1"]["paper"] > 0.8
    np.testing.assert_allclose(run.joint.sum(axis=1), [0.4, 0.3, 0.3], atol=0.02)
