"""How results look outside the library: data frames, and HTML tables in notebooks."""
