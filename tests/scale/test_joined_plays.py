"""Plays of several actors joined into those of one iteration."""

from __future__ import annotations

import pytest

import regretless as rg
from conftest import built

torch = pytest.importorskip("torch")
pytest.importorskip("ray")

from regretless.deep.games.listed_game import ListedGame  # noqa: E402
from regretless.deep.walks.selfplay import play_mixed  # noqa: E402
from regretless.scale.spread_deep import joined_plays  # noqa: E402


def test_joined_plays_are_those_of_the_parts() -> None:
    tree = built("leduc")
    game = ListedGame(tree, torch.device("cpu"))
    uniform = game.by_infoset(rg.Strategy.uniform(tree).probabilities)
    tables = torch.stack([uniform, uniform])
    parts = [play_mixed(game, tables, 0.3, count, torch.Generator().manual_seed(count)) for count in (5, 1, 8)]
    joined = joined_plays(parts, torch.device("cpu"))
    assert joined.nodes == sum(part.nodes for part in parts)
    assert joined.responds.shape == (2, 14)
    for player, decisions in enumerate(joined.decisions):
        assert len(decisions.heads) == sum(len(part.decisions[player].heads) for part in parts)
        assert sorted(set(decisions.plays.tolist())) == list(range(14)), "every player decides in every play of Leduc"
        followed = decisions.following >= 0
        following = decisions.following[followed]
        assert torch.equal(decisions.plays[following], decisions.plays[followed]), "the next decision of the same play"
        assert torch.equal(decisions.won[following], decisions.won[followed])
        assert int(followed.sum()) == len(decisions.heads) - 14, "each but the last of a play has a next one"
    for player in (0, 1):
        assert torch.equal(joined.responds[player, 5:6], parts[1].responds[player])
