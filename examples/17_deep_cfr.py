"""Deep CFR and single deep CFR on Leduc poker: how near networks come to the equilibrium that is known exactly."""

from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg

METHODS = {
    "SD-CFR": rg.SD_CFR,
    "Deep CFR": rg.DeepCFR(),
    "SD-CFR, reservoir and fresh networks": rg.SD_CFR.replace(
        memory="reservoir", refit="fresh", steps=200, schedule="cosine", rate=5e-3
    ),
}


def main():
    tree = rg.build(rg.games.Leduc())
    exact = rg.equilibrium(tree)
    iterations = 250 if in_full() else 4
    print(f"exact value {exact.value:.4f}; {iterations} iterations of each method")
    runs = {name: rg.solve(tree, method, iterations=iterations, seed=1) for name, method in METHODS.items()}
    for name, run in runs.items():
        touched = run.history["nodes"][-1]
        print(f"{name}: exploitability {run.exploitability:.3f}, {touched:,.0f} histories touched, {run.seconds:.0f} s")
    won = rg.head_to_head(tree, runs["SD-CFR"].strategy, exact.strategy)
    print(f"SD-CFR against the exact equilibrium, both seats: {won:+.4f} chips a game")

    if (place := folder()) is None:
        return
    figure, (panel,) = panels(1)
    for (name, run), colour, style in zip(runs.items(), COLOURS, STYLES, strict=False):
        history = run.history
        panel.loglog(history["iteration"], history["exploitability"], color=colour, linestyle=style, label=name)
    panel.set(xlabel="iterations", ylabel="exploitability (chips)", title="Deep CFR on Leduc poker")
    finish(figure, place / "deep-cfr.png")


if __name__ == "__main__":
    main()
