"""Strategies that look at no cards, measured hand by hand."""
