"""CFR on Kuhn poker: the value −1/18, and the one-parameter family of equilibria that runs end in."""

from pictures import COLOURS, finish, folder, panels

import regretless as rg

VARIANTS = [rg.CFR, rg.CFR_PLUS, rg.DCFR, rg.PCFR_PLUS, rg.SAPCFR_PLUS]


def main():
    tree = rg.build(rg.games.Kuhn())
    print(tree)
    paths, ends = {}, {}
    for variant in VARIANTS:
        path = paths.setdefault(variant.name, [])

        def note(seen, path=path):
            path.append((seen.strategy["J"]["bet"], seen.strategy["K"]["bet"]))

        run = ends[variant.name] = rg.solve(tree, variant, iterations=2_000, callback=note)
        jack, king = path[-1]
        print(
            f"{run.method.name:8} value {run.value:.6f}  exploitability {run.exploitability:.1e}"
            f"  bets a jack {jack:.3f}, a king {king:.3f} = {king / jack:.2f} times as often"
        )
    call, bluff = (ends["CFR+"].strategy[label]["bet"] for label in ("Qb", "Jp"))
    print(f"the value of the game is {rg.equilibrium(tree).value:.6f} = -1/18")
    print(f"player 1 has one optimum: call with a queen {call:.3f}, bluff with a jack {bluff:.3f}")

    if (place := folder()) is None:
        return
    figure, (axes,) = panels()
    axes.plot([0, 1 / 3], [0, 1], color="black", linewidth=1.5, label="equilibria: K = 3 J")
    for number, (name, path) in enumerate(paths.items()):
        jack, king = zip(*path, strict=True)
        axes.plot(jack, king, color=COLOURS[number], linewidth=0.9, alpha=0.8)
        axes.scatter(jack[-1], king[-1], color=COLOURS[number], marker="osD^v"[number], s=45, zorder=3, label=name)
    axes.scatter(0.5, 0.5, color="black", marker="x", label="uniform play")
    axes.set(xlabel="player 0 bets a jack", ylabel="player 0 bets a king", title="Kuhn poker: all end on one line")
    finish(figure, place / "kuhn-family.png")


if __name__ == "__main__":
    main()
