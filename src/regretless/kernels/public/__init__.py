"""Vector CFR on public trees: terminals, decisions and walks over boards, for the CPU and for CUDA."""

from regretless.kernels.numba_ext.caching import key_by_content

key_by_content()
