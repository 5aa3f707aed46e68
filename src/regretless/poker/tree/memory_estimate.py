"""The memory that a solve needs, estimated before it starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import comb, factorial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.linter.memory import available_memory
from regretless.poker.betting.tree_building import count_actions, counted_situations

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame
    from regretless.poker.tree.public_tree import PublicTree

__all__ = [
    "check_board_count",
    "check_game_size",
    "check_least_memory",
    "check_memory",
    "free_memory",
    "readable",
    "shape_sentence",
    "size_sentence",
    "whole_memory",
    "with_memory_of_cluster",
]

LEAST_BYTES = {"number": 4, "class": 60}
"""Of an infoset-action (a regret and an average in 16 bits), and of a class of hands on a board."""

PROCESS_BYTES = 170_000_000
"""Of a process that solves: the interpreter, libraries, compiled code and tables of the evaluator. Measured with
`regretless solve` as peak less tables: 166 MB for a river, 175 to 179 MB for turns and small flops, 205 MB for the
flop of a 3-bet pot."""

MOST_BOARDS = 3_000_000
"""Boards of the largest game that is laid out; more do not fit into memory with any betting."""

SMALLER = "take fewer bet sizes, narrower ranges or a later street"


_memory_of_cluster: ContextVar[int | None] = ContextVar("memory_of_cluster", default=None)


def free_memory() -> int | None:
    """Bytes that can be allocated without swapping, or None if unknown."""
    elsewhere = _memory_of_cluster.get()
    return available_memory() if elsewhere is None else elsewhere


@contextmanager
def with_memory_of_cluster(size: int) -> Iterator[None]:
    """Within it, games are compared with the memory of several machines instead of that of this one."""
    token = _memory_of_cluster.set(size)
    try:
        yield
    finally:
        _memory_of_cluster.reset(token)


def shape_sentence(tree: PublicTree) -> str:
    """The numbers of boards, decision nodes and infosets of a public tree."""
    streets = ", ".join(f"{count.decisions:,}" for count in tree.betting_tree.counts)
    by_street = " by street" if tree.streets > 1 else ""
    boards = f"{tree.boards:,} boards" if tree.boards > 1 else "1 board"
    return (
        f"{boards}, {streets} decision nodes{by_street}, {tree.infosets:,} infosets, "
        f"{tree.infoset_actions:,} infoset-actions"
    )


def whole_memory(tables: int) -> int:
    """Bytes that a process needs at most: its tables, `bytes_needed` of a problem, and the process itself.

    >>> readable(whole_memory(681_000_000))
    '851 MB'
    """
    return tables + PROCESS_BYTES


def size_sentence(tree: PublicTree, dtype: str, predictive: bool = False) -> str:
    """The size of a public tree, and the memory of a process that solves it with tables."""
    memory = readable(whole_memory(tree.bytes_needed(dtype, predictive)))
    return f"{shape_sentence(tree)}; {memory} of memory as {dtype}"


def check_memory(tree: PublicTree, dtype: str, predictive: bool = False) -> None:
    """Refuse a solve that does not fit into the free memory."""
    free, needed = free_memory(), tree.bytes_needed(dtype, predictive)
    if free is None or needed <= free:
        return
    smaller = [d for d in ("float32", "int16") if tree.bytes_needed(d, predictive) <= free and d != dtype]
    advice = f"dtype={smaller[0]!r} fits" if smaller else SMALLER
    raise OptionError(
        f"the tables of this solve need {readable(needed)} as {dtype} ({shape_sentence(tree)}) and {readable(free)} "
        f"are free: {advice}"
    )


def check_game_size(game: PublicGame) -> None:
    """Refuse a game that cannot fit into memory, before its betting tree is laid out.

    It lists the situations of the betting but no nodes, so a tree of 10 million nodes is refused in seconds.
    """
    cards, dealt = game.deck.size - len(game.first_board), game.board_cards
    symmetries = factorial(len(game.deck.suits)) if game.isomorphism else 1
    check_board_count(cards, dealt, symmetries)
    situations, _ = counted_situations(game.betting)
    hands = [int(np.count_nonzero(weights)) for weights in game.hand_weights()]
    actions = count_actions(situations, game.betting.streets)
    check_least_memory((hands[0], hands[1]), game.hand_size, cards, dealt, symmetries, actions)


def check_least_memory(
    hands: tuple[int, int],
    hand_size: int,
    cards: int,
    dealt: tuple[int, ...],
    symmetries: int,
    slots: npt.NDArray[Any] | Sequence[Sequence[int]],
) -> None:
    """Refuse a game of which even a lower bound of the memory does not fit, before its boards are laid out.

    hands: the number of hands of each player; cards: those not on the first board; dealt: cards of each later street;
    slots [2, streets]: actions of a player on a street. At most `symmetries` boards and hands are merged into one.
    """
    numbers = classes = 0.0
    for player in range(2):
        left, count = cards - hand_size, float(hands[player])
        for street in range(len(dealt) + 1):
            if street:
                count *= comb(left, dealt[street - 1])
                left -= dealt[street - 1]
            numbers += count / symmetries * float(slots[player][street])
            classes = max(classes, count / symmetries)
    needed = int(numbers * LEAST_BYTES["number"] + classes * LEAST_BYTES["class"])
    free = free_memory()
    if free is not None and needed > free:
        raise OptionError(
            f"this game has at least {numbers:,.0f} infoset-actions, which need {readable(needed)} even as int16, and "
            f"{readable(free)} are free: {SMALLER}"
        )


def check_board_count(cards: int, dealt: tuple[int, ...], symmetries: int) -> None:
    """Refuse a game with more than MOST_BOARDS boards; at most `symmetries` of them are merged into one."""
    left, number, deals = cards, 1.0, 0
    for size in dealt:
        deals = max(deals, comb(left, size))
        number *= comb(left, size)
        left -= size
    if deals > MOST_BOARDS:
        raise OptionError(
            f"this game has a street with {deals:,} deals, and the limit is {MOST_BOARDS:,}: deal fewer cards at once"
        )
    if number / symmetries > MOST_BOARDS:
        raise OptionError(
            f"this game has at least {number / symmetries:,.0f} boards even up to suits, too many for memory: "
            f"begin on a later street, or take an abstraction"
        )


def readable(count: int) -> str:
    """A number of bytes in the largest fitting unit.

    >>> readable(999), readable(23_400), readable(5_100_000_000)
    ('999 bytes', '23 KB', '5.10 GB')
    """
    amount = float(count)
    for unit in ("bytes", "KB", "MB"):
        if amount < 1_000:
            return f"{amount:.0f} {unit}" if unit != "bytes" else f"{count} bytes"
        amount /= 1_000
    return f"{amount:,.2f} GB"
