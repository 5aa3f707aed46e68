"""Subgames of listed games: public states, and solving a subgame again without losing safety."""
