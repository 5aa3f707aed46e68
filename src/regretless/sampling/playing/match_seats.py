"""The players of a match, and whether their result can be computed or must be played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.compiled import CompiledGame, compile_game, is_compiled
from regretless.errors import OptionError, suggest
from regretless.game import Game
from regretless.linter import estimate_size, fits_in_memory
from regretless.sampling.playing.bots import bot_play
from regretless.sampling.playing.match_play import Play, Side, compiled_play, listed_play, values_of_histories
from regretless.sampling.playing.table_seats import is_table, strategy_of
from regretless.strategy import Strategy
from regretless.tree import Tree, build

__all__ = ["Seating"]

Array = npt.NDArray[Any]

LISTABLE = 3_000_000
"""Histories up to which a game is listed for an exact answer without being asked to; half a minute at most."""

PROBES = 20


class Seating:
    """The two players of a match on a game, and how their hands are played."""

    def __init__(self, game: Game, tree: Tree | None, a: Any, b: Any) -> None:
        self.game, self.tree, self.players = game, tree, (a, b)

    @property
    def has_bots(self) -> bool:
        """Whether a function plays."""
        return any(not isinstance(player, Strategy) and not is_table(player) for player in self.players)

    @property
    def all_tables(self) -> bool:
        """Whether both play by tables of infosets."""
        return all(map(is_table, self.players))

    def check_players(self) -> None:
        """Refuse players that cannot play this game."""
        for name, player in zip("ab", self.players, strict=True):
            if isinstance(player, Strategy) and self.tree is not None:
                player.check_same_game(self.tree.labels)
            if is_table(player) and not is_compiled(self.game):
                raise OptionError(
                    f"{name} plays by a table of infosets, which only compiled games have, not {self.game!r}"
                )
            if isinstance(player, Strategy) or is_table(player) or callable(player):
                continue
            inside = getattr(player, "strategy", None)
            hint = "; pass its .strategy" if isinstance(inside, Strategy) or is_table(inside) else ""
            raise OptionError(f"{name} is a Strategy or a function player(state, actions), got {player!r}{hint}")

    def check_control(self, control: Any) -> None:
        """Refuse an invalid control before any work is done."""
        if control is None:
            return
        if self.has_bots:
            raise OptionError("control needs to know both strategies; leave it out where a function plays")
        if isinstance(control, str) and control != "value":
            raise OptionError(f"unknown control {control!r}; {suggest(control, ['value'])}")
        if not (isinstance(control, str | np.ndarray | Strategy) or is_table(control)):
            raise OptionError(f"control is 'value', an array of values of histories or a Strategy, got {control!r}")

    def listed(self, exact: bool | None) -> Tree | None:
        """The tree to compute or to play on; None where the game is played as it is."""
        if self.has_bots:
            if exact:
                raise OptionError("a function can only be played, not computed; leave exact=True out")
            return None
        if any(is_table(player) and self.compiled().infoset_numbers == 0 for player in self.players):
            if exact:
                raise OptionError(
                    f"infosets of {self.game!r} are kept as hashes, which cannot be listed; leave exact=True out"
                )
            return None
        if self.tree is not None:
            return self.tree
        if exact or (self.can_be_listed() and not (exact is False and self.all_tables)):
            return build(self.game)
        return None

    def can_be_listed(self) -> bool:
        """Whether listing the game is quick and fits."""
        if not self.game.perfect_recall:
            return False
        estimate = estimate_size(self.game, probes=PROBES)
        return estimate.histories <= LISTABLE and fits_in_memory(estimate) is None

    def compiled(self) -> CompiledGame:
        """The game as machine code; asking again costs nothing."""
        return compile_game(self.game)

    def strategies(self, tree: Tree) -> tuple[Strategy, Strategy]:
        """Both players by the names of a tree."""
        a, b = (self.strategy(tree, player) for player in self.players)
        return a, b

    def strategy(self, tree: Tree, player: Any) -> Strategy:
        """A player by the names of a tree."""
        strategy = (
            player if isinstance(player, Strategy) else strategy_of(player, tree, self.compiled().infoset_numbers)
        )
        strategy.check_same_game(tree.labels)
        return strategy

    def play(self, tree: Tree | None, control: Any, seed: int, duplicate: bool) -> Play:
        """The quickest way to play: on a tree, on the compiled game, or in a plain loop."""
        if tree is not None:
            a, b = self.strategies(tree)
            return listed_play(tree, a, b, self.values_of(tree, control), seed, duplicate)
        if self.all_tables:
            one, other = (_side(player) for player in self.players)
            return compiled_play(self.compiled(), one, other, self.baselines_of(control), seed, duplicate)
        if control is not None:
            raise OptionError(
                f"{self.game!r} is too large to list, and there are no values of its histories; leave control out"
            )
        return bot_play(self.game, *self.players, seed, duplicate)

    def values_of(self, tree: Tree, control: Any) -> Array | None:
        """[P, H] what histories are worth to a in each seat, from the given control."""
        if control is None:
            return None
        if isinstance(control, str):
            return values_of_histories(tree, *self.strategies(tree))
        if not isinstance(control, np.ndarray):
            known = self.strategy(tree, control)
            return values_of_histories(tree, known, known)
        if control.dtype.kind not in "fiu" or not np.isfinite(control).all():
            raise OptionError("control holds values that are no finite numbers")
        if control.shape == (tree.histories,) and tree.players == 2 and tree.zero_sum:
            return np.stack([control, -control]).astype(np.float64)
        if control.shape != (tree.players, tree.histories):
            raise OptionError(
                f"control holds a number for each of {tree.players} players and {tree.histories:,} histories, got "
                f"an array of shape {control.shape}"
            )
        return np.ascontiguousarray(control, np.float64)

    def baselines_of(self, control: Any) -> Side | None:
        """A strategy whose table says what actions are worth."""
        if control is None:
            return None
        offered: Sequence[Any] = self.players if isinstance(control, str) else [control]
        for player in offered:
            if is_table(player) and player.table.parts >= 2 + self.game.players:
                return _side(player)
        raise OptionError(
            "control on a game that is not listed takes baselines, which none of these strategies has; learn with "
            "rg.MCCFR(sampling='outcome', baseline='infoset') or leave control out"
        )


def _side(player: Any) -> Side:
    return player.table, player.numbers, int(player.kind)
