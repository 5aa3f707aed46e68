"""`WalkedGame`: a game whose rules run in Python, as a problem without listing it, and sampled CFR on it."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.kernels.numpy_matching import matched_groups
from regretless.layout.label_text import label_text
from regretless.layout.labels import Labels, distinct_action_labels, labels_from_arrays, labels_to_arrays
from regretless.method import Learner, Settings
from regretless.problem import Arrays, Capabilities, Which
from regretless.sampling.in_python.python_walks import InfosetArrays, PythonWalks, Slot
from regretless.sampling.mccfr import MCCFR
from regretless.storage import check_format, needed, read_arrays, write_arrays
from regretless.strategy import Strategy, uniform_probabilities
from regretless.tree import RUN_FORMAT, RUN_VERSION

__all__ = ["WalkedGame", "WalkedLearner", "read_walked_run"]

Array = npt.NDArray[Any]

KIND = "walked game"


class WalkedGame:
    """A game that is walked in Python; strategies have the infosets that a solve has visited.

    The arrays of a run hold the labels of these infosets, since more are found as the run goes on.
    """

    kind = KIND
    exact = False
    sizes: Mapping[str, int] = {}

    def __init__(self, game: Game | None, players: int, fingerprint: str | None = None) -> None:
        self.game, self.players, self._fingerprint = game, players, fingerprint

    @property
    def capabilities(self) -> Capabilities:
        """One thread, 64 bits; players cannot be held still."""
        return Capabilities(
            precisions=("float64",), listed=False, fixed=False, threads=1, advice="use rg.MCCFR(listed=False)"
        )

    @cached_property
    def fingerprint(self) -> str:
        """A digest of some plays: a game whose rules have changed plays differently."""
        if self._fingerprint is not None or self.game is None:
            return self._fingerprint or ""
        game, dice, digest = self.game, random.Random(0), hashlib.sha256()
        for _ in range(20):
            state = game.root()
            while (mover := game.player(state)) != TERMINAL:
                actions = list(game.actions(state))
                known = None if mover == CHANCE else game.infoset(state)
                digest.update(repr((mover, [game.action_label(a) for a in actions], known)).encode())
                state = game.play(state, dice.choice(actions))
            digest.update(repr([float(payoff) for payoff in game.payoffs(state)]).encode())
        return digest.hexdigest()[:16]

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused, unless nothing is given."""
        if given:
            raise OptionError("holding players fixed needs a listed game: leave listed=False out, or fixed=")
        return {}

    def uniform(self) -> Strategy:
        """A strategy without infosets: nothing has been visited."""
        labels = _InfosetNumbers(self.players).labels()
        return Strategy(labels, uniform_probabilities(labels))

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets visited so far."""
        return len(arrays["label_owner"])

    def strategy(self, arrays: Arrays, which: Which) -> Strategy:
        """The average strategy at the infosets visited, or what regrets call for there."""
        labels = labels_from_arrays("this run", arrays, {"players": self.players})
        source, numbers = arrays["average" if which == "average" else "regret"], uniform_probabilities(labels)
        owner = labels.infoset_of_sequence
        real = owner >= 0
        numbers[real] = matched_groups(np.asarray(source)[real], owner[real], numbers[real])
        return Strategy(labels, numbers)

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, atomically."""
        stored = {f"state_{name}": np.asarray(array) for name, array in arrays.items()}
        described = {"format": RUN_FORMAT, "version": RUN_VERSION, **meta, "problem": self.kind}
        write_arrays(path, stored, described)


def read_walked_run(path: str | os.PathLike[str], game: Any = None) -> tuple[WalkedGame, Arrays, dict[str, Any]]:
    """The problem, the arrays and the description in a file that `WalkedGame.write` wrote."""
    arrays, meta = read_arrays(path)
    check_format(path, meta, RUN_FORMAT, RUN_VERSION)
    state = {name.removeprefix("state_"): array for name, array in arrays.items() if name.startswith("state_")}
    labels = labels_from_arrays(path, state, meta)
    for name in ("regret", "average"):
        if needed(path, state, name).shape != (labels.sequences,):
            raise FileError(f"{os.fspath(path)}: {name!r} does not fit the table of labels")
    if needed(path, state, "done").shape != (3,):
        raise FileError(f"{os.fspath(path)}: 'done' is damaged")
    return WalkedGame(None, labels.players, str(meta.get("fingerprint", ""))), state, meta


class _InfosetNumbers(InfosetArrays):
    """Numbers of the infosets visited, in the order of their first visit; the arrays grow."""

    def __init__(self, players: int, game: Game | None = None) -> None:
        self.players, self.game = players, game
        self.regret, self.average = np.zeros(1024), np.zeros(1024)
        self.used = 0
        self.found: dict[tuple[int, Hashable], tuple[Slot, tuple[Hashable, ...]]] = {}  # by (player, label)
        self.slots: dict[tuple[int, Any], Slot] = {}  # by (player, infoset)

    def slot(self, player: int, infoset: Any, actions: Any) -> Slot:
        """Where the numbers of an infoset lie; a new one gets the next free slots."""
        found = self.slots.get((player, infoset))
        if found is None:
            assert self.game is not None
            label = self.game.infoset_label(infoset)
            if (player, label) not in self.found:
                self.add(player, label, distinct_action_labels(self.game, actions))
            found = self.slots[player, infoset] = self.found[player, label][0]
        if found.stop - found.start != len(actions):
            raise OptionError(
                f"infoset {infoset!r:.200} of player {player} has different actions at different histories"
            )
        return found

    def add(self, player: int, label: Hashable, actions: tuple[Hashable, ...]) -> Slot:
        """Slots for a new infoset."""
        slot = slice(self.used, self.used + len(actions))
        self.used = slot.stop
        if self.used > len(self.regret):
            more = np.zeros(max(len(self.regret), len(actions)))
            self.regret, self.average = (np.concatenate([each, more]) for each in (self.regret, self.average))
        self.found[player, label] = slot, actions
        return slot

    def sorted_infosets(self) -> list[tuple[int, Hashable]]:
        """Infosets by player and label: an order that does not depend on that of the visits."""
        return sorted(self.found, key=lambda key: (key[0], label_text(key[1])))

    def labels(self) -> Labels:
        """The labels of all infosets, player by player, each player's empty sequence first."""
        order = self.sorted_infosets()
        actions = tuple(self.found[key][1] for key in order)
        owner = np.array([player for player, _ in order], np.int32)
        width = np.array([len(row) for row in actions], np.int64)
        first = np.cumsum(width) - width + owner + 1
        return Labels(
            players=self.players,
            names=tuple(label for _, label in order),
            actions=actions,
            owner=owner,
            first=first.astype(np.int32),
            stride=np.ones(len(order), np.int32),
            reading_order=np.arange(len(order), dtype=np.int32),
            sequences=self.players + int(width.sum()),
        )

    def positions(self, labels: Labels) -> Array:
        """[used] the sequence of each number, in the order of `sorted_infosets`."""
        return np.flatnonzero(labels.infoset_of_sequence >= 0)

    def gathered(self, numbers: Array, labels: Labels) -> Array:
        """[S] numbers by sequence."""
        out = np.zeros(labels.sequences)
        order = [self.found[key][0] for key in self.sorted_infosets()]
        out[self.positions(labels)] = np.concatenate([numbers[slot] for slot in order]) if order else 0.0
        return out


class WalkedLearner(Learner):
    """Sampled CFR in Python on a game that is not listed."""

    grows = True
    known_instead = "nothing is known for a game that is walked in Python"
    measured_every = 1.5

    def __init__(self, problem: WalkedGame, method: MCCFR, settings: Settings) -> None:
        super().__init__(problem, settings)
        assert problem.game is not None
        self.numbers = _InfosetNumbers(problem.players, problem.game)
        self.walks = PythonWalks(problem.game, method.scheme(), method.variant, method.traversals, settings.seed)

    def advance(self, iterations: int) -> None:
        """Run `iterations` more iterations."""
        for _ in range(iterations):
            self.walks.iterate(self.iteration + 1, self.numbers)
            self.iteration += 1

    def arrays(self) -> dict[str, Array]:
        """Regrets and sums of strategies by sequence, the labels of all infosets visited, and what was walked."""
        labels = self.numbers.labels()
        numbers = {name: self.numbers.gathered(getattr(self.numbers, name), labels) for name in ("regret", "average")}
        return {**numbers, "done": self.walks.done, **labels_to_arrays(labels)}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from what `arrays` once returned."""
        labels = labels_from_arrays("this run", arrays, {"players": self.problem.players})
        self.numbers = _InfosetNumbers(self.problem.players, self.numbers.game)
        for number, name in enumerate(labels.names):
            slot = self.numbers.add(int(labels.owner[number]), name, labels.actions[number])
            where = labels.sequences_of(number)
            self.numbers.regret[slot], self.numbers.average[slot] = arrays["regret"][where], arrays["average"][where]
        self.walks.done[:] = arrays["done"]
        self.iteration = iteration

    def measure(self) -> dict[str, float]:
        """The mean value of player 0's walks, and how much was visited; exploitability is unknown."""
        nodes, walks, total = self.walks.done.tolist()
        return {
            "exploitability": np.nan,
            "nash_conv": np.nan,
            "value": total / walks if walks else np.nan,
            "infosets": float(len(self.numbers.found)),
            "nodes": nodes,
        }
