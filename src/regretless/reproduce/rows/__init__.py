"""The rows of `regretless reproduce`, one file for each group of sources."""
