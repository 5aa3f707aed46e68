"""Commands on solved strategies: clean, compare, match, resolve."""
