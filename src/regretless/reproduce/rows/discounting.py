"""Rows about linear CFR and discounted CFR."""

from __future__ import annotations

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Line, Measured, Picture
from regretless.reproduce.kept_results import kept_content
from regretless.reproduce.sources import BROWN_DISCOUNTED

__all__ = ["ROWS"]

VARIANTS = {"CFR": rg.CFR, "CFR+": rg.CFR_PLUS, "linear CFR": rg.LINEAR_CFR, "DCFR": rg.DCFR}


def small_games(job: Job) -> Measured:
    """Exploitability after the same iterations: other variants over linear CFR and DCFR, on goofspiel and Leduc."""
    iterations = job.choose(300, 2_000)
    games: dict[str, rg.Game] = {"leduc": rg.games.Leduc()}
    if not job.quick:
        games["goofspiel"] = rg.games.Goofspiel(cards=5)
    numbers: dict[str, float] = {}
    lines: list[Line] = []
    for name, game in games.items():
        job.progress(name)
        tree = rg.build(game)
        runs = {label: rg.solve(tree, variant, iterations=iterations) for label, variant in VARIANTS.items()}
        gap = {label: run.exploitability for label, run in runs.items()}
        numbers[f"{name}: CFR ÷ linear CFR"] = gap["CFR"] / gap["linear CFR"]
        numbers[f"{name}: CFR ÷ DCFR"] = gap["CFR"] / gap["DCFR"]
        numbers[f"{name}: CFR+ ÷ DCFR"] = gap["CFR+"] / gap["DCFR"]
        if name == "leduc":
            lines = [
                Line(label, run.history["iteration"].tolist(), run.history["exploitability"].tolist())
                for label, run in runs.items()
            ]
    return Measured(numbers, Picture("Leduc poker", "iterations", "exploitability", tuple(lines), "xy"))


def flop_holdem(job: Job) -> Measured:
    """Iterations to 5 and to 1 mbb/g on flop hold'em, from the kept benchmark on a GPU."""
    rows = {row["variant"]: row for row in kept_content("benchmarks/results/holdem-variants-cuda.json")["rows"]}

    def iterations(variant: str, level: str) -> float:
        return float(rows[variant][f"to {level} mbb/g"].split()[0].replace(",", ""))

    return Measured(
        {
            "to 5 mbb/g: CFR ÷ linear CFR": iterations("cfr", "5") / iterations("linear", "5"),
            "to 5 mbb/g: CFR ÷ DCFR": iterations("cfr", "5") / iterations("dcfr", "5"),
            "to 5 mbb/g: CFR+ ÷ DCFR": iterations("cfr+", "5") / iterations("dcfr", "5"),
            "to 1 mbb/g: CFR+ ÷ DCFR": iterations("cfr+", "1") / iterations("dcfr", "1"),
        }
    )


def discount_factors(job: Job) -> Measured:
    """What DCFR(3/2, 0, 2) multiplies old regrets and averages with before iteration 11."""
    step = rg.DCFR.weights(11)
    linear = rg.LINEAR_CFR.weights(11)
    return Measured(
        {
            "positive regret, t = 10": step.positive,
            "negative regret, t = 10": step.negative,
            "average, t = 10": step.decay,
            "linear CFR, t = 10": linear.positive,
        }
    )


PAGE = "sampling.md"

ROWS = (
    Claim(
        "discount-factors", BROWN_DISCOUNTED, "§3", "DCFR(3/2, 0, 2) and linear CFR as factors of old regrets",
        "rg.DCFR.weights(11)",
        (
            Expected("positive regret, t = 10", 10**1.5 / (10**1.5 + 1), tolerance=1e-12, printed="t^1.5/(t^1.5+1)"),
            Expected("negative regret, t = 10", 0.5, tolerance=1e-12, printed="1/2"),
            Expected("average, t = 10", (10 / 11) ** 2, tolerance=1e-12, printed="(t/(t+1))²"),
            Expected("linear CFR, t = 10", 10 / 11, tolerance=1e-12, printed="t/(t+1)"),
        ),
        discount_factors, page=PAGE,
    ),
    Claim(
        "discounting-small-games", BROWN_DISCOUNTED, "figures of goofspiel and small games",
        "Linear CFR and DCFR are ahead of CFR, and DCFR of CFR+",
        "rg.compare(tree, [rg.CFR, rg.CFR_PLUS, rg.LINEAR_CFR, rg.DCFR], iterations=2_000)",
        tuple(
            Expected(f"{game}: {first} ÷ {second}", 1, "≥", printed="ahead")
            for game in ("goofspiel", "leduc")
            for first, second in (("CFR", "linear CFR"), ("CFR", "DCFR"), ("CFR+", "DCFR"))
        ),
        small_games, minutes=0.5, page=PAGE,
    ),
    Claim(
        "discounting-holdem", BROWN_DISCOUNTED, "figures of hold'em subgames",
        "In hold'em, too, DCFR needs fewer iterations than CFR+, and linear CFR than CFR",
        "python -m benchmarks.holdem variants --device cuda",
        (
            Expected("to 5 mbb/g: CFR ÷ linear CFR", 1, "≥", printed="ahead"),
            Expected("to 5 mbb/g: CFR ÷ DCFR", 1, "≥", printed="ahead"),
            Expected("to 5 mbb/g: CFR+ ÷ DCFR", 1, "≥", printed="ahead"),
            Expected("to 1 mbb/g: CFR+ ÷ DCFR", 1, "≥", printed="ahead"),
        ),
        flop_holdem, kept="benchmarks/results/holdem-variants-cuda.json", needs="one H200 GPU, 3 minutes",
        page="fhp.md",
        why="The paper's games are turn and river subgames of no-limit hold'em; ours is flop hold'em as a whole.",
    ),
)  # fmt: skip
