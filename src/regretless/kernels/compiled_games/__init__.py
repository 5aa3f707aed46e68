"""Rules of a user's game as machine code: listing, states as rows of words, steps in batches."""
