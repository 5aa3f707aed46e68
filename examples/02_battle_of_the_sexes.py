"""Battle of the sexes: three Nash equilibria, a fair coin that beats the mixed one, and what regret matching finds."""

import numpy as np
from pictures import COLOURS, finish, folder, panels

import regretless as rg

NASH = {"both to the movie": (1, 1), "both to the game": (0, 0), "mixed": (2 / 3, 1 / 3)}


def main():
    tree = rg.build(rg.games.BattleOfTheSexes())
    points = {}
    for name, (first, second) in NASH.items():
        table = {"player 0": [first, 1 - first], "player 1": [second, 1 - second]}
        strategy = rg.Strategy.from_dict(tree, table)
        points[name] = rg.values(tree, strategy)
        print(f"{name:18} pays {points[name].round(3)}, exploitability {rg.exploitability(tree, strategy):.3f}")

    coin = np.array([[0.5, 0], [0, 0.5]])
    print(f"a fair coin for both pays 1.5 each, correlated gap {rg.correlated_gap(tree, coin):.3f}")

    met = {"movie": 0, "game": 0}
    paid = []
    for seed in range(40):
        run = rg.solve(tree, rg.RegretMatching(), iterations=500, seed=seed)
        met["movie" if run.joint[0, 0] > run.joint[1, 1] else "game"] += 1
        paid.append(rg.values(tree, run.strategy))
    gap = run.history["coarse_correlated_gap"][-1]
    print(f"of 40 couples, {met['movie']} settle on the movie and {met['game']} on the game")
    print(f"the last couple's joint play is {gap:.4f} from a coarse correlated equilibrium")

    if (place := folder()) is None:
        return
    figure, (axes,) = panels(size=(4.8, 4.2))
    axes.fill([0, 2, 1], [0, 1, 2], color="#eeeeee", zorder=0, label="reachable with a shared coin")
    axes.scatter(*np.array(paid).T, color=COLOURS[5], s=60, alpha=0.4, label="regret matching, 40 couples")
    axes.scatter(*np.array(list(points.values())).T, color=COLOURS[1], marker="D", s=36, label="Nash equilibria")
    axes.scatter(1.5, 1.5, color=COLOURS[2], marker="*", s=140, label="fair coin (correlated)")
    axes.set(xlabel="player 0 wins", ylabel="player 1 wins", title="Battle of the sexes", aspect="equal")
    axes.set(xlim=(-0.1, 2.2), ylim=(-0.1, 2.2))
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    finish(figure, place / "battle-of-the-sexes.png")


if __name__ == "__main__":
    main()
