"""`build` turns a game into a `Tree`: flat arrays in sequence form that every solver and every evaluation walks."""

from __future__ import annotations

import hashlib
import os
from abc import ABC
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.display.html_tables import facts_table
from regretless.errors import FileError, GameError, OptionError
from regretless.game import Game
from regretless.gpu.availability import cuda_available
from regretless.kernels.coded_numbers import coded
from regretless.kernels.correlated.subtrees import Subtrees
from regretless.kernels.numba_ext.interpreting import for_size
from regretless.kernels.sequence_form.gradients import player_gradient
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.kernels.sequence_form.payoff_rows import rename_sequences
from regretless.kernels.sequence_form.sequence_tracing import rename_infosets, trace_sequences
from regretless.kernels.sequence_form.treeplex import lay_plan, player_expected
from regretless.layout.labels import Labels, NamesOnDemand, distinct_action_labels, labels_from_arrays, labels_to_arrays
from regretless.layout.listing import Histories, Listing, choices_to, describe_path, list_game
from regretless.layout.payoffs import payoff_table
from regretless.layout.sequence_form import Layout, lay_out_infosets, sequence_form
from regretless.layout.subtrees import lay_out_subtrees
from regretless.linter.check import game_errors
from regretless.method import processors
from regretless.problem import CPU, Arrays, Capabilities, Which, found, open_problem, refuse_to_list
from regretless.storage import check_format, needed, read_arrays, write_arrays
from regretless.strategy import Strategy, uniform_probabilities

__all__ = ["Labelled", "StoredRun", "Tree", "as_tree", "build", "listed", "read_labelled_run"]

Floats = npt.NDArray[Any]

RUN_FORMAT, RUN_VERSION = "regretless.run", 1

THREADS_FROM = 10_000
"""Terminals per block of infosets from which on threads gain more than starting them costs."""


class Labelled(ABC):
    """What problems share whose infosets all have labels: strategies by label, and files of runs.

    The arrays of a run hold `average` [S], a weighted sum of plans, and `current` [S], the last iterate.
    """

    kind: str
    labels: Labels

    @property
    def capabilities(self) -> Capabilities:
        """Precisions, devices, threads."""
        return Capabilities(precisions=("float64", "float32"))

    def uniform(self) -> Strategy:
        """The strategy that takes all actions with the same probability."""
        return Strategy(self.labels, uniform_probabilities(self.labels))

    def infosets_in(self, arrays: Arrays) -> int:
        """Infosets of all players."""
        return len(self.labels.names)

    def strategy(self, arrays: Arrays, which: Which) -> Strategy:
        """The average strategy of a run's arrays (the current one before anything is averaged), or the last iterate."""
        if which == "average":
            average = arrays["average"]
            averaged = average[self.labels.infoset_of_sequence < 0] > 0  # by player, at the empty sequence
            if np.all(averaged):
                return Strategy.from_plan(self.labels, average)
        return Strategy(self.labels, arrays["current"])

    def write(self, path: str | os.PathLike[str], arrays: Arrays, meta: Mapping[str, Any]) -> None:
        """Write a run to a file, atomically."""
        stored = {f"state_{name}": np.asarray(array) for name, array in arrays.items() if name != "current"}
        stored["current"] = np.asarray(arrays["current"])
        described = {"format": RUN_FORMAT, "version": RUN_VERSION, **meta, "problem": self.kind}
        write_arrays(path, stored | labels_to_arrays(self.labels), described)


@dataclass(frozen=True, eq=False)
class StoredRun(Labelled):
    """What a file of a run knows about its problem: labels and a digest, but not the game."""

    kind: str
    labels: Labels
    fingerprint: str
    game: None = None
    exact: bool = True

    @property
    def players(self) -> int:
        """How many players there are."""
        return self.labels.players

    @property
    def sizes(self) -> Mapping[str, int]:
        """How large the game is, as far as labels tell."""
        return {"infosets": len(self.labels.names), "sequences": self.labels.sequences}

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Any]:
        """Refused: a file is no game."""
        raise OptionError("a run's file does not hold its game: pass the game to hold players fixed")


def read_labelled_run(path: str | os.PathLike[str], game: Any = None) -> tuple[StoredRun, Arrays, dict[str, Any]]:
    """The problem, the arrays and the description in a file that `Labelled.write` wrote."""
    arrays, meta = read_arrays(path)
    check_format(path, meta, RUN_FORMAT, RUN_VERSION)
    labels = labels_from_arrays(path, arrays, meta)
    for name in ("state_average", "current"):
        if needed(path, arrays, name).shape != (labels.sequences,):
            raise FileError(f"{os.fspath(path)}: {name!r} does not fit the table of labels")
    state = {name.removeprefix("state_"): array for name, array in arrays.items() if name.startswith("state_")}
    problem = StoredRun(str(meta.get("problem", "tree")), labels, str(meta.get("fingerprint", "")))
    return problem, state | {"current": arrays["current"]}, meta


LARGEST_SINGLE = 1e30
"""Chips: sums of payoffs up to here stay finite in single precision."""


@dataclass(frozen=True, eq=False)
class Tree(Labelled):
    """A game whose every history has been listed, in sequence form.

    >>> import regretless as rg
    >>> tree = rg.build(rg.games.Kuhn())
    >>> tree.players, tree.histories, tree.terminals, tree.infosets, tree.sequences
    (2, 58, 30, 12, 26)
    """

    game: Game
    players: int
    listing: Histories
    form: SequenceForm
    labels: Labels
    _forms: dict[str, SequenceForm] = field(default_factory=dict, repr=False)

    kind = "tree"
    exact = True

    @property
    def capabilities(self) -> Capabilities:
        """All processors for a game large enough to share, else one; a GPU for methods that use it."""
        share = self.terminals >= THREADS_FROM * len(self.form.block_strips)
        return Capabilities(
            precisions=("float64", "float32"),
            devices={**CPU, "cuda": cuda_available},
            threads=processors() if share else 1,
        )

    @property
    def sizes(self) -> Mapping[str, int]:
        """Histories, terminals, infosets, sequences and bytes."""
        names = ("histories", "terminals", "infosets", "sequences")
        return {name: getattr(self, name) for name in names} | {"bytes": self.nbytes}

    def hold_fixed(self, given: Mapping[int, Any]) -> Mapping[int, Strategy]:
        """Strategies of the players that are held still: a `Strategy`, {label: probabilities}, or, of a player with
        one infoset, its probabilities alone."""
        if not isinstance(given, Mapping):
            raise OptionError(f"fixed is {{player: strategy}}, got {given!r}")
        out = {}
        for player, strategy in given.items():
            if player not in range(self.players):
                raise OptionError(f"fixed names player {player!r}; this game has players 0 to {self.players - 1}")
            if isinstance(strategy, Strategy):
                out[int(player)] = strategy.laid_out(self.labels)
            else:
                table = _table_of_player(self.labels, int(player), strategy)
                out[int(player)] = Strategy.from_dict(self, table, missing="uniform")
        if len(out) == self.players:
            raise OptionError("every player is fixed: nothing is left to learn")
        return out

    def begin_with(self, start: Any) -> Strategy:
        """The strategy that a solve begins with, checked; of a run its average strategy."""
        strategy = getattr(start, "strategy", start)
        if not isinstance(strategy, Strategy):
            raise OptionError(f"start is a Strategy of this game or a Run, got {start!r}")
        return strategy.laid_out(self.labels)

    @property
    def histories(self) -> int:
        """Histories of the game, terminal ones included."""
        return len(self.listing.mover)

    @property
    def terminals(self) -> int:
        """Terminal histories of the game, before equal ones are merged."""
        return len(self.listing.payoff)

    @property
    def infosets(self) -> int:
        """Infosets of all players together."""
        return len(self.labels.names)

    @property
    def sequences(self) -> int:
        """Sequences of all players together, the empty ones included."""
        return self.labels.sequences

    @property
    def entries(self) -> int:
        """Payoff entries of player 0 after merging and without zeros: the non-zeros of the payoff matrix."""
        return len(payoff_table(self.form, 0)[2])

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays: the listing and the sequence form (labels are Python objects and not counted)."""
        return self.listing.nbytes + sum(array.nbytes for array in self.form)

    @cached_property
    def zero_sum(self) -> bool:
        """Whether every terminal's payoffs add up to nothing."""
        payoffs = self.listing.payoff.table  # every row of it occurs
        return bool(np.all(np.abs(payoffs.sum(axis=1)) <= 1e-9 * (1 + np.abs(payoffs).max(axis=1, initial=0))))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names and payoffs: equal exactly for equal games."""
        digest = hashlib.sha256(self.labels.fingerprint.encode())
        for array in self.form:
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()[:16]

    @cached_property
    def subtrees(self) -> Subtrees:
        """Every player's infosets in preorder, which makes the subtree below each of them a contiguous range."""
        return lay_out_subtrees(self.form, self.labels)

    def plan(self, probabilities: Floats) -> Floats:
        """[S] the plan of action probabilities [S]: the product of own probabilities along each sequence."""
        plan = np.ones(self.sequences)
        lay_plan(self.form, np.asarray(probabilities, np.float64), plan)
        return plan

    def counterfactual_values(self, player: int, probabilities: Floats) -> Floats:
        """[S] at a player's sequences v(I, a): what taking a at I and then following the probabilities [S] is worth,
        weighted by how likely chance and the others bring the game to I; chips. Other entries mean nothing."""
        values = np.empty(self.sequences)
        player_gradient(self.form, player, self.plan(probabilities), values)
        player_expected(self.form, player, np.asarray(probabilities, np.float64), values)
        return values

    def form_as(self, dtype: npt.DTypeLike) -> SequenceForm:
        """The sequence form with payoffs in another precision."""
        name = np.dtype(dtype).name
        if name == "float64":
            return self.form
        if name not in self._forms:
            self.check_precision(name)
            self._forms[name] = self.form._replace(payoff=self.form.payoff.astype(dtype))
        return self._forms[name]

    def check_precision(self, dtype: str) -> None:
        """Refuse single precision where payoffs are too large for it."""
        largest = 0.0 if dtype == "float64" else float(np.abs(self.form.payoff).max(initial=0.0))
        if largest > LARGEST_SINGLE:
            raise OptionError(f"payoffs of {largest:g} chips are too large for {dtype}: leave out dtype={dtype!r}")

    def __repr__(self) -> str:
        return (
            f"<Tree of {type(self.game).__name__}: {self.histories:,} histories, {self.infosets:,} infosets, "
            f"{self.nbytes / 2**20:,.1f} MiB>"
        )

    def _repr_html_(self) -> str:
        facts = [("players", self.players), *self.sizes.items(), ("zero-sum", self.zero_sum)]
        return facts_table(f"tree of {type(self.game).__name__}", facts)


def build(game: Game | str, *, progress: Callable[[int], None] | None = None) -> Tree:
    """List every history of a game (or of the game of a name or file) and lay it out in sequence form.

    Refuses games with imperfect recall, naming two histories that show it: their plans are not sequences.
    `progress` is called now and then with the number of histories listed.
    """
    game = found(game)
    refuse_to_list(game)
    if not isinstance(game, Game):
        raise GameError(f"build takes a Game, got {game!r} of type {type(game).__name__}")
    if not game.perfect_recall:
        raise GameError(
            f"{game!r} forgets on purpose (perfect_recall is False), and only games with perfect recall have a "
            "sequence form: solve it with rg.FSICFR()"
        )
    listing = list_game(game, progress=progress)
    players = game.players
    player = np.array(listing.player, np.int64)
    actions = np.array([len(a) for a in listing.actions], np.int64)
    offset = players + np.cumsum(actions) - actions
    h = listing.histories
    ends, reach_of_ends, parent, broken, other = trace_sequences(
        (h.mover, h.index, h.first_child, h.children), h.chance.code, h.chance.table, offset, len(h.payoff), players
    )
    if broken >= 0:
        raise _forgetful(game, listing, int(other), int(broken))
    reach = coded(reach_of_ends)
    del reach_of_ends  # 8 bytes for each terminal
    layout = lay_out_infosets(players, player, actions, offset, parent)
    for_size(rename_sequences, ends.size)(ends, layout.sequence)
    form = sequence_form(layout, ends, reach, h.payoff)
    del ends
    place = np.empty(len(player), np.int32)
    place[layout.order] = np.arange(len(player))
    for_size(rename_infosets, len(h.mover))(h.mover, h.index, place)
    owner = player[layout.order].astype(np.int32)
    names: Sequence[Hashable] = NamesOnDemand(
        game.infoset_label, [listing.infoset[i] for i in layout.order], partial(_check_names, game, owner)
    )
    with game_errors(game):
        known_names = names if listing.by_machine_code else tuple(names)
        action_labels = _action_labels(game, listing, layout)
    labels = Labels(
        players=players,
        names=known_names,
        actions=action_labels,
        owner=owner,
        first=layout.first.astype(np.int32),
        stride=layout.stride.astype(np.int32),
        reading_order=place,
        sequences=int(layout.sequence_first[-1]),
    )
    return Tree(game, players, h, form, labels)


def as_tree(game: Any) -> Tree:
    """A tree, from whatever a user calls a game: a tree, a game to be built, a name or a file."""
    game = found(game)
    refuse_to_list(game)
    tree = open_problem(game)
    assert isinstance(tree, Tree)
    return tree


def listed(game: Any) -> Tree:
    """The tree of a game; anything else is refused in a sentence."""
    if not isinstance(game, Game):
        raise OptionError(f"a Tree, a Game or a name is needed here, got {game!r} of type {type(game).__name__}")
    return build(game)


def _table_of_player(labels: Labels, player: int, given: Any) -> dict[tuple[int, Any], Any]:
    """A fixed player's strategy by (player, label), complete; a player with one infoset may give its numbers alone."""
    names = [labels.names[i] for i in labels.reading_order.tolist() if labels.owner[i] == player]
    if len(names) == 1 and not (isinstance(given, Mapping) and (names[0] in given or (player, names[0]) in given)):
        given = {names[0]: given}
    if not isinstance(given, Mapping):
        raise OptionError(
            f"fixed player {player} has {len(names)} infosets: give a Strategy or {{label: probabilities}}"
        )
    table = {key if key in labels.by_player else (player, key): p for key, p in given.items()}
    for name in names:
        if (player, name) not in table:
            raise OptionError(f"fixed player {player}: the strategy has no probabilities for infoset {name!r}")
    return table


def _action_labels(game: Game, listing: Listing, layout: Layout) -> tuple[tuple[Hashable, ...], ...]:
    """Action labels by infoset; equal tuples are one object."""
    known: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
    for actions in listing.actions:
        if actions not in known:
            known[actions] = distinct_action_labels(game, actions)
    return tuple(known[listing.actions[i]] for i in layout.order)


def _check_names(game: Game, owner: npt.NDArray[np.int32], names: tuple[Hashable, ...]) -> None:
    """Two infosets of a player under one label could not be told apart in a strategy. owner, names [I]."""
    seen: set[Any] = set()
    for place in zip(owner.tolist(), names, strict=True):
        if place in seen:
            raise GameError(
                f"{type(game).__name__}: infoset_label gives two infosets of player {place[0]} the name {place[1]!r}"
            )
        seen.add(place)


def _forgetful(game: Game, listing: Listing, one: int, other: int) -> GameError:
    h = listing.histories
    first, second = (describe_path(game, choices_to(h, number)) for number in (one, other))
    infoset = game.infoset_label(listing.infoset[h.index[other]])
    return GameError(
        f"{type(game).__name__}: player {h.mover[other]} forgets own choices: infoset {infoset!r} holds both ({first}) "
        f"and ({second}); imperfect recall has no sequence form, so make infoset() remember, or say perfect_recall = "
        "False and solve it with rg.FSICFR()"
    )
