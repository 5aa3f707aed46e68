"""How many infosets a game has, estimated without listing it.

With perfect recall the infosets of a player form a tree: below an infoset and an action come the infosets at which the
player may move next. `OwnTree` descends this tree as Knuth and Chen descend the tree of histories (see
`history_probes`). What follows an infoset is not known, so it is sampled: some histories of the infoset are kept, and
random play of chance and the others leads from them to the next decisions of the player.

Without perfect recall there is no such tree. `Collisions` then compares the infosets that several probes visited.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable

from regretless.game import TERMINAL, Game, State
from regretless.linter.deadline import Deadline
from regretless.linter.history_probes import LARGEST_COUNT, Probe, Stratum, next_depth

__all__ = ["Collisions", "OwnTree"]

PLAYS = 64
"""Random plays from an infoset and an action to the next decisions; also the histories that are kept of one infoset."""

MOST_PLAYS = 1_024
"""Plays where many of the next infosets were reached only once, so that others have not been reached at all."""

ACTIONS_PER_HISTORY = 8
"""Listing this many actions is counted as visiting another history: it takes about as long."""

MOST_ACTIONS = 8
"""Actions of one infoset that are followed."""


class _Group:
    """Some histories of one infoset, and how many infosets it stands for."""

    __slots__ = ("states", "weight", "width")

    def __init__(self, states: list[State], width: int, weight: float) -> None:
        self.states, self.width, self.weight = states, width, weight


class OwnTree:
    """One descent through the tree of a player's infosets."""

    def __init__(self, game: Game, player: int, rng: random.Random, deadline: Deadline) -> None:
        self.game, self.player, self.rng, self.deadline = game, player, rng, deadline
        self.infosets = self.pairs = 0.0
        self.visited = 0
        self.saturated = False
        """Whether a move is followed by more infosets than random plays can count."""

    def descend(self) -> bool:
        """Count the infosets of the player; False where the time ran out before."""
        level: dict[int, _Group] = {}
        self.enter(self.reached(self.game.root), 1.0, level)
        while level and not self.deadline.passed():
            below: dict[int, _Group] = {}
            for group in level.values():
                actions = range(group.width)
                chosen = actions if group.width <= MOST_ACTIONS else self.rng.sample(actions, MOST_ACTIONS)
                for choice in chosen:
                    found = self.reached(lambda group=group, choice=choice: self.after(group, choice))  # type: ignore[misc]
                    self.enter(found, group.weight * group.width / len(chosen), below)
            level = below
        return not self.deadline.passed()

    def after(self, group: _Group, choice: int) -> State:
        """The state after an action at a random history of an infoset."""
        state = self.rng.choice(group.states)
        return self.game.play(state, self.game.actions(state)[choice])

    def reached(self, start: Callable[[], State]) -> tuple[list[list[State]], float]:
        """The histories of each infoset that random plays reach, and the share of all such infosets that these are."""
        found: dict[Hashable, list[State]] = {}
        times: Counter[Hashable] = Counter()
        plays, enough = 0, PLAYS
        while True:
            for _ in range(enough - plays):
                if self.deadline.passed():
                    break
                state = self.next_decision(start())
                if state is not None:
                    key = self.game.infoset(state)
                    times[key] += 1
                    states = found.setdefault(key, [])
                    if len(states) < PLAYS:
                        states.append(state)
            plays = enough
            once, twice = (sum(1 for count in times.values() if count == seen) for seen in (1, 2))
            if 3 * once <= len(times) or plays >= MOST_PLAYS or self.deadline.passed():
                break
            enough = 2 * plays
        self.saturated |= plays >= MOST_PLAYS and 2 * once > times.total()
        unseen = once * (once - 1) / (2 * (twice + 1))  # Chao 1984, corrected for bias
        return list(found.values()), len(times) / max(len(times) + unseen, 1.0)

    def next_decision(self, state: State) -> State | None:
        """Random play until the player moves; None where the game ends before."""
        game, depth = self.game, 0
        while True:
            self.visited += 1
            mover = game.player(state)
            if mover == self.player:
                return state
            if mover == TERMINAL:
                return None
            depth = next_depth(game, depth)
            actions = game.actions(state)
            self.visited += len(actions) // ACTIONS_PER_HISTORY
            state = game.play(state, actions[self.rng.randrange(len(actions))])

    def enter(self, found: tuple[list[list[State]], float], weight: float, level: dict[int, _Group]) -> None:
        """Count infosets and let them compete to represent those with equally many actions."""
        groups, share = found
        for states in groups:
            own = min(weight / share, LARGEST_COUNT)
            width = len(self.game.actions(states[0]))
            self.infosets += own
            self.pairs += own * width
            rival = level.setdefault(width, _Group(states, width, 0.0))
            rival.weight += own
            if self.rng.random() * rival.weight < own:
                rival.states = states


class Collisions:
    """What all probes of histories together visited at decisions."""

    def __init__(self) -> None:
        self.probes = 0
        # By stratum, then infoset: the histories it stands for, summed over probes, and their squares.
        self.weights: dict[Stratum, dict[Hashable, list[float]]] = defaultdict(dict)
        self.totals: dict[Stratum, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def add(self, probe: Probe) -> None:
        """Take over the infosets of a probe."""
        self.probes += 1
        totals: dict[Stratum, float] = defaultdict(float)
        for (stratum, infoset), weight in probe.infosets.items():
            sums = self.weights[stratum].setdefault(infoset, [0.0, 0.0])
            sums[0] += weight
            sums[1] += weight * weight
            totals[stratum] += weight
        for stratum, weight in totals.items():
            self.totals[stratum][0] += weight
            self.totals[stratum][1] += weight * weight

    def seen(self) -> int:
        """Different infosets that were visited."""
        return sum(len(infosets) for infosets in self.weights.values())

    def decisions(self) -> float:
        """Histories at which a player moves, unbiased."""
        return sum(total for total, _ in self.totals.values()) / self.probes

    def infosets(self) -> tuple[float, float]:
        """How many infosets there are, and how many pairs of infoset and action.

        With |I| the histories of infoset I and D = Σ|I| the decisions of a stratum, a history drawn by one probe and
        one drawn by another share an infoset with chance Σ|I|²/D². Were all infosets of the stratum equally large,
        their number would be the inverse; as they are not, it is a lower bound (Cauchy and Schwarz). Where too few
        infosets were visited twice, they are taken to be as large as in the last shallower stratum with enough of
        them: too many if players lose sight of more and more, too few if what was hidden comes to light.
        """
        histories_per_infoset: dict[int, float] = {}  # by player, of the last stratum
        infosets = pairs = 0.0
        for stratum in sorted(self.weights):
            visited = self.weights[stratum]
            decisions = self.totals[stratum][0] / self.probes
            size = self.infoset_size(stratum)
            if size is None:
                size = histories_per_infoset.get(stratum.player, 1.0)
            # Never fewer than were seen; else never more than one for each decision.
            count = max(float(len(visited)), decisions / max(size, 1.0))
            histories_per_infoset[stratum.player] = decisions / count
            infosets += count
            pairs += count * stratum.actions
        return infosets, pairs

    def infoset_size(self, stratum: Stratum) -> float | None:
        """Histories per infoset, from infosets that several probes visited; None when too few were."""
        visited = self.weights[stratum].values()
        twice = [weight for weight, squares in visited if weight * weight > squares * (1 + 1e-9)]
        total, total_squares = self.totals[stratum]
        enough = len(twice) == len(visited) or (len(twice) >= 5 and sum(twice) >= total / 100)
        if not enough or self.probes < 2:
            return None
        shared = sum(weight * weight - squares for weight, squares in visited)
        pairs = total * total - total_squares
        return (total / self.probes) * shared / pairs
