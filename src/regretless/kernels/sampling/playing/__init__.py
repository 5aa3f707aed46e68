"""Hands of a match played out by machine code."""
