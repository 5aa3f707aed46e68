"""`regretless show`: strategies of files, as tables and grids."""
