"""Played hands beside solutions: what each decision cost."""
