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
    seconds = 600 if in_full() else 5
    print(f"exact value {exact.value:.4f}; {seconds} s for each method")
    runs = {name: rg.solve(tree, method, seconds=seconds, seed=1) for name, method in METHODS.items()}
    for name, run in runs.items():
        touched, gap = run.history["nodes"][-1], run.exploitability
        print(f"{name}: exploitability {gap:.3f} after {run.iterations} iterations, {touched:,.0f} histories touched")
    won = rg.head_to_head(tree, runs["SD-CFR"].strategy, exact.strategy)
    print(f"SD-CFR against the exact equilibrium, both seats: {won:+.4f} chips a game")

    if (place := folder()) is None:
        return
    figure, (panel,) = panels(1)
    for (name, run), colour, style in zip(runs.items(), COLOURS, STYLES, strict=False):
        history = run.history
        panel.loglog(history["seconds"], history["exploitability"], color=colour, linestyle=style, label=name)
    panel.set(xlabel="seconds, one thread", ylabel="exploitability (chips)", title="Deep CFR on Leduc poker")
    finish(figure, place / "deep-cfr.png")


if __name__ == "__main__":
    main()
