"""The rules of `regret_rules` on sixteen lanes at once.

none, smallest and even are vectors of 0, of the smallest normal number and of 1 / actions.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner
from regretless.kernels.numba_ext.vectors import divide, maximum, multiply_add, where_at_least, where_positive


@inner(forceinline=True)
def expectation(weighted, plain, total, even, smallest):
    """Σ σ(a) · v(a) from Σ R⁺(a) · v(a), Σ v(a) and Σ R⁺."""
    return where_at_least(total, smallest, divide(weighted, total), plain * even)


@inner(forceinline=True)
def share_factor(reach, total, smallest, none):
    """The factor in reach · σ(a) = R⁺(a) · factor + constant."""
    return where_at_least(total, smallest, divide(reach, total), none)


@inner(forceinline=True)
def share_constant(reach, total, even, smallest, none):
    """The constant in reach · σ(a) = R⁺(a) · factor + constant."""
    return where_at_least(total, smallest, none, reach * even)


@inner(forceinline=True)
def updated(regret, gain, positive, negative, floor):
    """max(discount(R) + r, floor)."""
    return maximum(multiply_add(regret, where_positive(regret, positive, negative), gain), floor)


@inner(forceinline=True)
def predicted(regret, gain, positive, negative, prediction):
    """discount'(R) + prediction · r."""
    return multiply_add(prediction, gain, regret * where_positive(regret, positive, negative))
