"""First-order methods on trees: mirror descent with optimism and with magnets, and the excessive gap technique."""
