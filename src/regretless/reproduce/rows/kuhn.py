"""Rows about CFR itself: Kuhn poker, the bound on regret, averages and alternating updates."""

from __future__ import annotations

import numpy as np

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Line, Measured, Picture
from regretless.reproduce.sources import BROWN_DEEP, NELLER_LANCTOT, ZINKEVICH

__all__ = ["ROWS"]


def kuhn_value(job: Job) -> Measured:
    """The value by linear programming and by CFR."""
    tree = rg.build(rg.games.Kuhn())
    run = rg.solve(tree, rg.CFR, iterations=job.choose(20_000, 1_000_000), measure="never")
    return Measured(
        {
            "infosets": tree.infosets,
            "exact value": rg.equilibrium(tree).value,
            "value of CFR's average": rg.value(tree, run.strategy),
        }
    )


def from_the_family(strategy: rg.Strategy) -> float:
    """How far a strategy is from the nearest equilibrium of Kuhn poker, in probability of a single action.

    Player 0 bets J with α ≤ 1/3, Q never, K with 3α, and calls with Q with α + 1/3; player 1 has one equilibrium.
    """
    alpha = strategy["J"]["bet"]
    wanted = {
        "Q": 0.0, "K": 3 * alpha, "Jpb": 0.0, "Qpb": alpha + 1 / 3,
        "Qb": 1 / 3, "Jp": 1 / 3, "Jb": 0.0, "Qp": 0.0, "Kb": 1.0, "Kp": 1.0,
    }  # fmt: skip
    off = [abs(strategy[label]["bet"] - probability) for label, probability in wanted.items()]
    return max(*off, -alpha, alpha - 1 / 3)


def kuhn_family(job: Job) -> Measured:
    """Where several methods end on the line of equilibria."""
    tree = rg.build(rg.games.Kuhn())
    iterations = job.choose(20_000, 1_000_000)
    found = {"exact": rg.equilibrium(tree).strategy}
    for name, variant in (("CFR", rg.CFR), ("CFR+", rg.CFR_PLUS), ("DCFR", rg.DCFR)):
        job.progress(name)
        found[name] = rg.solve(tree, variant, iterations=iterations, measure="never").strategy
    alphas = [float(strategy["J"]["bet"]) for strategy in found.values()]
    return Measured(
        {
            "player 1 calls with the queen": found["CFR+"]["Qb"]["bet"],
            "player 1 bluffs with the jack": found["CFR+"]["Jp"]["bet"],
            "largest α of four solutions": max(alphas),
            "farthest from the family": max(map(from_the_family, found.values())),
        }
    )


def regret_bound(job: Job) -> Measured:
    """Exploitability of simultaneous CFR on Leduc poker beside both bounds of the theorem."""
    tree = rg.build(rg.games.Leduc())
    iterations, points = job.choose(300, 100_000), []
    variant = rg.CFR.replace(alternating=False)
    payoffs = [tree.game.payoffs(state) for state in _terminal_states(tree.game)]
    spread = float(np.ptp([chips[0] for chips in payoffs]))
    widths = np.array([len(actions) for actions in tree.labels.actions])
    for t in job.each([t for t in (10, 100, 1_000, 10_000, 100_000) if t <= iterations] + [iterations]):
        run = rg.solve(tree, variant, iterations=t, measure="never")
        theorem = spread * float(np.sqrt(widths).sum()) / np.sqrt(t) / 2
        points.append((t, rg.exploitability(tree, run.strategy), run.regret_bound, theorem))
    when, gap, bound, theorems = (list(column) for column in zip(*points, strict=True))
    picture = Picture(
        "Leduc poker, CFR with simultaneous updates", "iterations", "chips per game",
        (
            Line("Δ Σ √actions / √T", when, theorems),
            Line("Σ max R⁺ / T", when, bound),
            Line("exploitability", when, gap),
        ),
        "xy",
    )  # fmt: skip
    return Measured(
        {
            "exploitability ÷ Σ max R⁺ / T": max(np.divide(gap, bound)),
            "Σ max R⁺ / T ÷ Δ Σ √actions / √T": max(np.divide(bound, theorems)),
        },
        picture,
    )


def _terminal_states(game: rg.Game) -> list[object]:
    """All states in which a game is over."""
    ends, open_states = [], [game.root()]
    while open_states:
        state = open_states.pop()
        if game.player(state) == rg.TERMINAL:
            ends.append(state)
        else:
            open_states += [game.play(state, action) for action in game.actions(state)]
    return ends


def folk_theorem(job: Job) -> Measured:
    """NashConv of the averages over the sum of both average regrets; both regrets at most ε give 2ε."""
    tree = rg.build(rg.games.Kuhn())
    worst = 0.0
    for t in job.each((10, 100, 1_000, 10_000)):
        run = rg.solve(tree, rg.CFR.replace(alternating=False), iterations=t, measure="never")
        worst = max(worst, rg.exploitability(tree, run.strategy) / run.regret_bound)
    return Measured({"NashConv ÷ sum of regrets": worst})


def average_and_current(job: Job) -> Measured:
    """CFR's average strategy converges, its current strategy does not."""
    tree = rg.build(rg.games.Kuhn())
    run = rg.solve(tree, rg.CFR.replace(alternating=False), iterations=job.choose(10_000, 1_000_000), measure="never")
    average, current = (rg.exploitability(tree, strategy) for strategy in (run.strategy, run.current))
    return Measured({"average": average, "current": current})


def alternating(job: Job) -> Measured:
    """Exploitability with simultaneous updates over that with alternating ones, on Leduc poker."""
    tree, iterations = rg.build(rg.games.Leduc()), job.choose(500, 10_000)
    ratio = {}
    for name, variant in (("CFR", rg.CFR), ("CFR+", rg.CFR_PLUS)):
        job.progress(name)
        both = (
            rg.solve(tree, variant.replace(alternating=turns), iterations=iterations, measure="never").strategy
            for turns in (False, True)
        )
        simultaneous, in_turn = (rg.exploitability(tree, strategy) for strategy in both)
        ratio[f"{name}: simultaneous ÷ alternating"] = simultaneous / in_turn
    return Measured(ratio)


ROWS = (
    Claim(
        "kuhn-value", NELLER_LANCTOT, "§3.4", "Kuhn poker has 12 infosets and is worth −1/18 to the first player",
        "rg.equilibrium(tree).value; rg.solve(tree, rg.CFR, iterations=1_000_000)",
        (
            Expected("infosets", 12),
            Expected("exact value", -1 / 18, tolerance=1e-9, printed="−1/18"),
            Expected("value of CFR's average", -1 / 18, tolerance=2e-4, quick_tolerance=2e-3, printed="−1/18"),
        ),
        kuhn_value, page="kuhn.md",
    ),
    Claim(
        "kuhn-family", NELLER_LANCTOT, "§3.4", "CFR ends on the family of equilibria: J α, K 3α, call with Q α + 1/3",
        "rg.solve(tree, rg.CFR, iterations=1_000_000).strategy",
        (
            Expected("player 1 calls with the queen", 1 / 3, tolerance=0.01, printed="1/3"),
            Expected("player 1 bluffs with the jack", 1 / 3, tolerance=0.01, printed="1/3"),
            Expected("largest α of four solutions", 1 / 3, "≤", tolerance=0.01, printed="≤ 1/3"),
            Expected("farthest from the family", 0, tolerance=0.01, quick_tolerance=0.03),
        ),
        kuhn_family, page="kuhn.md",
    ),
    Claim(
        "cfr-regret-bound", ZINKEVICH, "theorems 3 and 4",
        "The sum of local regrets bounds the total, and falls with √T",
        "rg.solve(tree, rg.CFR.replace(alternating=False)).regret_bound",
        (
            Expected("exploitability ÷ Σ max R⁺ / T", 1, "≤"),
            Expected("Σ max R⁺ / T ÷ Δ Σ √actions / √T", 1, "≤"),
        ),
        regret_bound, minutes=0.5, page="kuhn.md",
    ),
    Claim(
        "folk-theorem", ZINKEVICH, "theorem 2; first document",
        "If both average regrets are at most ε, averages are 2ε-Nash",
        "rg.nash_conv(tree, run.strategy)",
        (Expected("NashConv ÷ sum of regrets", 1, "≤"),),
        folk_theorem, page="kuhn.md",
    ),
    Claim(
        "average-and-current", NELLER_LANCTOT, "§3.3", "The average strategy converges, the last one does not",
        "rg.exploitability(tree, run.strategy), rg.exploitability(tree, run.current)",
        (
            Expected("average", 0, tolerance=0.001, quick_tolerance=0.005, printed="→ 0"),
            Expected("current", 0.01, "≥", printed="not → 0"),
        ),
        average_and_current, page="kuhn.md",
    ),
    Claim(
        "alternating-updates", BROWN_DEEP, "§2.1; also Tammelin 2014", "Alternating updates converge faster",
        "rg.solve(tree, rg.CFR.replace(alternating=False))",
        (
            Expected("CFR: simultaneous ÷ alternating", 1, "≥"),
            Expected("CFR+: simultaneous ÷ alternating", 1, "≥"),
        ),
        alternating, page="kuhn.md",
    ),
)  # fmt: skip
