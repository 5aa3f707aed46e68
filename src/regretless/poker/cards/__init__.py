"""Decks, hand evaluation, classes of hands, indices of hands, and suit isomorphism."""
