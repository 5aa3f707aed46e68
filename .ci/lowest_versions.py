"""Print the lowest version of every dependency that pyproject.toml allows, one requirement a line.

python .ci/lowest_versions.py            the dependencies
python .ci/lowest_versions.py explore    and those of an extra
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(extras: list[str]) -> list[str]:
    """Requirements such as "numpy==1.26"; a requirement without a lower bound is an error."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    found = []
    for requirement in wanted:
        parts = re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9][0-9.]*)", requirement)
        if parts is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound")
        found.append(f"{parts[1]}=={parts[2]}")
    return found


if __name__ == "__main__":
    print("\n".join(lowest(sys.argv[1:])))
