"""Compiled functions on plain arrays.

This room imports nothing of ours. A function here takes arrays and numbers, allocates nothing in its inner loops and
returns arrays or nothing. No function is compiled with fast-math: sums are taken in the order written, so a result has
the same bits on one thread and on many.
"""
