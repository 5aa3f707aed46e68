"""Rows for the numbers that the second document works out by hand: values of nodes, counterfactual values, regrets."""

from __future__ import annotations

from collections.abc import Callable

import regretless as rg
from regretless.reproduce.claims import Claim, Expected, Job, Measured
from regretless.reproduce.sources import RPS_NOTES

__all__ = ["ROWS"]

NAMES = ["scissors", "rock", "paper"]
OPPONENT = [0.4, 0.3, 0.3]
"""Player 0 of the document: scissors, rock, paper."""


def game_of_the_document() -> rg.Tree:
    """Rock-paper-scissors with the document's order of actions."""
    payoffs = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
    return rg.build(rg.games.Matrix(payoffs, action_names=NAMES))


def worth(tree: rg.Tree, theirs: list[float], mine: list[float]) -> float:
    """What player 1 wins when the players draw from these probabilities."""
    strategy = rg.Strategy.from_dict(tree, {"player 0": theirs, "player 1": mine})
    return rg.value(tree, strategy, player=1)


def coefficients(found: Callable[[list[float]], float]) -> dict[str, float]:
    """The coefficients of f(a, b) = k + ka·a + kb·b for player 1's strategy (a, b, 1 − a − b)."""
    constant = found([0, 0, 1])
    return {"a": found([1, 0, 0]) - constant, "b": found([0, 1, 0]) - constant, "constant": constant}


def best_answer(job: Job) -> Measured:
    """Expected payoff of each action, and the best response."""
    tree = game_of_the_document()
    uniform = rg.Strategy.from_dict(tree, {"player 0": OPPONENT, "player 1": [1 / 3] * 3})
    answer = rg.best_response(tree, uniform, player=1)
    each = {name: worth(tree, OPPONENT, [float(name == other) for other in NAMES]) for name in NAMES}
    return Measured(
        {**each, "best response wins": answer.value, "best response, rock": answer.strategy["player 1"]["rock"]}
    )


def node_values(job: Job) -> Measured:
    """u(h) of the three nodes of player 1's infoset: what player 0's action leads to, times its probability."""
    tree = game_of_the_document()
    numbers: dict[str, float] = {}
    for node, probability in enumerate(OPPONENT):
        pure = [float(node == other) for other in range(3)]

        def through(mine: list[float], pure: list[float] = pure, probability: float = probability) -> float:
            return probability * worth(tree, pure, mine)

        numbers |= {f"u(h{node + 1}), {name}": k for name, k in coefficients(through).items()}
    whole = coefficients(lambda mine: worth(tree, OPPONENT, mine))
    return Measured(numbers | {f"u(I), {name}": k for name, k in whole.items()})


def first_regret(job: Job) -> Measured:
    """Counterfactual values v(I, a) and the regret of the first action in the first iteration."""
    tree = game_of_the_document()

    def values_for(mine: list[float]) -> dict[str, float]:
        strategy = rg.Strategy.from_dict(tree, {"player 0": OPPONENT, "player 1": mine})
        found = rg.counterfactual_values(tree, strategy, player=1)["player 1"]
        return {str(name): float(number) for name, number in found.items()}

    def regret(mine: list[float]) -> float:
        found = values_for(mine)
        return found["scissors"] - sum(p * found[name] for p, name in zip(mine, NAMES, strict=True))

    numbers = {f"v(I, {name})": number for name, number in values_for([1 / 3] * 3).items()}
    return Measured(numbers | {f"R¹(I, 0), {name}": k for name, k in coefficients(regret).items()})


def ten_iterations(job: Job) -> Measured:
    """CFR of player 1 against the fixed player 0."""
    tree = game_of_the_document()
    opponent = dict(zip(NAMES, OPPONENT, strict=True))
    run = rg.solve(tree, rg.CFR, iterations=10, fixed={0: opponent})
    average = run.strategy["player 1"]
    return Measured({name: average[name] for name in NAMES})


class ThreeInTurn(rg.Game):
    """Three players move in turn and see everything; player 1 wins r1 or r2 after 0, 0, else nothing."""

    players = 3
    rewards = (3.0, -1.0)

    def root(self) -> str:
        """No moves yet."""
        return ""

    def player(self, h: str) -> int:
        """Player 0, 1, 2 in turn."""
        return rg.TERMINAL if len(h) == 3 else len(h)

    def actions(self, h: str) -> str:
        """Three actions for player 0, two for the others."""
        return "01" if h else "012"

    def play(self, h: str, a: str) -> str:
        """The history with one more move."""
        return h + a

    def infoset(self, h: str) -> str:
        """Everything is seen."""
        return h or "start"

    def payoffs(self, h: str) -> tuple[float, float, float]:
        """Player 1 alone is paid."""
        return (0.0, self.rewards[int(h[2])] if h.startswith("00") else 0.0, 0.0)


def three_players(job: Job) -> Measured:
    """u and v of player 1 at the node after 0, 0, for a = 1/4, b = 3/4, r1 = 3, r2 = −1."""
    tree, a, b = rg.build(ThreeInTurn()), 0.25, 0.75

    def worth_for(first: float) -> float:
        table = {"start": OPPONENT, "0": [first, 1 - first], "00": [b, 1 - b]}
        return rg.value(tree, rg.Strategy.from_dict(tree, table, missing="uniform"), player=1)

    table = {"start": OPPONENT, "0": [a, 1 - a], "00": [b, 1 - b]}
    strategy = rg.Strategy.from_dict(tree, table, missing="uniform")
    counterfactual = rg.counterfactual_values(tree, strategy, player=1)["0"]["0"]
    return Measured({"u(h31)": worth_for(a), "v(h31)": counterfactual, "u ÷ v": worth_for(a) / counterfactual})


def linear(what: str, a: float, b: float, constant: float) -> tuple[Expected, ...]:
    """The three coefficients of a published linear function."""
    return tuple(
        Expected(f"{what}, {name}", number, tolerance=1e-12)
        for name, number in (("a", a), ("b", b), ("constant", constant))
    )


R1, R2 = ThreeInTurn.rewards
PAGE = "regret-matching.md"

ROWS = (
    Claim(
        "rps-best-response", RPS_NOTES, "part 2", "Against (0.4, 0.3, 0.3) rock wins 0.1 and is the best response",
        "rg.best_response(tree, strategy, player=1)",
        (
            Expected("scissors", 0, tolerance=1e-12),
            Expected("rock", 0.1, tolerance=1e-12),
            Expected("paper", -0.1, tolerance=1e-12),
            Expected("best response wins", 0.1, tolerance=1e-12),
            Expected("best response, rock", 1),
        ),
        best_answer, page=PAGE,
    ),
    Claim(
        "rps-node-values", RPS_NOTES, "part 3.2, §1",
        "Payoffs of the nodes h1, h2, h3 and of their infoset, in a and b",
        "rg.value(tree, strategy, player=1)",
        (
            *linear("u(h1)", 0.4, 0.8, -0.4),
            *linear("u(h2)", -0.6, -0.3, 0.3),
            *linear("u(h3)", 0.3, -0.3, 0.0),
            *linear("u(I)", 0.1, 0.2, -0.1),
        ),
        node_values, page=PAGE,
    ),
    Claim(
        "rps-first-regret", RPS_NOTES, "part 3.2, §3",
        "Counterfactual values and the first regret, −(0.1 a + 0.2 b − 0.1)",
        "rg.counterfactual_values(tree, strategy, player=1)",
        (
            Expected("v(I, scissors)", 0, tolerance=1e-12),
            Expected("v(I, rock)", 0.1, tolerance=1e-12),
            Expected("v(I, paper)", -0.1, tolerance=1e-12),
            *linear("R¹(I, 0)", -0.1, -0.2, 0.1),
        ),
        first_regret, page=PAGE,
    ),
    Claim(
        "rps-ten-iterations", RPS_NOTES, "part 3.2, §5",
        "Ten iterations of CFR against (0.4, 0.3, 0.3): uniform once, then rock",
        "rg.solve(tree, rg.CFR, iterations=10, fixed={0: (0.4, 0.3, 0.3)})",
        (
            Expected("scissors", 1 / 30, tolerance=1e-12, printed="1/30"),
            Expected("rock", 28 / 30, tolerance=1e-12, printed="28/30"),
            Expected("paper", 1 / 30, tolerance=1e-12, printed="1/30"),
        ),
        ten_iterations, page=PAGE,
    ),
    Claim(
        "three-player-node", RPS_NOTES, "part 3.2, §2",
        "Payoff and counterfactual value of a node differ by the own probability: u = a · v",
        "rg.counterfactual_values(tree, strategy, player=1)",
        (
            Expected("u(h31)", 0.1 * (0.75 * R1 + 0.25 * R2), tolerance=1e-12, printed="0.4ab·r1 + 0.4a(1−b)·r2"),
            Expected("v(h31)", 0.4 * (0.75 * R1 + 0.25 * R2), tolerance=1e-12, printed="0.4b·r1 + 0.4(1−b)·r2"),
            Expected("u ÷ v", 0.25, tolerance=1e-12, printed="a"),
        ),
        three_players, page=PAGE,
    ),
)  # fmt: skip
