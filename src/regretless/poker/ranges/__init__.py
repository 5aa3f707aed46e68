"""Ranges: how often each hand is held, read and written as poker players type them, and their equity."""
