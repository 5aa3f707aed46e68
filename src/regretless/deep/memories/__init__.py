"""Memories that networks learn from: samples, sums by infoset, and transitions."""
