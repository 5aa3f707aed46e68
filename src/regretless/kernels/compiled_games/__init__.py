"""Rules of a user's game as machine code: listing, states as rows of words, steps in batches."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
