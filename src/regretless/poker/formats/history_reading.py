"""Where hands in PHH files were decided, as lines and boards of a game; see `hand_histories`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.cards.deck import STANDARD
from regretless.poker.formats.history_writing import first_player, pokerkit, street_total
from regretless.poker.games import PublicGame

__all__ = ["Decision", "decisions_of", "node_of", "read_history"]

SAME = 0.005
"""Bets are the same when they differ by less than this share of the pot: files round to chips."""


class Decision(NamedTuple):
    """Somebody's turn in a hand."""

    line: str
    board: str
    player: int  # of the game; without a game, PHH's p1 is 0
    hand: str  # the mover's cards, if they are known
    action: str  # what was done, in the game's words


def read_history(source: Any) -> Any:
    """PokerKit's `HandHistory` of a .phh file; one that is given comes back as it is."""
    kit = pokerkit()
    if isinstance(source, kit.HandHistory):
        return source
    try:
        return kit.HandHistory.loads(Path(source).read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"cannot read {os.fspath(source)}: {error.strerror or error}") from None
    except (ValueError, TypeError, KeyError) as error:
        raise FileError(f"{os.fspath(source)} is no hand history in the PHH format: {error}") from None


def node_of(
    source: Any, game: PublicGame | None = None, decision: int = -1, *, nearest: bool = False
) -> tuple[str, str]:
    """The line and the board at a decision of a hand, the last one unless told, as `strategy.at` takes them.

    See `decisions_of`, which lists them all.
    """
    found = decisions_of(source, game, nearest=nearest)
    if not -len(found) <= decision < len(found):
        raise OptionError(f"this hand has {len(found)} decisions in the game, got decision={decision!r}")
    return found[decision].line, found[decision].board


def decisions_of(source: Any, game: PublicGame | None = None, *, nearest: bool = False) -> list[Decision]:
    """The decisions of a hand in a PHH file, or of a `HandHistory`.

    Without a game the line is spelled from the deal on, for two players. With one, it is what the hand was from the
    street on with which the game begins, with the game's own actions; chips are scaled so that the pots then are the
    same, and `nearest` takes the nearest bet that the game knows where it does not know the one that was made.
    """
    history = read_history(source)
    table = _Table(history)
    follower = _Words(table) if game is None else _Follower(table, game, nearest)
    for text in history.actions:
        words = text.split("#")[0].split()
        if words[:2] in (["d", "dh"], ["d", "db"]):
            table.deal(words[1:])
        elif len(words) > 1 and words[1] in ("f", "cc", "cbr"):
            if follower.follow(int(words[0][1:]) - 1, words[1:]):
                break
            table.act(int(words[0][1:]) - 1, words[1:])
    return follower.decisions


class _Table:
    """Bets, pot and cards of a hand while it is read; players are counted from 0."""

    def __init__(self, history: Any) -> None:
        count = len(history.starting_stacks)
        turned = (lambda values: list(values)[::-1]) if count == 2 else list  # PHH lists the small blind first
        antes = [float(x) for x in turned(history.antes)]
        self.limit = history.variant.startswith("F")
        self.bets = [abs(float(x)) for x in turned(history.blinds_or_straddles or [0] * count)]
        self.stacks = [float(x) - a - b for x, a, b in zip(history.starting_stacks, antes, self.bets, strict=True)]
        self.pot, self.alive = sum(antes), set(range(count))
        self.board: tuple[int, ...] = ()
        self.holes: dict[int, str] = {}

    def deal(self, words: list[str]) -> None:
        if words[0] == "db":
            self.board = (*self.board, *STANDARD.cards(words[1]))
            self.pot += sum(self.bets)
            self.bets = [0.0] * len(self.bets)
        elif "?" not in words[2]:
            self.holes[int(words[1][1:]) - 1] = STANDARD.hand_name(STANDARD.cards(words[2]))

    def act(self, player: int, words: list[str]) -> None:
        if words[0] == "f":
            self.alive.discard(player)
            return
        total = max(self.bets) if words[0] == "cc" else float(words[1])
        paid = min(total - self.bets[player], self.stacks[player])
        self.stacks[player] -= paid
        self.bets[player] += paid

    def spelled_board(self) -> str:
        return " ".join(STANDARD.name(card) for card in self.board)


class _Words:
    """Spells the actions of a hand of two players, without a game."""

    def __init__(self, table: _Table) -> None:
        if len(table.alive) != 2:
            raise OptionError(f"this hand has {len(table.alive)} players; a game says from where two are left")
        self.table, self.cards = table, 0
        self.said: list[str] = []
        self.decisions: list[Decision] = []

    def follow(self, player: int, words: list[str]) -> bool:
        table = self.table
        if len(table.board) > self.cards and self.said:
            self.said.append("/")
        self.cards = len(table.board)
        highest = max(table.bets)
        if words[0] == "cbr":
            verb = ("bet" if highest == 0 else "raise") if table.limit else ("bet " if highest == 0 else "raise to ")
            action = verb if table.limit else verb + spell_chips(float(words[1]))
        else:
            action = "fold" if words[0] == "f" else "call" if table.bets[player] < highest else "check"
        line = " ".join(self.said).removesuffix(" /")
        self.decisions.append(Decision(line, table.spelled_board(), player, table.holes.get(player, ""), action))
        self.said.append(action)
        return False


class _Follower:
    """Follows a hand through the betting tree of a game."""

    def __init__(self, table: _Table, game: PublicGame, nearest: bool) -> None:
        self.table, self.game, self.nearest = table, game, nearest
        self.first = first_player(game)
        self.tree = game.betting_tree()
        self.node, self.scale = -1, 1.0
        self.decisions: list[Decision] = []

    def follow(self, player: int, words: list[str]) -> bool:
        """One action of the file; whether the game is over after it."""
        table, tree = self.table, self.tree
        if self.node < 0 and not self._begins():
            return False
        names = tree.actions[self.node]
        if words[0] == "cbr":
            step = self._bet(float(words[1]), all_in=float(words[1]) >= table.bets[player] + table.stacks[player])
        else:
            step = names.index("fold") if words[0] == "f" else [name in ("check", "call") for name in names].index(True)
        line = tree.line(self.node)
        mover = int(tree.kind[self.node])
        self.decisions.append(Decision(line, table.spelled_board(), mover, table.holes.get(player, ""), names[step]))
        self.node = int(tree.first_child[self.node]) + step
        while tree.kind[self.node] == DEAL:
            self.node = int(tree.first_child[self.node])
        return bool(tree.kind[self.node] > DEAL)

    def _begins(self) -> bool:
        """Whether the hand has come to the board with which the game begins; then the two pots are set equal."""
        table, first = self.table, self.game.first_board
        if len(table.board) < len(first):
            return False
        if set(table.board) != set(first):
            wanted = STANDARD.names(first) or "no board"
            raise OptionError(f"the game begins with {wanted} and the hand has {table.spelled_board()}")
        if len(table.alive) != 2:
            raise OptionError(f"{len(table.alive)} players are in the hand where the game begins; it is for two")
        self.node = 0
        self.scale = (float(self.game.betting.pot) + float(self.tree.paid[0].sum())) / (table.pot + sum(table.bets))
        return True

    def _bet(self, chips: float, all_in: bool) -> int:
        """The place of the bet or raise that was made, among the game's actions."""
        tree, node = self.tree, self.node
        names, first = tree.actions[node], int(tree.first_child[node])
        offered = [at for at, name in enumerate(names) if name not in ("fold", "check", "call")]
        if not offered:
            raise OptionError(
                f"the hand goes on with a bet of {chips:g} after {tree.line(node)!r}; the game has none there"
            )
        if all_in and names[offered[-1]] == "all-in":
            return offered[-1]
        if self.table.limit:
            return offered[0]
        totals = np.array([street_total(self.game, tree, node, first + at) for at in offered])
        pot = float(tree.paid[node].sum()) + float(self.game.betting.pot)
        off = np.abs(totals - chips * self.scale)
        if off.min() > SAME * pot and not self.nearest:
            known = ", ".join(names[at] for at in offered)
            raise OptionError(
                f"the hand goes on with a bet of {spell_chips(chips * self.scale)} chips of the game after "
                f"{tree.line(node)!r}, which offers {known}; nearest=True takes the nearest"
            )
        return offered[int(np.argmin(off))]
