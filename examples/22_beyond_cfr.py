"""Methods beyond CFR: first-order methods, double oracle, and CFR followed by linear programs."""

from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg

METHODS = {"CFR+": rg.CFR_PLUS, "optimistic mirror descent": rg.OMD(), "excessive gap": rg.EGT(), "magnetic": rg.MMD()}


def main():
    iterations = 4_000 if in_full() else 400
    leduc = rg.build("leduc")
    runs = {name: rg.solve(leduc, method, iterations=iterations) for name, method in METHODS.items()}
    for name, run in runs.items():
        print(f"Leduc, {iterations:,} iterations of {name}: exploitability {run.exploitability:.5f}")

    polished = rg.solve(leduc, rg.PolishedCFR(), until=1e-9)
    print(f"CFR, then linear programs: value {polished.value:.9f} after {polished.iterations} iterations")

    oshi = rg.build("oshi_zumo")
    oracle = rg.solve(oshi, rg.DoubleOracle(), until=1e-9)
    needed = int(oracle.history.restricted_sequences[-1])
    print(f"Oshi-Zumo by double oracle: {needed:,} of {oshi.sequences:,} sequences, {oracle.iterations} iterations")

    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.0, 3.6))
    for number, (name, run) in enumerate(runs.items()):
        look = {"color": COLOURS[number], "linestyle": STYLES[number]}
        left.loglog(run.history.iteration, run.history.exploitability, label=name, **look)
    left.set(xlabel="iterations", ylabel="exploitability (chips per game)", title="Leduc poker")
    share = 100 * oracle.history.restricted_sequences / oshi.sequences
    right.plot(oracle.history.iteration, share, color=COLOURS[0])
    right.set(xlabel="iterations", ylabel="sequences needed (%)", title="Oshi-Zumo by double oracle")
    right.set_ylim(bottom=0)
    finish(figure, place / "beyond-cfr.png")


if __name__ == "__main__":
    main()
