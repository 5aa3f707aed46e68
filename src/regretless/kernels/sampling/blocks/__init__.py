"""Walks of outcome sampling side by side: a block of walks, its log of updates, and the turns made of blocks."""
