"""Numbers with a meaning in more than one kernel, each defined once."""

CHANCE = -1
"""The mover of a history where chance moves."""

TERMINAL = -2
"""The mover of a terminal history."""

DEAL, FOLD, SHOWDOWN = 2, 3, 4
"""Kinds of nodes of a public tree; where a player decides, the kind is the player, 0 or 1."""

POSITIVE, NEGATIVE, FLOOR, NEXT_POSITIVE, NEXT_NEGATIVE, PREDICTION, DECAY, WEIGHT = range(8)
"""Columns of the table of step weights that drives a solve; `regretless.variants` fills it."""

LARGEST_PAYOFF = 1e150
"""Chips: squares of payoffs and sums over all terminals stay finite in double precision."""

REGRET, AVERAGE, BASELINE, HISTORY = 0, 1, 2, 15
"""Kinds of numbers of a sampled solve. The k-th run of A numbers of an infoset with A actions has kind k: regrets,
averages, and with BASELINE + p the baselines of player p. HISTORY is the baseline of a history, not of an infoset."""
