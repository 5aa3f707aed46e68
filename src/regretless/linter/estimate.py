"""The size of a game before anything is built, from random descents.

How histories are counted is written in `history_probes`, how infosets are in `infoset_counts`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from regretless.errors import GameError, OptionError, RegretlessError
from regretless.game import Game, refuse_players
from regretless.linter.deadline import Deadline
from regretless.linter.history_probes import LARGEST_COUNT, Probe
from regretless.linter.infoset_counts import Collisions, OwnTree
from regretless.linter.memory import build_scratch_bytes, in_units, solver_bytes, tree_bytes
from regretless.problem import found, refuse_to_list

__all__ = ["Estimate", "estimate_size"]

HISTORIES_TO_VISIT = 30_000
"""Unless a number of probes is given, probing ends when this many histories were visited: a fraction of a second."""

HISTORIES_FOR_INFOSETS = 150_000
"""Histories that are visited to count infosets."""

FEWEST_PROBES = 10

SECONDS = 5.0
SHARE_OF_PROBES = 0.6
"""The share of the time for histories; the rest is for infosets."""


@dataclass(frozen=True)
class Estimate:
    """How large a game is: counted where `exact`, else guessed from `probes` random descents.

    Histories, terminals and decisions are unbiased, with their standard error beside them; the error is itself
    estimated, and too small where most of the game hides below moves that no probe made. Infosets are right within a
    factor of two on the games tried, of four where players forget; they surely lie between `infosets_seen` and
    `decisions`. Where not even one descent ended in time, `probes` is 0 and all numbers are lower bounds.
    """

    players: int
    histories: float
    terminals: float
    decisions: float
    infosets: float
    sequences: float
    """Pairs of infoset and action, and one empty sequence for each player."""
    depth: int
    """Moves in the longest play; when guessed, in the longest that was visited."""
    histories_error: float = 0.0
    terminals_error: float = 0.0
    infosets_seen: int = 0
    probes: int = 0
    exact: bool = False

    @property
    def tree_bytes(self) -> float:
        """Memory of the built tree."""
        return tree_bytes(self.players, self.histories, self.terminals, self.infosets, self.sequences)

    @property
    def build_bytes(self) -> float:
        """Memory at the peak of `build`."""
        return self.tree_bytes + build_scratch_bytes(self.players, self.histories, self.terminals)

    @property
    def solve_bytes(self) -> float:
        """Memory while solving."""
        return self.tree_bytes + solver_bytes(self.sequences)

    @property
    def about(self) -> str:
        """The words before a number of this estimate: none when it was counted."""
        return "" if self.exact else "about " if self.probes else "at least "

    def __str__(self) -> str:
        memory = f"{in_units(self.build_bytes)} to build, {in_units(self.solve_bytes)} to solve"
        if self.exact:
            return f"memory: {memory}"
        if not self.probes:
            least = f"at least {_rounded(self.histories)} histories, depth at least {self.depth}"
            return f"{least}; memory: {memory} or more"
        return (
            f"estimated from {self.probes:,} probe{'s' * (self.probes != 1)}: {_rounded(self.histories)}"
            f"{_margin(self.histories_error)} histories, {_rounded(self.terminals)}"
            f"{_margin(self.terminals_error)} terminal, roughly {_rounded(self.infosets)} infosets,"
            f" depth at least {self.depth}; memory: {memory}"
        )


def estimate_size(game: Game | str, *, probes: int | None = None, seed: int = 0, seconds: float = SECONDS) -> Estimate:
    """Guess the size of a game (or of the game of a name) from random descents, without listing it.

    `probes` descents are made, or as many as fit into visiting 30,000 histories; after `seconds` the estimate is made
    from those that have ended. Same seed, same estimate, as long as the time suffices.
    """
    given: Game = found(game)
    refuse_to_list(given)
    if probes is not None and probes < 1:
        raise OptionError(f"probes is {probes}, but an estimate needs at least 1")
    refuse_players(given)
    try:
        return _estimate(given, probes, random.Random(seed), seconds, Deadline(seconds))
    except (RegretlessError, MemoryError):
        raise
    except Exception as error:
        raise GameError(
            f"{type(given).__name__}: a random play ended in {type(error).__name__}: {error}; see rg.check_game(game)"
        ) from error


def _estimate(game: Game, probes: int | None, rng: random.Random, seconds: float, deadline: Deadline) -> Estimate:
    visited = _Visited()
    while visited.wants_more(probes):
        probe = Probe(game, rng, Deadline(max(SHARE_OF_PROBES * seconds - deadline.spent, 1e-3)))
        if not visited.add(probe, whole=probe.descend()):
            break
    infosets, pairs = _infosets(game, visited, probes, rng, Deadline(max(seconds - deadline.spent, 1e-3)))
    return Estimate(
        players=game.players,
        histories=_mean(visited.histories),
        terminals=_mean(visited.terminals),
        decisions=visited.collisions.decisions(),
        infosets=infosets,
        sequences=pairs + game.players,
        depth=visited.depth,
        histories_error=_standard_error(visited.histories),
        terminals_error=_standard_error(visited.terminals),
        infosets_seen=visited.collisions.seen(),
        probes=visited.probes,
    )


class _Visited:
    """What the probes of an estimate found."""

    def __init__(self) -> None:
        self.histories: list[float] = []
        self.terminals: list[float] = []
        self.collisions = Collisions()
        self.count = self.depth = self.probes = 0

    def wants_more(self, probes: int | None) -> bool:
        """Whether another probe is to be made."""
        if self.probes < (probes or FEWEST_PROBES):
            return True
        return probes is None and self.count < HISTORIES_TO_VISIT

    def add(self, probe: Probe, *, whole: bool) -> bool:
        """Take a probe over; False where it did not end in time. The first one counts in any case."""
        if whole or not self.histories:
            self.histories.append(probe.histories)
            self.terminals.append(probe.terminals)
            self.collisions.add(probe)
            self.depth = max(self.depth, probe.depth)
        self.probes += whole
        self.count += probe.visited
        return whole


def _infosets(
    game: Game, visited: _Visited, probes: int | None, rng: random.Random, deadline: Deadline
) -> tuple[float, float]:
    """How many infosets there are, and how many pairs of infoset and action."""
    by_collisions = visited.collisions.infosets()
    if not game.perfect_recall or not visited.probes:
        return by_collisions
    descents: list[tuple[float, float]] = []
    count, saturated = 0, False
    while count < HISTORIES_FOR_INFOSETS and (probes is None or 2 * len(descents) < probes):
        infosets = pairs = 0.0
        for player in range(game.players):
            tree = OwnTree(game, player, rng, deadline)
            if not tree.descend():
                return _averaged(descents, visited, by_collisions)
            infosets, pairs = infosets + tree.infosets, pairs + tree.pairs
            count, saturated = count + tree.visited, saturated or tree.saturated
        descents.append((infosets, pairs))
        if saturated:  # what was counted is a lower bound
            return max(by_collisions, _averaged(descents, visited, by_collisions))
    return _averaged(descents, visited, by_collisions)


def _averaged(
    descents: Sequence[tuple[float, float]], visited: _Visited, otherwise: tuple[float, float]
) -> tuple[float, float]:
    """The mean of some descents, between what was seen and what there can be."""
    if not descents:
        return otherwise
    infosets, pairs = (_mean([descent[i] for descent in descents]) for i in range(2))
    if infosets <= 0:
        return otherwise
    bounded = min(max(infosets, float(visited.collisions.seen())), max(visited.collisions.decisions(), 1.0))
    return bounded, pairs * bounded / infosets


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _standard_error(values: Sequence[float]) -> float:
    if len(values) < 2:
        return math.inf
    mean, unit = _mean(values), max(values) or 1.0  # counts whose squares a float cannot hold
    squares = math.fsum(((value - mean) / unit) ** 2 for value in values)
    return unit * math.sqrt(squares / (len(values) - 1) / len(values))


def _margin(error: float) -> str:
    return f" ± {_rounded(error)}" if math.isfinite(error) else ""


def _rounded(count: float) -> str:
    """Three digits, as much as an estimate is worth."""
    if count >= LARGEST_COUNT:
        return f"more than {LARGEST_COUNT:g}"
    return f"{float(f'{count:.3g}'):,.0f}" if count < 1e15 else f"{count:.2e}"
