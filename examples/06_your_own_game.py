"""A game of one's own: describe it, have it checked, solve it, and see what the linter says when it is wrong."""

import regretless as rg


class Guess(rg.Game):
    """Player 0 hides a coin, player 1 guesses the side; heads found is worth 2, tails found 1, a miss costs 1."""

    def root(self):
        return ""

    def player(self, h):
        return rg.TERMINAL if len(h) == 2 else len(h)

    def actions(self, h):
        return "HT"

    def play(self, h, a):
        return h + a

    def infoset(self, h):
        return ("hide", "guess")[len(h)]  # the guesser does not see h

    def payoffs(self, h):
        found = {"HH": 2, "TT": 1}.get(h, -1)
        return (-found, found)


class Leaky(Guess):
    """The same with a mistake: after heads the guesser may also give up, so the menu tells what was hidden."""

    def actions(self, h):
        return "HT-" if h == "H" else "HT"


def main():
    print(rg.check_game(Guess()))
    run = rg.solve(Guess(), iterations=10_000)
    print("hide: ", {side: round(p, 3) for side, p in run.strategy["hide"].items()})
    print("guess:", {side: round(p, 3) for side, p in run.strategy["guess"].items()})
    print(f"value {run.value:.4f}, by linear programming {rg.equilibrium(rg.build(Guess())).value:.4f} = -1/5")
    print()
    print(rg.check_game(Leaky()))


if __name__ == "__main__":
    main()
