"""Compiled games listed by machine code: whole, or by subtrees in several threads."""
