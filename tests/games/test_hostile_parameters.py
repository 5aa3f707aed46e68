"""Parameters of ready-made games that would take all memory: refused before anything is made."""

from __future__ import annotations

import time

import pytest

import regretless as rg
from regretless.games import by_name

HUGE = "9" * 5_000


@pytest.mark.parametrize(
    "spec",
    [
        "leduc:ranks=999999999",
        "leduc:raises=999999999",
        "leduc:suits=999999999",
        "leduc:players=999999999",
        "one_card_poker:deck=999999999",
        "kuhn:players=999999999",
        "blotto:soldiers=999999999",
        "blotto:fields=999999999",
        "blotto:soldiers=1000,fields=1000",
        "dudo:sides=999999999",
        "dudo:dice=999999999",
        "dudo:dice=500x501",
        "liars_dice:dice=20x20,sides=26",
        "liar_die:sides=999999999",
        "goofspiel:cards=999999999",
        "oshi_zumo:coins=999999999",
        "dark_hex:size=999999999",
        f"leduc:ranks={HUGE}",
        f"dudo:dice={HUGE}x{HUGE}",
        f"matrix:(({HUGE},1),(1,1))",
        "matrix:((1e308,-1e308),(1,1))",
        "matrix:((1e400,1),(1,1))",
        "matrix:" + "(" * 500 + "1" + ",)" * 500,
        "leduc:ranks=(((((1",
        "leduc:" + "ranks=3," * 10_000,
    ],
    ids=lambda spec: spec[:40],
)
def test_refused_at_once(spec: str) -> None:
    began = time.process_time()
    with pytest.raises(rg.OptionError) as caught:
        by_name(spec)
    assert time.process_time() - began < 2.0
    assert len(str(caught.value)) < 2_000


def test_nested_lists_in_python() -> None:
    deep: object = 1
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(rg.OptionError, match="at most 20 dimensions"):
        rg.games.Matrix(deep)
    with pytest.raises(rg.OptionError, match="no float can hold"):
        rg.games.Matrix([[10**400, 1], [1, 1]])
