"""Numbers as the pages show them."""

from __future__ import annotations

import math

__all__ = ["ago", "chips", "percent", "plain_chips", "ratio", "short"]


def percent(share: float | None) -> str:
    """A probability: one decimal, two if it is small.

    >>> percent(0.333), percent(1.0), percent(0.0004), percent(2e-9), percent(0.0)
    ('33.3%', '100%', '0.04%', '<0.01%', '0%')
    """
    if share is None or math.isnan(share):
        return "–"
    if share >= 0.9995:
        return "100%" if share >= 0.99995 else f"{share:.2%}"
    if share >= 0.001:
        return f"{share:.1%}"
    if share <= 0:
        return "0%"
    return f"{share:.2%}" if share >= 0.0001 else "<0.01%"


def ratio(share: float | None) -> str:
    """A share that may be above 1 or below 0, such as how much of its equity a hand realises.

    >>> ratio(1.12), ratio(-0.014), ratio(-0.002), ratio(2943.8), ratio(None)
    ('112%', '−1%', '0%', '>999%', '–')
    """
    if share is None or math.isnan(share):
        return "–"
    if abs(share) >= 9.995:  # with next to no equity it says nothing
        return ">999%" if share > 0 else "<−999%"
    return f"{share:.0%}".replace("-0%", "0%").replace("-", "−")


def chips(number: float | None) -> str:
    """Chips with their sign; less than half a ten-thousandth is zero.

    >>> chips(0.25), chips(-1.00004), chips(-2.8e-6), chips(None), chips(12.0), chips(38.94), chips(0.0012)
    ('+0.250', '−1.000', '0', '–', '+12', '+38.9', '+0.0012')
    """
    if number is None or math.isnan(number):
        return "–"
    text = plain_chips(abs(number)) if abs(number) >= 5e-5 else "0"
    return text if text == "0" else ("+" if number > 0 else "−") + text


def plain_chips(number: float) -> str:
    """Chips without a sign; whole numbers without decimals, small numbers with two digits.

    >>> plain_chips(2.0), plain_chips(0.25), plain_chips(0.0012), plain_chips(6.2e-5), plain_chips(1e-7)
    ('2', '0.250', '0.0012', '0.000062', '0')
    """
    if abs(number) < 5e-7:
        return "0"
    if number >= 1 and abs(number - round(number)) < 5e-7:
        return f"{number:,.0f}"
    if number >= 9.9995:
        return f"{number:,.1f}"
    if number >= 0.0095:
        return f"{number:.3f}"
    return f"{number:.2g}" if number >= 0.0001 else f"{number:.6f}".rstrip("0")


def short(number: float | None) -> str:
    """Three digits of any number, without an exponent from a ten-millionth to a billion.

    >>> short(0.00502), short(7.72e-05), short(-1234567.0), short(3e-12), short(12.0)
    ('0.00502', '0.0000772', '−1,230,000', '3e-12', '12')
    """
    if number is None or math.isnan(number):
        return "–"
    text = f"{number:.3g}"
    if "e" in text and 1e-7 <= abs(number) < 1e9:
        rounded = float(text)
        text = f"{rounded:,.0f}" if abs(number) >= 1 else f"{rounded:.9f}".rstrip("0")
    return text.replace("-", "−", 1) if text.startswith("-") else text


def ago(seconds: float) -> str:
    """An age in words."""
    if seconds < 90:
        return f"{seconds:.0f} s ago"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min ago"
    return f"{seconds / 3600:.0f} h ago" if seconds < 172800 else f"{seconds / 86400:.0f} days ago"
