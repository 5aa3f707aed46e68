"""Opening problems for deep methods: which games they accept, and whether PyTorch and its devices can be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import comb
from typing import Any

from regretless.errors import OptionError
from regretless.game import Game
from regretless.method import LearnerTable, Method
from regretless.problem import Problem, found, open_problem, opens_itself

__all__ = ["DEVICES", "check_deals", "open_deep_problem", "with_torch"]

MOST_SHOWDOWNS = 30_000_000
"""Sets of cards that a table of strengths may have: up to six cards of a standard deck."""


def check_deals(game: Any) -> None:
    """Refuse hold'em with ranges, or with too many showdowns for a table of strengths, before it is laid out."""
    if any(chosen is not None for chosen in game.ranges):
        raise OptionError("deep methods play hold'em with all hands equally likely: give the game no ranges")
    cards = game.hand_size + len(game.first_board) + sum(game.board_cards)
    count = comb(game.deck.size, cards)
    if count > MOST_SHOWDOWNS:
        raise OptionError(
            f"deep methods know hold'em up to six cards in all, and here a showdown has {cards}: there are {count:,} "
            f"of them; take fewer cards on the board, or solve spots of this game by rg.DCFR"
        )


def open_deep_problem(method: Method, learners: LearnerTable, game: Any, listed: bool | None) -> Problem:
    """The public tree of hold'em; else a tree if the game is to be listed, or the compiled game itself."""
    game = found(game)
    if isinstance(game, Game):
        from regretless.sampling.unlisted_problem import listed_or_compiled

        return listed_or_compiled(game, listed, "deep methods walk")
    learners.check(method, game)
    if opens_itself(game):
        check_deals(game)
    return open_problem(game)


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
