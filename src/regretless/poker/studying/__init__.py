"""What is done with a solved game: lock a node, compare two solutions, find where a strategy loses chips."""
