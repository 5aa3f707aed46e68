"""Public chance sampling with buckets: one board, all hands of both players, tables by bucket.

A walk has a complete board and passes through the whole betting tree. At every node it holds a reach for each live hand
(those without a card of the board) of both players, and returns the value of each hand of the player who learns
(Johanson, Bard, Lanctot, Gibson & Bowling 2012). A strategy is looked up by the bucket of a hand, and what the hands of
a bucket gain is added up:

    r(a, bucket) += Σ over its hands of (v(a, hand) − Σ σ(b) v(b, hand))

Boards are drawn uniformly, and all pairs of hands that share no card with each other or with the board are equally
likely given the board. So the sums are, up to a constant factor, unbiased estimates of counterfactual regrets.
"""

from __future__ import annotations

from regretless.kernels.constants import DEAL, FOLD
from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.regret_rules import at_least, probability, updated


@kernel
def walk_board(player, betting, cards, buckets, known, tables, weight, smallest, scratch):
    """Walk one board for one player; the values of the root are left in value[0].

    betting: kind, street, first child, number of children [nodes]; the first entry of each node's table [nodes]; chips
    of the player who wins, ties or loses [nodes, 3]. cards: lower and higher card [live], the end of each hand's group
    of equally strong hands [live]; hands are sorted by strength. buckets [streets, live]; known [streets]: buckets of
    each street. tables: regret [numbers]; written to: gain and average [numbers]. weight: of this iteration in the
    average. scratch: reach [depths, 2, live], whose first row holds the ranges, value [depths, live], strategies and
    action values [depths, actions, live], node and action of each depth, and reach by card [deck].
    """
    kind, street, first_child, children, first, payoff = betting
    reach, value, strategy, action_value, node_at, action_at, held = scratch
    depth = 0
    node_at[0], action_at[0] = 0, -1
    while depth >= 0:
        node = node_at[depth]
        if kind[node] > DEAL:
            terminal_values(kind[node], payoff[node], cards, reach[depth, 1 - player], held, value[depth])
            depth -= 1
            continue
        if kind[node] == DEAL:
            if action_at[depth] < 0:
                depth = enter(depth, first_child[node], 0, reach, node_at, action_at)
            else:
                value[depth, :] = value[depth + 1]
                depth -= 1
            continue
        mover, here = kind[node], street[node]
        if action_at[depth] < 0:
            match_regrets(tables[0], first[node], known[here], children[node], buckets[here], smallest, strategy[depth])
            value[depth, :] = 0
        else:
            collect(mover == player, action_at[depth], value[depth + 1], action_value[depth], value[depth])
        action = action_at[depth] + 1
        if action < children[node]:
            depth = enter(depth, first_child[node] + action, action, reach, node_at, action_at)
            for h in range(buckets.shape[1]):
                reach[depth, mover, h] *= strategy[depth - 1, action, h]
            continue
        if mover == player:
            update_node(
                first[node], known[here], children[node], buckets[here], strategy[depth], action_value[depth],
                reach[depth, player], weight, tables, value[depth],
            )  # fmt: skip
        depth -= 1


@inner(forceinline=True)
def enter(depth, child, action, reach, node_at, action_at):
    """Go to a child with the same reach; returns its depth."""
    action_at[depth] = action
    for p in range(2):
        for h in range(reach.shape[2]):
            reach[depth + 1, p, h] = reach[depth, p, h]
    node_at[depth + 1], action_at[depth + 1] = child, -1
    return depth + 1


@inner
def match_regrets(regret, first, known, actions, buckets, smallest, strategy):
    """Write the strategy [actions, live] of each hand, by regret matching of its bucket."""
    for h in range(buckets.shape[0]):
        total = 0.0
        for a in range(actions):
            total += at_least(regret[first + a * known + buckets[h]], 0.0)
        for a in range(actions):
            positive = at_least(regret[first + a * known + buckets[h]], 0.0)
            strategy[a, h] = probability(positive, total, actions, smallest)


@inner(forceinline=True)
def collect(own, action, child, action_value, value):
    """Take the values [live] of a child: kept by action at own nodes, added at the other player's."""
    for h in range(value.shape[0]):
        if own:
            action_value[action, h] = child[h]
        else:
            value[h] += child[h]


@inner
def update_node(first, known, actions, buckets, strategy, action_value, reach, weight, tables, value):
    """Write the values of an own node; add its gains and its strategy, weighted by own reach, by bucket."""
    _, gain, average = tables
    for h in range(buckets.shape[0]):
        mean = 0.0
        for a in range(actions):
            mean += strategy[a, h] * action_value[a, h]
        value[h] = mean
        for a in range(actions):
            at = first + a * known + buckets[h]
            gain[at] += action_value[a, h] - mean
            average[at] += weight * reach[h] * strategy[a, h]


@inner
def terminal_values(kind, payoff, cards, reach, held, value):
    """Write the values [live] of the end of a hand: payoffs times the reach of hands that share no card.

    With S the sum of all reach passed and C that of hands with each card, the reach that a hand beats is
    S − C[low] − C[high]; see `cards.river_strengths`.
    """
    low, high, group_end = cards
    live, win, tie, lose = value.shape[0], payoff[0], payoff[1], payoff[2]
    total = sum_by_card(reach, low, high, 0, live, held, 0.0, True)
    for h in range(live):
        value[h] = free_of(h, total, low, high, held, reach[h]) * lose
    if kind == FOLD:
        return
    total = sum_by_card(reach, low, high, 0, 0, held, 0.0, True)
    begin = 0
    while begin < live:
        end = group_end[begin]
        for h in range(begin, end):
            value[h] += (win - tie) * free_of(h, total, low, high, held, 0.0)
        total = sum_by_card(reach, low, high, begin, end, held, total, False)
        for h in range(begin, end):
            value[h] += (tie - lose) * free_of(h, total, low, high, held, reach[h])
        begin = end


@inner
def sum_by_card(reach, low, high, begin, end, held, total, clear):
    """Add the reach of the hands `begin` to `end` to held [deck] and to a total, which is returned."""
    if clear:
        for card in range(held.shape[0]):
            held[card] = 0.0
    for h in range(begin, end):
        held[low[h]] += reach[h]
        if high[h] != low[h]:
            held[high[h]] += reach[h]
        total += reach[h]
    return total


@inner(forceinline=True)
def free_of(h, total, low, high, held, own):
    """Of a total reach, the part whose hands share no card with hand h; own: the part of h itself."""
    if low[h] == high[h]:
        return total - held[low[h]]
    return total - held[low[h]] - held[high[h]] + own


@kernel
def add_gains(regret, gain, share, positive, negative, floor):
    """The regret update of all numbers, with gains times `share`; clears the gains."""
    for at in range(regret.shape[0]):
        regret[at] = updated(regret[at], gain[at] * share, positive, negative, floor)
        gain[at] = 0.0
