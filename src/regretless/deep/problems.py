"""Opening problems for deep methods: which games they accept, and whether PyTorch and its devices can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import comb
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.game import Game
from regretless.method import LearnerTable, Method
from regretless.problem import Problem, found, kind_of, open_problem, opens_itself

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame

__all__ = ["DEVICES", "MOST_SHOWDOWNS", "SAMPLED_HOLDEM", "check_deals", "open_deep_problem", "with_torch"]

SAMPLED_HOLDEM = "sampled hold'em"
"""The kind of hold'em whose cards are dealt on demand."""

MOST_SHOWDOWNS = 30_000_000
"""Sets of cards that are laid out: up to six cards of a standard deck. Of larger games cards are dealt on demand."""


def check_deals(game: Any) -> None:
    """Refuse hold'em with ranges or locks, before it is laid out."""
    if any(chosen is not None for chosen in game.ranges):
        raise OptionError("deep methods play hold'em with all hands equally likely: give the game no ranges")
    if game.locks:
        raise OptionError("networks cannot play fixed strategies at single nodes: leave out the locks of the game")


def is_laid_out(game: PublicGame, listed: bool | None) -> bool:
    """Whether hold'em is laid out board by board: if that is asked for or, without a wish, if there are few deals."""
    if listed is not None:
        return listed
    cards = game.hand_size + sum(game.board_cards)
    return comb(game.deck.size - len(game.first_board), cards) <= MOST_SHOWDOWNS


def open_deep_problem(method: Method, learners: LearnerTable, game: Any, listed: bool | None) -> Problem:
    """Hold'em laid out or dealt on demand; else a tree if the game is to be listed, or the compiled game itself."""
    game = found(game)
    if isinstance(game, Game):
        from regretless.sampling.unlisted_problem import listed_or_compiled

        return listed_or_compiled(game, listed, "deep methods walk")
    learners.check(method, game)
    if kind_of(game) == SAMPLED_HOLDEM:
        problem: Problem = game.with_method(method)
        return problem
    if opens_itself(game):
        check_deals(game)
        if kind_of(game) == "public tree":
            return _laid_out(game, listed) if is_laid_out(game, listed) else _sampled(method, game)
    return open_problem(game)


def _laid_out(game: PublicGame, listed: bool | None) -> Problem:
    """Hold'em laid out board by board."""
    try:
        return open_problem(game)
    except OptionError as error:
        if not listed:
            raise
        raise OptionError(
            f"listed=True lays out all boards, but {error}; without listed= cards are dealt on demand"
        ) from None


def _sampled(method: Method, game: PublicGame) -> Problem:
    """Hold'em whose cards are dealt on demand."""
    from regretless.deep.games.sampled_holdem import SampledHoldem

    return SampledHoldem(game, method)


def _check(device: str) -> Callable[[], str | None]:
    """A function that returns why a device cannot be used, or None."""

    def why_unusable() -> str | None:
        from regretless.deep.pytorch import torch_device

        try:
            torch_device(device)
        except OptionError as error:
            return str(error)
        return None

    return why_unusable


DEVICES = {device: _check(device) for device in ("cpu", "cuda")}
"""The devices of PyTorch."""


@contextmanager
def with_torch() -> Iterator[None]:
    """Raise OptionError if PyTorch is not installed, or if it runs out of memory in the block."""
    from regretless.deep.pytorch import explain_out_of_memory, require_torch

    require_torch()
    with explain_out_of_memory():
        yield
