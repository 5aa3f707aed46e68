"""Games on public trees: flop hold'em, no-limit spots, and small games of the same kind."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.games.not_offered import NOT_OFFERED, why_not_setting, why_not_settings
from regretless.kernels.cards.hand_strength import MOST_CARDS
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.checks import need_amount
from regretless.poker.betting.limit import FLOP_HOLDEM, Limit
from regretless.poker.betting.no_limit import SETTINGS, NoLimit
from regretless.poker.betting.sizes import Sizes, SizesLike
from regretless.poker.cards.deck import STANDARD, CardText, Deck
from regretless.poker.quoting import quoted
from regretless.poker.ranges.range import Range
from regretless.problem import Capabilities

if TYPE_CHECKING:
    from regretless.poker.abstraction.abstraction import Abstraction
    from regretless.poker.abstraction.bucketed_tree import BucketedTree
    from regretless.poker.tree.public_tree import PublicTree

__all__ = ["FlopHoldem", "Lock", "PublicGame", "Spot", "fill_game"]

Weights = npt.NDArray[np.float64]

STREETS = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}


@dataclass(frozen=True)
class Lock:
    """A strategy that is fixed at one node while the rest is solved; see `PublicGame.lock`."""

    line: str
    strategy: Any
    board: str | None = None


@dataclass(frozen=True)
class PublicGame:
    """A game of two players with private cards, streets of public cards with betting in between, and a showdown.

    It covers everything from Kuhn poker to hold'em: a deck, the number of cards in a hand, the number of cards of each
    later street, and betting rules (`Limit` or `NoLimit`) with the same number of streets. The higher poker hand wins;
    with fewer than five cards in all, pairs beat high cards.

    >>> from regretless.poker import Deck, Limit, PublicGame
    >>> leduc = PublicGame(Deck("JQK", "sh"), 1, (1,), Limit(streets=2, bets=(2, 4), caps=2, blinds=(0, 0), ante=1))
    >>> leduc.public_tree()
    <PublicTree: 4 boards, 468 infosets, 1,092 infoset-actions>
    """

    deck: Deck
    hand_size: int
    board_cards: tuple[int, ...]
    """Cards dealt to the board before the second street, the third, …"""
    betting: Limit | NoLimit
    board: CardText = ()
    """Cards on the board at the beginning."""
    ranges: tuple[Range | None, Range | None] = (None, None)
    """The range of each player (hands of two cards with weights); None for all hands."""
    big_blind: float | None = None
    """Chips of a big blind, for results in thousandths of it; None without one."""
    locks: tuple[Lock, ...] = ()
    isomorphism: bool = True
    """Whether boards and hands that differ by suits only are merged. Results are the same; time and memory differ."""
    abstraction: Abstraction | None = None
    """Which hands are merged into buckets; None: players tell all hands apart."""

    def __new__(cls, *given: Any, **settings: Any) -> Self:
        """A game; what other solvers offer and this one does not is named by a sentence."""
        if sentence := why_not_settings(settings):
            raise OptionError(sentence)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        if not isinstance(self.deck, Deck) or not isinstance(self.betting, Limit | NoLimit):
            raise OptionError(
                f"a game has a Deck and Limit or NoLimit betting, got {quoted(self.deck)} and {quoted(self.betting)}"
            )
        if not _whole(self.hand_size) or not 1 <= self.hand_size <= 4:
            raise OptionError(f"a hand has 1 to 4 cards, got hand_size={quoted(self.hand_size)}")
        if not isinstance(self.board_cards, tuple) or any(not _whole(n) or n < 1 for n in self.board_cards):
            raise OptionError(f"board_cards is a tuple of numbers of cards from 1 on, got {quoted(self.board_cards)}")
        if self.betting.streets != len(self.board_cards) + 1:
            raise OptionError(
                f"the betting has {self.betting.streets} streets and the board cards {quoted(self.board_cards)} make "
                f"{len(self.board_cards) + 1}: give one number of cards for every street after the first"
            )
        if self.big_blind is not None:
            need_amount("a game", "big_blind", self.big_blind, positive=True)
        on_board = sum(self.board_cards) + len(self.first_board)
        if self.hand_size + on_board > MOST_CARDS:
            raise OptionError(
                f"a hand of {self.hand_size} and a board of {on_board} cards are more than the {MOST_CARDS} cards "
                f"that a showdown compares"
            )
        if 2 * self.hand_size + on_board > self.deck.size:
            raise OptionError(
                f"two hands and the board need {2 * self.hand_size + on_board} cards; the deck has {self.deck.size}"
            )
        self.hand_weights()
        if self.abstraction is not None:
            self._check_abstraction()

    def _check_abstraction(self) -> None:
        from regretless.poker.abstraction.abstraction import Abstraction

        if not isinstance(self.abstraction, Abstraction):
            raise OptionError(
                f"abstraction is an Abstraction, from rg.poker.abstract(game, …) or rg.poker.load_abstraction(file), "
                f"got {quoted(self.abstraction)}"
            )
        self.abstraction.check_game(self)

    @property
    def name(self) -> str:
        """The name in tables and files."""
        return "poker"

    @cached_property
    def source(self) -> str:
        """The file or the name that the game was opened by; a run's file also holds the full description."""
        return self.name

    @property
    def first_board(self) -> tuple[int, ...]:
        """The cards on the board at the beginning."""
        return self.deck.cards(self.board)

    @property
    def pot(self) -> float:
        """Chips in the middle at the beginning; results in shares of the pot refer to it."""
        rules = self.betting
        return float(rules.pot) + 2 * float(rules.ante) + float(sum(rules.blinds))

    @property
    def street_names(self) -> tuple[str, ...]:
        """Flop, turn, river, …; empty if the streets of the game have no usual names."""
        cards = np.cumsum((len(self.first_board), *self.board_cards)).tolist()
        usual = self.hand_size == 2 and all(count in STREETS for count in cards)
        return tuple(STREETS[count] for count in cards) if usual else ()

    def betting_tree(self) -> BettingTree:
        """The public betting tree."""
        return dataclasses.replace(self.betting.tree(), street_names=self.street_names)

    def hand_weights(self) -> tuple[Weights, Weights]:
        """[hands] the weights of each player's hands, in the order of `deck.hands`."""
        hands = self.deck.hands(self.hand_size)
        free = np.asarray(~np.isin(hands, self.first_board).any(axis=1))
        if not isinstance(self.ranges, tuple) or len(self.ranges) != 2:
            raise OptionError(f"ranges are a pair, one for each player, got {quoted(self.ranges)}")
        out: list[Weights] = []
        for player, chosen in enumerate(self.ranges):
            weights = free.astype(np.float64)
            if chosen is not None:
                if self.hand_size != 2 or not isinstance(chosen, Range) or chosen.deck != self.deck:
                    raise OptionError(
                        f"player {player}'s range is no Range of two-card hands of the game's deck: {quoted(chosen)}"
                    )
                weights = np.asarray(chosen.weights * free)
            if not weights.any():
                board = self.deck.names(self.first_board)
                why = f" on the board {board}: each of its hands holds a card of the board"
                no_hand = chosen is not None and not chosen.weights.any()
                raise OptionError(f"player {player}'s range is empty{': it has no hand' if no_hand else why}")
            out.append(weights)
        mine, theirs = (hands[w > 0] for w in out)
        if len(mine) * len(theirs) < 10_000 and not _some_pair(mine, theirs):
            raise OptionError("no hand of one range can be dealt together with a hand of the other: they share cards")
        return out[0], out[1]

    players: ClassVar[int] = 2

    @property
    def problem_kind(self) -> str:
        """The kind of problem that it is solved as: a public tree, or with an abstraction a bucketed tree."""
        if self.abstraction is None:
            return "public tree"
        import regretless.poker.solving.buckets.bucket_cfr_br  # noqa: F401 - registers how CFR-BR runs on bucketed trees

        return "bucketed tree"

    @property
    def capabilities(self) -> Capabilities:
        """What can be asked of the problem, known before it is laid out."""
        if self.abstraction is not None:
            from regretless.poker.abstraction import bucketed_tree

            return bucketed_tree.CAPABILITIES
        from regretless.poker.tree.public_tree import CAPABILITIES

        return CAPABILITIES

    def problem(self) -> PublicTree | BucketedTree:
        """The game laid out for vector CFR; with an abstraction, for public chance sampling."""
        if self.abstraction is not None:
            from regretless.poker.abstraction.bucketed_tree import open_bucketed

            return open_bucketed(self)
        return self.public_tree()

    def public_tree(self) -> PublicTree:
        """The game laid out for vector CFR."""
        if self.abstraction is not None:
            raise OptionError(
                f"{self.name} merges hands into buckets, and a public tree tells all hands apart: leave out "
                f"abstraction= to lay the game out hand by hand"
            )
        import regretless.poker.solving.vector_cfr  # noqa: F401 - registers how variants of CFR run on public trees
        from regretless.poker.tree.public_tree import build_public_tree

        return build_public_tree(self, self.isomorphism)

    def lock(self, line: str, strategy: Mapping[str, Any], board: str | None = None) -> PublicGame:
        """The same game with a fixed strategy at one node.

        `strategy` is {action: probability} for all hands, or {range: {action: probability}}. Where ranges overlap, the
        later one counts; hands that are in no range play uniformly. A node of a later street is locked on all boards,
        or on the given board and, unless `isomorphism` is off, on those that differ from it by suits only.
        """
        return self.with_locks((*self.locks, Lock(line, strategy, board)))

    def with_locks(self, locks: Sequence[Lock]) -> PublicGame:
        """The same game with these locked nodes and no others; `with_locks(())` unlocks all."""
        made = copy.copy(self)
        object.__setattr__(made, "locks", tuple(locks))
        return made


@dataclass(frozen=True, init=False)
class FlopHoldem(PublicGame):
    """Flop hold'em poker (FHP): heads-up limit hold'em that ends after the flop.

    Blinds 50 and 100, every bet 100, at most three raises before the flop and `caps[1]` bets on it; player 0 is the
    small blind, acts first before the flop and second on it (Brown, Lerer, Gross & Sandholm 2019, §5.1).

    >>> FlopHoldem().betting_tree().counts[1].lines
    7
    """

    def __init__(
        self, caps: tuple[int, int] = (3, 4), *, isomorphism: bool = True, locks: tuple[Lock, ...] = ()
    ) -> None:
        betting = dataclasses.replace(FLOP_HOLDEM, caps=tuple(caps))
        fill_game(self, (STANDARD, 2, (3,), betting, (), (None, None), 100.0, locks, isomorphism, None))

    @property
    def name(self) -> str:
        """The name in tables and files."""
        caps = tuple(self.betting.most_bets)
        return "fhp" if caps == (3, 4) else f"fhp:caps={int(caps[0])}x{int(caps[1])}"


@dataclass(frozen=True, init=False)
class Spot(PublicGame):
    """A no-limit hold'em situation from the flop, turn or river on: a board, two ranges, a pot and the stacks behind.

    Player 0 is out of position and acts first on every street. Payoffs are counted from the beginning of the spot, with
    half of the pot from each player, so they sum to zero (less the rake). Amounts are from a millionth to 10¹² chips.
    Of two stacks, (out of position, in position), the smaller counts.

    >>> spot = Spot(board="Qs Jh 2h 7c 3d", ranges=("QQ+,AK", "random"), pot=100, stack=150)
    >>> spot.betting_tree().actions[0]
    ('check', 'bet 33', 'bet 75', 'all-in')
    """

    def __init__(
        self,
        board: CardText,
        ranges: Sequence[str | Range],
        *,
        pot: float,
        stack: float | tuple[float, float],
        sizes: SizesLike = Sizes(),  # noqa: B008 - frozen
        big_blind: float | None = None,
        isomorphism: bool = True,
        locks: tuple[Lock, ...] = (),
        **rules: Any,
    ) -> None:
        cards = STANDARD.cards(board)
        if len(cards) not in (3, 4, 5):
            raise OptionError(
                f"a spot begins with a board of 3, 4 or 5 cards, got {len(cards)} in {quoted(board)}: write 'Qs Jh 2h'"
            )
        if isinstance(ranges, str) or len(ranges) != 2:
            if not isinstance(ranges, str) and len(ranges) > 2:
                raise OptionError(f"{NOT_OFFERED['multiway']}; got {len(ranges)} ranges")
            raise OptionError(f"a spot needs two ranges, (out of position, in position), got {quoted(ranges)}")
        need_amount("a spot", "pot", pot, positive=True)
        known = [name for name in SETTINGS if name not in ("stack", "pot", "streets", "sizes", "blinds")]
        unknown = sorted(set(rules) - set(known))
        if unknown:
            other = f"a spot has no setting {quoted(unknown[0])}; betting settings are {', '.join(known)}"
            raise OptionError(why_not_setting(unknown[0], rules[unknown[0]]) or other)
        given = tuple(Range.parse(one) if isinstance(one, str) else one for one in ranges)
        betting = NoLimit(pot=pot, streets=6 - len(cards), sizes=sizes, **(rules | {"stack": stack}))
        fill_game(
            self, (STANDARD, 2, (1,) * (5 - len(cards)), betting, cards, given, big_blind, locks, isomorphism, None)
        )

    @property
    def name(self) -> str:
        """The name in tables and files."""
        return f"spot {self.deck.names(self.first_board)}"


def fill_game(game: PublicGame, values: tuple[Any, ...]) -> None:
    """Set and check the fields of a game whose constructor has other parameters."""
    for entry, value in zip(dataclasses.fields(PublicGame), values, strict=True):
        object.__setattr__(game, entry.name, value)
    game.__post_init__()


def _whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _some_pair(mine: npt.NDArray[Any], theirs: npt.NDArray[Any]) -> bool:
    """Whether some hand of one list shares no card with some hand of the other."""
    shared = (mine[:, None, :, None] == theirs[None, :, None, :]).any(axis=(2, 3))
    return bool((~shared).any())
