"""Labels: the spelling that fingerprints and files depend on, and files whose labels are damaged."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import regretless as rg
from regretless.layout import labels as labels_module
from regretless.layout.label_text import label_from_text, label_text
from regretless.layout.labels import Labels, labels_from_arrays, labels_to_arrays
from regretless.strategy import uniform_probabilities

# -- spelling ---------------------------------------------------------------------------------------------------------


def first_spelling(label: Any) -> list[str]:
    """The spelling of version 1, written as it was then: every literal is read back before it is trusted."""
    if isinstance(label, str):
        return ["text", label]
    text = first_literal(label)
    try:
        if frozen(ast.literal_eval(text)) == label:
            return ["literal", text]
    except (TypeError, ValueError, SyntaxError):
        pass
    return ["text", str(label)]


def first_literal(label: Any) -> str:
    if isinstance(label, tuple):
        return "(" + "".join(f"{first_literal(part)}, " for part in label) + ")"
    if isinstance(label, frozenset):
        return "{" + ", ".join(sorted(map(first_literal, label))) + "}" if label else "set()"
    return repr(label.item() if isinstance(label, np.generic) else label)


def frozen(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(frozen(part) for part in value)
    return frozenset(value) if isinstance(value, set) else value


def first_fingerprint(labels: Labels) -> str:
    digest = hashlib.sha256()
    for infoset in range(len(labels.names)):
        words = [labels.names[infoset], *labels.actions[infoset]]
        digest.update(repr((int(labels.owner[infoset]), [first_spelling(word) for word in words])).encode())
    return digest.hexdigest()[:16]


atoms = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
    | st.integers(-(2**62), 2**62).map(np.int64)
)  # fmt: skip
anything = st.recursive(
    atoms, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3), max_leaves=8
)


@given(anything)
def test_the_spelling_is_that_of_version_1(label: Any) -> None:
    assert label_text(label) == first_spelling(label)


@pytest.mark.parametrize("depth", [1, 19, 20, 21, 90, 150, 300])
def test_nested_tuples_are_spelled_as_ever(depth: int) -> None:
    label: Any = 1
    for _ in range(depth):
        label = (label,)
    assert label_text(label) == first_spelling(label)


@pytest.mark.parametrize(
    "game",
    [
        rg.games.Kuhn(players=3),
        rg.games.Leduc(),
        rg.games.Goofspiel(cards=4),
        rg.games.Blotto(),
        rg.games.LiarDie(sides=3),
    ],
    ids=str,
)
def test_fingerprints_are_those_of_version_1(game: rg.Game) -> None:
    labels = rg.build(game).labels
    assert labels.fingerprint == first_fingerprint(labels)
    again = labels_from_arrays("x", labels_to_arrays(labels), {"players": labels.players})
    assert again.fingerprint == labels.fingerprint


def test_a_row_of_actions_is_spelled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game of a million infosets has a few different rows of actions."""
    spelled: list[Any] = []

    def counted(label: Any) -> list[str]:
        spelled.append(label)
        return label_text(label)

    monkeypatch.setattr(labels_module, "label_text", counted)
    labels = rg.build(rg.games.Leduc()).labels
    rows = {id(row): len(row) for row in labels.actions}
    assert labels.fingerprint
    assert len(spelled) == len(labels.names) + sum(rows.values()) < 2 * len(labels.names)
    spelled.clear()
    labels_to_arrays(labels)
    assert len(spelled) == len(labels.names) + sum(rows.values())


def test_very_long_numbers_and_very_deep_labels() -> None:
    """Python converts no number of more than 4,300 digits, and reads no expression of more than 200 brackets."""
    for number in (10**5_000, -(10**5_000), (1, 10**5_000)):
        kind, text = label_text(number)
        assert kind == "literal"
        assert label_from_text([kind, text]) == number
    deep: Any = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(rg.GameError, match="nested too deeply"):
        label_text(deep)
    while deep:  # taken apart by hand: Python's own way is a recursion
        (deep,) = deep


def test_uniform_probabilities_are_worked_out_once() -> None:
    labels = rg.build(rg.games.Leduc()).labels
    assert labels.uniform is labels.uniform
    assert not labels.uniform.flags.writeable
    mine = uniform_probabilities(labels)
    mine[:] = 7.0
    by_hand = [1.0 if i < 0 else 1.0 / len(labels.actions[i]) for i in labels.infoset_of_sequence.tolist()]
    assert uniform_probabilities(labels).tolist() == by_hand


# -- damaged files ----------------------------------------------------------------------------------------------------


def changed(name: str, change: Callable[[Any], Any]) -> dict[str, Any]:
    arrays = labels_to_arrays(rg.build(rg.games.Kuhn()).labels)
    return {**arrays, name: change(arrays[name])}


def put(place: int, number: int) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array = array.copy()
        array[place] = number
        return array

    return change


def text(value: Any) -> Callable[[Any], Any]:
    return lambda _: np.frombuffer(value if isinstance(value, bytes) else json.dumps(value).encode(), np.uint8)


NAMES = [["text", str(i)] for i in range(12)]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("label_actions", put(0, -1)),
        ("label_actions", put(0, 10**6)),
        ("label_actions", lambda a: a.astype(np.float64)),
        ("label_actions", lambda a: a[:-1]),
        ("label_owner", put(3, 2)),
        ("label_owner", put(3, -2)),
        ("label_owner", lambda a: a.reshape(3, 4)),
        ("label_first", put(0, 1_000)),
        ("label_first", put(0, -1)),
        ("label_first", lambda a: np.full_like(a, 1)),
        ("label_first", put(0, 2**31 - 1)),
        ("label_stride", put(0, 0)),
        ("label_stride", put(0, -1)),
        ("label_stride", put(0, 2**31 - 1)),
        ("label_reading_order", put(0, 12)),
        ("label_reading_order", put(0, -1)),
        ("label_reading_order", lambda a: np.zeros_like(a)),
        ("label_sequences", put(0, 2**62)),
        ("label_sequences", put(0, 0)),
        ("label_sequences", lambda a: a[:0]),
        ("label_sequences", lambda a: a.astype(np.float64)),
        ("label_text", text([])),
        ("label_text", text({"names": NAMES, "actions": []})),
        ("label_text", text({"names": NAMES, "actions": [[]]})),
        ("label_text", text({"names": [["literal", "(" * 100_000]] * 12, "actions": [NAMES[:2]]})),
        ("label_text", text({"names": [["literal", "[1]"], *NAMES[1:]], "actions": [NAMES[:2]]})),
        ("label_text", text({"names": [["literal", "9" * 10_000], *NAMES[1:]], "actions": [NAMES[:2]]})),
        ("label_text", text({"names": [["code", "1"], *NAMES[1:]], "actions": [NAMES[:2]]})),
        ("label_text", text({"names": [["text", 1], *NAMES[1:]], "actions": [NAMES[:2]]})),
        ("label_text", text({"names": [["text"], *NAMES[1:]], "actions": [NAMES[:2]]})),
        ("label_text", text({"names": 5, "actions": [NAMES[:2]]})),
        ("label_text", text(b"[" * 100_000)),
        ("label_text", text(b"\xff\xfe")),
        ("label_text", text(b"9" * 10_000)),
    ],
)
def test_damaged_labels(name: str, change: Callable[[Any], Any], tmp_path: Path) -> None:
    with pytest.raises(rg.FileError, match="the table of labels is damaged"):
        labels_from_arrays("x.run", changed(name, change), {"players": 2})


@pytest.mark.parametrize("players", [0, -1, 3, 2**70, 2.0, "2", None, [2]])
def test_a_wrong_number_of_players(players: Any) -> None:
    arrays = labels_to_arrays(rg.build(rg.games.Kuhn()).labels)
    with pytest.raises(rg.FileError, match="the table of labels is damaged"):
        labels_from_arrays("x.run", arrays, {"players": players})


def test_labels_that_players_share_come_back() -> None:
    """Owner −1 stands for an infoset of several players."""
    labels = rg.graph_of(rg.games.Dudo(sides=2, recall=1)).labels
    assert -1 in labels.owner.tolist()
    again = labels_from_arrays("x", labels_to_arrays(labels), {"players": 2})
    assert again.fingerprint == labels.fingerprint
