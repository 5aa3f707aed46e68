"""Any game of OpenSpiel, under its OpenSpiel name; needs the extra `regretless[openspiel]`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from regretless.errors import OptionError, suggest
from regretless.game import CHANCE, TERMINAL, Game

__all__ = ["Move", "OpenSpiel"]


class Move(NamedTuple):
    """An action of OpenSpiel with its name, which OpenSpiel knows only at the state."""

    number: int
    label: str


@dataclass(frozen=True)
class OpenSpiel(Game):
    """A game that OpenSpiel knows, with parameters in brackets after its name.

    Simultaneous moves become one move after the other, hidden until all have moved. A state is OpenSpiel's
    own.

    >>> game = OpenSpiel("goofspiel(imp_info=True,num_cards=4)")  # doctest: +SKIP
    >>> game.players  # doctest: +SKIP
    2
    """

    walked_in_python: ClassVar[bool] = True

    name: str
    loaded: Any = field(init=False, repr=False, compare=False)
    """The `pyspiel.Game`, turn-based."""
    readable: bool = field(init=False, repr=False, compare=False)
    """Whether OpenSpiel describes what players know; perfect information needs no description."""

    def __post_init__(self) -> None:
        loaded = _turn_based(self.name)
        object.__setattr__(self, "loaded", loaded)
        object.__setattr__(self, "players", loaded.num_players())
        object.__setattr__(self, "readable", loaded.get_type().provides_information_state_string)

    def __reduce__(self) -> tuple[type[OpenSpiel], tuple[str]]:
        return OpenSpiel, (self.name,)

    def root(self) -> Any:
        """OpenSpiel's initial state."""
        return self.loaded.new_initial_state()

    def player(self, state: Any) -> int:
        """OpenSpiel's current player; its −4 for the end is our `TERMINAL`."""
        mover: int = state.current_player()
        return mover if mover >= CHANCE else TERMINAL

    def actions(self, state: Any) -> list[Move]:
        """The legal actions in OpenSpiel's order, or the outcomes of chance."""
        mover = state.current_player()
        name_of = state.action_to_string
        if mover == CHANCE:
            return [Move(action, name_of(mover, action)) for action, _ in state.chance_outcomes()]
        return [Move(action, name_of(mover, action)) for action in state.legal_actions()]

    def play(self, state: Any, action: Move) -> Any:
        """A copy of the state with the action applied."""
        return state.child(action.number)

    def infoset(self, state: Any) -> str:
        """OpenSpiel's information state, or the whole history where nothing is hidden."""
        knowledge: str = state.information_state_string() if self.readable else state.history_str()
        return knowledge

    def payoffs(self, state: Any) -> list[float]:
        """The returns of a finished play."""
        returns: list[float] = state.returns()
        return returns

    def chance(self, state: Any) -> list[float]:
        """The probabilities of chance's outcomes, in the order of `actions`."""
        return [probability for _, probability in state.chance_outcomes()]

    def action_label(self, action: Move) -> str:
        """OpenSpiel's name for the action."""
        return action.label


def _turn_based(name: str) -> Any:
    """The game of a name, simultaneous moves put in a row; an OptionError says why there is none."""
    pyspiel = _pyspiel()
    bare_name = name.partition("(")[0]
    if bare_name not in pyspiel.registered_names():
        near = suggest(bare_name, pyspiel.registered_names())
        raise OptionError(f"OpenSpiel has no game {bare_name!r}: {near}")
    try:
        with _silent_stderr():
            loaded = pyspiel.load_game(name)
            kind = loaded.get_type()
            if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
                loaded = pyspiel.convert_to_turn_based(loaded)
    except (pyspiel.SpielError, RuntimeError) as error:
        raise OptionError(f"OpenSpiel cannot load {name!r}: {' '.join(str(error).split())}") from None
    _refuse_what_cannot_be_listed(pyspiel, name, kind)
    return loaded


def _refuse_what_cannot_be_listed(pyspiel: Any, name: str, kind: Any) -> None:
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise OptionError(f"OpenSpiel's {name!r} is a mean-field game: regretless plays games with numbered players")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise OptionError(
            f"OpenSpiel's {name!r} draws chance inside the game: regretless needs a game that lists the"
            " outcomes of chance with their probabilities"
        )
    hidden = (
        kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION
        or kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    )
    if hidden and not kind.provides_information_state_string:
        raise OptionError(
            f"OpenSpiel's {name!r} has no information_state_string, which says what a player remembers,"
            " so its infosets are not known"
        )


def _pyspiel() -> Any:
    try:
        import pyspiel
    except ImportError:
        raise OptionError("OpenSpiel games need the package open_spiel: pip install regretless[openspiel]") from None
    return pyspiel


@contextlib.contextmanager
def _silent_stderr() -> Iterator[None]:
    """OpenSpiel writes its errors to file descriptor 2 before raising them; our own message is enough."""
    saved = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(nowhere)
        os.close(saved)
