"""A river spot of no-limit hold'em: solve it, look at nodes, then ask what changes if the other player plays badly."""

from pictures import folder

import regretless as rg

SPOT = rg.poker.Spot(
    board="Ks Th 4c 7d 2s",
    ranges=("22+,A2s+,K9s+,QTs+,J9s+,T9s,98s,ATo+,KJo+", "22+,A2s+,K7s+,Q9s+,J9s+,T8s+,97s+,A9o+,KTo+,QJo"),
    pot=100,
    stack=250,
    sizes="bet 50% 100%, raise 2.5x all-in",
)


def show(run, line):
    node = run.strategy.at(line)
    shares = ", ".join(f"{action} {share:.1%}" for action, share in node.frequencies.items())
    print(f"  after {line or 'nothing'!r} player {node.player}: {shares}; expects {node.mean_ev:.2f} chips")
    return node


def main():
    run = rg.solve(SPOT, rg.DCFR, until=0.05)
    print(f"solved to {run.exploitability / SPOT.pot:.3%} of the pot in {run.iterations} iterations")
    print(f"  player 0 wins {run.value:.3f} chips, the pot counted half and half")
    first = show(run, "")
    show(run, "check")
    answer = show(run, "bet 100")
    for hand in ("AcKd", "9s8s"):
        print(f"  {hand} bets or checks:", {action: round(p, 3) for action, p in first[hand].items()})
    tame = SPOT.lock("bet 100", {"fold": 0.5, "call": 0.5})
    locked = rg.solve(tame, rg.DCFR, until=0.05)
    print(f"if player 1 folds every second hand to a bet of 100, player 0 wins {locked.value:.3f}")
    if (place := folder()) is not None:
        first.plot(place / "river-grid.png")
        answer.plot(place / "river-answer.png")


if __name__ == "__main__":
    main()
