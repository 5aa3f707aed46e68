"""Beyond two players and zero sums: play that tends to correlated equilibria, its gaps and what it is worth to all."""

import numpy as np
from pictures import COLOURS, STYLES, finish, folder, in_full, panels

import regretless as rg

SHAPLEY = rg.games.Matrix([[[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]], name="Shapley's game")
GAMES = {
    "Kuhn poker for three": rg.games.Kuhn(players=3),
    "Sheriff, 2 rounds": rg.games.Sheriff(rounds=2),
    "Battleship": rg.games.Battleship(),
    "Leduc poker for three, 2 ranks": rg.games.Leduc(players=3, ranks=2, raises=1),
}


def main():
    iterations = 2_000 if in_full() else 200
    runs = {}
    for name, game in GAMES.items():
        runs[name] = run = rg.solve(game, rg.TriggerRegret("efce"), iterations=iterations)
        gaps = ", ".join(f"{kind} {run.history[f'{kind}_gap'][-1]:.1e}" for kind in ("efce", "efcce", "nfcce"))
        print(f"{name}: gaps after {iterations:,} iterations: {gaps}; welfare {run.history.welfare[-1]:.3f}")

    nash = rg.nash(SHAPLEY)
    learnt = rg.solve(SHAPLEY, rg.TriggerRegret("efce", minimiser=rg.CFR), iterations=10 * iterations)
    print(f"Shapley's game: the Nash equilibrium is worth {nash.values.sum():.3f} to both together")
    welfare, gap = learnt.history.welfare[-1], learnt.history.efce_gap[-1]
    print(f"a correlated one that regret finds: {welfare:.3f}, EFCE gap {gap:.4f}")

    if (place := folder()) is None:
        return
    figure, (left, right) = panels(2, size=(9.0, 3.6))
    for number, (name, run) in enumerate(runs.items()):
        shown = run.history.efce_gap > 1e-9
        x, y = run.history.iteration[shown], run.history.efce_gap[shown]
        left.loglog(x, y, color=COLOURS[number], linestyle=STYLES[number], label=name)
    steps = np.array([1, iterations])
    left.loglog(steps, steps**-0.5, color="#999999", linewidth=0.8, label="1/√T")
    left.set(xlabel="iterations", ylabel="EFCE gap (chips per game)", title="Joint play by trigger regret")
    right.semilogx(learnt.history.iteration, learnt.history.welfare, color=COLOURS[0], label="trigger regret with CFR")
    right.axhline(nash.values.sum(), color=COLOURS[1], linestyle="--", label="Nash equilibrium")
    right.set(xlabel="iterations", ylabel="both win together", title="Shapley's game")
    finish(figure, place / "correlated.png")


if __name__ == "__main__":
    main()
