"""What the pages of the poker studio show: forms of spots, painted ranges, guesses of time, drills."""
