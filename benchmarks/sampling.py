"""Sampled CFR and compiled games beside their limits and their peer.

    python -m benchmarks.sampling [walks] [batches] [unlisted] [threads] [listing] [memory] [variance] [round]

Needs `pip install -e '.[bench]'`. Every time is the least of several, taken in turns in one process; what counts are
the ratios. An iteration is one walk for each player, here and in OpenSpiel; both walk alike, so histories visited per
iteration are ours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import regretless as rg
from benchmarks.record import write
from benchmarks.timing import Row, in_turns, row, spelled
from regretless.compiled import compile_game
from regretless.compiled.listing.compiled_listing import list_compiled
from regretless.kernels.sampling.walk_outcome import outcome
from regretless.layout import listing
from regretless.method import Settings
from regretless.sampling.listed_learner import ListedLearner, ListedStore, listed_rules
from regretless.sampling.unlisted_learner import UnlistedLearner
from regretless.sampling.unlisted_problem import Unlisted
from regretless.sampling.walks import Walks

PEERS = {"leduc": "leduc_poker", "liars_dice": "liars_dice"}


class Ours:
    """A learner that is a few thousand iterations on its way."""

    def __init__(self, learner: ListedLearner | UnlistedLearner, warm: int = 20_000) -> None:
        self.learner = learner
        learner.advance(0)
        learner.advance(warm)

    def seconds(self, iterations: int) -> float:
        """Of one iteration."""
        began = time.perf_counter()
        self.learner.advance(iterations)
        return (time.perf_counter() - began) / iterations

    def nodes(self, iterations: int = 5_000) -> float:
        """Histories visited by one iteration."""
        before = self.learner.walks.nodes
        self.learner.advance(iterations)
        return (self.learner.walks.nodes - before) / iterations


def openspiel(name: str, scheme: str) -> Callable[[], float]:
    """Seconds of one iteration of OpenSpiel's solver in C++, warmed up."""
    import pyspiel

    game = pyspiel.load_game(name)
    makers = {
        "external": lambda: pyspiel.ExternalSamplingMCCFRSolver(game, 1),
        "outcome": lambda: pyspiel.OutcomeSamplingMCCFRSolver(game, 0.6, 1),
    }
    solver = makers[scheme]()
    calls = 300 if scheme == "external" else 3_000
    for _ in range(4 * calls):
        solver.run_iteration()

    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(calls):
            solver.run_iteration()
        return (time.perf_counter() - began) / calls

    return seconds


def listed(name: str, method: rg.MCCFR, threads: int = 1) -> ListedLearner:
    tree = rg.build(rg.games.by_name(name))
    return ListedLearner(tree, method, Settings(seed=1, threads=threads))


def walks() -> list[Row]:
    """External and outcome sampling on built trees beside OpenSpiel."""
    rows = []
    for name, peer in PEERS.items():
        for scheme in ("external", "outcome"):
            ours = Ours(listed(name, rg.MCCFR(sampling=scheme)))  # type: ignore[arg-type]
            mine, theirs = in_turns(lambda o=ours: o.seconds(2_000), openspiel(peer, scheme), rounds=25)
            nodes = ours.nodes()
            what = f"{scheme} sampling, {name}, one iteration ({nodes / mine / 1e6:.3g} M histories/s)"
            rows.append(row(what, "OpenSpiel C++", mine, theirs, "≥ 30×", theirs >= 30 * mine))
    return rows


def batches() -> list[Row]:
    """Walks of iterations with many walks, per walk, beside OpenSpiel; and side by side beside one after the other."""
    rows = []
    for name, peer in PEERS.items():
        for scheme, least in (("external", 60), ("outcome", 40)):
            learners = [listed(name, rg.MCCFR(sampling=scheme, traversals=count)) for count in BATCHES]  # type: ignore[arg-type]
            works = [_per_walk(learner, 20_000 if scheme == "outcome" else 4_000) for learner in learners]
            *mine, theirs = in_turns(*works, openspiel(peer, scheme), rounds=25)
            for count, learner, seconds in zip(BATCHES, learners, mine, strict=True):
                kind = "side by side" if learner.walks.blocks else f"{learner.walks.lanes} lanes of sums"
                kind = kind if learner.walks.blocks or learner.walks.lanes else "logs"
                what = f"{scheme} sampling, {name}, {count:,} walks an iteration ({kind}), one walk of each player"
                target = f"≥ {least}×"
                rows.append(row(what, "OpenSpiel C++", seconds, theirs, target, theirs >= least * seconds))
    for name in PEERS:
        learners = [listed(name, rg.MCCFR(sampling="outcome", traversals=64)) for _ in range(2)]
        learners[1].walks.blocks = None
        mine, theirs = in_turns(*(_per_walk(learner, 20_000) for learner in learners), rounds=25)
        what = f"outcome sampling, {name}, 64 walks an iteration, side by side"
        rows.append(row(what, "one after the other", mine, theirs, "–", True))
    return rows


BATCHES = (64, 1_024, 40_000)


def _per_walk(learner: ListedLearner, walks_in_all: int) -> Callable[[], float]:
    """Seconds of one walk of each player, after some ten thousand."""
    count = learner.method.traversals
    iterations = max(1, walks_in_all // count)
    learner.advance(0)
    learner.advance(max(2, 40_000 // count))

    def seconds() -> float:
        began = time.perf_counter()
        learner.advance(iterations)
        return (time.perf_counter() - began) / iterations / count

    return seconds


def unlisted() -> list[Row]:
    """The same walks on compiled games that are not listed, beside the built tree."""
    rows = []
    for name in ("leduc", "liars_dice", "goofspiel:cards=5", "goofspiel:cards=6"):
        method = rg.MCCFR()
        tree = Ours(listed(name, method), 5_000)
        table = Ours(UnlistedLearner(Unlisted(rg.games.by_name(name)), method, Settings(seed=1)), 5_000)
        mine, theirs = in_turns(lambda o=table: o.seconds(500), lambda o=tree: o.seconds(500), rounds=15)
        what = (
            f"external sampling, {name}, not listed, one iteration ({table.nodes(500) / mine / 1e6:.3g} M histories/s)"
        )
        rows.append(row(what, "on the built tree", mine, theirs, "≥ 0.4×", theirs >= 0.4 * mine))
    return rows


def threads() -> list[Row]:
    """Two threads beside one: the walks of an iteration shared."""
    rows = []
    for scheme, name, kind, walks_of_iteration in (
        ("external", "liars_dice", "built tree", 10_000),
        ("external", "leduc", "built tree", 40_000),
        ("external", "dudo:dice=(2,2)", "not listed", 2_000),
        ("outcome", "liars_dice", "built tree", 10_000),
        ("outcome", "liars_dice", "built tree", 100_000),
    ):
        method = rg.MCCFR(sampling=scheme, traversals=walks_of_iteration)  # type: ignore[arg-type]
        learners = []
        for count in (2, 1):
            settings = Settings(seed=1, threads=count)
            if kind == "built tree":
                learners.append(Ours(listed(name, method, count), 3))
            else:
                learners.append(Ours(UnlistedLearner(Unlisted(rg.games.by_name(name)), method, settings), 3))
        two, one = in_turns(*(lambda o=o: o.seconds(2) for o in learners), rounds=8)
        what = f"{scheme} sampling, {name}, {kind}, {walks_of_iteration:,} walks an iteration, two threads"
        rows.append(row(what, "one thread", two, one, "≥ 1.8×", one >= 1.8 * two))
    return rows


def listings() -> list[Row]:
    """Listing compiled games beside the build in plain Python."""
    rows = []
    for name in ("goofspiel:cards=6", "liars_dice", "dudo"):
        game = rg.games.by_name(name)
        compiled = compile_game(game)
        histories = len(list_compiled(compiled, lambda *_: None).mover)  # type: ignore[union-attr]
        mine = min(_timed(lambda c=compiled: list_compiled(c, lambda *_: None)) for _ in range(12))
        whole = min(_timed(lambda g=game: rg.build(g)) for _ in range(5))
        turned, listing.has_compiler = listing.has_compiler, lambda: False  # type: ignore[assignment]
        plain_list = min(_timed(lambda g=game: listing.list_game(g)) for _ in range(3))
        plain = min(_timed(lambda g=game: rg.build(g)) for _ in range(3))
        listing.has_compiler = turned
        rate = histories / mine / 1e6
        fast = plain >= 30 * mine and rate >= 3
        what = f"listing {name}, compiled ({rate:.3g} M histories/s)"
        rows.append(row(what, "plain-Python build", mine, plain, "≥ 30×, ≥ 3 M/s", fast))
        rows.append(row(what, "plain-Python listing alone", mine, plain_list, "–", True))
        rows.append(row(f"building {name}, compiled", "plain-Python build", whole, plain, "–", True))
    return rows


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def memory() -> list[Row]:
    """Bytes per visited infoset, three actions, regret and average in float32, at every size on the way."""
    rows = []
    for name, actions in (("leduc:ranks=200,raises=3", "2 or 3"), ("dark_hex", "1 to 9")):
        method = rg.MCCFR()
        learner = UnlistedLearner(Unlisted(rg.games.by_name(name)), method, Settings(seed=1, dtype="float32"))
        worst, infosets = 0.0, 0
        while infosets < 2_000_000 and learner.iteration < 2_000_000:
            learner.advance(2_000 if "leduc" in name else 50)
            infosets = learner.store.infosets
            table = learner.store.table
            overhead = (learner.store.nbytes - int(table.used[1]) * 4) / infosets  # all but regrets and averages
            worst = max(worst, overhead + 3 * 2 * 4) if infosets > 10_000 else worst
        rows.append(
            {
                "what": f"bytes per infoset with 3 actions, {name}, up to {infosets:,} visited infosets",
                "actions": actions,
                "worst": f"{worst:.1f}",
                "at the end": f"{overhead + 24:.1f}",
                "target": "≤ 64",
                "met": "yes" if worst <= 64 else "no",
            }
        )
    return rows


class ByHistory(ListedStore):
    """Numbers for every decision history instead of every infoset: what is sampled at each is seen by itself."""

    def __init__(self, tree: rg.Tree, memory: int) -> None:
        super().__init__(tree, memory=memory)
        h = tree.listing
        self.decisions = np.flatnonzero(h.mover >= 0)
        self.own = np.repeat(h.mover[self.decisions] == 0, h.children[self.decisions])  # [numbers] of player 0
        self.actions = h.children[self.decisions].astype(np.int64)
        self.slots = np.cumsum(2 * self.actions) - 2 * self.actions
        self.values = np.zeros(int(2 * self.actions.sum()))
        self.regret_at = np.concatenate([p + np.arange(n) for p, n in zip(self.slots, self.actions, strict=True)])


def sampled_values(baseline: str | None, warm: int = 300_000, count: int = 100_000) -> float:
    """The variance of the sampled values of an own action, given the history, over all visits to own decisions."""
    tree = rg.build(rg.games.Leduc())
    method = rg.MCCFR(sampling="outcome", baseline=baseline)  # type: ignore[arg-type]
    store = ByHistory(tree, tree.histories * tree.players)
    rules = listed_rules(tree)
    rules.node[store.decisions, 1] = store.slots
    walks = Walks(method, outcome, rules, store, np.array([True, False]), Settings(seed=1))
    total = square = visits = np.zeros(len(store.regret_at))
    first = np.repeat(store.slots, store.actions)
    for number in range(1, warm + count + 1):
        walks.advance(number, 1, lambda done: None)
        if number > warm:
            sampled = store.values[store.regret_at].copy()
            total, square = total + sampled, square + sampled**2
            visits = visits + (
                np.add.reduceat(np.abs(store.values), store.slots)[np.searchsorted(store.slots, first)] > 0
            )
        store.values[store.regret_at] = 0.0  # back to uniform play; baselines stay
    visits = np.maximum(visits, 1)  # visits at which all values were nothing add nothing to the sums
    return float((square - total**2 / visits)[store.own].sum() / visits[store.own].sum())


def variance() -> list[Row]:
    """The variance of the sampled values of an own action, given the history it is taken at, at uniform play on
    Leduc."""
    plain, ours = sampled_values(None), sampled_values("history")
    ratio = plain / ours
    return [
        {
            "what": "variance of sampled action values at a history, outcome sampling on Leduc, baseline by history",
            "without": f"{plain:.4g}",
            "with": f"{ours:.4g}",
            "without ÷ with": f"{ratio:.3g}",
            "target": "≥ 50×",
            "met": "yes" if ratio >= 50 else "no",
        }
    ]


def solved_round() -> list[Row]:
    """A round of Dudo with two dice each, from nothing to an exploitability of 0.005 chips: 6.4 GB."""
    rg.solve_round(rg.games.Dudo(sides=2), iterations=1)  # compiles
    solved = rg.solve_round(rg.games.Dudo(dice=(2, 2)), until=0.005)
    low, high = solved.value
    return [
        {
            "what": "Dudo, two six-sided dice each, CFR+ on sets of claims and vectors of hands",
            "exploitability": f"{solved.exploitability:.4f}",
            "value to player 0": f"{low:.4f} to {high:.4f}",
            "iterations": solved.iterations,
            "seconds, measurements included": f"{solved.seconds:.0f}",
            "seconds an iteration": f"{solved.seconds / (solved.iterations + len(solved.history['iteration'])):.2f}",
        }
    ]


SECTIONS = {
    "walks": walks,
    "batches": batches,
    "unlisted": unlisted,
    "threads": threads,
    "listing": listings,
    "memory": memory,
    "variance": variance,
    "round": solved_round,
}


def main() -> None:
    """Run the sections named on the command line, or all."""
    for name in sys.argv[1:] or SECTIONS:
        began = time.perf_counter()
        write(f"sampling-{name}", SECTIONS[name]())
        print(f"({name} took {spelled(time.perf_counter() - began)})", file=sys.stderr)


if __name__ == "__main__":
    main()
