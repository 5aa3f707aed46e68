"""OpenSpiel's Deep CFR in PyTorch, as its own example runs it. Seconds are the processor's."""

from __future__ import annotations

import time
from typing import Any


class OpenSpielDeepCFR:
    """OpenSpiel's Deep CFR in PyTorch with the settings of its example, and a count of the histories it touches."""

    def __init__(self) -> None:
        import pyspiel
        from open_spiel.python.pytorch import deep_cfr

        self.game, self.nodes = pyspiel.load_game("leduc_poker"), 0
        self.solver = deep_cfr.DeepCFRSolver(
            self.game,
            policy_network_layers=(64,),
            advantage_network_layers=(64,),
            num_traversals=375,
            reinitialize_advantage_networks=True,
            learning_rate=1e-3,
            batch_size_advantage=256,
            batch_size_strategy=256,
            memory_capacity=100_000,
            policy_network_train_steps=2_500,
            advantage_network_train_steps=375,
        )
        plain = self.solver._traverse_game_tree

        def counted(state: Any, player: int) -> Any:
            self.nodes += 1
            return plain(state, player)

        self.solver._traverse_game_tree = counted

    def walk(self, count: int) -> None:
        """Walks for player 0."""
        for _ in range(count):
            self.solver._traverse_game_tree(self.solver._root_node, 0)

    def solve(self, seconds: float) -> tuple[float, int]:
        """Exploitability after so long, its strategy network included, and how many iterations that were."""
        began, solver = time.process_time(), self.solver
        count = 0
        while time.process_time() - began < 0.97 * seconds:
            solver._num_iterations = 1
            for player in range(2):
                for _ in range(solver._num_traversals):
                    solver._traverse_game_tree(solver._root_node, player)
                solver._reinitialize_advantage_network(player)
                solver._learn_advantage_network(player)
            solver._iteration += 1
            count += 1
        solver._learn_strategy_network()
        return self.exploitability(), count

    def exploitability(self) -> float:
        """The average over players."""
        import pyspiel
        from open_spiel.python import policy

        table = policy.tabular_policy_from_callable(self.game, self.solver.action_probabilities)
        return float(pyspiel.nash_conv(self.game, policy.python_policy_to_pyspiel_policy(table))) / 2
