"""A run that somebody looks at: its strategy, and its game and tree where they are at hand.

A run's file is data: its game is made only if it is one of the library's own, and a class in a Python file only if
whoever started the explorer has named that file.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.apps.views.run_headers import Glance
from regretless.errors import OptionError, RegretlessError

if TYPE_CHECKING:
    from regretless.apps.play.opponents import Opponent
    from regretless.apps.views.infoset_measures import Measures
    from regretless.apps.views.library import Entry, Library
    from regretless.apps.views.outline import Outline
    from regretless.game import Game
    from regretless.layout.labels import Labels
    from regretless.run import Run
    from regretless.strategy import Strategy
    from regretless.tree import Tree

__all__ = ["GameTree", "Opened", "ready_made", "same_labels"]

MOST_HISTORIES = 5_000_000
"""Games up to this size are listed so that their tree can be browsed; some seconds at most."""


class GameTree:
    """A game, listed when somebody looks at its tree."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._lock = threading.RLock()

    @cached_property
    def tree(self) -> Tree:
        """The listed game."""
        from regretless.tree import build

        with self._lock:
            if "tree" in self.__dict__:
                return self.__dict__["tree"]  # type: ignore[no-any-return]
            return build(self.game)

    @cached_property
    def outline(self) -> Outline:
        """Its public nodes."""
        from regretless.apps.views.outline import outline_of

        with self._lock:
            if "outline" in self.__dict__:
                return self.__dict__["outline"]  # type: ignore[no-any-return]
            return outline_of(self.tree)


def ready_made(spec: str) -> bool:
    """Whether a spec names one of the library's own games, which take no code from anywhere."""
    from regretless.games.registry import GAMES

    return spec.partition(":")[0] in {*GAMES, "openspiel"}


def same_labels(one: Labels, other: Labels) -> bool:
    """Whether two sets of labels name the same infosets in the same places; much quicker than their fingerprints."""
    return (
        one.sequences == other.sequences
        and np.array_equal(one.owner, other.owner)
        and np.array_equal(one.first, other.first)
        and np.array_equal(one.stride, other.stride)
        and one.actions == other.actions
        and tuple(one.names) == tuple(other.names)
    )


class Opened:
    """A run that somebody looks at: its strategy, and its game where that is at hand."""

    def __init__(self, library: Library, entry: Entry, glance: Glance) -> None:
        self.library, self.entry, self.glance = library, entry, glance
        self._lock = threading.RLock()
        self._measures: dict[str, Measures] = {}
        self._ready = threading.Event()
        self._preparing: threading.Thread | None = None

    def prepared(self, patience: float) -> bool:
        """Whether all that a first look takes has been done; it is begun in the background, and waited for a while."""
        with self._lock:
            if self._preparing is None:
                self._preparing = threading.Thread(target=self._prepare, daemon=True)
                self._preparing.start()
        return self._ready.wait(patience)

    def _prepare(self) -> None:
        try:
            self.warm()
        except Exception:  # whoever looks at the run is told
            pass
        finally:
            self._ready.set()

    @cached_property
    def loaded(self) -> Any:
        """What the file holds: a Run or a Strategy."""
        from regretless.run import load

        with self._lock:
            return load(self.entry.followed.path)

    @property
    def run(self) -> Run | None:
        """The run; None of a file that holds a strategy alone."""
        from regretless.run import Run

        return self.loaded if isinstance(self.loaded, Run) else None

    @property
    def is_holdem(self) -> bool:
        """Whether it is a run on a public tree."""
        return self.glance.kind == "holdem"

    # -- the game -----------------------------------------------------------------------------------------------------

    @cached_property
    def _found(self) -> tuple[Game | None, str]:
        """The game, or a sentence about why it is not at hand."""
        from regretless.lookup.games import find_game

        spec = self.library.game_given or self.glance.game
        if self.library.game_given is None and not ready_made(spec):
            if self.glance.kind == "strategy":
                return None, f"{self.entry.name} does not say which game it is for; --game GAME does."
            return None, f"{spec} is not one of the library's games; start the explorer with --game {spec} to open it."
        try:
            return find_game(spec), ""
        except RegretlessError as error:
            return None, f"The game cannot be opened: {error}."

    @property
    def game(self) -> Game | None:
        """The game, where it is at hand."""
        return self._found[0]

    @cached_property
    def _listed(self) -> tuple[GameTree | None, str]:
        game, why = self._found
        if game is None:
            return None, why
        if not game.perfect_recall:
            return None, "The game forgets on purpose: it has no tree to browse, and no exact values."
        from regretless.linter import estimate_size, fits_in_memory

        size = estimate_size(game, probes=20)
        if size.histories > MOST_HISTORIES or fits_in_memory(size) is not None:
            return None, "The game is too large to be listed here: there is no tree to browse, and no exact values."
        listed = self.library.tree_of(game, f"{self.library.game_given or self.glance.game}")
        try:
            self._on_tree(listed.tree, "average")
        except RegretlessError as error:
            return None, f"The strategy does not fit the game: {error}."
        if self._has_changed(listed.tree):
            return None, "The game is not the same any more as when it was solved: its values would be wrong."
        return listed, ""

    def _has_changed(self, tree: Tree) -> bool:
        """Whether a game of somebody's own pays otherwise than it did; the library's games do not change."""
        run = self.run
        known = run is not None and run.listed and run.fingerprint
        return bool(self.library.game_given and known and run is not None and tree.fingerprint != run.fingerprint)

    @property
    def tree(self) -> Tree | None:
        """The listed game, where it is at hand and small enough."""
        return self._listed[0].tree if self._listed[0] else None

    @property
    def outline(self) -> Outline | None:
        """The public nodes of the listed game."""
        return self._listed[0].outline if self._listed[0] else None

    @property
    def why_no_tree(self) -> str:
        """A sentence about a missing tree; empty where there is one."""
        return self._listed[1]

    # -- the strategy -------------------------------------------------------------------------------------------------

    def as_read(self, which: str) -> Any:
        """The average strategy or the last iterate, just as the file has it."""
        if self.run is None:
            return self.loaded
        with self._lock:
            return self.run.current if which == "current" else self.run.strategy

    def _on_tree(self, tree: Tree, which: str) -> Strategy:
        """The strategy by the numbers of a tree; a solve that did not list the game has numbers of its own."""
        from regretless.strategy import Strategy

        found = self.as_read(which)
        if isinstance(found, Strategy):
            if same_labels(found.labels, tree.labels):
                return Strategy(tree.labels, found.probabilities)
            owner = found.labels.owner.tolist()
            table = {
                (player, name): found.probabilities[found.labels.sequences_of(i)].tolist()
                for i, name in enumerate(found.labels.names)
                for player in ([owner[i]] if owner[i] >= 0 else range(tree.players))
            }
            return Strategy.from_dict(tree, {key: p for key, p in table.items() if key in tree.labels.by_player})
        return found.on(tree)  # type: ignore[no-any-return]

    def strategy(self, which: str = "average") -> Any:
        """The strategy to show: by the numbers of the tree if there is one, else as the file has it."""
        return self.measures(which).strategy if self._listed[0] else self.as_read(which)

    def measures(self, which: str = "average") -> Measures:
        """Reach and values of the strategy on its listed game."""
        from regretless.apps.views.infoset_measures import Measures

        listed, why = self._listed
        if listed is None:
            raise OptionError(why)
        with self._lock:
            if which not in self._measures:
                self._measures[which] = Measures(listed.tree, self._on_tree(listed.tree, which))
            return self._measures[which]

    @cached_property
    def regret(self) -> Any:
        """[S] the regrets that the solve has kept, by the numbers of the tree; None where it has none of that kind."""
        from regretless.apps.views.infoset_measures import kept_regret

        run = self.run
        if run is None or "sequences" not in run.problem.sizes:
            return None
        tree, labels = self.tree, run.strategy.labels
        if tree is not None and not same_labels(labels, tree.labels):
            return None
        return kept_regret(run.arrays, labels)

    @cached_property
    def names(self) -> list[str]:
        """[I] labels in small letters, to be searched."""
        from regretless.apps.views.infoset_measures import names_of

        return names_of(self.strategy().labels)

    def opponent(self) -> Opponent:
        """The strategy as somebody to play against."""
        from regretless.apps.play.opponents import LabelledOpponent, ListedOpponent, MetOpponent
        from regretless.strategy import Strategy

        if self.is_holdem:
            from regretless.apps.play.holdem_play import HoldemOpponent

            return HoldemOpponent(self.as_read("average"))
        if self._listed[0]:
            return ListedOpponent(self.measures())
        game, why = self._found
        if game is None:
            raise OptionError(why)
        found = self.as_read("average")
        return LabelledOpponent(game, found) if isinstance(found, Strategy) else MetOpponent(game, found)

    def warm(self) -> None:
        """Do now what the first look would have to wait for."""
        if self.is_holdem:
            self.as_read("average")
        elif self.outline is not None:
            measures = self.measures()
            _ = measures.reach, measures.counterfactual, self.names
