"""Sampled CFR in plain Python: sampling schemes of the user, and games whose rules cannot be compiled."""
