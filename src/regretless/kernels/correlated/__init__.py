"""Joint play of any number of players: its sums, trigger regrets, and subtrees of infosets."""
