"""Three players: counterfactual values in a small tree worked by hand, and Kuhn poker with four cards."""

import regretless as rg


class InTurn(rg.Game):
    """Three players move in turn and see everything; only after 0, 0 does player 1 win something: r1 or r2."""

    players = 3

    def __init__(self, r1, r2):
        self.rewards = (r1, r2)

    def root(self):
        return ""

    def player(self, h):
        return rg.TERMINAL if len(h) == 3 else len(h)

    def actions(self, h):
        return "01" if h else "012"

    def play(self, h, a):
        return h + a

    def infoset(self, h):
        return h or "start"

    def payoffs(self, h):
        return (0, self.rewards[int(h[2])] if h.startswith("00") else 0, 0)


def main():
    a, b, r1, r2 = 0.25, 0.75, 3, -1
    tree = rg.build(InTurn(r1, r2))
    table = {"start": [0.4, 0.3, 0.3], "0": [a, 1 - a], "00": [b, 1 - b]}
    strategy = rg.Strategy.from_dict(tree, table, missing="uniform")
    towards = rg.Strategy.from_dict(tree, table | {"0": [1, 0]}, missing="uniform")
    formula = 0.4 * b * r1 + 0.4 * (1 - b) * r2
    print(f"worth to player 1: {rg.value(tree, strategy, player=1):.3f} with own probability a = {a}")
    print(f"counterfactual value, as if a were 1: {rg.value(tree, towards, player=1):.3f}; by hand {formula:.3f}")

    run = rg.solve(rg.games.Kuhn(players=3), rg.CFR_PLUS, iterations=5_000)
    worth = rg.values(run.tree, run.strategy)
    print(f"Kuhn for three: values {worth.round(4).tolist()}, sum {abs(worth.sum()):.1f}")
    print(f"NashConv {run.nash_conv:.1e}: no theorem promises this with three players, but here it happens")


if __name__ == "__main__":
    main()
