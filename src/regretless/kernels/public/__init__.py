"""Vector CFR on public trees: terminals, decisions and walks over boards, for the CPU and for CUDA."""
