"""How a listed game is laid out: its histories, its labels, the sequence form and the payoff entries."""
