"""A run that is shown: its strategy, and its game and tree where they can be opened.

A run file is data. Its game is opened only if `allowed_games.may_open` allows it, or if the user has named the game
with `--game`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.apps.views.run_headers import RunHeader
from regretless.errors import FileError, OptionError, RegretlessError
from regretless.lookup.allowed_games import check_parameters, may_open

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

__all__ = ["GameTree", "LoadedRun", "same_labels"]

MOST_HISTORIES = 5_000_000
"""Games up to this size are listed, which takes some seconds at most; larger games have no tree to browse."""


class GameTree:
    """A game that is listed on first use; thread-safe."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._lock = threading.RLock()
        self._tree: Tree | None = None
        self._outline: Outline | None = None

    @property
    def tree(self) -> Tree:
        """The listed game."""
        from regretless.tree import build

        with self._lock:
            if self._tree is None:
                self._tree = build(self.game)
            return self._tree

    @property
    def outline(self) -> Outline:
        """Its public nodes."""
        from regretless.apps.views.outline import outline_of

        with self._lock:
            if self._outline is None:
                self._outline = outline_of(self.tree)
            return self._outline


def same_labels(one: Labels, other: Labels) -> bool:
    """Whether two sets of labels name the same infosets in the same order; much faster than their fingerprints."""
    return (
        one.sequences == other.sequences
        and np.array_equal(one.owner, other.owner)
        and np.array_equal(one.first, other.first)
        and np.array_equal(one.stride, other.stride)
        and one.actions == other.actions
        and tuple(one.names) == tuple(other.names)
    )


class LoadedRun:
    """A run that is shown: its strategy, and its game where that can be opened."""

    def __init__(self, library: Library, entry: Entry, header: RunHeader) -> None:
        self.library, self.entry, self.header = library, entry, header
        self._lock = threading.RLock()
        self._measures: dict[str, Measures] = {}
        self.studies: dict[Any, Any] = {}  # what pages have computed of a run of hold'em, by what they asked
        self.studying = threading.RLock()
        self._ready, self._studied = threading.Event(), threading.Event()
        self._preparing: threading.Thread | None = None

    def prepared(self, seconds: float) -> bool:
        """Whether the first page can be shown at once. Starts the work in the background and waits for it a while."""
        with self._lock:
            if self._preparing is None:
                self._preparing = threading.Thread(target=self._prepare, daemon=True)
                self._preparing.start()
        return self._ready.wait(seconds)

    def studied(self, seconds: float) -> bool:
        """Whether a run of hold'em was read ahead as far as it may be; waits for it a while."""
        return self.prepared(seconds) and self._studied.wait(seconds)

    def _prepare(self) -> None:
        try:
            self.warm()
        except Exception:  # the page that shows the run meets the same error and reports it
            pass
        finally:
            self._ready.set()
        try:
            if self.is_holdem:
                from regretless.apps.views.studio.studies import study_ahead

                study_ahead(self)
        except Exception:  # as above
            pass
        finally:
            self._studied.set()

    @cached_property
    def content(self) -> Any:
        """What the file holds: a Run or a Strategy."""
        from regretless.run import Run, load

        game = self._abstracted_game()
        try:
            with self._lock:
                loaded: Any = load(self.entry.file.path, game=game)
        except FileError:
            if self.header.kind != "buckets" or game is not None:
                raise
            loaded = self._with_known_abstraction()
            if loaded is None:
                raise OptionError(
                    f"{self.entry.name} was solved with a card abstraction that is not found: --game names the game "
                    f"with it, for example --game hulh:abstraction=FILE"
                ) from None
        if not isinstance(loaded, Run) or loaded.problem.kind != "compiled game":
            return loaded
        # Its labels are made by the game, and they would open the game that the file names, whichever that is.
        problem: Any = loaded.problem
        labels = dataclasses.replace(problem.labels, known=self.game, spec="")
        return dataclasses.replace(loaded, problem=dataclasses.replace(problem, labels=labels))

    def _with_known_abstraction(self) -> Any:
        """The run with its abstraction from another folder of the library; None if it is not there."""
        from regretless.games.registry import is_known
        from regretless.games.spelling import parameter_in
        from regretless.lookup.games import find_game
        from regretless.run import load

        name, file = self.header.game, parameter_in(self.header.game, "abstraction")
        if not file or not is_known(name.partition(":")[0]):  # a file may not make us run code
            return None
        for path in self.library.abstractions():
            with contextlib.suppress(FileError, OptionError):  # it is the abstraction of another run
                return load(self.entry.file.path, game=find_game(name.replace(file, repr(str(path.absolute())), 1)))
        return None

    def _abstracted_game(self) -> Any:
        """The game with its card abstraction that was given for a run with buckets; None: the file is looked for."""
        given = self.entry.game or self.library.game_given
        if self.header.kind != "buckets" or given is None:
            return None
        from regretless.problem import found

        return found(given)

    @property
    def run(self) -> Run | None:
        """The run; None for a file that holds only a strategy."""
        from regretless.run import Run

        return self.content if isinstance(self.content, Run) else None

    @property
    def is_holdem(self) -> bool:
        """Whether it is a run of hold'em: on a public tree, with a card abstraction, or of networks alone."""
        return self.header.kind in ("holdem", "buckets", "networks")

    # -- the game -----------------------------------------------------------------------------------------------------

    @cached_property
    def _found(self) -> tuple[Game | None, str]:
        """The game, or why it cannot be opened."""
        from regretless.lookup.games import find_game

        given, spec = self.library.game_given, self.library.game_given or self.header.game
        if given is None and not may_open(spec):
            if self.header.kind == "strategy":
                return None, f"{self.entry.name} does not say which game it is for; --game GAME does."
            return None, f"{spec} is not one of the library's games; --game {spec} opens it, which runs its code."
        try:
            if given is None:
                self._check_size(spec)
            return find_game(spec), ""
        except RegretlessError as error:
            return None, f"The game cannot be opened: {error}."

    @staticmethod
    def _check_size(spec: str) -> None:
        """Refuse a game with parameters so large that even its first moves cannot be listed."""
        if ":" in spec:
            from regretless.apps.views.size_probe import probe_size

            check_parameters(spec)
            if problem := probe_size(spec).problem:
                raise OptionError(problem)

    @property
    def game(self) -> Game | None:
        """The game, if it can be opened."""
        return self._found[0]

    @cached_property
    def _listed(self) -> tuple[GameTree | None, str]:
        """The listed game, or why there is none."""
        game, why = self._found
        if game is None:
            return None, why
        if not game.perfect_recall:
            return None, "Players of this game forget on purpose: it has no tree to browse and no exact values."
        from regretless.linter import estimate_size, fits_in_memory

        size = estimate_size(game, probes=20)
        if size.histories > MOST_HISTORIES or fits_in_memory(size) is not None:
            return None, "The game is too large to be listed here: there is no tree to browse, and no exact values."
        listed = self.library.tree_of(game, self.library.game_given or self.header.game)
        try:
            self._on_tree(listed.tree, "average")
        except RegretlessError as error:
            return None, f"The strategy does not fit the game: {error}."
        if self._has_changed(listed.tree):
            return None, "The game has changed since it was solved: its values would be wrong."
        return listed, ""

    def _has_changed(self, tree: Tree) -> bool:
        """Whether the payoffs of a user's own game have changed; the library's games do not change."""
        run = self.run
        known = run is not None and run.listed and run.fingerprint
        return bool(self.library.game_given and known and run is not None and tree.fingerprint != run.fingerprint)

    @property
    def tree(self) -> Tree | None:
        """The listed game, if it can be opened and is small enough."""
        return self._listed[0].tree if self._listed[0] else None

    @property
    def outline(self) -> Outline | None:
        """The public nodes of the listed game."""
        return self._listed[0].outline if self._listed[0] else None

    @property
    def why_no_tree(self) -> str:
        """Why there is no tree; empty if there is one."""
        return self._listed[1]

    # -- the strategy -------------------------------------------------------------------------------------------------

    def stored_strategy(self, which: str) -> Any:
        """The average strategy or the last iterate, by the numbers of the file."""
        run = self.run
        if run is None:
            return self.content
        with self._lock:
            return run.current if which == "current" else run.strategy

    def _on_tree(self, tree: Tree, which: str) -> Strategy:
        """The strategy by the numbers of a tree; the file of a game that was not listed has other numbers."""
        from regretless.strategy import Strategy

        found = self.stored_strategy(which)
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
        """The strategy to show: by the numbers of the tree if there is one, else by those of the file."""
        return self.measures(which).strategy if self._listed[0] else self.stored_strategy(which)

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
        """[S] the regrets that the solve has stored, by the numbers of the tree; None if it stores none."""
        from regretless.apps.views.infoset_measures import stored_regret

        run = self.run
        if run is None or "sequences" not in run.problem.sizes:
            return None
        tree, labels = self.tree, run.strategy.labels
        if tree is not None and not same_labels(labels, tree.labels):
            return None
        return stored_regret(run.arrays, labels)

    @cached_property
    def names(self) -> list[str]:
        """[I] labels in lower case, for the search."""
        from regretless.apps.views.infoset_measures import names_of

        return names_of(self.strategy().labels)

    @cached_property
    def action_numbers(self) -> dict[str, int]:
        """The number of each action of the game; empty for a game that was not listed."""
        from regretless.apps.views.infoset_measures import action_numbers
        from regretless.strategy import Strategy

        strategy = self.strategy()
        return action_numbers(strategy.labels) if isinstance(strategy, Strategy) else {}

    def opponent(self) -> Opponent:
        """The strategy as an opponent at a table."""
        from regretless.apps.play.opponents import LabelledOpponent, ListedOpponent, VisitedOpponent
        from regretless.strategy import Strategy

        if self.header.kind in ("buckets", "networks"):
            from regretless.apps.play.board_opponent import BoardOpponent

            return BoardOpponent(self.stored_strategy("average"))
        if self.is_holdem:
            from regretless.apps.play.holdem_play import HoldemOpponent

            return HoldemOpponent(self.stored_strategy("average"))
        if self._listed[0]:
            return ListedOpponent(self.measures())
        game, why = self._found
        if game is None:
            raise OptionError(why)
        found = self.stored_strategy("average")
        return LabelledOpponent(game, found) if isinstance(found, Strategy) else VisitedOpponent(game, found)

    def warm(self) -> None:
        """Load and compute what the first page needs."""
        if self.is_holdem:
            self.stored_strategy("average")
        elif self.outline is not None:
            measures = self.measures()
            _ = measures.reach, measures.counterfactual, self.names
