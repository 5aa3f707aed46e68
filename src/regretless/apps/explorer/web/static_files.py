"""Files that pages load: our own, and the chart library from its installed package. Nothing comes from the network."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from starlette.responses import FileResponse, Response

from regretless.errors import OptionError

__all__ = ["CHART_LIBRARY", "StaticFiles"]

CHART_LIBRARY = "plotly.min.js"
TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
KEPT = {"Cache-Control": "max-age=31536000, immutable"}
"""An address contains a digest of its file, so a browser may keep the file for ever."""

INSERTED_STYLE = re.compile(rb'getElementById\("([0-9a-f]{32,64})"\)')
"""The chart library inserts style sheets for maps unless the page has an element with such an id."""


@dataclass(frozen=True)
class StaticFile:
    """A file with its version, a digest of its content."""

    path: Path
    version: str


class StaticFiles:
    """All files by name. A name from a request is looked up in a table and is never used as a path."""

    def __init__(self) -> None:
        folder = Path(__file__).parent.parent / "static"
        self._files = {path.name: _versioned(path) for path in folder.iterdir() if path.suffix in TYPES}

    @cached_property
    def _chart_library(self) -> StaticFile:
        spec = find_spec("plotly")
        folders = list(spec.submodule_search_locations or ()) if spec is not None else []
        found = [path for folder in folders if (path := Path(folder) / "package_data" / CHART_LIBRARY).is_file()]
        if not found:
            raise OptionError("charts need the package plotly: pip install 'regretless[explore]'")
        return _versioned(found[0])

    def _find(self, name: str) -> StaticFile | None:
        return self._chart_library if name == CHART_LIBRARY else self._files.get(name)

    def url(self, name: str) -> str:
        """The address of a file; it changes when the file changes."""
        found = self._find(name)
        assert found is not None, name
        return f"/static/{found.version}/{name}"

    def response(self, version: str, name: str) -> Response | None:
        """A file as an answer; None if there is no such file or version."""
        found = self._find(name)
        if found is None or found.version != version:
            return None
        return FileResponse(found.path, media_type=TYPES[found.path.suffix], headers=KEPT)

    @cached_property
    def style_ids(self) -> list[str]:
        """Ids of the style sheets that the chart library would insert, which the content security policy refuses."""
        return sorted({found.decode() for found in INSERTED_STYLE.findall(self._chart_library.path.read_bytes())})


def _versioned(path: Path) -> StaticFile:
    return StaticFile(path, hashlib.sha256(path.read_bytes()).hexdigest()[:12])
