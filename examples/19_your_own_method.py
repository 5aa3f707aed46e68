"""A method of one's own, `hedge.py`, run like any other: checked, compared, checkpointed and resumed."""

import tempfile
from pathlib import Path

from hedge import HedgeCFR
from pictures import folder

import regretless as rg


def main():
    print(rg.check_method(HedgeCFR()))
    methods = [HedgeCFR(), HedgeCFR(rate=16), rg.CFR.replace(alternating=False), rg.CFR]
    result = rg.compare("leduc", methods, iterations=500)
    for row in result.table():
        print(f"{row['method']:22} exploitability {row['exploitability']:.4f}, value {row['value']:+.4f}")
    if folder():
        result.plot(folder() / "hedge.png")

    with tempfile.TemporaryDirectory() as kept:
        file = Path(kept) / "hedge.run"
        run = rg.solve("kuhn", HedgeCFR(), iterations=1_000, checkpoint=file)
        more = rg.resume(file, iterations=1_000, method=HedgeCFR())  # a file never runs code: the method is passed
    same = more.strategy == rg.solve("kuhn", HedgeCFR(), iterations=2_000).strategy
    print(f"Kuhn: {run.exploitability:.5f}, resumed {more.exploitability:.5f}, the same: {same}")


if __name__ == "__main__":
    main()
