"""Ranges: the weight of each hand, parsed from and written in the usual notation, and their equity."""
