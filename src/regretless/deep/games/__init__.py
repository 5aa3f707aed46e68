"""Games as batches of states on a device: listed games, compiled games, hold'em; features."""
