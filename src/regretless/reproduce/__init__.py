"""Published figures, tables and worked numbers, and what the library computes for each: `regretless reproduce`."""
