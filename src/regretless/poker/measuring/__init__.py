"""Strategies by buckets measured with all cards: best responses flop by flop, and matches by boards."""
