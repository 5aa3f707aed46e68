"""Exact answers about strategies of a listed game: values, best responses, exploitability, equilibria."""
