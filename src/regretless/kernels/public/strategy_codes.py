"""Strategies of one board as small whole numbers, predicted from the neighbouring hand, and back.

A probability becomes a *level*, 0 … `levels`. The levels of a hand sum to `levels`, so the last action is not written.
A code is the difference between the level of a hand and that of the hand before it in the same row, mapped to
0, 1, 2, … for 0, −1, 1, … (zigzag). On the last street hands are sorted by strength: neighbours play alike, and most
codes are small. Codes are written as two planes of bytes, first all low bytes, then all high bytes.

Rounding errors do not add up. The error of each hand, times the hand's weight, is carried to the next hand of the row
(error diffusion), so that the range as a whole plays each action as often as before. The other player's best response
depends on sums over ranges, and so exploitability hardly changes.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel

PURE = 0.25
"""Levels: a probability that is closer to 0 or 1 than this is written as 0 or 1, whatever error is carried."""


@inner
def round_hand(source, first, stride, actions, levels, smallest, carried, level):
    """level[actions] ← the levels of one hand, whose numbers are source[first + action · stride]."""
    weight = 0.0
    for action in range(actions):
        weight += max(source[first + action * stride], 0.0)
    if weight < smallest:
        for action in range(actions):
            level[action] = levels // actions
        level[actions - 1] = levels - (actions - 1) * (levels // actions)
        return
    exact, below = 0.0, 0
    for action in range(actions - 1):
        share = max(source[first + action * stride], 0.0) / weight * levels
        exact += share
        if share < PURE:
            upto = below
        elif exact > levels - PURE:
            upto = levels
        else:
            error = min(max(carried[action] / weight, -1.0), 1.0)
            upto = min(max(int(exact + error + 0.5), below), levels)
        carried[action] += weight * (exact - upto)
        level[action] = upto - below
        below = upto
    level[actions - 1] = levels - below


@kernel
def encode_board(source, decisions, first, stride, count, levels, smallest, carried, level, before, codes):
    """codes ← the strategies of a board; see the head of this file.

    source: the numbers of the board that strategies are proportional to. decisions [nodes, 3]: player, slot and actions
    of each node. first, stride, count [2]: see `layout.Boards`, first counted from the board's first number.
    smallest: a sum below it counts as 0. carried [actions] float64; level, before [actions] int64. codes [2 · symbols].
    """
    symbols, row = codes.shape[0] // 2, 0
    for node in range(decisions.shape[0]):
        player, actions = decisions[node, 0], decisions[node, 2]
        begin, width = first[player] + decisions[node, 1] * stride[player], count[player]
        carried[:actions], before[:actions] = 0.0, 0
        for hand in range(width):
            round_hand(source, begin + hand, stride[player], actions, levels, smallest, carried, level)
            for action in range(actions - 1):
                change = level[action] - before[action]
                code = 2 * change if change >= 0 else -2 * change - 1
                at = row + action * width + hand
                codes[at], codes[symbols + at] = code & 255, code >> 8
                before[action] = level[action]
        row += (actions - 1) * width


@kernel
def decode_board(codes, decisions, first, stride, count, levels, before, target):
    """target ← the probabilities that `encode_board` wrote; returns whether all levels are possible ones."""
    symbols, row = codes.shape[0] // 2, 0
    for node in range(decisions.shape[0]):
        player, actions = decisions[node, 0], decisions[node, 2]
        begin, width = first[player] + decisions[node, 1] * stride[player], count[player]
        before[:actions] = 0
        for hand in range(width):
            rest = levels
            for action in range(actions - 1):
                at = row + action * width + hand
                code = codes[at] + 256 * codes[symbols + at]
                before[action] += code // 2 if code % 2 == 0 else -(code + 1) // 2
                if before[action] < 0:
                    return False
                rest -= before[action]
                target[begin + action * stride[player] + hand] = before[action] / levels
            if rest < 0:
                return False
            target[begin + (actions - 1) * stride[player] + hand] = rest / levels
        row += (actions - 1) * width
    return True
