"""Regret and regret matching in rock-paper-scissors: first against a fixed opponent, then against oneself."""

import numpy as np
from pictures import COLOURS, finish, folder, panels

import regretless as rg

WON = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])  # what my row wins against the other's column
OPPONENT = np.array([0.4, 0.3, 0.3])


def matched(regret):
    positive = np.maximum(regret, 0)
    return positive / positive.sum() if positive.any() else np.full(3, 1 / 3)


def rounds_against(opponent, count, rng, play=matched):
    """Total regret of each action after every round: [count + 1, 3]."""
    record = [np.zeros(3)]
    for _ in range(count):
        mine, theirs = rng.choice(3, p=play(record[-1])), rng.choice(3, p=opponent)
        record.append(record[-1] + WON[:, theirs] - WON[mine, theirs])
    return np.array(record)


def main():
    print("rock, paper, scissors are worth", (WON @ OPPONENT).round(2).tolist(), "against (.4, .3, .3)")
    game = rg.build(rg.games.RockPaperScissors())
    answer = rg.solve(game, rg.RegretMatching(), iterations=10_000, fixed={0: OPPONENT}, seed=1)
    print(f"regret matching answers with paper {answer.strategy['player 1']['paper']:.2f} of the time")

    duel = rg.solve(game, rg.RegretMatching(), iterations=100_000, seed=1)
    print("in self-play the average is", {a: round(p, 2) for a, p in duel.strategy["player 0"].items()})
    print("but the last strategy is   ", {a: round(p, 2) for a, p in duel.current["player 0"].items()})

    if (place := folder()) is None:
        return
    figure, (axes,) = panels()
    ways = {"always scissors": lambda _: [0, 0, 1], "one third each": lambda _: [1 / 3] * 3, "regret matching": matched}
    for number, (name, play) in enumerate(ways.items()):
        record = rounds_against(OPPONENT, 2_000, np.random.default_rng(1), play)
        axes.plot(record.max(axis=1), color=COLOURS[number], linestyle=["--", "-.", "-"][number], label=name)
    axes.set(xlabel="rounds", ylabel="total regret (chips)", title="Three ways to meet (.4, .3, .3)")
    finish(figure, place / "regret.png")

    seen = []
    rg.solve(game, rg.RegretMatching(), iterations=3_000, seed=3, callback=lambda now: seen.append(
        (now.iteration, now.current["player 0"]["rock"], now.strategy["player 0"]["rock"])))  # fmt: skip
    rounds, current, average = np.array(seen).T
    figure, (axes,) = panels()
    axes.plot(rounds, current, color=COLOURS[5], linewidth=1, marker=".", markersize=3, label="this round")
    axes.plot(rounds, average, color=COLOURS[0], linewidth=2, label="average so far")
    axes.axhline(1 / 3, color="black", linestyle=":", linewidth=1, label="equilibrium")
    axes.set(xlabel="rounds of self-play", ylabel="probability of rock", xscale="log", ylim=(-0.05, 1.05))
    finish(figure, place / "regret-matching.png")


if __name__ == "__main__":
    main()
