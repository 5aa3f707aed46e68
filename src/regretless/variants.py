"""A variant of CFR is data: how old regret fades, whether it has a floor, how far the next move is guessed, and how
iterations are averaged.

Before the hot loop starts a variant becomes a table with eight numbers per iteration; the kernels never see the class.
With r the instantaneous counterfactual regret of iteration t, and f₊ and f₋ the factors for positive and negative
regret, one iteration is

    R ← max(f(R) · R + r, floor)                              the discount goes by the sign of the regret *before* r
    σ ∝ max(f'(R) · R + p · r, 0)                             f' is the next iteration's factor; both only if predictive
    X ← decay · X + weight · x                                x the plan that was played, so own reach is in it

| variant | published as |
|---|---|
| CFR | Zinkevich, Johanson, Bowling & Piccione 2007 |
| CFR+ | Tammelin 2014; Tammelin, Burch, Johanson & Bowling 2015 |
| linear CFR, DCFR | Brown & Sandholm 2019, §3 |
| PCFR+ | Farina, Kroer & Sandholm 2021 |
| DCFR+, PDCFR+ | Xu, Li, Liu, Fu, Fu, Xing & Cheng 2024 |
| SAPCFR+ | Meng et al. 2025 |
| HS-DCFR, HS-PCFR+ | Zhang, McAleer & Sandholm 2024 |

Two deviations, both without effect on the strategies: averages are kept with a decay instead of weights that grow
without bound, and linear CFR is written as the discount (t − 1)/t instead of weights t.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError, suggest
from regretless.method import Learner, LearnerTable, Settings, switch
from regretless.problem import Capabilities, Problem, open_problem

__all__ = [
    "CFR",
    "CFR_PLUS",
    "DCFR",
    "DCFR_PLUS",
    "HS_DCFR",
    "HS_PCFR_PLUS",
    "LINEAR_CFR",
    "PCFR_PLUS",
    "PDCFR_PLUS",
    "SAPCFR_PLUS",
    "VARIANTS",
    "Discounted",
    "Polynomial",
    "Ramp",
    "StepWeights",
    "Variant",
    "variant_by_name",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Ramp:
    """An exponent that moves from `first` to `last` in a straight line over `horizon` iterations and then stays."""

    first: float
    last: float
    horizon: int = 1_000

    def at(self, t: Floats) -> Floats:
        """The exponent at iterations t."""
        return self.first + (self.last - self.first) * np.minimum(t / self.horizon, 1.0)


Exponent = float | Ramp


def _check_exponent(what: str, exponent: Exponent, least: float = -np.inf) -> None:
    """Refuse what is no exponent; a ramp is one at both its ends."""
    ends = (exponent.first, exponent.last) if isinstance(exponent, Ramp) else (exponent,)
    for end in ends:
        if isinstance(end, bool) or not isinstance(end, int | float | np.number) or np.isnan(end) or end < least:
            raise OptionError(
                f"the exponent of {what} is a number{' from 0 on' if least == 0 else ''}, got {exponent!r}"
            )
    if isinstance(exponent, Ramp) and not exponent.horizon >= 1:
        raise OptionError(f"a ramp runs over at least one iteration, got horizon={exponent.horizon}")


def _at(exponent: Exponent, t: Floats) -> Floats:
    return exponent.at(t) if isinstance(exponent, Ramp) else np.full_like(t, exponent)


@dataclass(frozen=True)
class Discounted:
    """Old regret fades by (t − 1)^e / ((t − 1)^e + 1), with one exponent for positive and one for negative regret.

    The arguments are the exponents α and β of DCFR, not factors: β = 0 halves negative regret every iteration.
    """

    positive: Exponent
    negative: Exponent = 0.0

    def __post_init__(self) -> None:
        _check_exponent("a discount", self.positive)
        _check_exponent("a discount", self.negative)

    def factors(self, t: Floats) -> tuple[Floats, Floats]:
        """What positive and negative regret are multiplied by before iterations t add to them."""
        return _fade(t - 1, _at(self.positive, t)), _fade(t - 1, _at(self.negative, t))


def _fade(t: Floats, exponent: Floats) -> Floats:
    """t^e / (t^e + 1), written as 1 / (1 + t^−e) so that large powers do no harm."""
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(1.0 / (1.0 + np.power(t, -exponent)))


@dataclass(frozen=True)
class Polynomial:
    """Iteration t counts t^power in the average."""

    power: Exponent = 0.0

    def __post_init__(self) -> None:
        _check_exponent("an average", self.power, least=0.0)

    def decay(self, t: Floats) -> Floats:
        """What the average so far is multiplied by before iterations t are added with weight 1."""
        return np.asarray(np.power((t - 1) / t, _at(self.power, t)))


@runtime_checkable
class Averaging(Protocol):
    """How iterations count in the average: `Polynomial`, or a frozen dataclass of yours.

    Where iteration t counts w(t), the decay is w(t − 1) / w(t). A file stores the fields of the dataclass; to load such
    a run, pass the method itself, `rg.load(path, method=…)`.
    """

    def decay(self, t: Floats) -> Floats:
        """[len(t)] from 0 to 1: what the average so far is multiplied by before iterations t are added with weight 1.

        The iterations t [n] are whole numbers from 1 on.
        """


@dataclass(frozen=True)
class StepWeights:
    """A variant at one iteration (or at many): all that the kernels see of it, in the order of their table."""

    positive: Any
    negative: Any
    floor: Any
    next_positive: Any
    next_negative: Any
    prediction: Any
    decay: Any
    weight: Any


class _VariantName:
    """The name of a variant: the one that was given, else the published one."""

    def __get__(self, variant: Variant | None, owner: type[Variant] | None = None) -> str:
        if variant is None:
            raise AttributeError("name")  # the field has no default on the class
        return variant.given_name or variant.published_name()

    def __set__(self, variant: Variant, name: str | _VariantName | None) -> None:
        if name is not None and not isinstance(name, _VariantName) and (not isinstance(name, str) or not name.strip()):
            raise OptionError(f"the name of a variant is a text such as 'mine', got {name!r}")
        variant.__dict__["given_name"] = None if isinstance(name, _VariantName) else name


@dataclass(frozen=True)
class Variant:
    """One member of the CFR family.

    >>> import regretless as rg
    >>> rg.CFR_PLUS
    Variant(discount=None, floor=True, predictive=0.0, averaging=Polynomial(power=1), delay=0, alternating=True)
    >>> slow_start = rg.CFR_PLUS.replace(delay=100)      # leave the first 100 iterations out of the average
    >>> rg.Variant(floor=True, averaging=rg.Polynomial(3), name="mine").name
    'mine'
    """

    discount: Discounted | None = None
    floor: bool = False
    predictive: float = 0.0
    """How much of the last regret is taken as a guess of the next: True or 1 for all of it, 0 for none."""
    averaging: Averaging = Polynomial()
    """How iterations count: `Polynomial(power)`, or an object of yours with `decay(t)`, see `Averaging`."""
    delay: int = 0
    """The first `delay` iterations are left out of the average: weights (t − d)⁺."""
    alternating: bool = True
    """Players update in turn, each against the others' newest strategies; otherwise all at once."""
    name: _VariantName = field(  # read as a text
        default=_VariantName(), repr=False, compare=False, metadata={"stored_as": "given_name"}
    )
    """The name in plots, tables and files; by default the published one. A copy by `replace` does not keep it."""

    learners: ClassVar[LearnerTable] = LearnerTable()
    """How CFR runs on each kind of problem; `@rg.Variant.learners.on(kind)` adds one."""

    capabilities: ClassVar[Capabilities] = Capabilities(devices=None, starts=True)
    """A variant runs in all precisions and on all devices of its problem, and can begin with a strategy."""

    only_text_settings: ClassVar[bool] = True
    text_settings: ClassVar[Mapping[str, Any]] = {"delay": int, "alternating": switch, "horizon": int, "power": float}
    text_hints: ClassVar[Mapping[str, str]] = {
        "delay": "a number of iterations", "alternating": "yes or no", "horizon": "a number of iterations",
        "power": "a number from 0 on: iteration t counts t to this power",
    }  # fmt: skip

    def __post_init__(self) -> None:
        if not isinstance(self.delay, int | float) or self.delay < 0 or self.delay != int(self.delay):
            raise OptionError(f"delay counts iterations left out of the average, got {self.delay}; use 0 or more")
        if not np.isfinite(float(self.predictive)):
            raise OptionError(f"predictive is the part of the last regret to expect again, got {self.predictive}")
        if self.discount is not None and not isinstance(self.discount, Discounted):
            raise OptionError(f"discount is None or rg.Discounted(α, β), got {self.discount!r}")
        if isinstance(self.averaging, type) or not isinstance(self.averaging, Averaging):
            raise OptionError(f"averaging is rg.Polynomial(power) or an object with decay(t), got {self.averaging!r}")
        try:
            hash(self.averaging)
        except TypeError:
            raise OptionError(
                f"averaging {self.averaging!r} can change: make its class a dataclass with frozen=True"
            ) from None

    def replace(self, **changes: object) -> Variant:
        """A copy with some fields changed; it has the published name unless `name` is given."""
        known = {field.name for field in dataclasses.fields(self)}
        for name in changes:
            if name not in known:
                raise OptionError(f"a variant has no field {name!r}; it has {', '.join(sorted(known))}")
        return dataclasses.replace(self, **{"name": None, **changes})  # type: ignore[arg-type]

    def with_horizon(self, iterations: int) -> Variant:
        """A copy whose ramps end at `iterations`: what HS-DCFR and HS-PCFR+ should be told the length of the run by."""
        if iterations < 1:
            raise OptionError(f"a horizon is a number of iterations, got {iterations}")

        def stretched(exponent: Exponent) -> Exponent:
            return dataclasses.replace(exponent, horizon=iterations) if isinstance(exponent, Ramp) else exponent

        discount = self.discount
        if discount is not None:
            discount = Discounted(stretched(discount.positive), stretched(discount.negative))
        averaging = self.averaging
        if isinstance(averaging, Polynomial):
            averaging = Polynomial(stretched(averaging.power))
        return self.replace(discount=discount, averaging=averaging, name=self.given_name)

    given_name: ClassVar[str | None] = None

    def published_name(self) -> str:
        """The published name where there is one, else all fields."""
        plain = self.replace(delay=0, alternating=True).with_horizon(Ramp.horizon)
        extras = [f"delay {self.delay}"] * (self.delay > 0) + ["simultaneous"] * (not self.alternating)
        for name, variant in VARIANTS.items():
            if plain == variant:
                return _TITLES[name] + (f" ({', '.join(extras)})" if extras else "")
        power = getattr(self.averaging, "power", None)
        if isinstance(power, int | float) and plain.replace(averaging=DCFR.averaging) == DCFR:
            return f"DCFR ({', '.join([f'averages t^{power:g}', *extras])})"
        return repr(self)

    def with_setting(self, name: str, value: Any) -> Variant:
        """A copy with one of `text_settings` changed."""
        if name == "horizon":
            return self.with_horizon(value)
        return self.replace(averaging=Polynomial(value)) if name == "power" else self.replace(**{name: value})

    def open(self, game: Any) -> Problem:
        """The problem that a game is: its tree, or what the game makes of itself."""
        return open_problem(game)

    def learner(self, problem: Problem, settings: Settings) -> Learner:
        """This variant at work on a problem."""
        return self.learners.start(self, problem, settings)

    def weights(self, t: int) -> StepWeights:
        """The numbers of iteration t, counted from 1."""
        return StepWeights(*self.steps(t, 1)[0].tolist())

    def steps(self, first: int, count: int) -> Floats:
        """[count, 8] the numbers of iterations first, first + 1, …

        They are computed in blocks that begin at fixed iterations, so they do not depend on how a run is cut up.
        """
        blocks = range((first - 1) // BLOCK, (first + max(count, 1) - 2) // BLOCK + 1)
        table = np.concatenate([_block(self, block) for block in blocks])
        begin = first - 1 - blocks[0] * BLOCK
        return table[begin : begin + count]


BLOCK = 1024


@lru_cache(maxsize=32)
def _block(variant: Variant, block: int) -> Floats:
    """[BLOCK, 8] the step weights of iterations block · BLOCK + 1 and on."""
    t = np.arange(1, BLOCK + 1, dtype=np.float64) + block * BLOCK
    one = np.ones_like(t)
    positive, negative = variant.discount.factors(t) if variant.discount else (one, one)
    ahead = variant.discount if variant.predictive else None
    next_positive, next_negative = ahead.factors(t + 1) if ahead else (one, one)
    averaged = t - variant.delay
    counts = averaged > 0
    table = StepWeights(
        positive=positive,
        negative=negative,
        floor=np.where(variant.floor, 0.0, -np.inf) * one,
        next_positive=next_positive,
        next_negative=next_negative,
        prediction=float(variant.predictive) * one,
        decay=np.where(counts, _checked_decay(variant.averaging, np.maximum(averaged, 1)), 1.0),
        weight=counts.astype(np.float64),
    )
    return np.stack([getattr(table, field.name) for field in dataclasses.fields(table)], axis=1)


def _checked_decay(averaging: Averaging, t: Floats) -> Floats:
    """The decay of an average at iterations t; OptionError where it is not a factor."""
    decay = np.asarray(averaging.decay(t), np.float64)
    if decay.shape != t.shape or not np.all((decay >= 0) & (decay <= 1)):
        raise OptionError(
            f"decay(t) of averaging {averaging!r} must return a number from 0 to 1 for each of {t.shape[0]} iterations"
        )
    return decay


CFR = Variant()
CFR_PLUS = Variant(floor=True, averaging=Polynomial(1))
LINEAR_CFR = Variant(discount=Discounted(1, 1), averaging=Polynomial(1))
DCFR = Variant(discount=Discounted(1.5, 0), averaging=Polynomial(2))
DCFR_PLUS = Variant(discount=Discounted(1.5), floor=True, averaging=Polynomial(4))
PCFR_PLUS = Variant(floor=True, predictive=True, averaging=Polynomial(2))
PDCFR_PLUS = Variant(discount=Discounted(2.3), floor=True, predictive=True, averaging=Polynomial(5))
SAPCFR_PLUS = Variant(floor=True, predictive=1 / 3, averaging=Polynomial(2))
HS_DCFR = Variant(discount=Discounted(Ramp(1, 4), Ramp(-1, -3)), averaging=Polynomial(Ramp(30, 25)))
HS_PCFR_PLUS = Variant(floor=True, predictive=True, averaging=Polynomial(Ramp(30, 25)))

VARIANTS: dict[str, Variant] = {
    "cfr": CFR,
    "cfr+": CFR_PLUS,
    "linear": LINEAR_CFR,
    "dcfr": DCFR,
    "dcfr+": DCFR_PLUS,
    "pcfr+": PCFR_PLUS,
    "pdcfr+": PDCFR_PLUS,
    "sapcfr+": SAPCFR_PLUS,
    "hs-dcfr": HS_DCFR,
    "hs-pcfr+": HS_PCFR_PLUS,
}
"""The published variants by the name that the command line knows them under."""

_TITLES = {name: {"linear": "linear CFR"}.get(name, name.upper()) for name in VARIANTS}

ALIASES = {"linear-cfr": "linear", "lcfr": "linear", "cfr-plus": "cfr+"}


def variant_by_name(text: str) -> Variant:
    """The variant of a name like `linear` or `dcfr`."""
    key = text.strip().lower().replace("_", "-")
    found = VARIANTS.get(ALIASES.get(key, key))
    if found is None:
        raise OptionError(f"variant is a variant of CFR such as linear or dcfr, got {text!r}; {suggest(key, VARIANTS)}")
    return found
