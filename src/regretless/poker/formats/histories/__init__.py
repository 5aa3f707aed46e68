"""Hand histories: reading, following in a solution, writing."""
