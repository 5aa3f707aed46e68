"""Neural fictitious self-play beside Deep CFR on Kuhn poker."""

from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg


def main():
    tree, seconds = rg.build(rg.games.Kuhn()), 120 if in_full() else 3
    methods = {"NFSP": rg.NFSP(), "SD-CFR": rg.SD_CFR.replace(traversals=500)}
    runs = {name: rg.solve(tree, method, seconds=seconds, seed=1) for name, method in methods.items()}
    for name, run in runs.items():
        print(f"{name}: exploitability {run.exploitability:.4f}, value {run.value:.4f} (−1/18 = −0.0556)")
    for label in ("K", "Q", "J"):
        bets = {name: round(run.strategy[label]["bet"], 2) for name, run in runs.items()}
        print(f"bets with {label}: {bets}")

    if (place := folder()) is None:
        return
    figure, (panel,) = panels(1)
    for (name, run), colour, style in zip(runs.items(), COLOURS, STYLES, strict=False):
        history = run.history
        panel.loglog(history["nodes"], history["exploitability"], color=colour, linestyle=style, label=name)
    panel.set(xlabel="histories touched", ylabel="exploitability (chips)", title="Kuhn poker by networks")
    finish(figure, place / "nfsp.png")


if __name__ == "__main__":
    main()
