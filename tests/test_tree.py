"""The sequence form: what its arrays promise, and what malformed games are told."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import regretless as rg
from conftest import built
from oracle import histories
from random_games import RandomGame, random_games
from regretless.kernels.sequence_form.layout import LONGEST_STRIP
from regretless.layout.payoffs import payoff_table


def assert_layout(tree: rg.Tree) -> None:
    labels, form = tree.labels, tree.form
    # Every sequence is an empty one or belongs to exactly one action of one infoset.
    claimed = np.zeros(tree.sequences, int)
    for infoset in range(tree.infosets):
        where = np.arange(tree.sequences)[labels.sequences_of(infoset)]
        assert len(where) == len(labels.actions[infoset])
        claimed[where] += 1
        player = labels.owner[infoset]
        assert form.sequence_first[player] < where.min() <= where.max() < form.sequence_first[player + 1]
        assert (labels.infoset_of_sequence[where] == infoset).all()
        # Parents come before children and belong to the same player.
        assert form.sequence_first[player] <= form.parent[infoset] < where.min()
    claimed[form.sequence_first[:-1]] += 1
    assert (claimed == 1).all()
    assert (labels.infoset_of_sequence[form.sequence_first[:-1]] == -1).all()
    assert sorted(labels.reading_order) == list(range(tree.infosets))
    # Strips partition the infosets in order, within blocks of one width, and never part two children of a parent.
    place = 0
    for player in range(tree.players):
        for block in range(form.block_first[player], form.block_first[player + 1]):
            strips = form.strips[form.block_strips[block] : form.block_strips[block + 1]]
            assert len(strips)
            begin, block_sequence = place, strips[0][0]
            parents: list[set[int]] = []
            for sequence, infoset, infosets, stride, actions in strips:
                assert infoset == place
                assert infosets > 0
                assert sequence == block_sequence + place - begin
                for number in range(infoset, infoset + infosets):
                    assert labels.owner[number] == player
                    assert len(labels.actions[number]) == actions
                    assert labels.first[number] == sequence + number - infoset
                    assert labels.stride[number] == stride
                parents.append(set(form.parent[infoset : infoset + infosets].tolist()))
                place += infosets
            assert strips[0][3] == place - begin
            assert sum(map(len, parents)) == len(set().union(*parents))
    assert place == tree.infosets


def brute_payoffs(tree: rg.Tree) -> list[dict[tuple[int, ...], float]]:
    """Chance-weighted payoffs of every player by the sequences that terminals end, from the game itself."""
    game, labels = tree.game, tree.labels
    tables: list[dict[tuple[int, ...], float]] = [defaultdict(float) for _ in range(tree.players)]

    def walk(state: Any, sequences: tuple[int, ...], reach: float) -> None:
        mover = game.player(state)
        if mover == rg.TERMINAL:
            for player, chips in enumerate(game.payoffs(state)):
                tables[player][sequences] += reach * chips
            return
        chances = game.chance(state) if mover == rg.CHANCE else None
        for number, action in enumerate(game.actions(state)):
            child = game.play(state, action)
            if chances is not None:
                walk(child, sequences, reach * chances[number])
                continue
            infoset = labels.by_player[mover, game.infoset_label(game.infoset(state))]
            ended = list(sequences)
            ended[mover] = int(labels.first[infoset] + number * labels.stride[infoset])
            walk(child, tuple(ended), reach)

    walk(game.root(), tuple(int(s) for s in tree.form.sequence_first[:-1]), 1.0)
    return tables


def assert_payoffs(tree: rg.Tree) -> None:
    for player, wanted in enumerate(brute_payoffs(tree)):
        own, others, chips = payoff_table(tree.form, player)
        assert (np.diff(own) >= 0).all()
        found = {}
        for entry in range(len(own)):
            key = [int(s) for s in others[:, entry]]
            key.insert(player, int(own[entry]))
            assert tuple(key) not in found, "two entries for the same sequences"
            found[tuple(key)] = chips[entry]
        for key in wanted.keys() | found.keys():
            assert found.get(key, 0.0) == pytest.approx(wanted.get(key, 0.0), abs=1e-12)


@given(random_games())
def test_random_games(game: RandomGame) -> None:
    tree = rg.build(game)
    assert_layout(tree)
    assert_payoffs(tree)
    assert tree.histories == sum(1 for _ in histories(game))


@pytest.mark.parametrize("spec", ["kuhn", "kuhn:players=3", "battle_of_the_sexes", "goofspiel:cards=3", "blotto"])
def test_ready_made_games(spec: str) -> None:
    assert_layout(built(spec))
    assert_payoffs(built(spec))


def test_long_blocks_are_cut() -> None:
    tree = built("liars_dice:sides=5")
    assert_layout(tree)
    strips = tree.form.strips
    assert strips[:, 3].max() > LONGEST_STRIP
    assert strips[:, 2].max() < strips[:, 3].max()


def test_counts(kuhn: rg.Tree, leduc: rg.Tree) -> None:
    assert (kuhn.histories, kuhn.terminals, kuhn.infosets, kuhn.sequences) == (58, 30, 12, 26)
    assert (leduc.histories, leduc.terminals, leduc.infosets) == (9_457, 5_520, 936)
    assert "9,457 histories" in repr(leduc)


@pytest.mark.parametrize("spec", ["leduc", "liars_dice:sides=4", "liars_dice:sides=5"])
def test_bytes_per_terminal(spec: str) -> None:
    tree = built(spec)
    assert tree.nbytes / tree.terminals <= 120


class LateCoin(rg.Game):
    """Matching pennies for a stake that a coin decides afterwards."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return (0, 1, rg.CHANCE, rg.TERMINAL)[len(state)]

    def actions(self, state: str) -> str:
        return "HT"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> int:
        return len(state)

    def chance(self, state: str) -> tuple[float, float]:
        return (0.25, 0.75)

    def payoffs(self, state: str) -> tuple[float, float]:
        stake = (8.0 if state[2] == "H" else 4.0) * (1 if state[0] == state[1] else -1)
        return (stake, -stake)


def test_equal_terminals_are_merged() -> None:
    """What happens after the last decision is seen by no sequence."""
    tree = rg.build(LateCoin())
    assert (tree.terminals, tree.entries) == (8, 4)
    assert payoff_table(tree.form, 0)[2].tolist() == [5.0, -5.0, -5.0, 5.0]
    assert_payoffs(tree)


def test_zero_sum(kuhn: rg.Tree, sexes: rg.Tree) -> None:
    assert kuhn.zero_sum
    assert not sexes.zero_sum


def test_fingerprint_tells_games_apart(kuhn: rg.Tree) -> None:
    assert rg.build(rg.games.Kuhn()).fingerprint == kuhn.fingerprint
    others = [built(s).fingerprint for s in ("one_card_poker:deck=4", "leduc", "rps", "matching_pennies")]
    assert len({kuhn.fingerprint, *others}) == 5
    louder = rg.build(rg.games.Matrix([[1, -1], [-1, 2]])).fingerprint
    assert louder != rg.build(rg.games.Matrix([[1, -1], [-1, 1]])).fingerprint


def test_form_in_another_precision(kuhn: rg.Tree) -> None:
    assert kuhn.form_as("float64") is kuhn.form
    single = kuhn.form_as("float32")
    assert single.payoff.dtype == np.float32
    assert kuhn.form_as(np.float32) is single


def test_progress_is_told_how_many() -> None:
    told: list[int] = []
    tree = rg.build(rg.games.LiarsDice(sides=5), progress=told.append)
    assert told == [] or told == sorted(told)
    rg.build(rg.games.Kuhn(players=5), progress=told.append)
    assert told
    assert told == sorted(told)
    assert all(0 < n <= 200_000 for n in told)
    assert tree.histories == 51_181


# -- malformed games --------------------------------------------------------------------------------------------------


class Tower(rg.Game):
    """Three rounds of two choices, player 0 then player 1 then player 0, all seen; tests bend one rule of it."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if len(state) == 3 else len(state) % 2

    def actions(self, state: str) -> Any:
        return "LR"

    def play(self, state: str, action: str) -> str:
        return state + action

    def infoset(self, state: str) -> Any:
        return state

    def payoffs(self, state: str) -> Any:
        return (1, -1)


def bent(**rules: Any) -> rg.Game:
    methods = {name: (lambda f: lambda self, state: f(state))(rule) for name, rule in rules.items()}
    return type("Bent", (Tower,), methods)()


def fails(match: str, **rules: Any) -> None:
    with pytest.raises(rg.GameError, match=match):
        rg.build(bent(**rules))


def test_the_tower_stands() -> None:
    assert rg.build(Tower()).histories == 15


def test_different_actions_in_an_infoset() -> None:
    fails(
        r"Bent: infoset 1 offers \['L', 'R'\] after L but \['L', 'R', 'X'\] after R; make infoset\(\) tell",
        infoset=lambda s: len(s) if len(s) == 1 else s,
        actions=lambda s: "LRX" if s == "R" else "LR",
    )


def test_different_actions_deep_down() -> None:
    """The fault lies at a first child whose number is far above all that were visited."""
    fails(
        r"infoset 'same' offers \['L', 'R'\] after L, L but \['L'\] after L, R",
        infoset=lambda s: "same" if len(s) == 2 else s,
        actions=lambda s: "L" if s == "LR" else "LR",
    )
    fails(
        r"infoset 'same' offers \['L', 'R'\] after the root but \['L'\] after L, L",
        infoset=lambda s: "same" if s in ("", "LL") else s,
        actions=lambda s: "L" if s == "LL" else "LR",
    )


@pytest.mark.parametrize("where", ["", "L", "LL", "RL", "RR"])
def test_no_such_player_is_named_with_the_history(where: str) -> None:
    said = ", ".join(where) or "the root"
    fails(rf"player returned 2, but players are numbered 0 to 1 \(after {said}\)",
          player=lambda s: 2 if s == where else Tower.player(Tower(), s))  # fmt: skip
    fails(rf"player returned -7; it must be a player, rg.CHANCE or rg.TERMINAL \(after {said}\)",
          player=lambda s: -7 if s == where else Tower.player(Tower(), s))  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([0.5], "1 probabilities for 2 actions"),
        ([0.5, 0.4], r"\(0.5, 0.4\), which is no distribution"),
        ([1.5, -0.5], r"\(1.5, -0.5\), which is no distribution"),
        ([float("nan"), 1.0], "which is no distribution"),
    ],
)
def test_bad_chance(given: list[float], said: str) -> None:
    fails(rf"chance returned .*{said} \(after L\)" if "prob" not in said else rf"chance returned {said} \(after L\)",
          player=lambda s: rg.CHANCE if s == "L" else Tower.player(Tower(), s),
          chance=lambda s: given)  # fmt: skip


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((1,), "payoffs returned 1 numbers for 2 players"),
        ((1, 2, 3), "payoffs returned 3 numbers for 2 players"),
        ((float("nan"), 0), r"payoffs returned \[nan, 0.0\], which are not finite"),
        ((0, float("inf")), r"payoffs returned \[0.0, inf\], which are not finite"),
        (("a", "b"), r"payoffs returned \('a', 'b'\), which are not numbers"),
    ],
)
def test_bad_payoffs(given: Any, said: str) -> None:
    fails(rf"{said} \(after R, L, R\)", payoffs=lambda s: given if s == "RLR" else (1, -1))


def test_nothing_to_do() -> None:
    fails(r"actions returned nothing where a player must move \(after L, R\)",
          actions=lambda s: "" if s == "LR" else "LR")  # fmt: skip


def test_imperfect_recall_names_both_histories() -> None:
    fails(
        r"player 0 forgets own choices: infoset 'L' holds both \(L, L\) and \(R, L\)",
        infoset=lambda s: s[1:] if len(s) == 2 else s,
    )


def test_labels_that_fall_together() -> None:
    with pytest.raises(rg.GameError, match="infoset_label gives two infosets of player 1 the name 'x'"):
        rg.build(bent(infoset_label=lambda infoset: "x" if infoset in ("L", "R") else infoset))


def test_action_labels_that_fall_together() -> None:
    for call in (rg.build, rg.graph_of):
        with pytest.raises(rg.GameError, match="action_label gives two actions of an infoset the same name"):
            call(bent(action_label=lambda action: "x"))
        with pytest.raises(rg.GameError, match="cannot be hashed"):
            call(bent(action_label=lambda action: [action]))


def test_not_a_game() -> None:
    with pytest.raises(rg.GameError, match="build takes a Game, got 3 of type int"):
        rg.build(3)  # type: ignore[arg-type]
    assert rg.build("kuhn").histories == 58


def test_a_cycle_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regretless.layout.listing.REPORT_EVERY", 500)
    monkeypatch.setattr("regretless.linter.endless.DEEPEST", 200)

    class Circle(Tower):
        def player(self, state: str) -> int:
            return 0

        def actions(self, state: str) -> str:
            return "x"

        def infoset(self, state: str) -> str:
            return state

        def play(self, state: str, action: str) -> str:
            return "a" if state == "b" else "b"

    with pytest.raises(rg.GameError, match="came before on the same path"):
        rg.build(Circle())


def test_too_large_for_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regretless.layout.listing.REPORT_EVERY", 500)
    monkeypatch.setattr("regretless.layout.listing.available_memory", lambda: 1_000)
    with pytest.raises(rg.GameError, match="too large to list"):
        rg.build(rg.games.Leduc())


# -- unusual games that are in order ----------------------------------------------------------------------------------


class Fate(rg.Game):
    """No player decides anything."""

    def root(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return rg.TERMINAL if state else rg.CHANCE

    def actions(self, state: str) -> str:
        return "HT"

    def play(self, state: str, action: str) -> str:
        return action

    def infoset(self, state: str) -> str:
        raise AssertionError("no player decides")

    def payoffs(self, state: str) -> tuple[float, float]:
        return (3.0, -3.0) if state == "H" else (-1.0, 1.0)


def test_a_game_without_decisions() -> None:
    tree = rg.build(Fate())
    assert (tree.infosets, tree.sequences) == (0, 2)
    strategy = rg.Strategy.uniform(tree)
    assert len(strategy) == 0
    assert rg.value(tree, strategy) == 1.0
    assert rg.exploitability(tree, strategy) == 0.0
    run = rg.solve(tree, rg.CFR_PLUS, iterations=3)
    assert run.value == 1.0


def test_one_player_alone() -> None:
    tree = rg.build(RandomGame(seed=3, players=1, zero_sum=False))
    assert_layout(tree)
    assert_payoffs(tree)
    run = rg.solve(tree, rg.CFR_PLUS, iterations=300)
    assert run.exploitability < 1e-2


def test_a_player_who_never_moves() -> None:
    tree = rg.build(bent(player=lambda s: rg.TERMINAL if len(s) == 3 else 0))
    assert set(tree.labels.owner.tolist()) == {0}
    assert rg.equilibrium(tree).value == pytest.approx(1.0)
    assert rg.solve(tree, iterations=5).exploitability == pytest.approx(0.0, abs=1e-12)


def test_a_game_worth_nothing() -> None:
    tree = rg.build(bent(payoffs=lambda s: (0, 0)))
    assert tree.entries == 0
    assert rg.solve(tree, iterations=5).exploitability == 0.0
    assert rg.equilibrium(tree).value == 0.0


@pytest.mark.parametrize(
    ("method", "answer", "said"),
    [
        ("payoffs", None, "payoffs() returned None"),
        ("payoffs", 3, "payoffs() returned 3"),
        ("infoset", [1], "cannot be hashed"),
        ("player", None, "player() returned None"),
        ("player", 300, "player() returned 300"),
        ("actions", iter("LR"), "return a sequence"),
        ("actions", "LL", "named twice"),
        ("payoffs", ("a", "b"), "not numbers"),
    ],
)
def test_answers_of_the_wrong_kind(method: str, answer: Any, said: str) -> None:
    kind = type("Odd", (Tower,), {method: lambda self, state: answer})
    with pytest.raises(rg.GameError, match=re.escape(said)):
        rg.build(kind())


def test_an_error_in_the_game_itself_names_the_method() -> None:
    def play(self: rg.Game, state: Any, action: Any) -> Any:
        raise KeyError("oops")

    with pytest.raises(rg.GameError, match=r"play\(\) raised KeyError") as caught:
        rg.build(type("Broken", (Tower,), {"play": play})())
    assert isinstance(caught.value.__cause__, KeyError)
