"""Matches of hold'em that are played hand by hand, against anything that answers with actions."""
