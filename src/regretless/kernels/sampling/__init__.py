"""Sampled walks on listed and unlisted games, the infoset table, logs of updates, and hands of matches."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
