"""Tables for walks on listed games: alias tables of chance, distinct payoffs, public chance moves, sizes of buffers.

Arrays are allocated by NumPy: compiling an allocation takes longer than compiling the loop that fills it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.kernels.coded_numbers import coded_rows
from regretless.kernels.constants import CHANCE
from regretless.kernels.numba_ext.compiling import kernel
from regretless.kernels.numba_ext.interpreting import for_size

Array = npt.NDArray[Any]


def alias_tables(mover: Array, first_child: Array, children: Array, probability: Array) -> tuple[Array, Array]:
    """keep [H] and alias [H]: draw a child uniformly, then keep it or take its alias instead (Vose 1991).

    mover, first_child, children [H]; probability [H] of chance's move into a history.
    """
    keep, alias = np.ones(len(mover)), np.arange(len(mover), dtype=np.int32)
    nodes = np.flatnonzero(mover == CHANCE)
    widest = int(children[nodes].max(initial=1))
    for_size(fill_alias, int(children[nodes].sum()), small=1024)(
        nodes, first_child, children, probability, keep, alias, np.empty(widest), np.empty((2, widest), np.int64)
    )
    return keep, alias


@kernel
def fill_alias(nodes, first_child, children, probability, keep, alias, share, stacks):
    """Write the tables of all chance nodes. share, stacks [2]: scratch of as many numbers as a node has children."""
    small, large = stacks[0], stacks[1]
    for k in range(nodes.shape[0]):
        first, count = first_child[nodes[k]], children[nodes[k]]
        few, many = 0, 0
        for a in range(count):
            share[a] = probability[first + a] * count
            if share[a] < 1.0:
                small[few] = a
                few += 1
            else:
                large[many] = a
                many += 1
        while few > 0 and many > 0:
            few -= 1
            poor, rich = small[few], large[many - 1]
            keep[first + poor] = share[poor]
            alias[first + poor] = first + rich
            share[rich] -= 1.0 - share[poor]
            if share[rich] < 1.0:
                many -= 1
                small[few] = rich
                few += 1


def distinct_rows(rows: Array, most: int) -> tuple[Array, Array]:
    """The first row of each kind among rows [N, P] of float64, and which of those each row equals: [distinct], [N].

    Terminals of a game have few different payoffs, and a short table stays in the nearest cache. With more than `most`
    different rows, every row stands for itself.
    """
    which, first = coded_rows(rows)
    return (np.arange(len(rows)), np.arange(len(rows))) if len(first) > most else (first, which)


def public_chance(mover: Array, index: Array, first_child: Array, children: Array, infosets: int) -> Array:
    """[H] whether all players see the chance move of a history: no infoset below holds histories of two outcomes."""
    public, last = np.zeros(len(mover), np.bool_), np.full((2, infosets), -1, np.int64)
    find_public(mover, index, first_child, children, public, last, np.empty(len(mover), np.int64))
    return public


@kernel
def find_public(mover, index, first_child, children, public, last, stack):
    """Write public [H]. last [2, I]: the chance node and the outcome above the last visit of an infoset; stack [H]."""
    for h in range(mover.shape[0]):
        if mover[h] != CHANCE:
            continue
        public[h] = True
        for outcome in range(children[h]):
            stack[0] = first_child[h] + outcome
            top = 1
            while top > 0 and public[h]:
                top -= 1
                below = stack[top]
                if mover[below] >= 0:
                    infoset = index[below]
                    if last[0, infoset] == h and last[1, infoset] != outcome:
                        public[h] = False
                    last[0, infoset] = h
                    last[1, infoset] = outcome
                for a in range(children[below]):
                    stack[top] = first_child[below] + a
                    top += 1


def path_sizes(mover: Array, first_child: Array, children: Array) -> tuple[int, int]:
    """The most moves on a path, and the most actions of all histories on a path together."""
    depth, width = np.zeros(len(mover), np.int32), np.zeros(len(mover), np.int32)
    add_sizes(first_child, children, depth, width)
    return int(depth.max(initial=0)) + 1, int(max((width + children).max(initial=0), 1))


@kernel
def add_sizes(first_child, children, depth, width):
    """Write the moves and the actions above every history to depth [H] and width [H]."""
    for h in range(depth.shape[0]):
        for child in range(first_child[h], first_child[h] + children[h]):
            depth[child], width[child] = depth[h] + 1, width[h] + children[h]
