"""Vector CFR and best responses on a public tree, on the CPU and on a GPU."""
