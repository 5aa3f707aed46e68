"""Rows about CFR+: one-card poker over deck sizes, current and average strategies, weights and delay."""

from __future__ import annotations

from collections.abc import Callable

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Line, Measured, Picture
from regretless.reproduce.sources import TAMMELIN

__all__ = ["ROWS"]

MILLIBET = 0.001
"""A thousandth of the bet of one-card poker, which is 1 chip."""
MOST = 100_000


def iterations_to(tree: rg.Tree, variant: rg.Variant, level: float) -> int:
    """Iterations until the average strategy's exploitability is below a level, measured at a growth factor of 1.02."""
    return rg.solve(tree, variant, iterations=MOST, until=level, measure=1.02).iterations


def current_iterations_to(tree: rg.Tree, variant: rg.Variant, level: float) -> int:
    """The same for the current strategy, which a run does not measure by itself."""
    below: Callable[[rg.Snapshot], bool] = lambda now: rg.exploitability(tree, now.current) <= level  # noqa: E731
    return rg.solve(tree, variant, iterations=MOST, callback=below, measure=1.02).iterations


def decks(job: Job) -> Measured:
    """Iterations to one millibet by deck size: CFR, CFR+'s average and CFR+'s current strategy."""
    sizes = job.choose((3, 13, 30), (3, 5, 8, 13, 20, 30, 50, 75, 100, 150, 200))
    plain, average, current = [], [], []
    for size in job.each(sizes):
        tree = rg.build(rg.games.OneCardPoker(deck=size))
        plain.append(iterations_to(tree, rg.CFR, MILLIBET))
        average.append(iterations_to(tree, rg.CFR_PLUS, MILLIBET))
        current.append(current_iterations_to(tree, rg.CFR_PLUS, MILLIBET))
    picture = Picture(
        "One-card poker: iterations to 1 millibet", "cards in the deck", "iterations",
        (Line("CFR", sizes, plain), Line("CFR+, current", sizes, current), Line("CFR+, average", sizes, average)), "xy",
    )  # fmt: skip
    return Measured(
        {
            "CFR ÷ CFR+ average, largest deck": plain[-1] / average[-1],
            "CFR ÷ CFR+ average, smallest deck": plain[0] / average[0],
            "CFR+ current ÷ average, smallest deck": current[0] / average[0],
            "CFR+ current, smallest ÷ largest deck": current[0] / current[-1],
        },
        picture,
    )


def current_strategy(job: Job) -> Measured:
    """On Leduc poker the current strategy of CFR+ comes close to equilibrium, that of CFR does not."""
    tree, iterations = rg.build(rg.games.Leduc()), job.choose(1_000, 20_000)
    plus, plain = (rg.solve(tree, variant, iterations=iterations, measure="never") for variant in (rg.CFR_PLUS, rg.CFR))
    return Measured(
        {
            "current, CFR ÷ CFR+": rg.exploitability(tree, plain.current) / rg.exploitability(tree, plus.current),
            "CFR+, current ÷ average": rg.exploitability(tree, plus.current) / rg.exploitability(tree, plus.strategy),
        }
    )


def averaging(job: Job) -> Measured:
    """Weights w = max(T − d, 0), and what they gain over an unweighted average on Leduc poker."""
    tree, iterations = rg.build(rg.games.Leduc()), job.choose(1_000, 20_000)
    late = rg.CFR_PLUS.replace(delay=100)
    flat = rg.CFR_PLUS.replace(averaging=rg.Polynomial(0))
    gap = {
        name: rg.exploitability(tree, rg.solve(tree, variant, iterations=iterations, measure="never").strategy)
        for name, variant in (("weighted", rg.CFR_PLUS), ("delayed", late), ("flat", flat))
    }
    first, tenth = late.weights(101), [late.weights(t) for t in range(102, 111)]
    share, weight = 1.0, first.weight
    for step in tenth:  # an average is kept with a decay, so the first weight fades as later ones are added
        share *= step.decay
    return Measured(
        {
            "weight of iteration 100, d = 100": late.weights(100).weight,
            "weight of iteration 110 ÷ 101, d = 100": tenth[-1].weight / (weight * share),
            "unweighted ÷ weighted": gap["flat"] / gap["weighted"],
            "delay 100 ÷ no delay": gap["delayed"] / gap["weighted"],
        }
    )


PAGE = "cfr-plus.md"

ROWS = (
    Claim(
        "cfr-plus-decks", TAMMELIN, "figure 1",
        "Iterations to 1 millibet over deck sizes: CFR+ needs less than a tenth of CFR's",
        "rg.solve(rg.games.OneCardPoker(deck=n), rg.CFR_PLUS, until=0.001)",
        (
            Expected("CFR ÷ CFR+ average, largest deck", 10, "≥", printed="≥ an order of magnitude"),
            Expected(
                "CFR ÷ CFR+ average, smallest deck", 10, "≥", printed="≥ an order of magnitude",
                differs="With three cards CFR+ is seven times faster, with ten or more cards more than ten times. The "
                "figure does not say how exploitability is counted; ours is NashConv / 2.",
            ),
            Expected("CFR+ current ÷ average, smallest deck", 1, "≥", printed="slower"),
            Expected("CFR+ current, smallest ÷ largest deck", 1, "≥", printed="slower when the deck is small"),
        ),
        decks, minutes=1, page=PAGE,
    ),
    Claim(
        "cfr-plus-current", TAMMELIN, "§3", "The current strategy almost converges, so that averages are optional",
        "rg.exploitability(tree, run.current)",
        (
            Expected("current, CFR ÷ CFR+", 10, "≥", printed="CFR's does not converge"),
            Expected("CFR+, current ÷ average", 1, "≥", printed="the average is better"),
        ),
        current_strategy, minutes=0.5, page=PAGE,
    ),
    Claim(
        "averaging-delay", TAMMELIN, "§3", "The average weighs iteration T with max(T − d, 0)",
        "rg.CFR_PLUS.replace(delay=100)",
        (
            Expected("weight of iteration 100, d = 100", 0),
            Expected("weight of iteration 110 ÷ 101, d = 100", 10, tolerance=1e-9),
            Expected("unweighted ÷ weighted", 1, "≥", printed="faster"),
            Expected("delay 100 ÷ no delay", 1, "≤", tolerance=0.1, printed="no worse"),
        ),
        averaging, minutes=0.5, page=PAGE,
    ),
)  # fmt: skip
