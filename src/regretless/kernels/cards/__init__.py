"""Hand strength, equities and suit-canonical indices."""
