"""What people touch: the command line and its tables. Nothing else in the package imports this room."""
