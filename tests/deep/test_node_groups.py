"""The betting in groups: every node once, parents before children; networks answer for many nodes at once."""

from __future__ import annotations

import pytest
import torch
from four_streets import FOUR, random_networks

from regretless.deep.games.betting_heads import head_of_actions
from regretless.deep.games.holdem_game import HoldemGame
from regretless.deep.learners.holdem.holdem_policy import network_outputs
from regretless.deep.networks.holdem_network import HoldemNetwork
from regretless.deep.networks.multilayer import Perceptron, ResidualPerceptron
from regretless.kernels.constants import DEAL

GAME = HoldemGame(FOUR, torch.device("cpu"))


def test_every_node_is_in_one_group_after_its_parent() -> None:
    known, tree = {0}, FOUR.betting_tree()
    for group in GAME.node_groups:
        assert known.issuperset(group.node.tolist())
        for node, children in zip(group.node.tolist(), group.child.tolist(), strict=True):
            assert children == [tree.first_child[node] + action for action in range(tree.children[node])]
            assert tree.kind[node] == group.mover
            known.update(children)
        assert bool((group.decision == GAME.decision[group.node]).all())
        if group.mover != DEAL:
            assert torch.equal(GAME.child[group.decision[:, None], group.head] >= 0, torch.ones_like(group.head) > 0)
    assert known == set(range(len(tree)))
    assert len(GAME.node_groups) < len(tree) / 4


@pytest.mark.parametrize("kind", ["holdem", "perceptron", "residual"])
def test_many_decisions_are_answered_like_single_rows(kind: str) -> None:
    torch.manual_seed(4)
    network: torch.nn.Module = {
        "holdem": lambda: HoldemNetwork(len(GAME.groups), GAME.bets.shape[1], 3, width=16, ranks=4, suits=2),
        "perceptron": lambda: Perceptron(GAME.feature_size, 3, (16, 8)),
        "residual": lambda: ResidualPerceptron(GAME.feature_size, 3, (16, 16)),
    }[kind]()
    hands, board = GAME.sample_cards(50, 2, torch.Generator().manual_seed(1))
    infosets = GAME.encode(hands, board, 2)
    decisions = GAME.decisions[5:40:3]
    with torch.no_grad():
        found = network_outputs(network, GAME, infosets)(decisions)
        assert found.shape == (len(decisions), 50, 3)
        for number, decision in enumerate(decisions.tolist()):
            infosets[:, -1] = decision
            assert torch.allclose(found[number], network(GAME.features(infosets)), atol=1e-5)


def test_perceptrons_of_no_layer_read_cards_once_as_well() -> None:
    network = Perceptron(GAME.feature_size, 3, ())
    features = torch.rand(7, GAME.feature_size)
    bets = GAME.bets[:4]
    with torch.no_grad():
        found = network.on_cards(features, bets.shape[1])(bets)
        for number, betting in enumerate(bets):
            features[:, -bets.shape[1] :] = betting
            assert torch.allclose(found[number], network(features), atol=1e-5)


def test_plans_are_products_of_probabilities_on_the_way() -> None:
    """The plan of an action is the plan of the own action above × its probability, summed over the networks."""
    _, strategy = random_networks()
    tree, game, networks = FOUR.betting_tree(), strategy.holdem, strategy.players[0]
    hands, board = game.sample_cards(20, 2, torch.Generator().manual_seed(1))
    infosets = strategy.infosets(hands, board, 4)
    expected, own = torch.zeros(networks.rows, 20), [node for node in range(len(tree)) if tree.kind[node] == 0]
    for share, decide in networks.each(infosets):
        reach = [torch.full((20,), share)]  # [20] by node: children come after their parents
        for node in range(1, len(tree)):
            parent = int(tree.parent[node])
            reach.append(reach[parent])
            if tree.kind[parent] == 0:
                action = node - int(tree.first_child[parent])
                head = head_of_actions(tree, parent)[action]
                reach[node] = reach[parent] * decide[int(tree.street[parent])](game.decision[[parent]])[0, :, head]
                expected[int(networks.first[parent]) + action] += reach[node]
    plans = networks.plans(infosets)
    assert torch.allclose(plans, expected, atol=1e-6)
    normal = networks.normalised(plans, 3)
    for node in own:
        rows = slice(int(networks.first[node]), int(networks.first[node]) + int(tree.children[node]))
        total = 1.0 if tree.street[node] < 3 else 0.0
        assert torch.allclose(normal[rows].sum(0), torch.full((20,), total), atol=1e-5)
