"""Sets of flops that stand for all 1,755 kinds of flops, and the spots on them."""
