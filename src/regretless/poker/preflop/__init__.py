"""Before the flop: all-in equities of the 169 classes of hands, and push or fold."""
