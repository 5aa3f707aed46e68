"""External sampling with buckets: chance and the other player are drawn, all own actions are walked.

A walk has one deal: the buckets of both hands on every street, and who wins a showdown. At own nodes it tries every
action, at the other player's nodes it draws one (Lanctot, Waugh, Zinkevich & Bowling 2009, §4). What the other player
plays there is added to its average. Regrets are read, and gains are added up in a table of their own, so that all walks
of an iteration play the strategies that it began with.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from regretless.kernels.constants import DEAL, FOLD
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.random_streams import STEP, stream, uniform
from regretless.kernels.regret_rules import at_least, probability

PRUNED_WALKS = 0.95
"""The part of all walks that leave out actions with very negative regret (Brown & Sandholm 2019, Pluribus)."""


class SampledTree(NamedTuple):
    """The betting tree as walks read it."""

    kind: npt.NDArray[np.int64]  # [nodes] player to act, DEAL, FOLD or SHOWDOWN
    street: npt.NDArray[np.int64]  # [nodes]
    first_child: npt.NDArray[np.int64]  # [nodes]
    children: npt.NDArray[np.int64]  # [nodes]
    table: npt.NDArray[np.int64]  # [nodes] the first entry of each node's table [actions, known]
    known: npt.NDArray[np.int64]  # [streets] buckets
    payoff: npt.NDArray[np.float64]  # [nodes, 2, 3] chips of each player who loses, ties or wins


class WalkStack(NamedTuple):
    """Own nodes from the root to the current one."""

    node: npt.NDArray[np.int64]  # [depths]
    action: npt.NDArray[np.int64]  # [depths] the action that is walked
    strategy: npt.NDArray[np.float64]  # [depths, actions]
    value: npt.NDArray[np.float64]  # [depths, actions]; nan where an action was left out


@kernel
def external_walks(player, seeds, deals, tree, tables, numbers, stack):
    """Walk all deals for one player.

    seeds: seed, iteration, number of the first walk. deals: buckets [walks, 2, streets]; 1, 0 or −1 where player 0
    wins, ties or loses a showdown [walks]. numbers: weight of this iteration in the average, smallest normal number,
    and the regret below which actions are left out (0: none).
    """
    buckets, winner = deals
    weight, smallest, least = numbers[0], numbers[1], numbers[2]
    for n in range(winner.size):
        word = stream(seeds[0], seeds[1], player, seeds[2] + np.uint64(n))
        pruned = least < 0 and uniform(word) < PRUNED_WALKS
        sign = winner[n] if player == 0 else -winner[n]
        depth, node = -1, np.int64(0)
        while True:
            node, word = other_moves(node, player, word + STEP, buckets[n], tree, tables, weight, smallest)
            if tree.kind[node] == player:
                depth += 1
                open_node(depth, node, buckets[n, player], tree, tables, least if pruned else -np.inf, smallest, stack)
            else:
                outcome = 2 if tree.kind[node] == FOLD else 1 + sign
                value = tree.payoff[node, player, outcome]
                while depth >= 0:
                    stack.value[depth, stack.action[depth]] = value
                    if next_action(depth, tree.children[stack.node[depth]], stack):
                        break
                    value = close_node(depth, buckets[n, player], tree, tables, stack)
                    depth -= 1
                if depth < 0:
                    break
            node = tree.first_child[stack.node[depth]] + stack.action[depth]


@inner
def other_moves(node, player, word, buckets, tree, tables, weight, smallest):
    """Go on to the player's next node or to the end of the hand; the other player's actions are drawn."""
    while tree.kind[node] <= DEAL and tree.kind[node] != player:
        if tree.kind[node] == DEAL:
            node = tree.first_child[node]
            continue
        street, actions = tree.street[node], tree.children[node]
        known = tree.known[street]
        first = tree.table[node] + buckets[1 - player, street]
        total = 0.0
        for a in range(actions):
            total += at_least(tables.regret[first + a * known], 0.0)
        word += STEP
        drawn, chosen = uniform(word), actions - 1
        passed = 0.0
        for a in range(actions):
            played = probability(at_least(tables.regret[first + a * known], 0.0), total, actions, smallest)
            tables.average[first + a * known] += weight * played
            passed += played
            if drawn < passed and a < chosen:
                chosen = a
        node = tree.first_child[node] + chosen
    return node, word


@inner
def open_node(depth, node, buckets, tree, tables, least, smallest, stack):
    """Begin with an own node: its strategy, and the actions that are left out."""
    street, actions = tree.street[node], tree.children[node]
    known, total = tree.known[street], 0.0
    first = tree.table[node] + buckets[street]
    for a in range(actions):
        total += at_least(tables.regret[first + a * known], 0.0)
    for a in range(actions):
        regret = tables.regret[first + a * known]
        stack.strategy[depth, a] = probability(at_least(regret, 0.0), total, actions, smallest)
        left_out = regret < least and stack.strategy[depth, a] == 0.0
        stack.value[depth, a] = np.nan if left_out else 0.0
    stack.node[depth], stack.action[depth] = node, -1
    next_action(depth, actions, stack)


@inner
def next_action(depth, actions, stack):
    """Go to the next action that is not left out; False if there is none."""
    action = stack.action[depth] + 1
    while action < actions and np.isnan(stack.value[depth, action]):
        action += 1
    stack.action[depth] = action
    return action < actions


@inner
def close_node(depth, buckets, tree, tables, stack):
    """The value of an own node, whose gains are added to the table."""
    node = stack.node[depth]
    street, actions = tree.street[node], tree.children[node]
    first, known, mean = tree.table[node] + buckets[street], tree.known[street], 0.0
    for a in range(actions):
        if not np.isnan(stack.value[depth, a]):
            mean += stack.strategy[depth, a] * stack.value[depth, a]
    for a in range(actions):
        if not np.isnan(stack.value[depth, a]):
            tables.gain[first + a * known] += stack.value[depth, a] - mean
    return mean
