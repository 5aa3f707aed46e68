"""The exact equilibrium by linear programming beside CFR+, and the two bounds that close in on the value."""

import time

from pictures import COLOURS, finish, folder, panels

import regretless as rg


def main():
    tree = rg.build(rg.games.Leduc())
    print(tree)
    began = time.perf_counter()
    exact = rg.equilibrium(tree)
    print(f"linear program: value {exact.value:.9f}, exploitability {rg.exploitability(tree, exact.strategy):.0e}")
    print(f"                {time.perf_counter() - began:.2f} s")

    steps, low, high = [], [], []

    def note(seen):
        steps.append(seen.iteration)
        low.append(-rg.best_response(tree, seen.strategy, player=1).value)  # what player 0 is sure of
        high.append(rg.best_response(tree, seen.strategy, player=0).value)  # what player 1 gives away at most

    run = rg.solve(tree, rg.CFR_PLUS, iterations=2_000, callback=note)
    print(f"CFR+, {run.iterations:,} iterations: the value lies between {low[-1]:.6f} and {high[-1]:.6f}")
    print(f"half the distance is the exploitability, {run.exploitability:.6f}")
    print(f"CFR+ against the exact strategy: {rg.head_to_head(tree, run.strategy, exact.strategy):+.6f} chips per game")

    if (place := folder()) is None:
        return
    figure, (axes,) = panels()
    axes.fill_between(steps, low, high, color=COLOURS[5], alpha=0.35, label="the value lies here")
    axes.plot(steps, high, color=COLOURS[1], label="player 1 gives away at most")
    axes.plot(steps, low, color=COLOURS[0], linestyle="--", label="player 0 is sure of")
    axes.axhline(exact.value, color="black", linestyle=":", linewidth=1, label="exact value")
    axes.set(xscale="log", xlabel="iterations of CFR+", ylabel="chips per game to player 0", ylim=(-1.5, 1.5))
    axes.set_title("Leduc poker: two best responses enclose the value")
    finish(figure, place / "bounds.png")


if __name__ == "__main__":
    main()
