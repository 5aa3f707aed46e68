"""Numbers that name things in more than one kernel, each defined once."""

CHANCE = -1
"""The mover of a history where chance moves."""

TERMINAL = -2
"""The mover of a history where the game is over."""

DEAL, FOLD, SHOWDOWN = 2, 3, 4
"""Kinds of nodes of a public tree besides 0 and 1, where that player decides."""

POSITIVE, NEGATIVE, FLOOR, NEXT_POSITIVE, NEXT_NEGATIVE, PREDICTION, DECAY, WEIGHT = range(8)
"""Columns of the table of step weights that drives a solve; `regretless.variants` fills it."""

LARGEST_PAYOFF = 1e150
"""Chips: squares of payoffs and sums over all terminals stay finite in double precision."""
