"""First-order methods on listed games: dilated entropy, mirror descent, the excessive gap technique."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
