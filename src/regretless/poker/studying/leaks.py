"""Leaks of a strategy of hold'em: what each node and hand loses against a best response, in chips.

Let q*(h, a) be what action a wins with hand h if the player then plays a best response to the other's strategy, and
π(h) the probability that a game comes to the node with this hand when both follow the strategy. The hand loses

    π(h) · (max_a q*(h, a) − Σ_a σ(h, a) · q*(h, a)).

Over all nodes, boards and hands of a player this sums to exactly what a best response would win more (Kakade & Langford
2002, lemma 6.1), and over both players to NashConv. The other player keeps the strategy, locked or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.poker.cards.deck import CardText
from regretless.poker.results.public_strategy import NodeStrategy
from regretless.poker.studying.board_sweeps import swept_boards
from regretless.poker.studying.checks import check_count, solved_strategy

__all__ = ["HandLeak", "HoldemLeaks", "NodeLeak", "leaks"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class HandLeak:
    """A hand at a node."""

    name: str
    loss: float
    """Chips per game."""
    loss_here: float
    """Chips each time that the hand is held here."""
    probabilities: tuple[float, ...]
    values: tuple[float, ...]
    """Chips of each action if the player then plays a best response."""
    best: int
    """The action of a best response."""


@dataclass(frozen=True, eq=False)
class NodeLeak:
    """A node on a board, and what is lost there."""

    line: str
    board: str
    player: int
    loss: float
    """Chips per game."""
    reach: float
    """The probability that a game comes here when both follow the strategy."""
    pot: float
    actions: tuple[str, ...]
    frequencies: tuple[float, ...]
    """Of the strategy."""
    response: tuple[float, ...]
    """Of a player with the same hands who then takes the best action with each of them."""
    hands: tuple[HandLeak, ...]
    """The hands that lose most, the worst first."""


@dataclass(frozen=True, eq=False)
class HoldemLeaks:
    """What the strategies of both players lose."""

    values: tuple[float, float]
    """Chips per game that each player wins."""
    best_values: tuple[float, float]
    """Chips per game that a best response to the other player would win in its place."""
    pot: float
    nodes: tuple[NodeLeak, ...]
    """Those that lose, the worst first."""

    def gain(self, player: int) -> float:
        """Chips per game that a best response in the seat of a player wins more."""
        gained = self.best_values[player] - self.values[player]
        return gained if np.isnan(gained) else max(gained, 0.0)

    def listed(self, player: int) -> float:
        """Chips per game lost at the nodes in the list; the rest of `gain` is lost on boards that were not read."""
        return sum(node.loss for node in self.nodes if node.player == player)

    def of(self, player: int) -> tuple[NodeLeak, ...]:
        """The nodes of one player."""
        return tuple(node for node in self.nodes if node.player == player)

    def columns(self) -> dict[str, Array]:
        """The table by columns: a row for each node."""
        names = ("player", "line", "board", "loss", "reach", "pot")
        return {name: np.array([getattr(node, name) for node in self.nodes]) for name in names}

    def frame(self) -> Any:
        """A row for each node, as a pandas data frame; a dictionary of columns if pandas is not installed."""
        from regretless.poker.formats.exports import as_frame

        return as_frame(self.columns())

    def __repr__(self) -> str:
        gains = " and ".join(f"{self.gain(player):.4g}" for player in range(2))
        return f"<HoldemLeaks: players lose {gains} chips per game, {len(self.nodes):,} nodes>"


def leaks(
    solved: Any,
    board: CardText | None = None,
    *,
    streets: int | None = None,
    most_hands: int = 8,
    values: bool = True,
) -> HoldemLeaks:
    """Where a run of hold'em (or its strategy) loses chips against a best response.

    `board` reads one board, with all nodes of its street. Without it all boards of the first `streets` streets are
    read, by default of all streets: on a flop with several sizes that takes minutes, while `streets=1` takes one walk.
    `values=False` leaves out the values of the whole game, which need all boards.

    >>> import regretless as rg
    >>> spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("QQ,AK", "AQ,KJ"), pot=100, stack=100, sizes="bet 50%")
    >>> locked = rg.solve(spot.lock("bet 50", {"fold": 1}), rg.DCFR, iterations=50)
    >>> worst = rg.poker.leaks(locked).nodes[0]
    >>> worst.line, worst.player, worst.actions[worst.hands[0].best] != "fold"
    ('bet 50', 1, True)
    """
    strategy = solved_strategy(solved, "leaks takes a run")
    check_count("most_hands", most_hands, least=0)
    found = strategy.responses() if values else [(np.nan, np.nan)] * 2
    nodes = []
    for swept in swept_boards(strategy.tree, board, streets):
        for node in strategy.at_board(swept.nodes, swept.found):
            leak = _leak(node, swept.factor, most_hands)
            if leak is not None:
                nodes.append(leak)
    best, own = zip(*found, strict=True)
    return HoldemLeaks(
        values=(own[0], own[1]),
        best_values=(best[0], best[1]),
        pot=strategy.tree.game.pot,
        nodes=tuple(sorted(nodes, key=lambda leak: -leak.loss)),
    )


def _leak(node: NodeStrategy, factor: float, most_hands: int) -> NodeLeak | None:
    """What a node loses; None if nothing."""
    assert node.response_ev is not None
    values = np.nan_to_num(node.response_ev)
    here = np.maximum(values.max(axis=1) - (node.probabilities * values).sum(axis=1), 0.0)
    mass = node.mass * factor
    loss = mass * here
    total = float(loss.sum())
    if total <= 0:
        return None
    best = values.argmax(axis=1)
    worst = [at for at in np.argsort(-loss, kind="stable")[:most_hands].tolist() if loss[at] > 0]
    hands = tuple(
        HandLeak(
            name=node.names[at],
            loss=float(loss[at]),
            loss_here=float(here[at]),
            probabilities=tuple(node.probabilities[at].tolist()),
            values=tuple(values[at].tolist()),
            best=int(best[at]),
        )
        for at in worst
    )
    reach = float(mass.sum())
    return NodeLeak(
        line=node.line,
        board=node.board,
        player=node.player,
        loss=total,
        reach=reach,
        pot=node.pot,
        actions=node.actions,
        frequencies=tuple(node.frequencies.values()),
        response=tuple((np.bincount(best, mass, len(node.actions)) / reach).tolist()),
        hands=hands,
    )
