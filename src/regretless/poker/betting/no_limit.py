"""No-limit betting: a list of sizes, within the rules for minimum bets and raises, up to all-in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

from regretless.errors import OptionError
from regretless.games.not_offered import says_what_is_not_offered
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.checks import (
    as_number,
    need_amount,
    need_caps,
    need_forced_bets,
    need_number,
    need_stacks,
    need_streets,
    who_opens,
)
from regretless.poker.betting.situations import Situation
from regretless.poker.betting.sizes import Size, Sizes, SizesByStreet, SizesLike, read_sizes_by_street, spell_chips
from regretless.poker.betting.tree_building import MOST_NODES, Rake, build_betting_tree
from regretless.poker.quoting import quoted

__all__ = ["SETTINGS", "NoLimit"]

DECIMALS = 9
"""Decimals of a chip that are kept, so that amounts reached in different ways are equal numbers."""


@says_what_is_not_offered
@dataclass(frozen=True, kw_only=True)
class NoLimit:
    """A no-limit game for two players: a spot that begins with a pot, or a game with blinds.

    Of two stacks, `stack=(200, 120)`, the smaller counts: `stack` is 120 then, and `both_stacks` has the pair.
    The game is the same as with `stack=120`.

    The bets of a node are found in this order. Each size becomes chips and is rounded to whole `chip`s. A size below
    the minimum becomes the minimum. A size of at least the share `all_in_from` of the mover's chips becomes all-in.
    All-in is added where at most `add_all_in` pots are left behind. Of sizes that are nearly equal the largest stays.
    A node has no bets where the list of sizes is empty, and only fold and call after the cap.

    The winner of a pot pays the rake: the share `rake` of the pot without the uncalled bet, at most `rake_cap` chips.
    In a game with blinds or an ante, a hand that is folded on the first street pays no rake.

    Amounts of chips are 0 or between a millionth and 10¹².

    >>> tree = NoLimit(pot=100, stack=150, sizes="bet 50%, raise all-in", add_all_in=0).tree()
    >>> tree.actions[tree.find("check bet")]
    ('fold', 'call', 'all-in')
    >>> tree.win[tree.find("check bet fold")].tolist()
    [-50.0, 50.0]
    """

    stack: float  # chips of each player at the beginning, before antes and blinds; of a pair the smaller
    pot: float = 0  # chips in the middle before the game, half of them from each
    streets: int = 1
    sizes: SizesLike = Sizes()  # noqa: RUF009 - frozen
    blinds: tuple[float, float] = (0, 0)  # chips of player 0 and of player 1
    ante: float = 0  # chips of each player, before the blinds
    first: int | Sequence[int] | None = None  # who acts first; with blinds player 0, then player 1, without player 0
    caps: int | Sequence[int] | None = None  # bets and raises allowed on a street, blinds not counted; None: any number
    min_bet: float | None = None  # chips; None: the larger blind or, without blinds, one `chip` (0 without chip)
    all_in_from: float = 0.85  # share of the mover's chips from which a bet is all-in
    add_all_in: float = 1.5  # chips behind after a call, in pots after a call, up to which all-in is added; 0: never
    merge: float = 0.05  # sizes are nearly equal when the pots they make differ by less than this share
    chip: float | None = None  # the smallest chip, to whose multiples sizes are rounded; None: exact sizes
    rake: float = 0  # share of the pot
    rake_cap: float | None = None  # chips; None: no cap
    both_stacks: tuple[float, float] = field(default=(0, 0), compare=False, repr=False)
    """Chips of both players, from `stack`; a field, so that copies with other settings keep it.

    A pair whose smaller stack is not `stack` becomes (stack, stack).
    """

    def __post_init__(self) -> None:
        given: object = self.stack
        both = self.both_stacks
        if isinstance(given, tuple | list):
            both = need_stacks("NoLimit", given)
            object.__setattr__(self, "stack", min(both))
        elif both != (0, 0):
            both = need_stacks("NoLimit", both)
        need_streets("NoLimit", self.streets)
        need_forced_bets("NoLimit", self.blinds, self.ante, self.pot, self.stack)
        need_amount("NoLimit", "stack", self.stack, positive=True)
        object.__setattr__(self, "both_stacks", both if min(both) == self.stack else (self.stack, self.stack))
        for name in ("min_bet", "rake_cap"):
            if getattr(self, name) is not None:
                need_amount("NoLimit", name, getattr(self, name))
        if self.chip is not None:
            need_amount("NoLimit", "chip", self.chip, positive=True)
        need_number("NoLimit", "merge", self.merge, unit="the pot")
        if self.add_all_in != math.inf and not 0 <= as_number(self.add_all_in) < math.inf:
            raise OptionError(
                f"NoLimit needs add_all_in to be a number of pots, 0 for never, got {quoted(self.add_all_in)}"
            )
        if not isinstance(self.all_in_from, int | float) or not 0 < self.all_in_from <= 1:
            raise OptionError(
                f"NoLimit needs all_in_from to be a share of the stack above 0 and up to 1, "
                f"got {quoted(self.all_in_from)}"
            )
        if not isinstance(self.rake, int | float) or not 0 <= self.rake < 1:
            raise OptionError(
                f"NoLimit needs rake to be a share of the pot below 1 (0.05 for 5 %), got {quoted(self.rake)}"
            )
        _ = self.sizes_by_street, self.most_bets, self.openers

    @cached_property
    def sizes_by_street(self) -> SizesByStreet:
        """The sizes by street, and on each street by player."""
        return read_sizes_by_street(self.sizes, self.streets)

    @cached_property
    def most_bets(self) -> tuple[float, ...]:
        """Bets and raises allowed on each street."""
        return (math.inf,) * self.streets if self.caps is None else need_caps("NoLimit", self.caps, self.streets)

    @cached_property
    def openers(self) -> tuple[int, ...]:
        """Who acts first on each street."""
        return who_opens("NoLimit", self.first, self.streets, blinds=any(self.blinds))

    @cached_property
    def least_bet(self) -> float:
        """Chips of the smallest bet, and of the smallest raise on top of a bet."""
        if self.min_bet is not None:
            return self.min_bet
        return max(self.blinds) or self.chip or 0.0

    @property
    def chips(self) -> float:
        """Chips of each player at the beginning."""
        return self.stack

    @property
    def stacks_note(self) -> str:
        """A sentence where the stacks differ; empty where they do not."""
        first, second = map(spell_chips, self.both_stacks)
        if first == second:
            return ""
        shared = f"the smaller one counts, so both play for {spell_chips(self.stack)}"
        return f"stacks of {first} and {second} chips differ: {shared}"

    def remembers_leader(self, street: int) -> bool:
        """Whether the first to act has sizes of its own for donk bets."""
        return self.sizes_by_street[street][self.openers[street]].donks is not None

    def raises(self, situation: Situation) -> list[tuple[str, float]]:
        """The bets or raises of a node, ascending: names, and the chips that the mover will have paid."""
        highest = max(situation.paid)
        if situation.bets >= self.most_bets[situation.street] or highest >= self.stack:
            return []
        sizes = self._offered(situation, faced=highest > situation.settled)
        if not sizes:
            return []
        totals = {self._total(situation, size) for size in sizes}
        called = self.pot + 2 * highest
        if self.stack - highest <= self.add_all_in * called:
            totals.add(self.stack)
        verb = "raise to " if highest > situation.settled else "bet "
        return self._named(verb, situation.settled, self._distinct(totals, called - highest))

    def _offered(self, situation: Situation, faced: bool) -> tuple[Size, ...]:
        sizes = self.sizes_by_street[situation.street][situation.kind]
        if faced:
            return sizes.raises
        donk = not situation.answers and situation.leader == 1 - situation.kind
        return sizes.donks if donk and sizes.donks is not None else sizes.bets

    def _total(self, situation: Situation, size: Size) -> float:
        """The chips that the mover will have paid after a bet or raise of a size, by all the rules."""
        settled, highest = situation.settled, max(situation.paid)
        streets_left = int(size.amount) or self.streets - situation.street
        match size.kind:
            case "pot":
                total = highest + size.amount * (self.pot + 2 * highest)
            case "geometric":
                total = highest + self._geometric(highest, streets_left)
            case "chips":
                total = settled + size.amount
            case "times":
                total = settled + size.amount * (highest - settled)
            case _:
                return self.stack
        if self.chip is not None:
            total = settled + self.chip * math.floor((total - settled) / self.chip + 0.5)
        total = max(total, highest + max(situation.step, self.least_bet))
        before = situation.paid[situation.kind]
        if total - before >= self.all_in_from * (self.stack - before) - 10**-DECIMALS:
            return self.stack
        return round(total, DECIMALS)

    def _geometric(self, highest: float, streets: int) -> float:
        """The bet after a call that, as the same share of the pot bet and called on each street, gets all chips in."""
        called = self.pot + 2 * highest
        growth = math.pow((self.pot + 2 * self.stack) / called, 1 / streets)  # of the pot on each street
        return called * (growth - 1) / 2

    def _distinct(self, totals: set[float], beneath: float) -> list[float]:
        """The totals that stay when nearly equal ones are merged; `beneath` + total is the pot that a bet makes."""
        kept: list[float] = []
        for total in sorted(totals, reverse=True):
            if not kept or beneath + kept[-1] >= (beneath + total) * (1 + self.merge):
                kept.append(total)
        return kept[::-1]

    def _named(self, verb: str, settled: float, totals: list[float]) -> list[tuple[str, float]]:
        amounts = [spell_chips(total - settled) for total in totals]
        if len(set(amounts)) < len(amounts):
            amounts = [f"{total - settled:.{DECIMALS}f}".rstrip("0").rstrip(".") for total in totals]
        return [
            ("all-in" if total == self.stack else verb + amount, total)
            for amount, total in zip(amounts, totals, strict=True)
        ]

    def tree(self, limit: int = MOST_NODES) -> BettingTree:
        """The betting tree; OptionError if it has more than `limit` nodes."""
        first_street_free = any(self.blinds) or self.ante > 0
        cap = math.inf if self.rake_cap is None else self.rake_cap
        return build_betting_tree(self, self.pot, Rake(self.rake, cap, since=int(first_street_free)), limit)


SETTINGS = tuple(setting.name for setting in fields(NoLimit) if setting.compare)
"""Names of the settings that the game depends on: all but `both_stacks`."""
