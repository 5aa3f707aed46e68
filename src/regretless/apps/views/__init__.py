"""What people look at, without markup: runs, infosets, outlines, leaks, differences; for terminal and web."""
