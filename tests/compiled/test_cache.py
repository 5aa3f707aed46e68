"""Machine code is kept on disk: the next process loads it, other sources get other code, processes share it."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import INTERPRETED

pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiles games")

GAME = """
import regretless as rg

@rg.compiled
class Count(rg.Game):
    def root(self): return (0, 0)
    def player(self, state): return state[0] if state[1] < 2 else rg.TERMINAL
    def actions(self, state): return (0, 1)
    def play(self, state, action): return (1 - state[0], state[1] + 1)
    def infoset(self, state): return state[1] * FACTOR
    def payoffs(self, state): return (1, -1)

if __name__ == "__main__":
    from regretless.compiled import compile_game
    functions = compile_game(Count()).functions
    hits = [sum(getattr(functions, name).stats.cache_hits.values()) for name in ("root", "play", "actions", "payoffs")]
    print(functions.__file__, *hits)
"""


def run(script: Path, cache: Path, **more: str) -> tuple[Path, list[int]]:
    environment = os.environ | {"REGRETLESS_CACHE": str(cache)} | more
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    file, *hits = done.stdout.split()
    return Path(file), [int(hit) for hit in hits]


@pytest.mark.full
def test_the_next_process_loads_what_the_first_has_compiled(tmp_path: Path) -> None:
    """Two processes start at once; later ones find what they left, and edited rules are compiled anew."""
    script, cache = tmp_path / "count.py", tmp_path / "cache"
    script.write_text(GAME.replace("FACTOR", "3"))
    with ThreadPoolExecutor() as pool:
        (first, _), (twin, _) = pool.map(lambda _: run(script, cache), range(2))
    assert first == twin and first.parent == cache / "compiled"
    assert [file.suffix for file in first.parent.iterdir() if file.is_file()] == [".py"]
    script.write_text("# a comment changes nothing\n" + GAME.replace("FACTOR", "3"))
    assert run(script, cache) == (first, [1, 1, 1, 1])
    script.write_text(GAME.replace("FACTOR", "5"))
    edited, hits = run(script, cache)
    assert edited != first and hits == [0, 0, 0, 0]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    script, cache = tmp_path / "count.py", tmp_path / "cache"
    script.write_text(GAME.replace("FACTOR", "3"))
    cache.write_text("a file, where a folder should be")
    file, _ = run(script, cache)
    assert cache not in file.parents and file.exists()
