"""Decks, hand evaluation, hand classes, and suits as mere names."""
