"""The commands behind the command line, one file each."""
