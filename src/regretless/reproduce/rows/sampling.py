"""Rows about Monte Carlo CFR."""

from __future__ import annotations

import numpy as np

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Line, Measured, Picture
from regretless.reproduce.sources import LANCTOT

__all__ = ["ROWS"]


def sampled_regret(tree: rg.Tree, method: rg.MCCFR) -> list[list[float]]:
    """Regrets of the first iteration by infoset, the mean of many walks of each player."""
    kept = rg.solve(tree, method, iterations=1, seed=1, measure="never").arrays["values"]
    found = []
    for actions in tree.labels.actions:  # an infoset keeps its regrets and then its sums of strategies
        found.append((kept[: len(actions)] / method.traversals).tolist())
        kept = kept[2 * len(actions) :]
    return found


def unbiased(job: Job) -> Measured:
    """Mean sampled regrets of one iteration of Kuhn poker against the exact ones of CFR, relative to the largest."""
    tree = rg.build(rg.games.Kuhn())
    exact = rg.solve(tree, rg.CFR, iterations=1, measure="never").arrays["regret"]
    wanted = [exact[tree.labels.sequences_of(infoset)] for infoset in range(tree.infosets)]
    numbers = {}
    walks = job.choose(50_000, 1_000_000)
    schemes = {"external": rg.MCCFR(traversals=walks), "outcome": rg.MCCFR(sampling="outcome", traversals=walks)}
    for sampling, method in schemes.items():
        job.progress(sampling)
        mean = sampled_regret(tree, method)
        off = max(float(np.abs(np.subtract(a, b)).max()) for a, b in zip(mean, wanted, strict=True))
        numbers[f"{sampling}: largest error"] = off / float(np.abs(exact).max())
    return Measured(numbers)


def touched(job: Job) -> Measured:
    """Histories touched until exploitability is 0.1 on Bluff(1, 1, s): every method, over external sampling."""
    tree = rg.build(rg.games.LiarsDice(sides=job.choose(5, 6)))
    level, nodes, lines = 0.1, {}, []
    schemes = {"external": rg.MCCFR(), "outcome": rg.MCCFR(sampling="outcome"), "chance": rg.MCCFR(sampling="chance")}
    for name, method in schemes.items():
        job.progress(name)
        run = rg.solve(tree, method, iterations=100_000_000, until=level, seed=1)
        nodes[name] = float(run.history["nodes"][-1])
        lines.append(Line(f"{name} sampling", run.history["nodes"].tolist(), run.history["exploitability"].tolist()))
    for name, variant in (("vanilla, simultaneous", rg.CFR.replace(alternating=False)), ("vanilla", rg.CFR)):
        run = rg.solve(tree, variant, iterations=100_000, until=level, measure=1)
        visited = run.history["iteration"] * float(2 * tree.histories)
        nodes[name] = float(visited[-1])
        lines.append(Line(name, visited.tolist(), run.history["exploitability"].tolist()))
    picture = Picture(
        f"Bluff(1, 1, {job.choose(5, 6)}): exploitability", "histories touched", "chips per game", tuple(lines), "xy"
    )
    return Measured(
        {
            "vanilla CFR ÷ external": nodes["vanilla, simultaneous"] / nodes["external"],
            "chance sampling ÷ external": nodes["chance"] / nodes["external"],
            "outcome ÷ external": nodes["outcome"] / nodes["external"],
        },
        picture,
    )


PAGE = "sampling.md"

ROWS = (
    Claim(
        "sampled-regrets-unbiased", LANCTOT, "lemma 1; Brown et al. 2019, lemma 1",
        "Sampled regrets have the mean of CFR's",
        "rg.solve(tree, rg.MCCFR(sampling='external', traversals=1_000_000), iterations=1)",
        (
            Expected("external: largest error", 0, tolerance=0.01, quick_tolerance=0.03, printed="→ 0"),
            Expected("outcome: largest error", 0, tolerance=0.02, quick_tolerance=0.06, printed="→ 0"),
        ),
        unbiased, minutes=0.25, page=PAGE,
    ),
    Claim(
        "sampling-nodes-touched", LANCTOT, "figure 1, Bluff",
        "External sampling needs fewer touched histories than vanilla CFR and chance sampling",
        "rg.solve(rg.games.LiarsDice(), rg.MCCFR(sampling='external'), until=0.1)",
        (
            Expected("vanilla CFR ÷ external", 1, "≥", printed="faster"),
            Expected("chance sampling ÷ external", 1, "≥", printed="faster"),
            Expected("outcome ÷ external", 1, "≥", printed="external is ahead"),
        ),
        touched, minutes=0.5, page=PAGE,
        why="At smaller exploitability CFR with alternating updates overtakes all sampling schemes in this game.",
    ),
)  # fmt: skip
