"""Sampled CFR: walks through a few histories at a time, on listed games and on compiled games that are never listed."""
