"""How much memory a solve will take, said before it starts."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from regretless.errors import OptionError
from regretless.linter.memory import available_memory

if TYPE_CHECKING:
    from regretless.poker.tree.public_tree import PublicTree

__all__ = ["check_memory", "check_room", "free_memory", "readable", "shape_sentence", "size_sentence"]

LEAST_BYTES = {"number": 4, "class": 60}
"""Of an infoset-action (a regret and an average in 16 bits), and of a class of hands on a board."""

SMALLER = "take fewer bet sizes, narrower ranges or a later street"


def free_memory() -> int | None:
    """Bytes that can be taken without swapping, or None where nobody says."""
    return available_memory()


def shape_sentence(tree: PublicTree) -> str:
    """What there is in a public tree."""
    streets = ", ".join(f"{count.decisions:,}" for count in tree.betting_tree.counts)
    by_street = " by street" if tree.streets > 1 else ""
    boards = f"{tree.boards:,} boards" if tree.boards > 1 else "1 board"
    return (
        f"{boards}, {streets} decision nodes{by_street}, {tree.infosets:,} infosets, "
        f"{tree.infoset_actions:,} infoset-actions"
    )


def size_sentence(tree: PublicTree, dtype: str, predictive: bool = False) -> str:
    """What a solve with tables is about to work on, in one sentence."""
    return f"{shape_sentence(tree)}; {readable(tree.bytes_needed(dtype, predictive))} as {dtype}"


def check_memory(tree: PublicTree, dtype: str, predictive: bool = False) -> None:
    """Refuse a solve that will not fit into the memory that is free."""
    free, needed = free_memory(), tree.bytes_needed(dtype, predictive)
    if free is None or needed <= free:
        return
    smaller = [d for d in ("float32", "int16") if tree.bytes_needed(d, predictive) <= free and d != dtype]
    advice = f"dtype={smaller[0]!r} fits" if smaller else SMALLER
    raise OptionError(
        f"this solve needs {readable(needed)} ({size_sentence(tree, dtype, predictive)}) and {readable(free)} are free:"
        f" {advice}"
    )


def check_room(
    hands: tuple[int, int], hand_size: int, cards: int, dealt: tuple[int, ...], symmetries: int, slots: npt.NDArray[Any]
) -> None:
    """Refuse a game that surely will not fit, before its boards are laid out.

    hands: how many each player can hold; cards: those not on the first board; dealt: cards of each later street; slots
    [2, streets]: a player's actions on a street. No more than `symmetries` boards and hands become one.
    """
    numbers = classes = 0.0
    for player in range(2):
        left, count = cards - hand_size, float(hands[player])
        for street in range(len(dealt) + 1):
            if street:
                count *= comb(left, dealt[street - 1])
                left -= dealt[street - 1]
            numbers += count / symmetries * float(slots[player, street])
            classes = max(classes, count / symmetries)
    needed = int(numbers * LEAST_BYTES["number"] + classes * LEAST_BYTES["class"])
    free = free_memory()
    if free is not None and needed > free:
        raise OptionError(
            f"this game has at least {numbers:,.0f} infoset-actions, which need {readable(needed)} even as int16, and "
            f"{readable(free)} are free: {SMALLER}"
        )


def readable(count: int) -> str:
    """Bytes as people say them."""
    amount = float(count)
    for unit in ("bytes", "KB", "MB"):
        if amount < 1_000:
            return f"{amount:.0f} {unit}" if unit != "bytes" else f"{count} bytes"
        amount /= 1_000
    return f"{amount:,.2f} GB"
