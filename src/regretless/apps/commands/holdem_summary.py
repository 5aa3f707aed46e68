"""Summaries of hold'em: the size of a game, and the quality of a run in the units of poker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from regretless.apps.printing import chips, facts, gap, print_json, spent
from regretless.apps.startup import started
from regretless.errors import OptionError

if TYPE_CHECKING:
    from regretless.method import Method
    from regretless.poker.games import PublicGame
    from regretless.problem import Problem
    from regretless.run import Run

__all__ = [
    "amount", "check_and_tell", "dealt_facts", "open_public", "opening_play", "public_facts", "refuse_holdem",
    "setting",
]  # fmt: skip

STORAGE = ("float64", "float32", "int16")
OUTLINED = 30
"""Nodes of the betting tree that `regretless check` prints."""


def open_public(
    game: Any,
    spec: str,
    methods: Sequence[Method],
    *,
    dtype: str | None,
    device: str | None,
    here: bool,
    say: Callable[[str], object] | None,
) -> list[Problem]:
    """The problems that methods work on, one for all; its size is announced, and refused if it does not fit."""
    from regretless.poker.tree.memory_estimate import (
        check_memory,
        readable,
        shape_sentence,
        size_sentence,
        whole_memory,
    )
    from regretless.solver import check_request

    chosen = [check_request(method, game.capabilities, dtype, device or "cpu", here=here) for method in methods]
    started()
    tree: Any = game
    for method in sorted(methods, key=lambda method: method.capabilities.devices is None):  # refusals come first
        tree = method.open(tree)
    tables = [bool(getattr(method, "predictive", 0)) for method in methods if method.capabilities.devices is None]
    if tree.kind == "sampled hold'em":
        if say is not None:
            say(f"{spec}: {tree.sizes['lines']:,} lines of betting; cards are dealt on demand")
        return [method.open(tree) for method in methods]
    if tree.kind == "bucketed tree":
        if say is not None:
            size = f"{tree.infosets:,} infosets, {tree.infoset_actions:,} infoset-actions"
            say(f"{spec}: {size}; {readable(whole_memory(tree.bytes_needed(chosen[0])))} of memory as {chosen[0]}")
        return [method.open(tree) for method in methods]
    if say is not None:
        say(f"{spec}: {size_sentence(tree, chosen[0], any(tables)) if tables else shape_sentence(tree)}")
    if tables:  # methods with a memory of their own check it themselves
        check_memory(tree, chosen[0], any(tables))
    return [method.open(tree) for method in methods]


def refuse_holdem(path: str, takes: str, instead: str) -> None:
    """Refuse a run of hold'em that a command does not take, and say what to do instead."""
    from regretless.lookup.problems import kind_in
    from regretless.storage import read_header

    kinds = {
        "public tree": "on a public tree", "bucketed tree": "with a card abstraction", "sampled hold'em": "of networks",
    }  # fmt: skip
    kind = kinds.get(kind_in(read_header(path)))
    if kind is not None:
        raise OptionError(f"{path} is a run of hold'em {kind}, and {takes}: {instead}")


def public_facts(run: Run) -> list[tuple[str, str]]:
    """A run on a public tree in a few lines."""
    from regretless.apps.commands.summary import measured, reason_of

    tree: Any = run.problem
    boards = f"{tree.boards:,} boards" if tree.boards > 1 else "1 board"
    rows = [
        ("game", f"{run.game} ({boards}, {run.infosets:,} infosets, {tree.infoset_actions:,} infoset-actions)"),
        ("setting", setting(tree.game)),
        ("algorithm", f"{run.method.name} ({run.settings.get('dtype')}, {run.settings.get('device', 'cpu')})"),
        ("iterations", iterations_in_words(run)),
        ("value", value_in_words(run)),
        (
            "exploitability",
            f"{amount(measured(run, 'exploitability'))} chips per game (NashConv / 2 players){share(run)}",
        ),
        ("NashConv", f"{amount(measured(run, 'nash_conv'))} chips per game"),
        *thousandths(run),
        ("stopped", reason_of(run)),
        *resolved_facts(run),
    ]
    if note := getattr(tree.game.betting, "stacks_note", ""):
        rows.append(("note", note))
    if getattr(tree.game.betting, "rake", 0):
        rows.append(("note", "rake makes the game not zero-sum: the average need not become an equilibrium"))
    return rows


def dealt_facts(run: Run) -> list[tuple[str, str]]:
    """A run of networks on hold'em whose cards are dealt on demand, in a few lines."""
    from regretless.apps.commands.summary import measured, reason_of

    problem: Any = run.problem
    return [
        ("game", f"{run.game} ({problem.sizes['lines']:,} lines of betting; cards are dealt on demand)"),
        ("setting", setting(problem.game)),
        ("algorithm", f"{run.method.name} ({run.settings.get('dtype')}, {run.settings.get('device', 'cpu')})"),
        ("iterations", iterations_in_words(run)),
        ("exploitability", unmeasured(run)),
        ("visited", f"{measured(run, 'nodes') or 0:,.0f} histories"),
        ("stopped", reason_of(run)),
    ]


def unmeasured(run: Run) -> str:
    """How a run is measured whose solve has measured nothing: with cards for a turn or river by some flops."""
    problem: Any = run.problem
    more = " --flops 20" if sum(problem.game.board_cards) > 3 else ""
    return f"not measured while solving: regretless measure RUN{more}"


def iterations_in_words(run: Run) -> str:
    """Iterations, their time and their pace."""
    rate = run.iterations / run.seconds if run.seconds > 0 else 0.0
    pace = f", {rate:,.0f} per second" if rate >= 100 else f", {rate:.3g} per second" if rate else ""
    return f"{run.iterations:,} in {spent(run.seconds)}{pace}"


def resolved_facts(run: Run) -> list[tuple[str, str]]:
    """Where a run that `resolve` wrote comes from, and how safe it is; nothing of other runs."""
    origin = run.settings.get("resolved")
    if not isinstance(origin, dict):
        return []
    try:
        place = f"{origin['method']} after {origin['line']!r} on {origin['board']}"
        rows = [("resolved", f"{place}, blueprint {origin['blueprint']['run']} of {origin['blueprint']['game']}")]
        for player, known in sorted(origin["players"].items()):
            safety = f"margins from {amount(known['smallest_margin'])}, mean {amount(known['mean_margin'])} chips"
            rows.append((f"player {player}", f"{safety}; at most {amount(known['most_lost'])} chips per game lost"))
    except (KeyError, TypeError, AttributeError):
        return [("resolved", "the header does not say from which run")]
    return rows


def share(run: Run) -> str:
    """Exploitability in per cent of the pot, where it is known."""
    from regretless.apps.commands.summary import measured

    found = measured(run, "pot_share")
    return "" if found is None else f", {amount(100 * found)} % of the pot"


def thousandths(run: Run) -> list[tuple[str, str]]:
    """How exploitable a run is in thousandths of a big blind, where there is one."""
    from regretless.apps.commands.summary import measured

    total, average = measured(run, "mbb_total"), measured(run, "mbb_average")
    if total is None:
        return []
    return [("mbb/g", f"{amount(total)} total (NashConv), {amount(average)} average (exploitability)")]


def amount(number: float | None) -> str:
    """A number with three significant digits, or as a whole number from 1,000 on.

    >>> amount(12361.4), amount(0.04251), amount(None)
    ('12,361', '0.0425', 'not measured')
    """
    return f"{number:,.0f}" if number is not None and number >= 1_000 else gap(number)


def opening_play(run: Run) -> str:
    """The strategy at the first node."""
    from regretless.apps.printing import likely_actions

    node = run.strategy.at("", ev=False)
    return f"player {node.player}: {likely_actions(node.frequencies)}"


def setting(game: PublicGame) -> str:
    """The board, the chips and the locked nodes of a game."""
    from regretless.poker.betting.sizes import spell_chips

    rules = game.betting
    parts = [" ".join(game.deck.name(card) for card in game.first_board) or "no board yet"]
    parts.append(f"pot {spell_chips(game.pot)}")
    if rules.stack is not None:
        parts.append(f"stacks {spell_chips(rules.stack)}")
    if game.big_blind:
        parts.append(f"big blind {spell_chips(game.big_blind)}")
    if game.locks:
        parts.append(f"{len(game.locks)} locked node{'s' if len(game.locks) > 1 else ''}")
    return ", ".join(parts)


def value_in_words(run: Run) -> str:
    """What player 0 wins, and the bounds on the game's value from two best responses."""
    from regretless.apps.commands.summary import measured

    value, least, most = (measured(run, name) for name in ("value", "value_least", "value_most"))
    rules = run.problem.game.betting
    half = " (beyond half the pot)" if rules.pot else ""
    said = f"{chips(value)} chips per game to player 0{half}"
    if least is None or most is None or getattr(rules, "rake", None):
        return said
    return f"{said}; the game's value is between {chips(least)} and {chips(most)}"


def check_and_tell(game: PublicGame, spec: str, *, json: bool) -> None:
    """`regretless check` of hold'em: memory that a solve needs, and the betting tree."""
    from regretless.apps.printing import console
    from regretless.poker.tree.memory_estimate import check_memory, free_memory, readable, whole_memory

    started()
    tree = game.public_tree()
    needed = {dtype: tree.bytes_needed(dtype) for dtype in STORAGE}
    free = free_memory()
    decisions = [count.decisions for count in tree.betting_tree.counts]
    hands = [int((weights > 0).sum()) for weights in game.hand_weights()]
    if json:
        print_json(
            {
                "command": "check", "game": spec, "ok": free is None or needed["int16"] <= free, "hands": hands,
                "boards": tree.boards, "decisions": decisions, "infosets": tree.infosets,
                "infoset_actions": tree.infoset_actions, "bytes": needed, "free": free,
            }
        )  # fmt: skip
    else:
        memory = ", ".join(f"{readable(whole_memory(count))} as {dtype}" for dtype, count in needed.items())
        rows = [
            ("game", f"{spec}: no problem found"),
            ("setting", setting(game)),
            *([("note", note)] if (note := getattr(game.betting, "stacks_note", "")) else []),
            ("hands", f"{hands[0]:,} of player 0, {hands[1]:,} of player 1"),
            ("boards", f"{tree.boards:,} up to suits"),
            ("betting", f"decision nodes by street: {', '.join(f'{n:,}' for n in decisions)}"),
            ("size", f"{tree.infosets:,} infosets, {tree.infoset_actions:,} infoset-actions"),
            (
                "memory",
                f"{memory}; tables of predictive variants are half as large again; {readable(free or 0)} are free",
            ),
        ]
        out = console()
        out.print(facts(rows))
        print(f"\n{tree.betting_tree.outline(OUTLINED, game.street_names)}")
    check_memory(tree, "int16")
