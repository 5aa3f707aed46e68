"""Imperfect recall: sweeps over graphs of positions, and rounds of rising claims with vectors of hands."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
