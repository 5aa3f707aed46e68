"""Sheriff, battleship, bargaining, tiny bridge and liar's poker: OpenSpiel's trees, and published counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from walk import assert_same, count, label_at, pairs, play_by_label

import regretless as rg
from regretless import games
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, Game

pyspiel = pytest.importorskip("pyspiel")

from test_against_openspiel import Spiel  # noqa: E402 - needs pyspiel


def sizes(game: Game) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Sequences and infosets of both players, and terminals."""
    tree = rg.build(game)
    first, owner = tree.form.sequence_first, tree.labels.owner
    sequences = (int(first[1] - first[0]), int(first[2] - first[1]))
    return sequences, (int((owner == 0).sum()), int((owner == 1).sum())), tree.terminals


@pytest.mark.parametrize(
    ("bribe", "items", "rounds", "expected"),
    [
        (3, 5, 2, ((223, 73), (55, 36), 384)),
        (3, 3, 3, ((1_173, 585), (293, 292), 2_048)),
        (5, 3, 1, ((29, 13), (5, 6), 48)),
        (5, 3, 2, ((317, 157), (53, 78), 576)),
        (5, 5, 3, ((5_659, 1_885), (943, 942), 10_368)),
    ],
)
def test_sheriff_has_the_published_sizes(bribe: int, items: int, rounds: int, expected: object) -> None:
    """The table in OpenSpiel's description of the game."""
    assert sizes(games.Sheriff(items=items, bribe=bribe, rounds=rounds)) == expected


@pytest.mark.parametrize(
    ("size", "ships", "shots", "expected"),
    [
        (2, (1,), 2, ((165, 341), (53, 109), 1_072)),
        (2, (1,), 3, ((741, 917), (341, 397), 2_224)),
        (2, (1, 2), 2, ((1_197, 3_597), (397, 1_189), 9_216)),
        (2, (1, 2), 3, ((13_485, 22_029), (6_541, 10_405), 32_256)),
        ((2, 3), (1,), 2, ((943, 3_787), (187, 751), 19_116)),
    ],
    ids=str,
)
def test_battleship_has_the_published_sizes(size: Any, ships: Any, shots: int, expected: object) -> None:
    """The table in OpenSpiel's description; (2, 2) with 3 shots is also in Farina et al. 2019."""
    assert sizes(games.Battleship(size, ships, shots=shots)) == expected


def spiel_battleship(game: games.Battleship) -> Spiel:
    rows, columns = game.size if isinstance(game.size, tuple) else (game.size, game.size)
    ships, values = (";".join(map(str, part)) for part in (game.ships, game.values or ()))
    return Spiel(
        f"battleship(board_height={rows},board_width={columns},ship_sizes=[{ships}],ship_values=[{values}],"
        f"num_shots={game.shots},allow_repeated_shots={str(game.repeat).lower()},loss_multiplier={game.loss})"
    )


@pytest.mark.peer
@pytest.mark.parametrize(
    "game",
    [
        games.Battleship(),
        games.Battleship(2, (1, 2), (1.0, 3.0), shots=2),
        games.Battleship((1, 3), (2,), shots=3, repeat=True, loss=1.0),
        games.Battleship((3, 1), (2, 1), (2.0, 0.5), shots=2),
    ],
    ids=repr,
)
def test_battleship_is_openspiels(game: games.Battleship) -> None:
    assert assert_same(game, spiel_battleship(game))[0] == count(game)[0]


@pytest.mark.peer
def test_larger_boards_are_openspiels_in_sampled_plays() -> None:
    game = games.Battleship((3, 4), (3, 2, 2), (3.0, 2.0, 2.0), shots=7)
    assert assert_same(game, spiel_battleship(game), plays=300)[0] > 3_000


@pytest.mark.peer
@pytest.mark.parametrize(
    ("game", "name"),
    [
        (games.Sheriff(rounds=2), "sheriff(num_rounds=2)"),
        (games.Sheriff(rounds=3), "sheriff(num_rounds=3)"),
        (
            games.Sheriff(items=2, bribe=1, rounds=2, value=5.0, penalty=1.5, fine=0.5),
            "sheriff(max_items=2,max_bribe=1,num_rounds=2,item_value=5.0,item_penalty=1.5,sheriff_penalty=0.5)",
        ),
    ],
    ids=str,
)
def test_sheriff_is_openspiels(game: Game, name: str) -> None:
    assert assert_same(game, Spiel(name))[0] == count(game)[0]


def spiel_bargaining(game: games.Bargaining, folder: Path) -> Spiel:
    """OpenSpiel's game with the deals of ours, which it reads from a file."""
    values = game._values
    lines = [" ".join(",".join(map(str, part)) for part in (game.pool, values[i], values[j])) for i, j in game._deals]
    (folder / "instances.txt").write_text("\n".join(lines) + "\n")
    return Spiel(
        f"bargaining(instances_file={folder / 'instances.txt'},max_num_instances={len(lines)},"
        f"max_turns={game.turns},discount={game.discount},prob_end={game.end})"
    )


@pytest.mark.peer
@pytest.mark.parametrize(
    ("game", "plays"),
    [
        (games.Bargaining(pool=(1, 1, 1), total=3), None),
        (games.Bargaining(pool=(1, 1, 2), total=3, turns=3, discount=0.5), None),
        (games.Bargaining(pool=(1, 1, 1), total=2, turns=4, discount=0.9, end=0.25), None),
        (games.Bargaining(pool=(2, 2, 1), total=10, turns=8, discount=0.9, end=0.1), 200),
    ],
    ids=repr,
)
def test_bargaining_is_openspiels(game: games.Bargaining, plays: int | None, tmp_path: Path) -> None:
    there: dict[object, object] = {}
    compared = 0
    for state, twin in pairs(game, spiel_bargaining(game, tmp_path), plays=plays):
        compared += 1
        if game.player(state) == TERMINAL:
            assert list(game.payoffs(state)) == pytest.approx(twin.returns(), abs=1e-12)
        elif game.player(state) == CHANCE:
            assert list(game.chance(state)) == pytest.approx([p for _, p in twin.chance_outcomes()])
        else:
            infoset = (game.player(state), game.infoset(state))
            assert there.setdefault(infoset, twin.information_state_string()) == twin.information_state_string()
    assert len(set(there.values())) == len({(player, there[player, i]) for player, i in there}) == len(there)
    assert compared == count(game)[0] if plays is None else compared > 200


@pytest.mark.peer
@pytest.mark.parametrize(
    ("game", "name", "plays"),
    [
        (games.TinyBridge(), "tiny_bridge_2p", None),
        (games.TinyBridge(abstracted=True), "tiny_bridge_2p(abstracted=true)", None),
        (games.TinyBridge(players=4), "tiny_bridge_4p", 3_000),
    ],
    ids=str,
)
def test_tiny_bridge_is_openspiels(game: games.TinyBridge, name: str, plays: int | None) -> None:
    there: dict[object, object] = {}
    back: dict[object, object] = {}
    for state, twin in pairs(game, SpielBridge(name), plays=plays):
        if game.player(state) == TERMINAL:
            assert list(game.payoffs(state)) == pytest.approx(twin.returns(), abs=1e-9)
        elif game.player(state) == CHANCE:
            assert [game.action_label(a) for a in game.actions(state)] == [
                twin.action_to_string(a) for a in SpielBridge.dealt(twin)
            ]
        else:
            key = (game.player(state), game.infoset(state))
            assert there.setdefault(key, twin.information_state_string()) == twin.information_state_string()
            twin_key = (game.player(state), twin.information_state_string())
            assert back.setdefault(twin_key, game.infoset(state)) == game.infoset(state)


class SpielBridge(Spiel):
    """Hands in the order of ours."""

    @staticmethod
    def dealt(state: Any) -> list[int]:
        return sorted(action for action, _ in state.chance_outcomes())

    def actions(self, state: Any) -> list[int]:
        return self.dealt(state) if state.is_chance_node() else super().actions(state)


class SpielLiarsPoker(Spiel):
    """OpenSpiel's game with a player's digits dealt at once, and sorted, as ours does."""

    def __init__(self, game: games.LiarsPoker) -> None:
        import open_spiel.python.games  # noqa: F401 - registers it

        super().__init__(
            f"python_liars_poker(players={game.players},hand_length={game.length},num_digits={game.digits})"
        )
        self.game = game

    def root(self) -> Any:
        return ((), None)

    def player(self, state: Any) -> int:
        return CHANCE if state[1] is None else super().player(state[1])

    def actions(self, state: Any) -> list[int]:
        return list(range(self.game._count)) if state[1] is None else super().actions(state[1])

    def chance(self, state: Any) -> list[float]:
        return [float(p) for p in self.game._probability]

    def play(self, state: Any, action: int) -> Any:
        hands, begun = state
        if begun is not None:
            return (hands, super().play(begun, action))
        hands = (*hands, [d + 1 for d, count in enumerate(self.game._held[action]) for _ in range(count)])
        if len(hands) < self.players:
            return (hands, None)
        dealt = super().root()
        for place in range(self.game.length):
            for hand in hands:
                dealt.apply_action(hand[place])
        return (hands, dealt)

    def infoset(self, state: Any) -> str:
        """Own digits and all calls. OpenSpiel's text leaves out who challenged, which 3 players cannot do without."""
        hands, begun = state
        return f"{hands[begun.current_player()]} {begun.history()[self.game.length * self.players :]}"

    def payoffs(self, state: Any) -> list[float]:
        return super().payoffs(state[1])


@pytest.mark.peer
@pytest.mark.parametrize(
    ("game", "plays"),
    [
        (games.LiarsPoker(), None),
        (games.LiarsPoker(digits=2, length=2), None),
        (games.LiarsPoker(players=2, digits=9, length=4), 100),
    ],
    ids=repr,
)
def test_liars_poker_is_openspiels(game: games.LiarsPoker, plays: int | None) -> None:
    assert assert_same(game, SpielLiarsPoker(game), plays=plays)[0] > 100


def test_liars_poker_of_three_goes_on_until_all_others_challenge() -> None:
    """OpenSpiel's game is for two, whatever `players` says."""
    game = games.LiarsPoker(players=3, digits=2)
    deal = ("1", "2", "2")
    state = play_by_label(game, *deal, "1x2", "challenge", "challenge")
    assert game.player(state) == 0
    assert [game.action_label(a) for a in game.actions(state)] == ["challenge", "2x1", "2x2", "3x1", "3x2"]
    assert list(game.payoffs(game.play(state, 0))) == [2, -1, -1]
    rebid = play_by_label(game, *deal, "1x2", "challenge", "challenge", "3x2", "challenge", "challenge")
    assert game.player(rebid) == TERMINAL
    assert list(game.payoffs(rebid)) == [-2, 1, 1]
    raised = play_by_label(game, *deal, "1x2", "challenge", "2x2", "challenge", "challenge")
    assert game.player(raised) == 2
    assert list(game.payoffs(game.play(raised, 0))) == [-1, -1, 2]


def test_liars_poker_counts_the_digit_0() -> None:
    """OpenSpiel's game deals it, and never counts it."""
    game = games.LiarsPoker(digits=10)
    state = play_by_label(game, "0", "3", "1x0", "challenge", "challenge")
    assert list(game.payoffs(state)) == [1.0, -1.0]


def test_liars_poker_with_one_digit_of_three_is_worth_a_ninth() -> None:
    tree = rg.build(games.LiarsPoker())
    assert rg.equilibrium(tree).value == pytest.approx(1 / 9, abs=1e-9)
    assert rg.solve(tree, rg.PCFR_PLUS, iterations=400).value == pytest.approx(1 / 9, abs=1e-4)


def test_labels() -> None:
    sheriff = games.Sheriff()
    assert label_at(sheriff) == "P0"
    assert label_at(sheriff, "load 2") == "P0 2"
    assert label_at(sheriff, "load 2", "bribe 3") == "P1 3"
    assert label_at(sheriff, "load 2", "bribe 3", "pass", "bribe 0") == "P1 3p 0"
    assert label_at(sheriff, "load 2", "bribe 3", "pass", "bribe 0", "inspect") == "P0 2 3p 0i"
    ships = games.Battleship(2, (2,))
    assert label_at(ships, "a1 down") == "P1"
    assert label_at(ships, "a1 down", "a1 across", "a1") == "P1 a1h seen a1h"
    assert label_at(ships, "a1 down", "a1 across", "a1", "b2", "a2") == "P1 a1h shots b2w seen a1h a2w"
    bargaining = games.Bargaining()
    assert label_at(bargaining, "1,0,2 / 0,2,2", "keep 1,0,1") == "P1 0,2,2 keep 1,0,1"
    bridge = games.TinyBridge(players=4)
    deal = ("HQHJ", "SQSJ", "HAHK", "SASK")
    assert label_at(bridge, *deal, "pass", "1S", "double", "pass", "pass", "redouble", "2H") == (
        "SASK pass 1S double pass pass redouble 2H"
    )
    poker = games.LiarsPoker(digits=3, length=2)
    assert label_at(poker, "13", "22", "1x3", "challenge", "2x1") == "P1 22 1x3 c 2x1"


def test_tiny_bridge_is_a_game_of_one_interest() -> None:
    """Both players win the same. One who passes always scores nothing; learning to bid together scores more."""
    tree = rg.build(games.TinyBridge(abstracted=True))
    assert not tree.zero_sum
    run = rg.solve(tree, rg.CFR_PLUS, iterations=300)
    assert np.allclose(rg.values(tree, run.strategy), run.value)
    assert run.value > 15
    assert run.exploitability < 0.05


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: games.Sheriff(items=0), "Sheriff needs at least 1 item, got items=0"),
        (lambda: games.Sheriff(fine=float("nan")), "Sheriff needs a number as fine, got fine=nan"),
        (lambda: games.Sheriff(rounds=40), "make one of them smaller"),
        (lambda: games.Battleship(size=5), "Battleship takes at most 16 cells, got size=5"),
        (lambda: games.Battleship(ships=(3,)), r"ships that fit on the board, got ships=\(3,\)"),
        (lambda: games.Battleship(ships=(1, 1), values=(1.0,)), "a value for each of its ships"),
        (lambda: games.Battleship(shots=5), "Battleship has 4 cells to fire at, got shots=5"),
        (lambda: games.Battleship(size=4, shots=15), "64-bit number, too small for shots=15"),
        (lambda: games.Battleship(size=(2, 2, 2)), "a number of rows and one of columns"),  # type: ignore[arg-type]
        (lambda: games.Bargaining(pool=(2, 2), total=3), r"pool=\(2, 2\) has no pair of values"),
        (lambda: games.Bargaining(end=1.5), "Bargaining needs end to be from 0 to 1, got end=1.5"),
        (lambda: games.Bargaining(turns=40), "too small for turns=40"),
        (lambda: games.TinyBridge(players=3), "Tiny bridge is for 2 or 4 players, got players=3"),
        (lambda: games.TinyBridge(players=4, abstracted=True), "abstracted for 2 players only"),
        (lambda: games.LiarsPoker(digits=11), "takes at most 10 digits, got digits=11"),
        (lambda: games.LiarsPoker(players=10, digits=10, length=10), "make one smaller"),
    ],
)
def test_impossible_parameters_end_in_one_sentence(make: object, sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence) as error:
        make()  # type: ignore[operator]
    assert "\n" not in str(error.value)
