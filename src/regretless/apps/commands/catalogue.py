"""Rows of `regretless games` and `regretless algorithms`."""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.game import Game
    from regretless.linter import Report

__all__ = ["algorithm_rows", "compiles", "game_rows", "parameters_in_words", "report_for_machines"]

ALGORITHMS: dict[str, tuple[str, str]] = {
    "cfr": ("R ← R + r, play ∝ R⁺; every iteration counts alike", "Zinkevich et al. 2007"),
    "cfr+": ("R ← max(R + r, 0); iteration t counts t", "Tammelin 2014"),
    "linear": ("iteration t counts t, in regret and in the average", "Brown & Sandholm 2019"),
    "dcfr": (
        "R fades before r is added: R⁺ by (t−1)^1.5/((t−1)^1.5+1), R⁻ by half; iteration t counts t²",
        "Brown & Sandholm 2019",
    ),
    "dcfr+": ("R ← max(fading R + r, 0), exponent 1.5; iteration t counts t⁴", "Xu et al. 2024"),
    "pcfr+": (
        "CFR+ that plays as if the last r came once more; iteration t counts t²",
        "Farina, Kroer & Sandholm 2021",
    ),
    "pdcfr+": (
        "DCFR+ that plays as if the last r came once more; exponent 2.3, iteration t counts t⁵",
        "Xu et al. 2024",
    ),
    "sapcfr+": ("PCFR+ that expects a third of the last r", "Meng et al. 2025"),
    "hs-dcfr": (
        "DCFR whose exponents move on a schedule over horizon=N iterations",
        "Zhang, McAleer & Sandholm 2024",
    ),
    "hs-pcfr+": (
        "PCFR+ whose averaging moves on a schedule over horizon=N iterations",
        "Zhang, McAleer & Sandholm 2024",
    ),
    "cfr-br": ("CFR against opponents who always play a best response", "Johanson et al. 2012"),
    "fictitious-play": ("best responses to the average play so far, averaged", "Brown 1951"),
    "xfp": ("fictitious play on a tree, by averaging plans", "Heinrich, Lanctot & Silver 2015"),
    "regret-matching": (
        "one-shot games only: draw actions, regret the better ones, play ∝ R⁺",
        "Hart & Mas-Colell 2000",
    ),
    "polished-cfr": (
        "CFR until its exploitability is small, then linear programs restricted to the actions that look good; "
        "variant=dcfr, level=0.002, threshold=0.01",
        "Grohe et al. 2014 for merging symmetric sequences",
    ),
    "omd": (
        "optimistic mirror descent on plans with dilated entropy: weights=reach, kroer or global, eta=…, "
        "iterate=average or last",
        "Farina, Kroer & Sandholm 2019",
    ),
    "egt": ("excessive gap technique with dilated entropy: weights=kroer, global or reach", "Kroer et al. 2018"),
    "mmd": (
        "magnetic mirror descent: alpha=… or rationality=… for a quantal response equilibrium, else annealed to an "
        "equilibrium",
        "Sokota et al. 2023",
    ),
    "double-oracle": (
        "exact solutions of restricted games, enlarged by best responses in the whole game",
        "Bošanský et al. 2014",
    ),
    "xdo": ("double oracle whose restricted games are solved by CFR: variant=cfr+, epsilon=0.1", "McAleer et al. 2021"),
    "efce": (
        "any number of players: joint play that tends to an extensive-form correlated equilibrium, by regret about "
        "each recommended action; minimiser=pcfr+",
        "Farina et al. 2022",
    ),
    "efcce": (
        "the same for extensive-form coarse correlated equilibria, by regret about each infoset",
        "Farina, Bianchi & Sandholm 2020",
    ),
    "nfcce": (
        "CFR of all players at once: joint play that tends to a normal-form coarse correlated equilibrium",
        "Moulin & Vial 1978",
    ),
    "mccfr": (
        "CFR on walks that draw chance and the others: sampling=external, outcome, chance, average-strategy or "
        "public-chance; listed=no for games too large to list",
        "Lanctot et al. 2009",
    ),
    "fsicfr": (
        "CFR on a graph of positions, for games that forget: chance=enumerated or sampled, variant=…, reset=0.5; "
        "merge=no walks every path, to compare",
        "Neller & Hnath 2011",
    ),
    "deep-cfr": (
        "CFR on sampled walks with networks for regrets and for the average: traversals=3000, steps=50, "
        "widths=64x64x64, memory=merged, reservoir or window, refit=continued, fresh or recursive; needs torch",
        "Brown et al. 2019",
    ),
    "sd-cfr": ("Deep CFR whose average is that of all its value networks, without one for it", "Steinberger 2019"),
    "dream": (
        "Deep CFR from sampled plays alone, by outcome sampling with a learned baseline: exploration=0.5, "
        "traversals=1000, steps=50, value_steps=300; needs torch",
        "Steinberger, Lerer & Brown 2020",
    ),
    "escher": (
        "Deep CFR from sampled plays alone, with regrets from a network of history values; needs torch",
        "McAleer et al. 2023",
    ),
    "nfsp": (
        "best responses by deep Q-learning and an average that imitates them, by self-play: anticipation=0.1; "
        "needs torch",
        "Heinrich & Silver 2016",
    ),
}
"""The rule in a line, with R the regret so far and r that of the iteration, and where it was published."""


def algorithm_rows() -> list[dict[str, str]]:
    """Every algorithm: its name on the command line, its title, its rule and its paper."""
    from regretless.lookup.methods import all_methods

    return [
        {
            "name": name,
            "title": method.name,
            "rule": ALGORITHMS.get(name, (first_line(type(method)), ""))[0],
            "paper": ALGORITHMS.get(name, ("", ""))[1],
        }
        for name, method in all_methods().items()
    ]


def game_rows() -> list[dict[str, Any]]:
    """Every ready-made game: its name, its parameters with their defaults, and what it is."""
    from regretless.lookup.games import game_names

    return [
        {"name": name, "parameters": parameters(kind), "description": first_line(kind)}
        for name, kind in game_names().items()
    ]


def parameters(kind: Any) -> dict[str, str | None]:
    """Parameter names and defaults as a user would write them; None where a value must be given."""
    from regretless.games.spelling import written

    if not isinstance(kind, type):  # a game of another package that takes no parameters
        return {}
    given = [p for p in inspect.signature(kind).parameters.values() if p.kind is not p.KEYWORD_ONLY]
    return {p.name: None if p.default is p.empty else written(p.default) for p in given}


def parameters_in_words(given: dict[str, str | None]) -> str:
    """Parameters with their defaults; those that must be given in capitals."""
    return ", ".join(name.upper() if default is None else f"{name}={default}" for name, default in given.items())


def first_line(kind: type) -> str:
    """The first line of a class's documentation."""
    return (inspect.getdoc(kind) or "").partition("\n")[0].rstrip(".")


def compiles(game: Game) -> tuple[bool | None, str]:
    """Whether a game compiles, None where it is not marked so; and a sentence about it."""
    from regretless.compiled import compile_game, has_compiler, is_compiled
    from regretless.compiled.compile_errors import TooWide
    from regretless.errors import GameError

    if not (is_compiled(game) and has_compiler()):
        return None, ""
    try:
        made = compile_game(game)
    except TooWide as reason:
        return None, f"not compiled: {reason}"  # with these parameters numbers do not fit into 64 bits
    except GameError as reason:
        return False, f"not compiled: {reason}"
    kept = {0: "a digest of 128 bits", 1: "one number", 2: "two numbers"}[made.infoset_numbers]
    return True, f"compiled: an infoset is {kept}"


def report_for_machines(report: Report, compiled: bool | None, sentence: str) -> dict[str, Any]:
    """A linter's report for `--json`, with what the compiler says."""
    rows = dataclasses.asdict(report)
    return {
        **rows,
        "ok": report.ok and compiled is not False,
        "problems": [dataclasses.asdict(p) for p in report.problems],
        "compiled": compiled,
        "compiler": sentence or None,
    }
