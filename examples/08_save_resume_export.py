"""Save a run, go on with it as if nothing had happened, and hand the strategy to other programs."""

import csv
import tempfile
from pathlib import Path

import numpy as np

import regretless as rg


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        rg.solve("leduc", rg.DCFR, iterations=500).save(folder / "leduc.run")
        resumed = rg.resume(folder / "leduc.run", iterations=500)
        whole = rg.solve("leduc", rg.DCFR, iterations=1_000)
        same = np.array_equal(resumed.strategy.probabilities, whole.strategy.probabilities)
        print(f"500 + 500 iterations equal 1,000 to the last bit: {same}")

        rg.solve("leduc", rg.DCFR, seconds=0.5, checkpoint=folder / "long.run", checkpoint_every=0.1)
        loaded = rg.load(folder / "long.run")
        print(f"a checkpoint is a run: {loaded.game}, {loaded.method.name}, stopped by {loaded.stopped}")

        strategy = whole.strategy
        strategy.save(folder / "leduc.strategy")
        strategy.to_csv(folder / "leduc.csv")
        strategy.to_json(folder / "leduc.json")
        print("the same after saving and loading:", rg.load(folder / "leduc.strategy") == strategy)
        with (folder / "leduc.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        print(f"{len(rows):,} rows of {', '.join(rows[0])}")

        clean = strategy.purify(0.01)
        tree = whole.tree
        before, after = rg.exploitability(tree, strategy), rg.exploitability(tree, clean)
        print(f"without actions under 1 %: exploitability {after:.4f} instead of {before:.4f}")


if __name__ == "__main__":
    main()
