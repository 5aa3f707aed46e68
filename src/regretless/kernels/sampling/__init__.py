"""Sampled walks on listed and unlisted games, the infoset table, logs of updates, and hands of matches."""
