"""Hand strength, equities and suit-canonical indices."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
