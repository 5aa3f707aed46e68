"""Imperfect recall: sweeps over graphs of positions, and rounds of rising claims with vectors of hands."""
