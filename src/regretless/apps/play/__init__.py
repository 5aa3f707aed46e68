"""Playing against a strategy: opponents, the table with its score, and the terminal."""
