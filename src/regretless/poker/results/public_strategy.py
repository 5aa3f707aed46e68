"""Strategies of games on public trees: what every hand does at a node of the betting, and what it expects."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.kernels.numpy_matching import matched
from regretless.kernels.public.layout import SolveState
from regretless.poker.cards.deck import CardText
from regretless.poker.quoting import quoted
from regretless.poker.solving.cpu_walker import StreetView, Walker
from regretless.poker.tree.board_lookup import FoundBoard, find_board
from regretless.poker.tree.hand_numbers import hand_names, hand_numbers
from regretless.poker.tree.public_tree import PublicTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from regretless.poker.betting.sizes import SizesLike
    from regretless.poker.games import PublicGame
    from regretless.poker.results.aggregates import Aggregate
    from regretless.poker.results.grids import Grid

__all__ = ["NodeStrategy", "PublicStrategy", "hand_names", "hand_numbers", "read_boards"]

Array = npt.NDArray[Any]

WALKING = threading.RLock()
"""Held while a tree is walked and its buffers are read: pages ask from several threads, and one walk uses all cores."""


def read_boards(arrays: Mapping[str, Array], name: str, boards: Iterable[int]) -> Array:
    """An array of a run, of which at least some boards are in memory: those of a file are read when needed."""
    read = getattr(arrays, "need", None)
    return np.asarray(arrays[name] if read is None else read(name, boards))


@dataclass(frozen=True, eq=False)
class NodeStrategy:
    """What one player does at one node on one board, hand by hand.

    `ev` and `action_ev` are chips that a hand expects from here on: what it will get out of the pot less what it still
    puts in, so folding is worth 0.
    """

    line: str
    board: str
    player: int
    actions: tuple[str, ...]
    hands: Array  # [hands, size] cards
    names: tuple[str, ...]  # [hands]
    probabilities: Array  # [hands, actions]
    weight: Array  # [hands] range weight × own probability of reaching the node
    opposing: Array  # [hands] weight of the other player's hands at the node that share no card with the hand
    ev: Array  # [hands] chips; nan where no opposing hand is possible
    action_ev: Array  # [hands, actions] chips
    pot: float  # chips in the middle
    others: Array  # [hands of the deck] weight of each hand of the other player at the node
    game: Any
    response_ev: Array | None = None
    """[hands, actions] chips of an action if the player then answers the other's strategy as well as possible."""

    @property
    def mass(self) -> Array:
        """[hands] the probability of each hand at the node together with a possible opposing hand, up to a factor."""
        return self.weight * self.opposing

    @property
    def frequencies(self) -> dict[str, float]:
        """The frequency of each action over all hands at the node."""
        mass = self.mass
        total = float(mass.sum())
        shares = mass @ self.probabilities / total if total > 0 else self.probabilities.sum(axis=0) / max(len(self), 1)
        return {action: float(share) for action, share in zip(self.actions, shares, strict=True)}

    @property
    def mean_ev(self) -> float:
        """The player's expected chips from the node on, over all hands."""
        mass = self.mass
        reached = mass > 0
        if not reached.any():
            return float("nan")
        return float((mass[reached] * self.ev[reached]).sum() / mass[reached].sum())

    def __getitem__(self, hand: str) -> dict[str, float]:
        """{action: probability} of one hand, such as "AsKh"."""
        at = self._position(hand)
        return {action: float(p) for action, p in zip(self.actions, self.probabilities[at], strict=True)}

    def _position(self, hand: str) -> int:
        known = {frozenset(_pairs(name)): at for at, name in enumerate(self.names)}
        at = known.get(frozenset(_pairs(hand.strip())))
        if at is None:
            where = f" on {self.board}" if self.board else ""
            others = f"for example {self.names[0]}" if self.names else "the board blocks the whole range"
            raise OptionError(f"there is no hand {quoted(hand)} here{where}; {others}")
        return at

    def __len__(self) -> int:
        return len(self.names)

    def grid(self) -> Grid:
        """The node by classes of hands (AKs, AKo, 77): frequencies, weights and expected values on a grid of ranks."""
        from regretless.poker.results.grids import grid_of

        return grid_of(self)

    def plot(
        self, path: str | os.PathLike[str] | None = None, what: str = "strategy", *, ax: Axes | None = None
    ) -> Figure:
        """A picture of the whole range, its "strategy", "ev", "equity" or "weight"; see `results.grid_pictures`."""
        from regretless.poker.results.drawing.grid_pictures import draw

        return draw(self, what, path, ax)

    def _repr_html_(self) -> str:
        from regretless.poker.results.drawing.grid_html import node_html

        return node_html(self)

    def frame(self) -> Any:
        """A row for each hand, as a pandas data frame; a dictionary of columns if pandas is not installed."""
        from regretless.poker.formats.exports import as_frame, hand_columns

        return as_frame(hand_columns(self))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """A row for each hand, as comma-separated values."""
        from regretless.poker.formats.exports import hand_columns, write_csv

        write_csv(path, [hand_columns(self)])

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """A row for each hand, as a Parquet file."""
        from regretless.poker.formats.exports import hand_columns, write_parquet

        write_parquet(path, [hand_columns(self)])

    def __repr__(self) -> str:
        shares = ", ".join(f"{action} {share:.1%}" for action, share in self.frequencies.items())
        where = f" on {self.board}" if self.board else ""
        return f"<player {self.player} at {self.line or 'the beginning'!r}{where}: {shares}>"


def _pairs(name: str) -> list[str]:
    text = name.replace("10", "T").replace(" ", "")
    return [text[i : i + 2].capitalize() for i in range(0, len(text), 2)]


class PublicStrategy:
    """The strategy of a game on a public tree: `strategy.at("check bet", board="Qs Jh 2h")`."""

    def __init__(self, tree: PublicTree, arrays: Mapping[str, Array], source: str) -> None:
        self.tree, self.arrays, self.source_name = tree, arrays, source
        # nodes of the first street with expected values, by number: of the player who acts, of the one who waits
        self._first_street: tuple[dict[int, NodeStrategy], dict[int, NodeStrategy]] = ({}, {})
        self._best: list[tuple[float, float]] | None = None

    @cached_property
    def source(self) -> Array:
        """The numbers that the strategy is proportional to; for a file, those that have been read so far."""
        return read_boards(self.arrays, self.source_name, ())

    def need(self, boards: Iterable[int]) -> None:
        """Read the numbers of given boards, if they come from a file."""
        read_boards(self.arrays, self.source_name, boards)

    @property
    def all_read(self) -> bool:
        """Whether the numbers of all boards are in memory."""
        missing = getattr(self.arrays, "missing", None)
        return missing is None or not missing[self.source_name].any()

    def node(self, line: str | int) -> int:
        """The node of the betting tree that a line of play leads to."""
        tree = self.tree.betting_tree
        node = line if isinstance(line, int) else tree.find(line)
        if not 0 <= node < len(tree.kind):
            raise OptionError(f"nodes are numbered from 0 to {len(tree.kind) - 1}, got {node}")
        if tree.kind[node] >= DEAL:
            raise OptionError(f"there is no decision after {tree.line(node)!r}: the hand is over there")
        return node

    def at(self, line: str | int = "", board: CardText | None = None, *, ev: bool = True) -> NodeStrategy:
        """The strategy of the player to act after a line of play, hand by hand, with expected values.

        Expected values need a walk over the whole subtree. `ev=False` leaves them nan and reads only the path to the
        node.
        """
        node = self.node(line)
        street = int(self.tree.betting_tree.street[node])
        return self.at_board([node], find_board(self.tree, street, board), ev=ev)[0]

    def at_board(
        self, nodes: Sequence[int], board: FoundBoard, *, ev: bool = True, waiting: bool = False
    ) -> list[NodeStrategy]:
        """The same for several nodes of one street, with one walk for each player; or `waiting`, see there.

        Nodes of the first street need a walk over all boards. Those with expected values are kept for the next call.
        """
        keeps = ev and len(board.path) == 1 < self.tree.streets
        kept = self._first_street[waiting]
        if keeps and all(node in kept for node in nodes):
            return [kept[node] for node in nodes]
        deeper = ev and len(board.path) < self.tree.streets
        self.need([*board.path, *(self.tree.below(board.number) if deeper else ())])
        with WALKING:
            found = self._walked(nodes, board, ev, waiting)
        if keeps:
            kept |= found
        return [found[node] for node in nodes]

    def _walked(self, nodes: Sequence[int], board: FoundBoard, ev: bool, waiting: bool) -> dict[int, NodeStrategy]:
        kind = self.tree.betting_tree.kind
        found: dict[int, NodeStrategy] = {}
        for acts in sorted({int(kind[node]) for node in nodes}):
            player = 1 - acts if waiting else acts
            view: StreetView | None = None
            acted = len(board.path) > 1 or bool(
                self.tree.betting.row[player, self.tree.order.number[list(nodes)]].any()
            )
            for node in sorted((n for n in nodes if kind[n] == acts), key=lambda n: int(self.tree.order.number[n])):
                at = int(self.tree.order.number[node])
                if view is None or at >= view.end:
                    view = self.walker.view(player, self.state, self.source, board.path, at, values=ev, own=acted)
                found[node] = self._node_strategy(node, board, view, player if waiting else None)
                if not ev:
                    found[node].ev[:], found[node].action_ev[:] = np.nan, np.nan
                    found[node] = replace(found[node], response_ev=None)
        return found

    def waiting(self, line: str | int = "", board: CardText | None = None) -> NodeStrategy:
        """The range of the player who does not act after a line of play, with expected values.

        Its only action is to wait for the other player.
        """
        node = self.node(line)
        street = int(self.tree.betting_tree.street[node])
        return self.at_board([node], find_board(self.tree, street, board), waiting=True)[0]

    def by_board(self, line: str | int, ev: bool = False) -> Aggregate:
        """The strategy after a line of play on all boards; see `results.aggregates`."""
        from regretless.poker.results.aggregates import aggregate

        return aggregate(self, line, ev=ev)

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        line: str = "",
        board: CardText | None = None,
        format: str = "csv",
        streets: int | None = None,
    ) -> None:
        """Write the subtree of a node: "csv", "parquet" or "texassolver"; see `formats.exports`."""
        from regretless.poker.formats.exports import export

        export(self, path, line=line, board=board, format=format, streets=streets)

    def spot(self, line: str, board: CardText, *, sizes: SizesLike | None = None) -> PublicGame:
        """The rest of the game after a line that ends a street, with the ranges there; see `BoardStrategy.spot`."""
        from regretless.poker.results.later_spots import spot_after

        return spot_after(self, line, board, sizes)

    def block(self, node: int, board: int) -> Array:
        """[actions, classes] probabilities at a node of the betting tree on a board of the tree."""
        tree = self.tree
        at = tree.order.number[node]
        player = int(tree.betting.kind[at])
        first, stride, count = (int(of[player, board]) for of in (
            tree.book.arrays.first, tree.book.arrays.stride, tree.book.arrays.count))  # fmt: skip
        actions = int(tree.betting.children[at])
        begin = first + int(tree.betting.slot[at]) * stride
        rows = self.source[begin : begin + actions * stride].reshape(actions, stride)[:, :count].astype(np.float64)
        return matched(rows)

    @cached_property
    def walker(self) -> Walker:
        """What walks the tree with this strategy."""
        dtype = "float64" if self.source.dtype == np.float64 else "float32"
        return Walker(self.tree, dtype, self.tree.default_threads)

    @cached_property
    def state(self) -> SolveState:
        """The strategy in the place of a solve's numbers."""
        tree = self.tree
        return SolveState(
            regret=self.source,
            guess=self.source if "guess" in self.arrays else None,
            average=self.source,
            scale=np.zeros((3, 1), np.float32) if "scale" in self.arrays else None,
            scale_first=np.zeros(tree.boards, np.int64),
            locked=np.zeros(len(tree.betting.kind), np.bool_) if tree.game.locks else None,
        )

    def _node_strategy(
        self, node: int, board: FoundBoard, view: StreetView, waiting: int | None = None
    ) -> NodeStrategy:
        """What a view shows of a node; `waiting` is the player of the view, if that is not the one who acts."""
        tree, game, scratch = self.tree, self.tree.game, view.scratch
        at = int(tree.order.number[node])
        player = int(tree.betting.kind[at]) if waiting is None else waiting
        hands, classes = board.hands(player)
        theirs = scratch.theirs[tree.betting.row[1 - player, at] - view.theirs]
        mine = scratch.mine[tree.betting.row[player, at] - view.mine]
        opposing = tree.available(board.number, player, theirs)[classes]
        acts = waiting is None
        child = int(tree.betting.first_child[at]) - view.node if acts else at - view.node
        actions = int(tree.betting.children[at]) if acts else 1
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = float(tree.betting_tree.paid[node, player]) + game.betting.pot / 2
            ev = scratch.played[at - view.node][classes] / opposing + offset
            played = [scratch.played[child + action][classes] for action in range(actions)]
            action_ev = np.stack([values / opposing for values in played], axis=1) + offset
            answered = [scratch.value[child + action][classes] for action in range(actions)]
            response_ev = np.stack([values / opposing for values in answered], axis=1) + offset
        weights = game.hand_weights()[player]
        others = np.zeros(len(weights))
        their_hands, their_classes = board.hands(1 - player)
        others[hand_numbers(tree, their_hands)] = theirs[their_classes]
        unopposed = opposing <= 16 * np.finfo(scratch.theirs.dtype).eps * others.sum()  # within rounding of the sum
        opposing[unopposed] = 0.0
        for unknown in (ev, action_ev, response_ev):
            unknown[unopposed] = np.nan
        return NodeStrategy(
            line=tree.betting_tree.line(node),
            board=game.deck.names(board.cards),
            player=player,
            actions=tree.betting_tree.actions[node] if acts else ("wait",),
            hands=hands,
            names=tuple(hand_names(game.deck, game.hand_size)[hand_numbers(tree, hands)].tolist()),
            probabilities=self.block(node, board.number)[:, classes].T if acts else np.ones((len(hands), 1)),
            weight=mine[classes].astype(np.float64) * weights[hand_numbers(tree, hands)],
            opposing=opposing,
            ev=ev,
            action_ev=action_ev,
            pot=float(tree.betting_tree.paid[node].sum()) + game.betting.pot,
            others=others,
            game=game,
            response_ev=response_ev,
        )

    def nash_conv(self, game: Any = None) -> float:
        """What both players together could gain by deviating one at a time, chips; exact."""
        return max(sum(best - own for best, own in self.responses(game)), 0.0)

    def game_values(self, game: Any = None) -> Array:
        """[2] what each player wins on average, chips."""
        return np.array([own for _, own in self.responses(game)])

    def responses(self, game: Any = None) -> list[tuple[float, float]]:
        """For each player the value of a best response to the other and that of the strategy, in chips; kept."""
        from regretless.poker.solving.responses import best_responses

        if game is not None:
            self.tree.check_same_game(game)
        if self._best is None:
            self.need(range(self.tree.boards))
            with WALKING:
                self._best = best_responses(self)
        return self._best

    def against(self, other: Any) -> float:
        """The exact winnings against another strategy, in chips per game, averaged over both seats."""
        return sum(self.against_by_seat(other)) / 2

    def against_by_seat(self, other: Any) -> tuple[float, float]:
        """The exact winnings against another strategy as player 0 and as player 1, in chips per game."""
        from regretless.poker.solving.responses import head_to_head

        by_hand = other if isinstance(other, PublicStrategy) else getattr(other, "public", None)
        if by_hand is None:  # strategies of buckets and of networks have one
            raise OptionError(f"a match of hold'em is between two strategies of hold'em, got {other!r}")
        return head_to_head(self, by_hand)

    def __repr__(self) -> str:
        return f"<PublicStrategy of {self.tree.game.name}: {self.tree.infosets:,} infosets>"
