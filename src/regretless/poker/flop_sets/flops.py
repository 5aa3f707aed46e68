"""`flops(25)`: few flops that stand for all 1,755 kinds, and a spot on each of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError
from regretless.poker.cards.deck import STANDARD, CardText
from regretless.poker.cards.isomorphism import Symmetry
from regretless.poker.formats.spot_files import Mistake, spot_of
from regretless.poker.formats.text_files import parse_toml, read_text_file
from regretless.poker.games import Spot
from regretless.poker.quoting import quoted
from regretless.poker.ranges.equity import all_boards_of

__all__ = ["all_flops", "flop_spots", "flops", "read_flop_spots", "weights_of"]

STORED = "subsets.json"
ALL = 1_755


def all_flops() -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The 1,755 kinds of flops [kinds, 3], and the number of flops of each [kinds]."""
    return all_boards_of(np.arange(STANDARD.size), 3, Symmetry(STANDARD, 2).cards)


@lru_cache(maxsize=1)
def _sets() -> dict[int, dict[str, float]]:
    """The stored sets by size."""
    text = files(__package__).joinpath(STORED).read_text(encoding="utf-8")
    return {int(count): weights for count, weights in json.loads(text).items()}


def flops(count: int = ALL) -> dict[str, float]:
    """Flops that stand for all, with weights that sum to 1: 25, 49, 95 or 184 of them, or all 1,755 kinds.

    Means over a set, weighted so, are near the means over all flops. `regretless.poker.flop_sets.choosing` describes
    how the sets were chosen.

    >>> chosen = flops(25)
    >>> len(chosen), round(sum(chosen.values()), 6)
    (25, 1.0)
    """
    known = [*_sets(), ALL]
    if isinstance(count, bool) or count not in known:
        raise OptionError(f"there are sets of {', '.join(map(str, known))} flops, got {quoted(count)}")
    if count == ALL:
        cards, deals = all_flops()
        return dict(zip(map(STANDARD.hand_name, cards.tolist()), (deals / deals.sum()).tolist(), strict=True))
    chosen = _sets()[count]
    total = sum(chosen.values())
    return {board: weight / total for board, weight in chosen.items()}


def weights_of(boards: Sequence[str]) -> npt.NDArray[np.float64]:
    """[boards] weights that sum to 1: those of the set that the flops are, else by the number of flops of each kind."""
    found = [STANDARD.hand_name(STANDARD.cards(board)) for board in boards]
    for chosen in _sets().values():
        if set(chosen) == set(found):
            weights = np.array([chosen[board] for board in found])
            return np.asarray(weights / weights.sum())
    images = np.sort(Symmetry(STANDARD, 2).cards[:, [STANDARD.cards(board) for board in found]], axis=-1)
    kinds = np.array([len({tuple(image) for image in images[:, at].tolist()}) for at in range(len(found))], np.float64)
    return np.asarray(kinds / kinds.sum())


def flop_spots(boards: int | Iterable[CardText], ranges: Sequence[Any], **settings: Any) -> dict[str, Spot]:
    """A spot on each flop of a set, by the name of the flop; `ranges` and `settings` are those of `Spot`.

    >>> spots = flop_spots(25, ("QQ+,AKs", "22+,A2s+"), pot=100, stack=400)
    >>> len(spots), next(iter(spots.values())).pot
    (25, 100.0)
    """
    return {board: Spot(board, ranges, **settings) for board in _boards(boards)}


def read_flop_spots(path: str | os.PathLike[str], boards: int | Iterable[CardText]) -> dict[str, Spot]:
    """The same from a spot file without `board`."""
    name = os.fspath(path)
    given = parse_toml(read_text_file(path, "spot"), name, "spot")
    if "board" in given:
        raise FileError(f"{name}, board: a spot for many flops has no board of its own; leave it out")
    return {board: _spot_on(board, given, name) for board in _boards(boards)}


def _spot_on(board: str, given: Mapping[str, Any], name: str) -> Spot:
    try:
        return spot_of({**given, "board": board})
    except Mistake as mistake:
        raise FileError(f"{name}, {mistake.key}: {mistake.sentence}") from None
    except OptionError as error:
        raise FileError(f"{name} on {board}: {error}") from None


def _boards(boards: int | Iterable[CardText]) -> list[str]:
    if isinstance(boards, int):
        return list(flops(boards))
    if isinstance(boards, str) or not isinstance(boards, Iterable):
        raise OptionError(f"flops are one of the sets, such as 25, or a list of flops, got {quoted(boards)}")
    return [STANDARD.hand_name(STANDARD.cards(board, count=3)) for board in boards]
