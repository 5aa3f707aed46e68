"""Grids and tables of hold'em as pictures and pages."""
