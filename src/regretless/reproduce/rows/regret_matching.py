"""Rows about one-shot games: regret matching, Blotto, battle of the sexes."""

from __future__ import annotations

import numpy as np

import regretless as rg
from regretless.kernels.numpy_matching import matched
from regretless.reproduce.claims import Claim, Expected, Job, Measured
from regretless.reproduce.sources import HART, NELLER_LANCTOT

__all__ = ["ROWS"]

ROCK, PAPER, SCISSORS = range(3)
OPPONENT = {"rock": 0.4, "paper": 0.3, "scissors": 0.3}


def regrets_of_round(mine: int, theirs: int) -> list[float]:
    """What each action would have won above what was won, in one round of rock-paper-scissors."""
    game = rg.games.RockPaperScissors()
    return [float(game.outcome((other, theirs))[0] - game.outcome((mine, theirs))[0]) for other in range(3)]


def worked_rounds(job: Job) -> Measured:
    """Rock against paper, then scissors against rock."""
    first = np.array(regrets_of_round(ROCK, PAPER))
    both = first + regrets_of_round(SCISSORS, ROCK)
    after_one, after_two = matched(first), matched(both)
    return Measured(
        {
            "regret of paper, round 1": first[PAPER],
            "regret of scissors, round 1": first[SCISSORS],
            "next paper": after_one[PAPER],
            "next scissors": after_one[SCISSORS],
            "regret of rock, both rounds": both[ROCK],
            "regret of paper, both rounds": both[PAPER],
            "then rock": after_two[ROCK],
            "then paper": after_two[PAPER],
            "then scissors": after_two[SCISSORS],
        }
    )


def against_a_fixed_opponent(job: Job) -> Measured:
    """The learner's average, and what a best response wins."""
    tree = rg.build(rg.games.RockPaperScissors())
    rounds = job.choose(200_000, 1_000_000)
    run = rg.solve(tree, rg.RegretMatching(), iterations=rounds, fixed={0: OPPONENT}, seed=1, measure="never")
    answer = rg.best_response(tree, run.strategy, player=1)
    return Measured({"paper in the average": run.strategy["player 1"]["paper"], "best response wins": answer.value})


def self_play(job: Job) -> Measured:
    """Average strategy of player 0 when both learn."""
    tree = rg.build(rg.games.RockPaperScissors())
    rounds = job.choose(200_000, 1_000_000)
    average = rg.solve(tree, rg.RegretMatching(), iterations=rounds, seed=1, measure="never").strategy["player 0"]
    return Measured({name: average[name] for name in ("rock", "paper", "scissors")})


def regret_and_bound(job: Job) -> Measured:
    """Average regret of regret matching over its bound Δ √actions / √T, in random 3 × 3 games; the largest ratio.

    The bound is about expected payoffs, so the players' mixed strategies meet, as in CFR; drawn actions add noise.
    """
    rounds, worst = job.choose(1_000, 20_000), 0.0
    for seed in job.each(range(job.choose(5, 20))):
        payoffs = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
        run = rg.solve(rg.games.Matrix(payoffs), rg.CFR.replace(alternating=False), iterations=rounds, measure="never")
        average_regret = float(np.max(run.arrays["regret"])) / rounds
        bound = float(np.ptp(payoffs)) * np.sqrt(3) / np.sqrt(rounds)
        worst = max(worst, average_regret / bound)
    return Measured({"average regret ÷ bound": worst})


def blotto(job: Job) -> Measured:
    """Five soldiers, three fields, by regret matching in self-play."""
    game = rg.games.Blotto(soldiers=5, fields=3)
    tree = rg.build(game)
    rounds = job.choose(300_000, 10_000_000)
    run = rg.solve(tree, rg.RegretMatching(), iterations=rounds, seed=1, measure="never")
    exact = rg.equilibrium(tree)
    good = {(3, 2, 0), (3, 1, 1)}
    weights = zip(game.plans, run.strategy["player 0"].values(), strict=True)
    share = sum(p for plan, p in weights if tuple(sorted(plan, reverse=True)) in good)
    return Measured(
        {
            "pure strategies": len(game.plans),
            "value": exact.value,
            "exploitability": rg.exploitability(tree, run.strategy),
            "share of 3-2-0 and 3-1-1": share,
        }
    )


def battle_of_the_sexes(job: Job) -> Measured:
    """Two pure equilibria by Lemke's algorithm, the mixed one checked, and how far each is from an equilibrium."""
    tree = rg.build(rg.games.BattleOfTheSexes())
    towards = {name: [p, 1 - p] for name, p in (("movie", 0.9), ("game", 0.1))}
    priors = {name: {"player 0": near, "player 1": near} for name, near in towards.items()}
    pure = {name: rg.nash(tree, prior=rg.Strategy.from_dict(tree, prior)) for name, prior in priors.items()}
    mixed = rg.Strategy.from_dict(tree, {"player 0": [2 / 3, 1 / 3], "player 1": [1 / 3, 2 / 3]})
    payoffs = rg.values(tree, mixed)
    return Measured(
        {
            "both at the movie, player 0": float(pure["movie"].values[0]),
            "both at the movie, player 1": float(pure["movie"].values[1]),
            "both at the game, player 0": float(pure["game"].values[0]),
            "both at the game, player 1": float(pure["game"].values[1]),
            "mixed, each player": float(payoffs.max()),
            "NashConv of the mixed": rg.nash_conv(tree, mixed),
        }
    )


def fair_coin(job: Job) -> Measured:
    """A coin sends both to the same place."""
    tree = rg.build(rg.games.BattleOfTheSexes())
    joint = np.array([[0.5, 0.0], [0.0, 0.5]])
    game = rg.games.BattleOfTheSexes()
    worth = sum(joint[i, j] * np.array(game.outcome((i, j))) for i in range(2) for j in range(2))
    return Measured(
        {
            "each player": float(np.min(worth)),
            "gain by another action": rg.correlated_gap(tree, joint),
            "joint play of regret matching": joint_play_gap(tree, job.choose(20_000, 200_000)),
        }
    )


def joint_play_gap(tree: rg.Tree, rounds: int) -> float:
    """How far the joint play of regret matching is from a coarse correlated equilibrium."""
    run = rg.solve(tree, rg.RegretMatching(), iterations=rounds, seed=0, measure="never")
    return rg.coarse_correlated_gap(tree, run.joint)


PAGE = "regret-matching.md"

ROWS = (
    Claim(
        "rps-worked-rounds", NELLER_LANCTOT, "§2.3", "Regrets and the next strategy after two rounds, by hand",
        "rg.games.RockPaperScissors().outcome, regretless.kernels.numpy_matching.matched",
        (
            Expected("regret of paper, round 1", 1),
            Expected("regret of scissors, round 1", 2),
            Expected("next paper", 1 / 3, tolerance=1e-12, printed="1/3"),
            Expected("next scissors", 2 / 3, tolerance=1e-12, printed="2/3"),
            Expected("regret of rock, both rounds", 1),
            Expected("regret of paper, both rounds", 3),
            Expected("then rock", 1 / 6, tolerance=1e-12, printed="1/6"),
            Expected("then paper", 3 / 6, tolerance=1e-12, printed="3/6"),
            Expected("then scissors", 2 / 6, tolerance=1e-12, printed="2/6"),
        ),
        worked_rounds, page=PAGE,
    ),
    Claim(
        "rps-fixed-opponent", NELLER_LANCTOT, "§2.4",
        "Regret matching against (0.4, 0.3, 0.3) learns the pure best response, paper",
        "rg.solve(tree, rg.RegretMatching(), iterations=1_000_000, fixed={0: (0.4, 0.3, 0.3)})",
        (
            Expected("paper in the average", 1, tolerance=0.005, quick_tolerance=0.02),
            Expected("best response wins", 0.1, tolerance=1e-9),
        ),
        against_a_fixed_opponent, page=PAGE,
    ),
    Claim(
        "rps-equilibrium", NELLER_LANCTOT, "§2.5, exercise", "Both players learn: averages tend to one third each",
        "rg.solve(tree, rg.RegretMatching(), iterations=1_000_000)",
        tuple(
            Expected(name, 1 / 3, tolerance=0.005, quick_tolerance=0.02, printed="1/3")
            for name in ("rock", "paper", "scissors")
        ),
        self_play, page=PAGE,
    ),
    Claim(
        "regret-matching-bound", HART, "theorem; first document", "Average regret is at most Δ √(actions) / √T",
        "rg.solve(rg.games.Matrix(payoffs), rg.CFR.replace(alternating=False)).arrays['regret'].max() / T",
        (Expected("average regret ÷ bound", 1, "≤"),),
        regret_and_bound, page=PAGE,
    ),
    Claim(
        "blotto", NELLER_LANCTOT, "§2.6, exercise", "Colonel Blotto with S = 5, N = 3 by regret matching",
        "rg.solve(rg.games.Blotto(5, 3), rg.RegretMatching())",
        (
            Expected("pure strategies", 21),
            Expected("value", 0, tolerance=1e-9),
            Expected("exploitability", 0, tolerance=0.005, quick_tolerance=0.03, printed="→ 0"),
            Expected("share of 3-2-0 and 3-1-1", 1, tolerance=0.01, quick_tolerance=0.05, printed="→ 1"),
        ),
        blotto, page=PAGE,
    ),
    Claim(
        "battle-of-the-sexes", NELLER_LANCTOT, "§2.2",
        "Three Nash equilibria: two pure ones and (2/3, 1/3), (1/3, 2/3)",
        "rg.nash(tree, prior=…), rg.nash_conv(tree, mixed)",
        (
            Expected("both at the movie, player 0", 2, tolerance=1e-9),
            Expected("both at the movie, player 1", 1, tolerance=1e-9),
            Expected("both at the game, player 0", 1, tolerance=1e-9),
            Expected("both at the game, player 1", 2, tolerance=1e-9),
            Expected("mixed, each player", 2 / 3, tolerance=1e-9, printed="2/3"),
            Expected("NashConv of the mixed", 0, tolerance=1e-9),
        ),
        battle_of_the_sexes, page=PAGE,
    ),
    Claim(
        "correlated-coin", NELLER_LANCTOT, "§2.2", "A fair coin is a correlated equilibrium and pays 1.5 to each",
        "rg.correlated_gap(tree, [[0.5, 0], [0, 0.5]])",
        (
            Expected("each player", 1.5),
            Expected("gain by another action", 0, tolerance=1e-12),
            Expected("joint play of regret matching", 0, tolerance=0.005, quick_tolerance=0.01, printed="→ 0"),
        ),
        fair_coin, page=PAGE,
    ),
)  # fmt: skip
