"""Subgames of hold'em solved again: gadgets on vectors of hands, and what is known of the result."""
