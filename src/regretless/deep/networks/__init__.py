"""Networks, their gradients and training steps, in PyTorch and as fused GPU kernels."""
