"""Rows about cleaning a strategy and about opponents who err."""

from __future__ import annotations

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Line, Measured, Picture
from regretless.reproduce.sources import NELLER_LANCTOT

__all__ = ["ROWS"]

THRESHOLDS = (0.001, 0.01, 0.05, 0.1)


def thresholding(job: Job) -> Measured:
    """Drop rare actions of CFR's average on Leduc poker."""
    tree = rg.build(rg.games.Leduc())
    run = rg.solve(tree, rg.CFR, iterations=1_000, measure="never")
    report = rg.cleaning_report(tree, run, thresholds=THRESHOLDS)
    as_it_is, first = report.rows[0], report.rows[1]
    wins = [row.head_to_head or 0.0 for row in report.rows[1:]]
    names = (0.0, *THRESHOLDS)
    gaps = [float(row.exploitability) for row in report.rows[: len(names)]]
    picture = Picture(
        "Leduc poker, CFR after 1,000 iterations", "threshold", "exploitability (chips per game)",
        (Line("actions below the threshold dropped", names, gaps),), "y",
    )  # fmt: skip
    return Measured(
        {
            "exploitability, threshold 0.001 ÷ before": first.exploitability / as_it_is.exploitability,
            "least that a cleaned strategy wins from the uncleaned": min(wins),
        },
        picture,
    )


def purification(job: Job) -> Measured:
    """Keep the most likely action alone, on Leduc poker."""
    tree = rg.build(rg.games.Leduc())
    run = rg.solve(tree, rg.CFR, iterations=1_000, measure="never")
    pure = run.strategy.most_likely()
    return Measured(
        {
            "wins from the unpurified": rg.head_to_head(tree, pure, run.strategy),
            "exploitability after ÷ before": rg.exploitability(tree, pure) / rg.exploitability(tree, run.strategy),
        }
    )


def resetting(job: Job) -> Measured:
    """Exploitability with strategy sums set to zero half-way, over that without."""
    iterations, numbers = 1_000, {}
    for name in job.each(("kuhn", "leduc")):
        tree = rg.build(name)
        plain, reset = (
            rg.exploitability(tree, rg.solve(tree, variant, iterations=iterations, measure="never").strategy)
            for variant in (rg.CFR, rg.CFR.replace(delay=iterations // 2))
        )
        numbers[f"{name}: reset ÷ not reset"] = reset / plain
    return Measured(numbers)


def literal_error_value(game: rg.Game, strategy: rg.Strategy, epsilon: float) -> tuple[float, int]:
    """u_ε of the root for player 0, by the definition term by term, and how many products of moves it adds up.

    u_ε(h) = (1 − ε) u_σ(h) + ε u_r(h) at every decision: two sums over all actions, one for σ and one for random play.
    """
    terms = 0

    def u(state: object) -> float:
        nonlocal terms
        mover = game.player(state)
        if mover == rg.TERMINAL:
            terms += 1
            return float(game.payoffs(state)[0])
        after = [(action, game.play(state, action)) for action in game.actions(state)]
        if mover == rg.CHANCE:
            return sum(p * u(child) for p, (_, child) in zip(game.chance(state), after, strict=True))
        mixed = strategy[game.infoset_label(game.infoset(state))]
        intended = sum(mixed[game.action_label(action)] * u(child) for action, child in after)
        random = sum(u(child) for _, child in after) / len(after)
        return (1 - epsilon) * intended + epsilon * random

    return u(game.root()), terms


def error_model(job: Job) -> Measured:
    """The ε-error model in Kuhn poker: the definition with all its terms, and the mixed strategy."""
    game = rg.games.Kuhn()
    tree = rg.build(game)
    strategy, epsilon = rg.equilibrium(tree).strategy, 0.1
    literal, terms = literal_error_value(game, strategy, epsilon)
    mixed = rg.value(tree, rg.erring(strategy, epsilon))
    return Measured({"|difference|": abs(literal - mixed), "terms ÷ histories": terms / tree.terminals})


def exploiting_equilibrium(job: Job) -> Measured:
    """The equilibrium of Kuhn poker that earns most from an opponent who errs, and the others of the family."""
    tree = rg.build(rg.games.Kuhn())
    best = rg.exploiting_equilibrium(tree, player=0, epsilon=0.1)
    model = rg.erring(rg.equilibrium(tree).strategy, 0.1, player=1)
    alphas = [i / 18 for i in range(7)]
    earned = [rg.value(tree, family_member(tree, alpha).with_player(1, model)) for alpha in alphas]
    learned = rg.solve(tree, rg.EpsilonCFR(0.05, player=0), iterations=job.choose(2_000, 50_000), measure="never")
    picture = Picture(
        "Kuhn poker: what equilibria earn from an opponent who errs once in ten moves", "α",
        "chips per game", (Line("equilibrium with this α", alphas, earned),),
    )  # fmt: skip
    return Measured(
        {
            "guaranteed": best.security,
            "earned from the model": best.value,
            "earned with α = 1/3": earned[-1],
            "bluffs, by linear programming": best.strategy["J"]["bet"],
            "bluffs, by ε-CFR": learned.strategy["J"]["bet"],
        },
        picture,
    )


def family_member(tree: rg.Tree, alpha: float) -> rg.Strategy:
    """The equilibrium of player 0 that bluffs with probability α; player 1 plays the only one there is."""
    bets = {
        "J": alpha, "Q": 0, "K": 3 * alpha, "Jpb": 0, "Qpb": alpha + 1 / 3, "Kpb": 1,
        "Jb": 0, "Qb": 1 / 3, "Kb": 1, "Jp": 1 / 3, "Qp": 0, "Kp": 1,
    }  # fmt: skip
    return rg.Strategy.from_dict(tree, {label: {"pass": 1 - p, "bet": p} for label, p in bets.items()})


PAGE = "mistakes.md"

ROWS = (
    Claim(
        "thresholding", NELLER_LANCTOT, "§4", "Actions below 0.001 are left over from early play; dropping them helps",
        "rg.cleaning_report(tree, run, thresholds=(0.001, …))",
        (
            Expected("exploitability, threshold 0.001 ÷ before", 1, "≤", printed="improves"),
            Expected("least that a cleaned strategy wins from the uncleaned", 0, "≥", printed="improves"),
        ),
        thresholding, page=PAGE,
    ),
    Claim(
        "purification", NELLER_LANCTOT, "§4", "A purified strategy plays better than the computed one",
        "run.strategy.most_likely()",
        (
            Expected("wins from the unpurified", 0, "≥", printed="improves"),
            Expected(
                "exploitability after ÷ before", 1, "≤", printed="improves",
                differs="A pure strategy wins from the one it was made of, but a strategy needs mixing to be safe: a "
                "best response wins far more from the pure one. Thresholds of 0.001 keep the mixing.",
            ),
        ),
        purification, page=PAGE,
    ),
    Claim(
        "resetting-sums", NELLER_LANCTOT, "§4", "Setting strategy sums to zero half-way improves the average",
        "rg.solve(tree, rg.CFR.replace(delay=500), iterations=1_000)",
        (
            Expected("kuhn: reset ÷ not reset", 1, "≤", printed="improves"),
            Expected(
                "leduc: reset ÷ not reset", 1, "≤", printed="improves",
                differs="It helps in Kuhn poker and hurts in Leduc poker. The regret of the second half is the final "
                "regret minus the regret half-way; where the latter is negative the difference is large. Variants that "
                "discount have the benefit without the harm.",
            ),
        ),
        resetting, page=PAGE,
    ),
    Claim(
        "error-model", NELLER_LANCTOT, "§6", "An error model with exponentially many terms is one mixed strategy",
        "rg.value(tree, rg.erring(strategy, 0.1))",
        (
            Expected("|difference|", 0, tolerance=1e-12),
            Expected("terms ÷ histories", 2, "≥", printed="(2 |A|)^d terms"),
        ),
        error_model, page=PAGE,
    ),
    Claim(
        "exploiting-equilibria", NELLER_LANCTOT, "§6, open question",
        "Among equilibria, which gains most from mistakes? In Kuhn poker the one that bluffs most, α = 1/3",
        "rg.exploiting_equilibrium(tree, player=0, epsilon=0.1); rg.EpsilonCFR(0.05)",
        (
            Expected("guaranteed", -1 / 18, tolerance=1e-7, printed="−1/18"),
            Expected("earned from the model", -1 / 18, "≥", printed="≥ −1/18"),
            Expected("earned with α = 1/3", -1 / 18, "≥", printed="≥ −1/18"),
            Expected("bluffs, by linear programming", 1 / 3, tolerance=1e-6, printed="1/3"),
            Expected("bluffs, by ε-CFR", 1 / 3, tolerance=0.01, quick_tolerance=0.05, printed="1/3"),
        ),
        exploiting_equilibrium, page=PAGE,
    ),
)  # fmt: skip
