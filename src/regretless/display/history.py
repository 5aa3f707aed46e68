"""The measurements of a run, as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, overload

import numpy as np
import numpy.typing as npt

from regretless.display.data_frames import Kind, data_frame
from regretless.display.html_tables import MOST_ROWS, html_table

if TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["History"]

Array = npt.NDArray[Any]


class History(dict[str, Array]):
    """Columns of measurements by name: iteration, seconds, exploitability, nash_conv, value and what a method adds.

    It is a dictionary, so that `pandas.DataFrame(run.history)` has these columns; it cannot be changed.
    """

    def __init__(self, rows: list[dict[str, float]]) -> None:
        self._rows = rows = [_with_local_regret(row) for row in rows]
        names = list(rows[0]) if rows else ["iteration", "seconds", "exploitability", "nash_conv", "value"]
        columns = {name: np.array([row[name] for row in rows]) for name in names}
        super().__init__(columns | {"iteration": columns["iteration"].astype(np.int64)})

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_") or name not in self:
            raise AttributeError(f"a history has the columns {', '.join(self)}, not {name!r}")
        return self[name]

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a history is read-only; history.rows() and history.frame() make copies")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[History], tuple[list[dict[str, float]]]]:
        return History, (self._rows,)

    def rows(self) -> list[dict[str, float]]:
        """One dictionary per measurement."""
        return [dict(row) for row in self._rows]

    @overload
    def frame(self, kind: Literal["pandas"] = "pandas") -> pandas.DataFrame: ...
    @overload
    def frame(self, kind: Literal["polars"]) -> polars.DataFrame: ...
    def frame(self, kind: Kind = "pandas") -> pandas.DataFrame | polars.DataFrame:
        """The columns as a data frame, with one row per measurement."""
        return data_frame(self, kind)

    def __repr__(self) -> str:
        return f"<History: {len(self._rows)} rows of {', '.join(self)}>"

    def _repr_html_(self) -> str:
        begin = max(len(self._rows) - MOST_ROWS, 0)
        rows = [[column[row] for column in self.values()] for row in range(begin, len(self._rows))]
        note = f"the last {MOST_ROWS} of {len(self._rows):,} measurements" if begin else ""
        return html_table(list(self), rows, caption="history", note=note)


def _with_local_regret(row: dict[str, float]) -> dict[str, float]:
    """A row in which a local regret is not called exploitability, as files of the first version do."""
    if row.get("exact") != 0 or "local_regret" in row:
        return row
    return {**row, "exploitability": np.nan, "nash_conv": np.nan, "local_regret": row["exploitability"]}
