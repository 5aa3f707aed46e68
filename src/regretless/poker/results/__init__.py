"""Strategies of public trees: nodes hand by hand, grids, aggregates over boards, hands played out."""
