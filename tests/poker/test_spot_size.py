"""The size of a spot is counted as its public tree would have it, without laying that out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import regretless as rg
from regretless.poker import Spot
from regretless.poker.formats.spot_writing import write_spot
from regretless.poker.ranges.presets import STRONGEST_FIRST, top_hands
from regretless.poker.tree.memory_estimate import whole_memory
from regretless.poker.tree.spot_size import spot_size

WIDE = "22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,ATo+,KJo+"


@pytest.mark.parametrize(
    ("board", "ranges", "settings"),
    [
        ("Qs Jh 2h 7c 3d", (WIDE, WIDE), {}),
        ("Qs Jh 2h 7c", (WIDE, "QQ+,AhKh:0.5,77"), {}),
        ("Qs Qh 2h 2s", (WIDE, "QQ+,AK,T9s"), {"sizes": "bet 50%, raise 3x"}),
        ("Qs Jh 2h 7c", (WIDE, WIDE), {"isomorphism": False, "sizes": "bet 50%"}),
        ("Qh Jh 2h", ("AK,QQ", "AQ,JJ,T9s"), {"sizes": "bet 100%, raise none"}),
    ],
)
def test_counts_are_those_of_the_public_tree(board: str, ranges: tuple[str, str], settings: dict[str, object]) -> None:
    spot = Spot(board, ranges, pot=20, stack=60, **settings)  # type: ignore[arg-type]
    size, tree = spot_size(spot), spot.public_tree()
    assert (size.boards, size.infoset_actions, size.nodes) == (
        tree.boards,
        tree.infoset_actions,
        len(tree.betting_tree),
    )
    assert size.decisions == tuple(count.decisions for count in tree.betting_tree.counts)
    if len(tree.game.first_board) > 3:
        for dtype in ("float32", "int16"):
            assert size.bytes_needed(dtype) == pytest.approx(tree.bytes_needed(dtype), rel=0.1)


PEAK = """
import sys
from pathlib import Path
from regretless.apps.cli import main
try:
    main(sys.argv[1:])
finally:  # getrusage would count what the parent held before
    lines = Path("/proc/self/status").read_text().splitlines()
    print(next(line for line in lines if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from /proc")
def test_the_memory_that_is_announced_is_the_peak_of_the_process(tmp_path: Path) -> None:
    wide = "22+,A2s+,K2s+,Q4s+,J6s+,T6s+,96s+,85s+,75s+,64s+,53s+,A2o+,K7o+,Q8o+,J8o+,T8o+,98o"
    sizes = "bet 33% 66% 100%, raise 60% 100%"
    spot = Spot("Qs Jh 2h 7c", (wide, wide), pot=100, stack=300, sizes=sizes)
    write_spot(spot, tmp_path / "turn.toml")
    words = [sys.executable, "-c", PEAK, "solve", "turn.toml", "-n", "4", "--out", "turn.run"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    peak = int(done.stdout.split()[-1]) * 1024
    assert peak > 200e6
    assert whole_memory(spot_size(spot).bytes_needed("float32")) == pytest.approx(peak, rel=0.1)
    assert whole_memory(spot.public_tree().bytes_needed("float32")) == pytest.approx(peak, rel=0.1)


def test_a_betting_tree_that_is_too_large_is_refused() -> None:
    spot = Spot("Qs Jh 2h", ("AA", "KK"), pot=1, stack=10_000, sizes="bet 10% 20% 30% 40% 50%, raise 2x 3x 4x")
    with pytest.raises(rg.OptionError, match="the betting tree has"):
        spot_size(spot, most_nodes=1_000)
    with pytest.raises(rg.OptionError, match="deal one card"):
        spot_size(rg.poker.FlopHoldem())


def test_the_strongest_hands() -> None:
    assert len(set(STRONGEST_FIRST)) == 169
    shares = [top_hands(share).combos / 1326 for share in (0.001, 0.05, 0.3, 1.0)]
    assert shares[0] == 6 / 1326 and shares == sorted(shares) and shares[-1] == 1
    assert shares[1] <= 0.05 and 0.29 < shares[2] <= 0.3
    for wrong in (0, 1.5, "x"):
        with pytest.raises(rg.OptionError, match="a share of hands"):
            top_hands(wrong)  # type: ignore[arg-type]
