"""Flops of strategies by buckets, measured on a GPU."""
