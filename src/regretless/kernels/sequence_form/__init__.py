"""Listed games in sequence form: gradients, sweeps over treeplexes, whole iterations of CFR, best responses."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
