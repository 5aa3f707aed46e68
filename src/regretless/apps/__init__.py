"""Applications: the command line, play in the terminal, the web explorer. Nothing else in the package imports them."""
