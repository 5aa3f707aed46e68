"""Six variants side by side on Leduc poker, and two dice games that show that none of them wins everywhere."""

from pictures import folder

import regretless as rg

VARIANTS = [rg.CFR, rg.LINEAR_CFR, rg.PDCFR_PLUS, rg.PCFR_PLUS, rg.CFR_PLUS, rg.DCFR]


def main():
    tree = rg.build(rg.games.Leduc())
    rg.solve(tree, iterations=1)  # compile first, so that no variant's clock counts it
    result = rg.compare(tree, VARIANTS, iterations=2_000)
    print("Leduc, 2,000 iterations")
    for row in sorted(result.table(), key=lambda row: row["exploitability"]):
        print(f"  {row['method']:10} exploitability {row['exploitability']:.1e}  value {row['value']:+.5f}")

    for sides in (4, 5):
        dice = rg.compare(rg.games.Dudo(sides=sides), VARIANTS, iterations=1_000)
        best = min(dice.table(), key=lambda row: row["exploitability"])
        print(f"Dudo with {sides} sides, 1,000 iterations: {best['method']} is best with {best['exploitability']:.1e}")

    if (place := folder()) is not None:
        result.plot(place / "leduc-variants.png")
        print("drew leduc-variants.png")


if __name__ == "__main__":
    main()
