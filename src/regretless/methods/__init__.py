"""Tabular methods on trees: CFR in all its variants, CFR-BR, ε-CFR, fictitious play, regret matching by play.

Loading this package registers how variants of CFR run on a tree.
"""

from regretless.methods import cfr  # noqa: F401
