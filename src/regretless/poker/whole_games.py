"""Hold'em from the blinds to the river: heads-up limit hold'em, and no-limit hold'em with any sizes.

Neither fits into memory hand by hand. Both are solved with a card abstraction, which merges hands into buckets.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.games.not_offered import why_not_setting
from regretless.poker.betting.limit import LIMIT_HOLDEM
from regretless.poker.betting.no_limit import SETTINGS, NoLimit
from regretless.poker.betting.sizes import Size, Sizes, SizesLike, spell_chips
from regretless.poker.betting.tree_building import count_actions, count_decisions, counted_situations
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.indexing import HandIndexer
from regretless.poker.games import Lock, PublicGame, fill_game
from regretless.poker.tree.memory_estimate import LEAST_BYTES, free_memory, readable

if TYPE_CHECKING:
    from regretless.poker.abstraction.abstraction import Abstraction
    from regretless.poker.results.bucket_strategy import BucketStrategy
    from regretless.poker.tree.public_tree import PublicTree

__all__ = ["Holdem", "LimitHoldem"]

BOARD_CARDS = (3, 1, 1)
STACK, BLINDS = 20_000, (50, 100)
"""Chips of no-limit hold'em in the Annual Computer Poker Competition."""


@dataclass(frozen=True, init=False)
class WholeHoldem(PublicGame):
    """Hold'em with all hands and four streets; its sizes are known without laying out a public tree."""

    @cached_property
    def decisions(self) -> tuple[int, ...]:
        """Decision nodes of the betting tree by street."""
        return tuple(count_decisions(counted_situations(self.betting)[0], self.betting.streets))

    @cached_property
    def actions(self) -> tuple[int, ...]:
        """Actions of these nodes by street, of both players."""
        by_player = count_actions(counted_situations(self.betting)[0], self.betting.streets)
        return tuple(sum(street) for street in zip(*by_player, strict=True))

    @cached_property
    def hand_classes(self) -> tuple[int, ...]:
        """Hands with their boards by street, up to suits, where the street of each board card is remembered."""
        indexer = HandIndexer((self.hand_size, *self.board_cards), self.deck)
        return tuple(indexer.size(street) for street in range(len(self.board_cards) + 1))

    @property
    def infosets(self) -> int:
        """Infosets of both players, up to suits, without an abstraction."""
        return sum(n * hands for n, hands in zip(self.decisions, self.hand_classes, strict=True))

    @property
    def infoset_actions(self) -> int:
        """Probabilities of a strategy for all infosets."""
        return sum(n * hands for n, hands in zip(self.actions, self.hand_classes, strict=True))

    def public_tree(self) -> PublicTree:
        """The game laid out for vector CFR; OptionError where that does not fit into memory."""
        if self.abstraction is None:
            self._check_memory()
        return super().public_tree()

    def uniform_strategy(self) -> BucketStrategy:
        """The strategy that takes all actions with the same probability; without an abstraction it sees no cards."""
        if self.abstraction is not None:
            from regretless.poker.abstraction.bucketed_tree import open_bucketed

            return open_bucketed(self).uniform()
        from regretless.poker.results.card_blind import uniform_by_bucket

        return uniform_by_bucket(self)

    def _check_memory(self) -> None:
        needed = self.infoset_actions * LEAST_BYTES["number"] + self.hand_classes[-1] * LEAST_BYTES["class"]
        free = free_memory()
        if free is not None and needed > free:
            raise OptionError(
                f"{self.name} has {self.infosets:,} infosets, whose tables need {readable(needed)} even as int16, and "
                f"{readable(free)} are free: merge hands with abstraction=rg.poker.abstract(game, buckets=…), or solve "
                f"a part of it as a rg.poker.Spot"
            )


@dataclass(frozen=True, init=False)
class LimitHoldem(WholeHoldem):
    """Heads-up limit hold'em (HULH): four streets, blinds 50 and 100, bets 100, 100, 200 and 200.

    At most three raises before the flop, and four bets and raises on each later street. Player 0 is the small blind,
    acts first before the flop and second on all later streets. These are the rules of the Annual Computer Poker
    Competition with ten times its chips.

    >>> game = LimitHoldem()
    >>> game.decisions, game.actions
    ((8, 70, 630, 5670), (21, 182, 1638, 14742))
    >>> game.infosets
    13803249787132
    """

    def __init__(
        self,
        abstraction: Abstraction | str | os.PathLike[str] | None = None,
        *,
        isomorphism: bool = True,
        locks: tuple[Lock, ...] = (),
    ) -> None:
        used = opened_abstraction(abstraction)
        fill_game(
            self, (STANDARD, 2, BOARD_CARDS, LIMIT_HOLDEM, (), (None, None), 100.0, locks, isomorphism, used)
        )  # fmt: skip

    @property
    def name(self) -> str:
        """The name in tables and files."""
        return spelled("hulh", [], self.abstraction)


@dataclass(frozen=True, init=False)
class Holdem(WholeHoldem):
    """Heads-up no-limit hold'em (HUNL) from the blinds on, with a choice of bet sizes.

    `sizes` are those of `NoLimit`, for all streets or for each of the four. Other settings of `NoLimit` (`chip`,
    `rake`, …) can be given as well. Of two stacks the smaller counts. Player 0 is the small blind, acts first before
    the flop and second on all later streets.

    >>> game = Holdem(stack=2_000, sizes="bet 100%, raise 100%")
    >>> game.betting_tree().actions[0]
    ('fold', 'call', 'raise to 300')
    """

    def __init__(
        self,
        stack: float | tuple[float, float] = STACK,
        *,
        sizes: SizesLike = Sizes(),  # noqa: B008 - frozen
        blinds: tuple[float, float] = BLINDS,
        ante: float = 0,
        caps: int | Sequence[int] | None = None,
        abstraction: Abstraction | str | os.PathLike[str] | None = None,
        isomorphism: bool = True,
        locks: tuple[Lock, ...] = (),
        **rules: Any,
    ) -> None:
        known = {*SETTINGS} - {"pot", "streets"}
        for name in rules:
            if name not in known:
                other = f"hunl has no setting {name[:40]!r}; betting settings are {', '.join(sorted(known))}"
                raise OptionError(why_not_setting(name, rules[name]) or other)
        betting = NoLimit(streets=4, sizes=sizes, blinds=blinds, ante=ante, caps=caps, **(rules | {"stack": stack}))
        big_blind = float(max(betting.blinds)) or None
        used = opened_abstraction(abstraction)
        fill_game(self, (STANDARD, 2, BOARD_CARDS, betting, (), (None, None), big_blind, locks, isomorphism, used))

    @property
    def name(self) -> str:
        """The name in tables and files: stack, ante, caps, blinds and sizes; the file of a run holds all settings."""
        rules = self.betting
        assert isinstance(rules, NoLimit)
        words = [] if rules.stack == STACK else [f"stack={spell_chips(rules.stack)}"]
        if rules.ante:
            words.append(f"ante={spell_chips(rules.ante)}")
        if rules.caps is not None:
            words.append(f"caps={'x'.join(str(int(cap)) for cap in rules.most_bets)}")
        if tuple(rules.blinds) != BLINDS:
            words.append(f"blinds=({spell_chips(rules.blinds[0])},{spell_chips(rules.blinds[1])})")
        sizes = {each for street in rules.sizes_by_street for each in street}
        if sizes != {Sizes()}:
            words.append(f"sizes='{_sizes_text(sizes.pop())}'" if len(sizes) == 1 else "sizes=…")
        return spelled("hunl", words, self.abstraction)


def _sizes_text(sizes: Sizes) -> str:
    """Sizes as `Sizes.read` reads them."""

    def listed(given: tuple[Size, ...]) -> str:
        return " ".join(map(str, given)) or "none"

    donks = "" if sizes.donks is None else f", donk {listed(sizes.donks)}"
    return f"bet {listed(sizes.bets)}, raise {listed(sizes.raises)}{donks}"


def spelled(name: str, words: list[str], abstraction: Abstraction | None) -> str:
    """The name of a game with its parameters; an abstraction is named by its file, or by its numbers of buckets."""
    if abstraction is not None:
        words = [*words, f"abstraction={abstraction.source or abstraction.name}"]
    return f"{name}:{','.join(words)}" if words else name


def opened_abstraction(given: Abstraction | str | os.PathLike[str] | None) -> Abstraction | None:
    """An abstraction as it is, or the one in a file."""
    if isinstance(given, str | os.PathLike):
        from regretless.poker.abstraction.abstraction_files import load_abstraction

        return load_abstraction(given)
    return given
