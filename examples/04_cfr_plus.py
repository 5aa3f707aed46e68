"""What makes CFR+ fast: take it apart into its three changes and put them back one at a time, on Leduc poker."""

from pictures import COLOURS, finish, folder, panels

import regretless as rg

STEPS = {
    "CFR, simultaneous": rg.CFR.replace(alternating=False),
    "CFR": rg.CFR,
    "CFR, weights t": rg.CFR.replace(averaging=rg.Polynomial(1)),
    "CFR, floor": rg.CFR.replace(floor=True),
    "CFR+, simultaneous": rg.CFR_PLUS.replace(alternating=False),
    "CFR+ (floor and weights t)": rg.CFR_PLUS,
}


def main():
    tree = rg.build(rg.games.Leduc())
    runs = {name: rg.solve(tree, variant, iterations=2_000) for name, variant in STEPS.items()}
    print("exploitability of the average strategy after 2,000 iterations, chips per game")
    for name, run in runs.items():
        print(f"{name:27} {run.exploitability:.5f}")
    plus = runs["CFR+ (floor and weights t)"]
    last = rg.exploitability(tree, plus.current)
    print(f"the last strategy of CFR+, not averaged: {last:.5f}")

    if (place := folder()) is None:
        return
    figure, (axes,) = panels()
    for number, (name, run) in enumerate(runs.items()):
        style = "--" if "simultaneous" in name else "-"
        x, y = run.history["iteration"], run.history["exploitability"]
        axes.loglog(x, y, color=COLOURS[number], linestyle=style, label=name)
    axes.set(xlabel="iterations", ylabel="exploitability (chips per game)", title="Leduc poker: CFR+ in parts")
    finish(figure, place / "cfr-plus.png")


if __name__ == "__main__":
    main()
