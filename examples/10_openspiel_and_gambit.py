"""Other programs: solve a game of OpenSpiel, hand the strategy back, and let Gambit solve a game of ours."""

import importlib.util
import tempfile
from fractions import Fraction
from pathlib import Path

import regretless as rg


def with_openspiel():
    from open_spiel.python.algorithms import exploitability

    game = rg.games.OpenSpiel("leduc_poker")
    run = rg.solve(game, rg.DCFR, iterations=1_000)
    policy = rg.to_openspiel(run.strategy, game)
    theirs = exploitability.nash_conv(game.loaded, policy)
    print(f"OpenSpiel's Leduc: NashConv {run.nash_conv:.9f}, and OpenSpiel finds {theirs:.9f}")
    back = rg.from_openspiel(policy, run.tree)
    print(f"there and back again: NashConv {rg.nash_conv(run.tree, back):.9f}")


def with_gambit():
    import pygambit

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kuhn.efg"
        rg.write_efg(rg.games.Kuhn(), path)
        game = pygambit.read_efg(str(path))
        solved, first = pygambit.nash.lp_solve(game, rational=True), next(iter(game.players))
        if hasattr(solved, "equilibria"):  # Gambit 16
            value = Fraction(str(solved.equilibria[0].payoff(first)))
        else:
            value = Fraction(str(solved.equilibrium.payoffs[first]))
        print(f"Gambit reads our Kuhn poker and finds {value}")
        print(f"we read it back and find {rg.equilibrium(rg.build(rg.read_efg(path))).value:.6f}")


def main():
    for package, extra, example in [("pyspiel", "openspiel", with_openspiel), ("pygambit", "gambit", with_gambit)]:
        if importlib.util.find_spec(package):
            example()
        else:
            print(f"{package} is not installed: pip install 'regretless[{extra}]'")


if __name__ == "__main__":
    main()
