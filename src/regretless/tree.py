"""`build` turns a game into a `Tree`: flat arrays in sequence form that every solver and every evaluation walks."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import GameError, OptionError
from regretless.game import Game, refuse_public
from regretless.kernels.sequence_form.layout import SequenceForm
from regretless.kernels.sequence_form.sequence_tracing import trace_sequences
from regretless.layout.labels import Labels, NamesOnDemand
from regretless.layout.listing import Histories, Listing, choices_to, describe_path, list_game
from regretless.layout.payoffs import payoff_table
from regretless.layout.sequence_form import Layout, lay_out_infosets, sequence_form

__all__ = ["Tree", "as_tree", "build"]


@dataclass(frozen=True, eq=False)
class Tree:
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

    @property
    def histories(self) -> int:
        """Histories of the game, terminal ones included."""
        return len(self.listing.mover)

    @property
    def terminals(self) -> int:
        """Terminal histories of the game, before equal ones are merged."""
        return len(self.listing.payoffs)

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
        payoffs = self.listing.payoffs
        return bool(np.all(np.abs(payoffs.sum(axis=1)) <= 1e-9 * (1 + np.abs(payoffs).max(axis=1, initial=0))))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of names and payoffs: equal exactly for equal games."""
        digest = hashlib.sha256(self.labels.fingerprint.encode())
        for array in self.form:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def form_as(self, dtype: npt.DTypeLike) -> SequenceForm:
        """The sequence form with payoffs in another precision."""
        name = np.dtype(dtype).name
        if name == "float64":
            return self.form
        if name not in self._forms:
            self._forms[name] = self.form._replace(payoff=self.form.payoff.astype(dtype))
        return self._forms[name]

    def __repr__(self) -> str:
        return (
            f"<Tree of {type(self.game).__name__}: {self.histories:,} histories, {self.infosets:,} infosets, "
            f"{self.nbytes / 2**20:,.1f} MiB>"
        )


def build(game: Game, *, progress: Callable[[int], None] | None = None) -> Tree:
    """List every history of `game` and lay it out in sequence form.

    Refuses games with imperfect recall, naming two histories that show it: their plans are not sequences.
    `progress` is called now and then with the number of histories listed.
    """
    refuse_public(game)
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
    ends, reach, parent, broken, other = trace_sequences(
        h.mover, h.index, h.first_child, h.children, h.probability, offset, players
    )
    if broken >= 0:
        raise _forgetful(game, listing, int(other), int(broken))
    layout = lay_out_infosets(players, player, actions, offset, parent)
    form = sequence_form(layout, layout.sequence[ends], reach, h.payoffs)
    place = np.empty(len(player), np.int32)
    place[layout.order] = np.arange(len(player))
    decisions = h.mover >= 0
    h.index[decisions] = place[h.index[decisions]]
    owner = player[layout.order].astype(np.int32)
    names: Sequence[Hashable] = NamesOnDemand(
        game.infoset_label, [listing.infoset[i] for i in layout.order], partial(_check_names, game, owner)
    )
    labels = Labels(
        players=players,
        names=names if listing.by_machine_code else tuple(names),
        actions=_action_labels(game, listing, layout),
        owner=owner,
        first=layout.first.astype(np.int32),
        stride=layout.stride.astype(np.int32),
        reading_order=place,
        sequences=int(layout.sequence_first[-1]),
    )
    return Tree(game, players, h, form, labels)


def as_tree(game: Tree | Game | str) -> Tree:
    """A tree, from whatever a user calls a game: a tree, a game to be built, or the name of a ready-made one."""
    if isinstance(game, Tree):
        return game
    if isinstance(game, str):
        from regretless.games import by_name

        game = by_name(game)
    refuse_public(game)
    if not isinstance(game, Game):
        raise OptionError(f"a Tree, a Game or a name is needed here, got {game!r} of type {type(game).__name__}")
    return build(game)


def _action_labels(game: Game, listing: Listing, layout: Layout) -> tuple[tuple[Hashable, ...], ...]:
    """Action labels by infoset; equal tuples are one object."""
    known: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}
    for actions in listing.actions:
        if actions not in known:
            known[actions] = tuple(game.action_label(a) for a in actions)
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
