"""Tabular methods on trees: CFR in all its variants, CFR-BR, ε-CFR, fictitious play, regret matching by play."""
