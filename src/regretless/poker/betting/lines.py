"""Lines of play as text: the node that a line leads to, the line of a node, and the tree as indented text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, FOLD, SHOWDOWN
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.quoting import quoted

if TYPE_CHECKING:
    from regretless.poker.betting.betting_tree import BettingTree

__all__ = ["outline", "read_line", "spell_line"]

ALL_IN = re.compile(r"\ball[\s_-]*in\b")
PIECE = re.compile(r"(?P<word>[a-z]+)|(?P<chips>\d+(?:\.\d*)?|\.\d+)|(?P<between>[\s,;:/|>_.-]+)|(?P<unknown>.)")
MOST_TEXT = 10_000
"""Characters of a line of play."""
OTHER_NAMES = {"x": "check", "k": "check", "jam": "allin", "shove": "allin", "push": "allin"}


class Step(NamedTuple):
    """An action as a user writes it: a word or its beginning, a number of chips, or both."""

    word: str
    chips: float | None

    def __str__(self) -> str:
        return " ".join(part for part in (self.word, "" if self.chips is None else spell_chips(self.chips)) if part)


def read_line(tree: BettingTree, line: str) -> int:
    """The node that `line` leads to; deals are skipped."""
    if not isinstance(line, str):
        raise OptionError(f"a line of play is a text like 'check bet 50 / call', got {quoted(line)}")
    if len(line) > MOST_TEXT:
        raise OptionError(f"a line of play has at most {MOST_TEXT:,} characters, got {len(line):,}")
    node = _skip_deals(tree, 0)
    steps = _steps(line)[::-1]
    done: list[str] = []
    while steps:
        step = steps.pop()
        names = tree.actions[node]
        if not (found := _matching(names, step)) and (several := _split(names, step)):
            steps += several[::-1]
            continue
        if len(found) != 1:
            raise _wrong_step(tree, line, node, done, step, found)
        done.append(names[found[0]])
        node = _skip_deals(tree, int(tree.first_child[node]) + found[0])
    return node


def spell_line(tree: BettingTree, node: int) -> str:
    """The actions from the root to `node`, with a slash for each deal that is followed by actions."""
    words: list[str] = []
    while (parent := int(tree.parent[node])) >= 0:
        if tree.kind[parent] != DEAL:
            words.append(tree.actions[parent][node - int(tree.first_child[parent])])
        elif words:
            words.append("/")
        node = parent
    return " ".join(reversed(words))


def outline(tree: BettingTree, nodes: int, streets: Sequence[str] = ()) -> str:
    """The tree depth first, a line for each node, indented by depth; `streets` are the names of all streets."""
    lines: list[str] = []
    waiting = [(0, 0, "")]  # node, depth, the action that leads to it
    while waiting and len(lines) < nodes:
        node, depth, action = waiting.pop()
        lines.append("  " * depth + (f"{action}: " if action else "") + _describe(tree, node, streets))
        first, names = int(tree.first_child[node]), tree.actions[node]
        children = range(first, first + int(tree.children[node]))
        waiting += [(child, depth + 1, names[child - first] if names else "") for child in reversed(children)]
    if waiting:
        lines.append(f"… {len(tree) - len(lines):,} more nodes")
    return "\n".join(lines)


def _describe(tree: BettingTree, node: int, streets: Sequence[str]) -> str:
    kind = int(tree.kind[node])
    if kind < DEAL:
        pot = " and ".join(spell_chips(chips) for chips in tree.paid[node])
        return f"player {kind} to act, paid {pot}"
    if kind == FOLD:
        winner = 1 - int(tree.folder[node])
        return f"player {winner} wins {spell_chips(tree.win[node, winner])}"
    if kind == SHOWDOWN:
        return f"showdown for {spell_chips(-tree.lose[node, 0])}"
    dealt = int(tree.street[node]) + 1
    return f"deal the {streets[dealt]}" if dealt < len(streets) else f"deal street {dealt}"


def _skip_deals(tree: BettingTree, node: int) -> int:
    while tree.kind[node] == DEAL:
        node = int(tree.first_child[node])
    return node


def _steps(line: str) -> list[Step]:
    """The words and numbers of a line, each number with the word before it; "to" is ignored."""
    steps: list[Step] = []
    for piece in PIECE.finditer(ALL_IN.sub("allin", line.lower())):
        if word := piece["word"]:
            if word != "to":
                steps.append(Step(OTHER_NAMES.get(word, word), None))
        elif piece["chips"]:
            if steps and steps[-1].chips is None:
                steps[-1] = steps[-1]._replace(chips=float(piece["chips"]))
            else:
                steps.append(Step("", float(piece["chips"])))
        elif unknown := piece["unknown"]:
            raise OptionError(
                f"the line {quoted(line)} has {unknown!r} in it: write actions like 'check bet 50 / call'"
            )
    return steps


def _action(name: str) -> Step:
    return _steps(name)[0]


def _matching(names: tuple[str, ...], step: Step) -> list[int]:
    """Indices of the actions that a step can mean."""
    actions = [_action(name) for name in names]
    word = OTHER_NAMES.get(step.word, step.word)
    found = [
        index
        for index, action in enumerate(actions)
        if action.word.startswith(word)
        and (step.chips is None or (action.chips is not None and abs(action.chips - step.chips) < 1e-9))
    ]
    if not found and word == "r":  # a bet in the notation of the ACPC, which has only f, c and r
        return _matching(names, Step("bet", step.chips)) if any(action.word == "bet" for action in actions) else []
    return found


def _split(names: tuple[str, ...], step: Step) -> list[Step]:
    """Steps that were written as one: "check 50" is a check and a bet of 50, "crc" is three actions."""
    if step.word and step.chips is not None:
        word = Step(step.word, None)
        if [names[index] for index in _matching(names, word)] in (["check"], ["call"]):
            return [word, Step("", step.chips)]
    if len(step.word) > 1 and set(step.word) <= set("fckxbra"):
        return [*(Step(letter, None) for letter in step.word[:-1]), Step(step.word[-1], step.chips)]
    return []


def _wrong_step(tree: BettingTree, line: str, node: int, done: list[str], step: Step, found: list[int]) -> OptionError:
    after = f"after {' '.join(done)!r}" if done else "at the beginning"
    if not tree.actions[node]:
        return OptionError(
            f"the line {quoted(line)} goes on with {quoted(str(step))} {after}, but there the hand is over"
        )
    names = tree.actions[node]
    problem = "could mean " + " or ".join(repr(names[index]) for index in found) if found else "is no action"
    return OptionError(
        f"in the line {quoted(line)}, {quoted(str(step))} {after} {problem}; possible there: {', '.join(names)}"
    )
