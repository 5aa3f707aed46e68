"""Games that forget: graphs of positions, fixed-strategy iteration CFR, and what forgetting costs."""
