"""What every result carries: the command, the machine, the commit, and when."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from regretless.apps.commands.bench import processor, versions

RESULTS = Path(__file__).parent / "results"


def circumstances() -> dict[str, Any]:
    """Command, machine, versions and commit of this run; $COMMIT names the commit of a copy without its history."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], capture_output=True, text=True, check=False).stdout.strip()

    code = (".", ":!results", ":!benchmarks/results", ":!docs")  # what a run writes or says changes nothing
    dirty = " with uncommitted changes" if git("status", "--porcelain", "--untracked-files=no", "--", *code) else ""
    return {
        "command": " ".join(["python -m", f"benchmarks.{Path(sys.argv[0]).stem}", *sys.argv[1:]]),
        "machine": processor(),
        "python": platform.python_version(),
        **versions(),
        "commit": os.environ.get("COMMIT") or (git("rev-parse", "--short", "HEAD") or "unknown") + dirty,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def gpu_name() -> str:
    """The name of the GPU."""
    from numba import cuda

    name = cuda.get_current_device().name
    return name.decode() if isinstance(name, bytes) else str(name)


def write(name: str, rows: list[dict[str, Any]], about: dict[str, Any] | None = None) -> None:
    """Keep the rows as JSON and as a table to read."""
    about = about or circumstances()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
    lines = [f"# {name}", "", *(f"- {key}: {value}" for key, value in about.items()), ""]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines += ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(row.get(column, "")) for column in columns) + " |" for row in rows]
    (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
