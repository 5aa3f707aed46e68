"""Pages of the poker studio: set up a spot of hold'em, and drill solved games."""
