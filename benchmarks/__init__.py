"""Side-by-side runs that print ratios; `results/` holds what they printed, with command, machine and commit."""
