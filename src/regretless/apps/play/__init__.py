"""Sitting down against a strategy: the table, the opponents, hold'em deals, the terminal."""
