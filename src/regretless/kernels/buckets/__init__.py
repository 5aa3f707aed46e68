"""Walks with card abstractions: all hands of a board at once, tables by bucket."""
