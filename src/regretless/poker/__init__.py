"""Hold'em: cards, ranges, betting, and the solver that walks the public tree with a vector of hands."""
