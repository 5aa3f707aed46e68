"""Columns as a data frame of pandas or polars, neither of which the library needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from regretless.errors import OptionError

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["Kind", "data_frame"]

Kind = Literal["pandas", "polars"]


@overload
def data_frame(columns: Mapping[str, Any], kind: Literal["pandas"] = "pandas") -> pandas.DataFrame: ...
@overload
def data_frame(columns: Mapping[str, Any], kind: Literal["polars"]) -> polars.DataFrame: ...
@overload
def data_frame(columns: Mapping[str, Any], kind: Kind) -> pandas.DataFrame | polars.DataFrame: ...
def data_frame(columns: Mapping[str, Any], kind: Kind = "pandas") -> pandas.DataFrame | polars.DataFrame:
    """Columns of equal length by name, as a data frame; OptionError where the package is not installed."""
    if kind not in ("pandas", "polars"):
        raise OptionError(f"frames come as 'pandas' or 'polars', not {kind!r}")
    try:
        if kind == "pandas":
            import pandas

            return pandas.DataFrame(dict(columns))
        import polars

        return polars.DataFrame(dict(columns))
    except ImportError:
        raise OptionError(f"{kind} is not installed; pip install 'regretless[frames]'") from None
