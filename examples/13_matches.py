"""A bot of your own against an equilibrium of Leduc poker, and how to need fewer hands to tell who is better."""

from pictures import COLOURS, finish, folder, panels

import regretless as rg
from regretless.games.leduc import CALL, FOLD, RAISE


def caller(state, actions):
    """A bot: whatever happens, call."""
    return CALL


def main():
    game = rg.games.Leduc()
    tree = rg.build(game)
    strong = rg.solve(tree, rg.DCFR, iterations=1_000).strategy

    def cautious(state, actions):
        """Another: raise with a pair, else call two times in three when there is something to fold to."""
        label = game.infoset_label(game.infoset(state))  # what a fair player sees: "Qs rc Jh cr"
        card, *rest = label.split()
        if any(word[0] == card[0] for word in rest) and RAISE in actions:
            return RAISE
        return {FOLD: 1 / 3, CALL: 2 / 3} if FOLD in actions else CALL

    for bot in (caller, cautious):
        print(f"the equilibrium (a) against {bot.__name__}: {rg.match(game, strong, bot, hands=2_000, seed=1)}")

    weak = rg.solve(tree, rg.CFR, iterations=30).strategy
    exact = rg.match(tree, strong, weak)
    print(f"against 30 iterations of CFR: {exact}")
    ways = {  # luck is what a history is worth after a card minus before it, here if both played the equilibrium
        "plain": {"duplicate": False},
        "duplicate deals": {},
        "control variates": {"duplicate": False, "control": strong},
        "both": {"control": strong},
    }
    results = {}
    for name, way in ways.items():
        result = results[name] = rg.match(tree, strong, weak, hands=2_000, seed=1, exact=False, **way)
        print(f"  {name:17} {result.mean:+.4f} ± {result.high - result.mean:.4f}, variance {result.variance:.4f}")

    if (place := folder()) is None:
        return
    figure, (axes,) = panels(size=(6.8, 2.8))
    for (name, result), colour, marker in zip(results.items(), COLOURS, "os^D", strict=False):
        half = result.high - result.mean
        axes.errorbar(result.mean, name, xerr=half, color=colour, marker=marker, capsize=5, linewidth=2)
    axes.axvline(exact.mean, color="black", linestyle=":", label="exact")
    axes.annotate(" exact", (exact.mean, -0.45), fontsize=8)
    axes.set(xlabel="chips a hand, and where they lie with 95 %", ylim=(3.5, -0.7), title="2,000 deals of Leduc poker")
    finish(figure, place / "matches.png")


if __name__ == "__main__":
    main()
