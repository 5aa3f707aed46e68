"""Regret matching and the regret update: the one source of both for every kernel on the CPU and on the GPU.

With R⁺ = max(R, 0), regret matching plays σ(a) = R⁺(a) / Σ R⁺ (Hart & Mas-Colell 2000; Zinkevich et al. 2007, §3). A
sum below `smallest`, the smallest normal number of the type that regrets are kept in, counts as 0, because dividing by
a denormal number can overflow; then play is uniform.

No strategy is stored: kernels match regrets where they read them. They need σ(a), or Σ σ(a) · v(a), or reach · σ(a) for
all actions: `probability`, `expectation` and `share` are these three. `regret_vectors` has the last two for sixteen
lanes at once, `cuda_target` compiles the functions below for the GPU, and `numpy_matching` is the rule on
NumPy arrays.
"""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner


@inner(forceinline=True)
def at_least(value, floor):
    """max(value, floor), as a comparison that vectorises."""
    return value if value > floor else floor


@inner(forceinline=True)
def is_matched(total, smallest):
    """Whether Σ R⁺ is large enough to divide by; if not, play is uniform."""
    return total >= smallest


@inner(forceinline=True)
def probability(positive, total, actions, smallest):
    """σ(a) from R⁺(a) and Σ R⁺."""
    matched = is_matched(total, smallest)
    return (positive if matched else 1.0) / (total if matched else actions)


@inner(forceinline=True)
def expectation(weighted, plain, total, actions, smallest):
    """Σ σ(a) · v(a) from Σ R⁺(a) · v(a), Σ v(a) and Σ R⁺."""
    matched = is_matched(total, smallest)
    return (weighted if matched else plain) / (total if matched else actions)


@inner(forceinline=True)
def share(reach, total, actions, smallest):
    """What reach · σ(a) is a multiple of: it is R⁺(a) · share, or the share itself where play is uniform."""
    return reach / (total if is_matched(total, smallest) else actions)


@inner(forceinline=True)
def discounted(regret, positive, negative):
    """Regret after discounting, by the sign of the regret before the new one is added (Brown & Sandholm 2019, §3)."""
    return regret * (positive if regret > 0 else negative)


@inner(forceinline=True)
def updated(regret, gain, positive, negative, floor):
    """max(discount(R) + r, floor): the regret update that every variant is a setting of."""
    return at_least(discounted(regret, positive, negative) + gain, floor)


@inner(forceinline=True)
def predicted(regret, gain, positive, negative, prediction):
    """discount'(R) + prediction · r: the regret that predictive variants expect after the next iteration."""
    return prediction * gain + discounted(regret, positive, negative)
