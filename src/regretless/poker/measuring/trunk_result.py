"""What a measurement by flops tells besides exploitability: values by flop and by line, and ranges before the flop."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.deck import Deck
from regretless.poker.measuring.runouts import HandCards
from regretless.poker.quoting import quoted
from regretless.poker.ranges.range import Range

if TYPE_CHECKING:
    from regretless.poker.measuring.flops import FlopGame

__all__ = ["TrunkResult", "ValueTable", "trunk_result"]

Array = npt.NDArray[Any]
KINDS = ("best_response", "value")


class ValueTable(dict[str, Array]):
    """Columns by name, each with one entry for a row."""

    def __missing__(self, name: Any) -> Array:
        raise OptionError(f"there is no column {quoted(name)}: columns are {', '.join(self)}")

    def frame(self) -> Any:
        """A pandas data frame; a dictionary of columns if pandas is not installed."""
        from regretless.poker.formats.exports import as_frame

        return as_frame(dict(self))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Comma-separated values."""
        from regretless.poker.formats.exports import write_csv

        write_csv(path, [dict(self)])

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each row."""
        columns = [column.tolist() for column in self.values()]
        return [dict(zip(self, row, strict=True)) for row in zip(*columns, strict=True)]

    def __repr__(self) -> str:
        count = len(next(iter(self.values()), ()))
        return f"<ValueTable: {count:,} row{'s' * (count != 1)} of {', '.join(self)}>"


@dataclass(frozen=True, eq=False)
class TrunkResult:
    """Values before the flop and on each flop, from a measurement flop by flop; chips.

    Columns of both tables: `value_0` and `value_1`, what each player wins with the strategy where play gets there (with
    `values=True`, or where there is rake), `best_response_0` and `best_response_1`, what a player wins there who plays
    the strategy up to this point and a best response from then on, and `gives_away`, the mean over both players of
    what the best response wins more; nan where the strategy never gets. From a sample of flops the columns of `lines`
    are estimates; those of `flops` are exact.
    """

    flops: ValueTable = field(repr=False)
    """A row for each measured flop: `flop`, `deals` that it stands for, its `weight` among all deals, and how often
    play gets there when it comes (`seen`)."""
    lines: ValueTable = field(repr=False)
    """A row for each line that reaches the second street: `line`, and the `probability` that it is played."""
    value: tuple[float, float] | None
    """What each player wins with the strategy, an estimate from a sample of flops; None where it was not computed."""
    value_intervals: tuple[tuple[float, float], tuple[float, float]] | None
    """The ends of the confidence interval of each player's `value`."""
    bounds: tuple[float, float] | None
    """The value of the game for player 0 lies between these, by the two best responses; None for a sample of flops and
    with rake."""
    exact: bool
    """Whether all flops were measured."""
    reach: dict[str, tuple[Array, Array]] = field(repr=False)
    """By line of the first street: both players' weights of hands [hands] as they arrive there."""
    deck: Deck = field(repr=False)

    def ranges(self, line: str = "") -> tuple[Range, Range]:
        """Both players' ranges after a line of the first street, such as "raise" or "raise call"."""
        found = self.reach.get(" ".join(line.split())) if isinstance(line, str) else None
        if found is None:
            known = ", ".join(repr(name) for name in list(self.reach)[:12])
            raise OptionError(f"there is no line {quoted(line)} on the first street: lines are {known}")
        return Range.from_weights(found[0], deck=self.deck), Range.from_weights(found[1], deck=self.deck)

    def __str__(self) -> str:
        flops, lines = len(self.flops["flop"]), len(self.lines["line"])
        known = [f"{flops:,} flop{'s' * (flops != 1)}, {lines:,} line{'s' * (lines != 1)} to the second street"]
        if self.value is not None:
            known.append(f"player 0 wins {self._first_value()} with the strategy")
        if self.bounds is not None:
            known.append(f"the value of the game is between {self.bounds[0]:.6g} and {self.bounds[1]:.6g}")
        return "; ".join(known)

    def _first_value(self) -> str:
        """The value of player 0 in words; an estimate has its interval."""
        assert self.value is not None and self.value_intervals is not None
        low, high = self.value_intervals[0]
        if self.exact:
            return f"{self.value[0]:.6g} chips a game"
        return f"{self.value[0]:.6g} ± {(high - low) / 2:.3g} chips a game (estimate)"


def trunk_result(
    game: FlopGame, numbers: Array, rows: Array, total: Array, best: tuple[float, float],
    own: tuple[float, float] | None, intervals: tuple[tuple[float, float], tuple[float, float]] | None, exact: bool,
) -> TrunkResult:  # fmt: skip
    """The result from the rows [n, kinds, 2, lines, classes] of flops `numbers` [n].

    total [kinds, 2, lines, classes]: values summed over all flops with their probabilities.
    """
    entries = [game.trunk.entries(player) for player in range(2)]  # [lines, hands] each
    classes = len(game.class_size)
    by_class = np.stack([
        np.stack([np.bincount(game.class_of, line, classes) for line in entry]) for entry in entries
    ])  # fmt: skip
    together = [game.trunk.tree.line(int(game.trunk.nodes[row])) or "" for row in game.trunk.deals.tolist()]
    cards = HandCards(game.game.deck, game.game.hand_size)
    reached = (entries[0] * cards.opposing(entries[1])).sum(axis=1)  # [lines]
    with np.errstate(divide="ignore", invalid="ignore"):
        by_line = np.einsum("kplc,plc->kpl", total, by_class) / reached
        if game.zero_sum:  # sums over a sample of flops are not 0 together: see `_Sums.statistics`
            by_line[1:] = (by_line[1:] - by_line[1:, ::-1]) / 2
        lines = {"line": np.array(together), "probability": reached / game.trunk.normaliser}
        flops = _flop_columns(game, numbers, np.einsum("nkplc,plc->nkp", rows, by_class), cards, entries)
    zero_sum = game.zero_sum and exact
    return TrunkResult(
        flops=flops,
        lines=ValueTable({**lines, **_value_columns(np.moveaxis(by_line, 2, 0), game.zero_sum)}),
        value=own,
        value_intervals=intervals,
        bounds=(-best[1], best[0]) if zero_sum else None,
        exact=exact,
        reach=_first_street(game),
        deck=game.game.deck,
    )


def _flop_columns(game: FlopGame, numbers: Array, values: Array, cards: HandCards, entries: list[Array]) -> ValueTable:
    """The table of flops; values [n, kinds, 2] of one deal, summed over pairs of hands."""
    chosen = [game.flops[number] for number in numbers.tolist()]
    deals, every = np.array([flop.deals for flop in chosen]), sum(flop.deals for flop in game.flops)
    weight, reached, dealt = game.trunk.weight, np.zeros(len(chosen)), np.zeros(len(chosen))
    for at, flop in enumerate(chosen):
        free = cards.free(flop.cards)
        reached[at] = (entries[0] * free * cards.opposing(entries[1] * free)).sum()
        dealt[at] = (weight[:1] * free * cards.opposing(weight[1:] * free)).sum()
    table = {
        "flop": np.array([game.game.deck.names(flop.cards) for flop in chosen]),
        "deals": deals,
        "weight": deals / every,
        "seen": reached / dealt,
    }
    return ValueTable({**table, **_value_columns(values / reached[:, None, None], game.zero_sum)})


def _value_columns(values: Array, zero_sum: bool) -> dict[str, Array]:
    """Columns of values [n, kinds, 2]; without rake both players' values of the strategy sum to 0."""
    columns = {
        f"{KINDS[kind]}_{player}": values[:, kind, player]
        for kind in reversed(range(values.shape[1]))
        for player in range(2)
    }
    gained = values[:, 0].sum(axis=1)
    if not zero_sum:
        gained = gained - values[:, 1].sum(axis=1)
    return {**columns, "gives_away": gained / 2}


def _first_street(game: FlopGame) -> dict[str, tuple[Array, Array]]:
    """Both players' weights at every line of the first street."""
    trunk = game.trunk
    return {
        " ".join(trunk.tree.line(int(node)).replace("/", " ").split()): (trunk.reach[row, 0], trunk.reach[row, 1])
        for row, node in enumerate(trunk.nodes.tolist())
    }
