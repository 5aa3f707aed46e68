"""Walks that produce samples: external sampling, walks over boards with all hands, self-play; baselines."""
