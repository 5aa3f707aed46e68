"""Rows about Dudo, Liar Die and memories that forget."""

from __future__ import annotations

from math import comb

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Line, Measured, Picture
from regretless.reproduce.sources import NELLER_HNATH, NELLER_LANCTOT

__all__ = ["ROWS"]


def claimed(game: rg.games.Dudo, rolls: str, claims: list[str]) -> tuple[int, ...]:
    """The state after these rolls, a digit for each die, and these claims."""
    state = game.root()
    for label in [f"roll {face}" for face in rolls] + claims:
        state = game.play(state, next(a for a in game.actions(state) if game.action_label(a) == label))
    return state


def dudo_value(job: Job) -> Measured:
    """The value of one die against one, exactly and by CFR+."""
    tree = rg.build(rg.games.Dudo())
    run = rg.solve(tree, rg.CFR_PLUS, iterations=job.choose(200, 5_000), measure="never")
    numbers = {
        "infosets": tree.infosets,
        "value of CFR+": rg.value(tree, run.strategy),
        "exploitability of CFR+": rg.exploitability(tree, run.strategy),
    }
    if not job.quick:
        numbers["exact value"] = rg.equilibrium(tree).value
    return Measured(numbers)


def challenges(job: Job) -> Measured:
    """What a challenge of seven sixes costs when ten, five or seven dice count: the document's example."""
    game = rg.games.Dudo(dice=(5, 5))
    found = {}
    for count, rolls in ((10, "6666611111"), (5, "6666122222"), (7, "6666611222")):
        over = claimed(game, rolls, ["7x6", "dudo"])
        first, second = game.payoffs(over)
        found[count] = (max(first, second), float(second > 0))
    return Measured(
        {
            "dice lost, count 10": found[10][0],
            "dice lost, count 5": found[5][0],
            "dice lost, count 7": found[7][0],
            "the challenger loses when the count is higher": 1 - found[10][1],
            "the claimant loses when the count is lower": found[5][1],
        }
    )


def forgotten_claims(job: Job) -> Measured:
    """Two claim sequences that end alike are one infoset for a memory of three claims, and two with perfect recall."""
    long, short = ["1x2", "1x3", "1x5", "1x6", "2x2"], ["1x5", "1x6", "2x2"]
    same = []
    for recall in (3, None):
        game = rg.games.Dudo(recall=recall)
        infosets = [game.infoset(claimed(game, "34", claims)) for claims in (long, short)]
        same.append(float(infosets[0] == infosets[1]))
    return Measured({"same infoset, memory of 3": same[0], "same infoset, perfect recall": same[1]})


def match_infosets(dice: int, sides: int, memory: int | None = None) -> int:
    """Infosets of a match between two players, by the rules of `Dudo`: each reachable round, each seat.

    The winner of the last challenge begins, so that the other player holds fewer dice than at the start in all rounds
    but the first. A round of n dice has sides · n claims. Who begins sees the sets with an even number of claims, the
    other those with an odd number; a memory of m claims keeps the last m and not who began.
    """
    rounds = [(dice, dice)] + [(first, second) for first in range(1, dice + 1) for second in range(1, dice)]
    found: dict[tuple[int, ...], int] = {}
    for first, second in rounds:
        claims = sides * (first + second)
        for made in range(claims + 1):
            own, other = (first, second) if made % 2 == 0 else (second, first)
            known = made if memory is None else min(made, memory)
            seat = () if memory is not None else (first, second)
            found[own, other, known, *seat] = comb(own + sides - 1, sides - 1) * comb(claims, known)
    return sum(found.values())


def sizes(job: Job) -> Measured:
    """Infosets of one die each with a memory of m claims, and of the whole match with five dice each."""
    infosets = {f"memory {m}": rg.graph_of(rg.games.Dudo(recall=m)).infosets for m in job.each((1, 2, 3))}
    one_round = rg.build(rg.games.Dudo()).infosets
    if match_infosets(1, 6) != one_round:
        raise AssertionError("the formula of match_infosets does not count a round as the game does")
    if any(match_infosets(1, 6, m) != infosets[f"memory {m}"] for m in (1, 2, 3)):
        raise AssertionError("the formula of match_infosets does not count a memory as the game does")
    return Measured(
        {
            "perfect recall": one_round,
            **infosets,
            "five dice each, whole match": match_infosets(5, 6),
            "five dice each, whole match, memory 3": match_infosets(5, 6, 3),
        }
    )


def memory(job: Job) -> Measured:
    """What an opponent who remembers everything wins from a player with a memory of m claims."""
    sides, iterations = job.choose(3, 6), job.choose(300, 5_000)
    recalls = range(1, 5)
    games = {m: rg.games.Dudo(1, sides, m) for m in recalls}
    method = rg.FSICFR(variant=rg.PDCFR_PLUS)
    runs = {m: rg.solve(games[m], method, iterations=iterations) for m in job.each(recalls)}
    whole = rg.build(rg.games.Dudo(1, sides)).infosets
    gaps = [run.exploitability for run in runs.values()]
    picture = Picture(
        f"Dudo, one die of {sides} sides each", "claims remembered", "exploitability in the real game",
        (Line("FSICFR", list(recalls), gaps),), "y",
    )  # fmt: skip
    numbers = {"exploitability, memory 3": gaps[2], "memory 1 ÷ memory 3": gaps[0] / gaps[2]}
    if not job.quick:  # with few claims three of them are most of the memory
        numbers["share of infosets, memory 3"] = runs[3].infosets / whole
    return Measured(numbers, picture)


def visits(job: Job) -> Measured:
    """Positions visited in an iteration: path by path, as recursion does, and each position once."""
    walked: list[float] = []
    merged: list[float] = []
    claims: list[float] = []
    for sides in job.each(range(2, job.choose(4, 6) + 1)):
        game = rg.games.Dudo(1, sides, 3)
        for found, merge in ((walked, False), (merged, True)):
            run = rg.solve(game, rg.FSICFR(merge=merge, listed=False), iterations=2)
            found.append(float(run.history["nodes"][-1]) / run.iterations)
        claims.append(2 * sides)
    picture = Picture(
        "Dudo, one die each, memory of three claims", "claims in the game", "positions visited in an iteration",
        (Line("recursive CFR", claims, walked), Line("FSICFR", claims, merged)), "y",
    )  # fmt: skip
    grows = [(found[-1] / found[-2]) ** 0.5 for found in (walked, merged)]
    return Measured(
        {
            "recursion, growth for one more claim": grows[0],
            "FSICFR, growth for one more claim": grows[1],
            "recursion ÷ FSICFR, most claims": walked[-1] / merged[-1],
        },
        picture,
    )


def liar_die(job: Job) -> Measured:
    """A memory of two claims loses nothing in Liar Die."""
    sides = job.choose(4, 6)
    tree = rg.build(rg.games.LiarDie(sides=sides))
    iterations = job.choose(2_000, 20_000)
    run = rg.solve(rg.games.LiarDie(sides=sides, recall=2), rg.FSICFR(variant=rg.PCFR_PLUS), iterations=iterations)
    return Measured(
        {
            "lost by forgetting": abs(rg.equilibrium(tree).value - run.value),
            "exploitability in the real game": run.exploitability,
            "infosets, memory 2 ÷ perfect recall": run.infosets / tree.infosets,
        }
    )


ROWS = (
    Claim(
        "dudo-value", NELLER_LANCTOT, "§3.5, exercise", "Dudo with one die each is worth −7/258 to who begins",
        "rg.equilibrium(rg.build(rg.games.Dudo())).value; rg.solve(tree, rg.CFR_PLUS, iterations=5_000)",
        (
            Expected("infosets", 24_576),
            Expected("exact value", -7 / 258, tolerance=1e-9, printed="−7/258"),
            Expected("value of CFR+", -7 / 258, tolerance=1e-4, quick_tolerance=5e-3, printed="−7/258"),
            Expected("exploitability of CFR+", 0, tolerance=1e-3, quick_tolerance=0.02, printed="→ 0"),
        ),
        dudo_value, minutes=0.5, page="dudo.md",
    ),
    Claim(
        "dudo-challenge", NELLER_HNATH, "§2, example", "A challenge of 7×6 when the count is 10, 5 or 7",
        "rg.games.Dudo(dice=(5, 5)).payoffs(state)",
        (
            Expected("dice lost, count 10", 3),
            Expected("dice lost, count 5", 2),
            Expected("dice lost, count 7", 1),
            Expected("the challenger loses when the count is higher", 1, printed="yes"),
            Expected("the claimant loses when the count is lower", 1, printed="yes"),
        ),
        challenges, page="dudo.md",
    ),
    Claim(
        "dudo-forgotten-claims", NELLER_HNATH, "§3, example",
        "1×2, 1×3, 1×5, 1×6, 2×2 and 1×5, 1×6, 2×2 are one infoset for a memory of three claims",
        "rg.games.Dudo(recall=3).infoset(state)",
        (
            Expected("same infoset, memory of 3", 1, printed="yes"),
            Expected("same infoset, perfect recall", 0, printed="no"),
        ),
        forgotten_claims, page="dudo.md",
    ),
    Claim(
        "dudo-infosets", NELLER_HNATH, "table 1", "Infosets with perfect recall and with a memory of m claims",
        "rg.graph_of(rg.games.Dudo(recall=3)).infosets",
        (
            Expected("perfect recall", 24_576),
            Expected("memory 1", 78),
            Expected("memory 2", 474),
            Expected("memory 3", 1_794),
            Expected(
                "five dice each, whole match", 294_021_177_291_188_232_192, printed="294,021,177,291,188,232,192"
            ),
            Expected(
                "five dice each, whole match, memory 3", 22e6, "≤", printed="≤ 22 million",
                differs="The number with perfect recall agrees digit by digit. Counted in the same way, a memory of "
                "three claims leaves 37 million; the paper does not say how it counts its 22 million.",
            ),
        ),
        sizes, page="dudo.md",
    ),
    Claim(
        "dudo-memory", NELLER_HNATH, "§5", "Forgetting saves most infosets at a slight penalty",
        "rg.solve(rg.games.Dudo(recall=3), rg.FSICFR(variant=rg.PDCFR_PLUS)).exploitability",
        (
            Expected("share of infosets, memory 3", 0.1, "≤", printed="a small part"),
            Expected("exploitability, memory 3", 0.03, "≤", printed="slight"),
            Expected("memory 1 ÷ memory 3", 1, "≥", printed="memory helps"),
        ),
        memory, minutes=0.5, page="dudo.md",
    ),
    Claim(
        "fsicfr-cost", NELLER_HNATH, "figure 3", "Visits grow exponentially with claims in recursion, not in FSICFR",
        "rg.solve(game, rg.FSICFR(merge=False)).history['nodes']",
        (
            Expected("recursion, growth for one more claim", 1.8, "≥", printed="exponential (2)"),
            Expected("FSICFR, growth for one more claim", 1.6, "≤", printed="polynomial"),
            Expected("recursion ÷ FSICFR, most claims", 10, "≥", printed="exponential savings"),
        ),
        visits, minutes=0.5, page="dudo.md",
    ),
    Claim(
        "liar-die", NELLER_LANCTOT, "§5.2", "A memory of two claims loses nothing, because the die is rolled again",
        "rg.solve(rg.games.LiarDie(recall=2), rg.FSICFR(variant=rg.PCFR_PLUS)).value",
        (
            Expected("lost by forgetting", 0, tolerance=1e-4, quick_tolerance=1e-3),
            Expected("exploitability in the real game", 0, tolerance=1e-3, quick_tolerance=5e-3, printed="→ 0"),
            Expected("infosets, memory 2 ÷ perfect recall", 0.25, "≤", printed="fewer"),
        ),
        liar_die, minutes=1, page="dudo.md",
    ),
)  # fmt: skip
