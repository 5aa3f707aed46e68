"""Compiled games that are never listed, on arrays: the same steps, walks and strategies as on the listed game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

from two_pieces import goes_on_bit_for_bit  # noqa: E402

import regretless as rg  # noqa: E402
from conftest import INTERPRETED  # noqa: E402
from regretless.deep.games.compiled_game import UnlistedGame  # noqa: E402
from regretless.deep.learners.unlisted_deep_cfr import UnlistedDeepCFR  # noqa: E402
from regretless.deep.walks.traversal import traverse  # noqa: E402
from regretless.method import Settings  # noqa: E402
from regretless.sampling.unlisted_problem import Unlisted  # noqa: E402
from test_solver import assert_equal_state  # noqa: E402

pytestmark = pytest.mark.skipif(INTERPRETED, reason="compiled games need the compiler")

CPU = torch.device("cpu")
SMALL = rg.DeepCFR(traversals=60, steps=10, strategy_steps=30, widths=(16,), capacity=400, batch=64, listed=False)


def opened(game: rg.Game) -> UnlistedGame:
    return UnlistedGame(Unlisted(game), CPU, torch.Generator().manual_seed(0))


@pytest.fixture(scope="module")
def leduc() -> UnlistedGame:
    return opened(rg.games.Leduc())


def test_steps_are_those_of_the_interpreted_game(leduc: UnlistedGame) -> None:
    """Plays in a batch beside the same plays by the game's own methods."""
    generator, game = torch.Generator().manual_seed(1), leduc.unlisted.game
    states = leduc.begin(40)
    while len(states):
        told = [as_state(row) for row in states.tolist()]
        movers = leduc.movers(states)
        assert movers.tolist() == [game.player(state) for state in told]
        ended = (movers == rg.TERMINAL).nonzero()[:, 0]
        for player in range(2):
            won = [game.payoffs(told[n])[player] for n in ended.tolist()]
            assert leduc.payoffs(leduc.select(states, ended), player).tolist() == pytest.approx(won)
        following = [leduc.after_chance(states[movers == rg.CHANCE], generator)]
        for row, state in zip(following[0].tolist(), of(told, movers == rg.CHANCE), strict=True):
            assert as_state(row) in [game.play(state, action) for action in game.actions(state)]
        mine = movers >= 0
        if bool(mine.any()):
            here = of(told, mine)
            infosets = leduc.infosets(states[mine])
            assert leduc.keys[infosets.long()].tolist() == [list(game.infoset(state)) for state in here]
            legal = leduc.legal(infosets)
            assert legal.sum(1).tolist() == [len(game.actions(state)) for state in here]
            head = legal.float().argmax(1)
            following.append(leduc.after(states[mine], head))
            names = {number: action for action, number in (leduc.head_of or {}).items()}
            played = [game.play(state, names[h]) for state, h in zip(here, head.tolist(), strict=True)]
            assert [as_state(row) for row in following[1].tolist()] == played
        states = torch.cat(following)


def as_state(row: list[int]) -> tuple[int, ...]:
    return tuple(row)


def of(states: list[Any], mask: torch.Tensor) -> list[Any]:
    return [state for state, wanted in zip(states, mask.tolist(), strict=True) if wanted]


def test_features_tell_infosets_apart_and_memories_hold_numbers(leduc: UnlistedGame) -> None:
    uniform = lambda _, infosets: leduc.legal(infosets) / leduc.legal(infosets).sum(1, keepdim=True)  # noqa: E731
    for player in range(2):
        traverse(leduc, player, 3_000, uniform, torch.Generator().manual_seed(player))
    assert leduc.visited == 936 and leduc.heads >= 3
    features = leduc.features(torch.arange(936))
    assert features.shape == (936, leduc.feature_size) and len(features.unique(dim=0)) == 936
    assert torch.equal(leduc.owner[:936], (features[:, -1] == 1).long())


def test_walks_find_the_same_regrets_as_on_the_listed_game() -> None:
    """Mean advantages of many walks, by label, unlisted and listed."""
    from regretless.deep.games.listed_game import ListedGame

    tree, count = rg.build(rg.games.Kuhn()), 30_000
    listed, unlisted = ListedGame(tree, CPU), opened(rg.games.Kuhn())
    found: list[dict[Any, list[float]]] = []
    for game in (listed, unlisted):
        uniform = lambda _, i, game=game: game.legal(i) / game.legal(i).sum(1, keepdim=True)  # noqa: E731
        walked = traverse(game, 0, count, uniform, torch.Generator().manual_seed(5))
        sums = torch.zeros(12, game.heads).index_add_(0, walked.advantages.infosets, walked.advantages.values) / count
        labels = tree.labels.names if game is listed else [
            tree.game.infoset_label(int(key)) for key in unlisted.keys[: unlisted.visited, 0]
        ]  # fmt: skip
        found.append({label: row[:2].tolist() for label, row in zip(labels, sums, strict=True) if row.any()})
    assert found[0].keys() == found[1].keys()
    for label, row in found[0].items():
        assert found[1][label] == pytest.approx(row, abs=0.03)


@pytest.mark.full
def test_a_small_game_is_solved_and_bounded_from_below() -> None:
    method = rg.DeepCFR(traversals=300, steps=40, strategy_steps=150, widths=(32,), rate=1e-2, batch=128, listed=False)
    run = rg.solve(rg.games.Kuhn(), method, iterations=12, seed=1)
    tree = rg.build(rg.games.Kuhn())
    exact = rg.exploitability(tree, run.strategy.on(tree))  # type: ignore[attr-defined]
    assert exact < 0.15 and not run.listed
    assert run.history["exploitability_low"][-1] <= exact + 1e-6
    assert run.strategy["K"]["bet"] > 0 and run.history["infosets"][-1] == 12


@pytest.mark.full
@pytest.mark.parametrize("memory", ["merged", "reservoir"])
def test_runs_go_on_bit_for_bit(memory: str, tmp_path: Path) -> None:
    goes_on_bit_for_bit(rg.games.Leduc(), SMALL.replace(memory=memory), (2, 2), tmp_path, seed=2)


def test_a_part_of_a_run_begins_with_the_caches_of_a_whole_one(tmp_path: Path) -> None:
    """The last bits of a strategy depend on the infosets that a network evaluates together with it."""
    method = SMALL.replace(traversals=30, steps=3, batch=32, widths=(8,), capacity=200, strategy_steps=3)
    whole, half = (rg.solve(rg.games.Leduc(), method, iterations=n, seed=1, threads=1) for n in (4, 2))
    half.save(tmp_path / "half.run")
    assert_equal_state(rg.resume(tmp_path / "half.run", iterations=2), whole)


def test_what_needs_a_listed_game() -> None:
    unlisted = Unlisted(rg.games.Kuhn())
    for change, said in (
        ({"averaging": "value-networks"}, "the average of all value networks is exact on listed games only"),
    ):
        with pytest.raises(rg.OptionError, match=said):
            UnlistedDeepCFR(unlisted, SMALL.replace(**change), Settings())
    with pytest.raises(rg.OptionError, match="holding players fixed needs a listed game"):
        rg.solve(unlisted, SMALL, iterations=1, fixed={0: None})
    with pytest.raises(rg.OptionError, match=r"NFSP does not work on a compiled game: use rg\.MCCFR"):
        rg.solve(rg.games.Kuhn(), rg.NFSP(listed=False), iterations=1)


@rg.compiled
class Told(rg.Game):
    """Player 0 picks one of four numbers, player 1 guesses it; features are stated."""

    def root(self) -> tuple[int, int]:
        return (0, 0)

    def player(self, state: tuple[int, int]) -> int:
        return state[0] if state[0] < 2 else -2

    def actions(self, state: tuple[int, int]) -> tuple[int, ...]:
        return (10, 20, 30, 40) if state[0] == 0 else (40, 30, 20, 10)

    def play(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return (state[0] + 1, action if state[0] == 0 else state[1] - action)

    def infoset(self, state: tuple[int, int]) -> int:
        return state[0]

    def payoffs(self, state: tuple[int, int]) -> tuple[float, float]:
        return (-1.0, 1.0) if state[1] == 0 else (1.0, -1.0)

    def features(self, infoset: int) -> tuple[float, float]:
        return (1.0 + infoset, 0.5)


def test_heads_are_actions_in_any_order_of_the_list() -> None:
    game = opened(Told())
    assert game.head_of == {10: 0, 20: 1, 30: 2, 40: 3}
    infosets = torch.arange(game.visited)
    assert game.features(infosets).tolist() == [[1.0, 0.5, 1.0, 0.0], [2.0, 0.5, 0.0, 1.0]]
    states = game.begin(4)
    picked = game.after(states, torch.arange(4))
    assert picked.tolist() == [[1, 10], [1, 20], [1, 30], [1, 40]]
    assert game.payoffs(game.after(picked, torch.tensor([0, 1, 2, 0])), 1).tolist() == [1, 1, 1, -1]
