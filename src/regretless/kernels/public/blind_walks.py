"""Best responses to strategies that look at no cards: a decision process for each hand.

The other player's hand says nothing about the betting, so all hands that fit the board stay equally likely. A showdown
is then worth a linear function of the points of a hand (see `kernels.cards.river_strengths`), and the value of the last
street is a function of the points and of the betting alone: a table `worth` [points, lines]. Earlier streets are short
programs on vectors of hands: a node is the best of its children, or their mean with weights. Between them are means
over cards to come.

Every hand is computed by itself and in a fixed order, so results do not depend on the number of threads.
"""

from __future__ import annotations

from regretless.kernels.cards.river_strengths import sort_hands, sweep_points
from regretless.kernels.numba_ext.compiling import inner, kernel

BLOCK = 64
"""Hands that a program works on at once."""


@kernel
def write_points(board, completions, cards, tables, buffers, no_points, points):
    """Write points [completions, hands] of every hand on a board with each completion [completions, cards].

    cards: hands [hands, 1 or 2], the sum of their words and their set of cards [hands]. tables: word, rank and suit of
    each card; displacement, classes and flushes. buffers: those of `sort_hands`, then counts [deck] and points [hands].
    A hand that holds a card of the board gets `no_points`.
    """
    hands, words, masks = cards
    evaluation, strengths = tables
    sorting, held, found = buffers
    for c in range(completions.shape[0]):
        for h in range(hands.shape[0]):
            points[c, h] = no_points
        live = sort_hands(board, completions[c], hands, words, masks, evaluation, strengths, sorting)
        sweep_points(sorting[0], sorting[1], live, hands, held, found)
        for k in range(live):
            points[c, sorting[0][k]] = found[k]


@inner
def run_program(program, values):
    """Compute the nodes of a program; values [slots, BLOCK] begin with inputs and constants, then come the nodes.

    program: first child of each node [nodes + 1], child slots and their weights [children], whether a node is the best
    of its children [nodes].
    """
    first, child, weight, best = program
    nodes = best.shape[0]
    begin = values.shape[0] - nodes
    for node in range(nodes):
        out, one = values[begin + node], values[child[first[node]]]
        if best[node]:
            for k in range(BLOCK):
                out[k] = one[k]
            for at in range(first[node] + 1, first[node + 1]):
                other = values[child[at]]
                for k in range(BLOCK):
                    out[k] = max(out[k], other[k])
        else:
            for k in range(BLOCK):
                out[k] = weight[first[node]] * one[k]
            for at in range(first[node] + 1, first[node + 1]):
                other, share = values[child[at]], weight[at]
                for k in range(BLOCK):
                    out[k] += share * other[k]


@kernel
def write_worth(program, outputs, most, values, worth):
    """Write worth [points, lines] of the last street, for the points 0 … most.

    values [slots, BLOCK]: scratch; the constants are in place, and the inputs are showdowns lose + gain · points. Their
    (lose, gain) are the last item of the program [inputs, 2].
    """
    nodes, showdowns = program
    for begin in range(0, most + 1, BLOCK):
        for i in range(showdowns.shape[0]):
            for k in range(BLOCK):
                values[i, k] = showdowns[i, 0] + showdowns[i, 1] * (begin + k)
        run_program(nodes, values)
        for k in range(min(BLOCK, most + 1 - begin)):
            for o in range(outputs.shape[0]):
                worth[begin + k, o] = values[outputs[o], k]


@kernel
def write_values(hands, boards, cards, points, worth, later, earlier, scratch, out):
    """Write out [hands, outputs] the values of hands [n] on a board, over two rounds of cards to come.

    boards: rows [first deals, second deals] of points for each complete board, the permutation of suits under which
    that row has it [first deals, second deals], and the set of cards of each first deal [first deals]. cards: the image
    of each hand under permutations [permutations, all hands] and its set of cards [all hands]. points
    [rows, all hands], worth [points, lines]. later, earlier: the programs after the first and before any deal, each
    with its outputs and the share of one deal. scratch: sums [BLOCK, lines] and the values of both programs.
    """
    rows, moved, dealt = boards
    images, masks = cards
    later_program, later_outputs, later_share = later
    earlier_program, earlier_outputs, earlier_share = earlier
    sums, inside, outside = scratch
    lines = worth.shape[1]
    for begin in range(0, hands.shape[0], BLOCK):
        width = min(BLOCK, hands.shape[0] - begin)
        outside[: later_outputs.shape[0]] = 0.0
        for a in range(rows.shape[0]):
            sums[:] = 0.0
            for k in range(width):
                own, hand = sums[k], hands[begin + k]
                if masks[hand] & dealt[a]:
                    continue
                for b in range(rows.shape[1]):
                    one = worth[points[rows[a, b], images[moved[a, b], hand]]]
                    for line in range(lines):
                        own[line] += one[line]
            for line in range(lines):
                for k in range(BLOCK):
                    inside[line, k] = later_share * sums[k, line]
            run_program(later_program, inside)
            for k in range(width):
                if not masks[hands[begin + k]] & dealt[a]:
                    for o in range(later_outputs.shape[0]):
                        outside[o, k] += inside[later_outputs[o], k]
        for o in range(later_outputs.shape[0]):
            for k in range(BLOCK):
                outside[o, k] *= earlier_share
        run_program(earlier_program, outside)
        for o in range(earlier_outputs.shape[0]):
            for k in range(width):
                out[begin + k, o] = outside[earlier_outputs[o], k]
