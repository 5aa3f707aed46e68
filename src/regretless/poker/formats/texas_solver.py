"""Strategies in the JSON layout of TexasSolver's `dump_result`, for programs that read its results.

A dump holds (TexasSolver's source of 2023):

- a decision: {"node_type": "action_node", "player": 0 or 1, "actions": [names], "strategy": {"actions": [names],
  "strategy": {hand: [probability of each action]}}, "childrens": {action: node}};
- a deal: {"node_type": "chance_node", "deal_number": number of cards, "dealcards": {card: node}};
- no folds and showdowns, and no empty "childrens" and "dealcards": the last street that is written, and lines that are
  all-in, end in a deal without cards;
- player 0 is in position and player 1 out of position, who acts first on every street;
- actions are CHECK, CALL, FOLD, BET x and RAISE x, with six decimals; x is the number of chips that the player will
  have paid on this street. All-in is a bet or raise like any other. Order: check or call, bets or raises ascending,
  fold;
- a hand is written with its higher card first: "AhKd", suits ascending c, d, h, s.

A dump has no ranges, pots, boards or expected values. Two things differ from a dump of TexasSolver: cards of the board
are not among the deals, and hands that hold one of them are not in the tables (TexasSolver writes meaningless
probabilities for them). All boards are written, also those that differ by suits only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL
from regretless.poker.quoting import quoted
from regretless.poker.results.public_strategy import PublicStrategy
from regretless.poker.tree.board_lookup import FoundBoard, find_board
from regretless.poker.tree.hand_numbers import hand_names, hand_numbers
from regretless.storage import write_atomically

__all__ = ["action_names", "read_texas_solver", "write_texas_solver"]

DIGITS = 6
OPENING = '"childrens":{'


def write_texas_solver(
    strategy: PublicStrategy, path: str | os.PathLike[str], node: int, board: FoundBoard, last: int
) -> None:
    """Write the subtree of a node on a board up to the end of a street, in chunks, so that memory stays small."""
    game = strategy.tree.game
    if (
        game.hand_size != 2
        or len(board.cards) < 3
        or any(size != 1 for size in game.board_cards[len(board.path) - 1 :])
    ):
        raise OptionError(
            "TexasSolver has hands of two cards and one card for each street after the flop: "
            "name a line and a board with three cards or more"
        )
    writer = _Writer(strategy, last)

    def fill(file: IO[bytes]) -> None:
        writer.file = file
        writer.node(node, board)

    write_atomically(path, fill)


def action_names(strategy: PublicStrategy, node: int) -> list[tuple[str, int]]:
    """TexasSolver's names of the actions of a decision in its order, each with its index among ours.

    The first bet of a street is a BET. After it, and after a blind, bets are RAISEs.
    """
    tree = strategy.tree.betting_tree
    mover, first = int(tree.kind[node]), int(tree.first_child[node])
    begin = node
    while tree.parent[begin] >= 0 and tree.kind[tree.parent[begin]] != DEAL:
        begin = int(tree.parent[begin])
    settled = float(tree.paid[begin].min())
    faced = float(tree.paid[node].max()) > settled
    passive, bets, folds = [], [], []
    for index, name in enumerate(tree.actions[node]):
        if name == "fold":
            folds.append(("FOLD", index))
        elif name in ("check", "call"):
            passive.append((name.upper(), index))
        else:
            chips = float(tree.paid[first + index, mover]) - settled
            bets.append((f"{'RAISE' if faced else 'BET'} {chips:.{DIGITS}f}", index))
    return passive + bets + folds


class _Writer:
    """Writes nodes one after the other; only the nodes on the path to the present one are open."""

    file: IO[bytes]

    def __init__(self, strategy: PublicStrategy, last: int) -> None:
        self.strategy, self.last = strategy, last
        self.tree = strategy.tree.betting_tree
        opener = strategy.tree.game.betting.openers[-1]
        self.players = {opener: 1, 1 - opener: 0}
        self.names = hand_names(strategy.tree.game.deck, 2)
        self.held: dict[tuple[tuple[int, ...], int], tuple[list[str], Any]] = {}

    def put(self, text: str) -> None:
        self.file.write(text.encode())

    def node(self, node: int, board: FoundBoard) -> None:
        """A decision or a deal, with its subtree."""
        if self.tree.kind[node] == DEAL:
            self.deal(node, board)
            return
        names = action_names(self.strategy, node)
        spelled = json.dumps([name for name, _ in names])
        first, player = int(self.tree.first_child[node]), int(self.tree.kind[node])
        self.put(f'{{"actions":{spelled},')
        inner = [(name, first + index) for name, index in names if self.tree.kind[first + index] <= DEAL]
        for at, (name, child) in enumerate(inner):
            self.put(f'{"," if at else OPENING}"{name}":')
            self.node(child, board)
        self.put("}," if inner else "")
        self.put(f'"node_type":"action_node","player":{self.players[player]},"strategy":{{"actions":{spelled},')
        self.put('"strategy":')
        self.hands(node, board, [index for _, index in names])
        self.put("}}")

    def hands(self, node: int, board: FoundBoard, order: list[int]) -> None:
        """The table of a decision."""
        player = int(self.tree.kind[node])
        key = (board.cards, player)
        if key not in self.held:
            self.held = {known: of for known, of in self.held.items() if known[0] == board.cards[: len(known[0])]}
            hands, classes = board.hands(player)
            self.held[key] = (self.names[hand_numbers(self.strategy.tree, hands)].tolist(), classes)
        names, classes = self.held[key]
        self.strategy.need(board.path)
        rows = np.round(self.strategy.block(node, board.number)[order][:, classes].T, DIGITS).tolist()
        self.put(json.dumps(dict(zip(names, rows, strict=True)), separators=(",", ":")))

    def deal(self, node: int, board: FoundBoard) -> None:
        """A deal with the boards that follow; without boards after the last street, or where all chips are in."""
        street, after = len(board.path), int(self.tree.first_child[node])
        cards = []
        if street <= self.last and self.tree.kind[after] < DEAL:
            cards = [card for card in range(self.strategy.tree.game.deck.size) if card not in board.cards]
        if cards:
            self.put('{"dealcards":{')
            for at, card in enumerate(cards):
                self.put(f'{"," if at else ""}"{self.strategy.tree.game.deck.name(card)}":')
                self.node(after, find_board(self.strategy.tree, street, (*board.cards, card)))
            self.put("},")
        self.put(f'{"" if cards else "{"}"deal_number":{len(cards)},"node_type":"chance_node"}}')


def read_texas_solver(path: str | os.PathLike[str], line: list[str] | None = None) -> dict[str, dict[str, float]]:
    """{hand: {action: probability}} at a node of a dump, found by the actions and dealt cards on the way to it.

    For example read_texas_solver("dump.json", ["CHECK", "BET 50.000000", "CALL", "7c"]).
    """
    name = os.fspath(path)
    try:
        node = json.loads(Path(path).read_bytes())
    except RecursionError:
        raise FileError(f"cannot read {name} as a dump of TexasSolver: its values are nested too deeply") from None
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {name} as a dump of TexasSolver: {error}") from None
    try:
        for step in line or []:
            options = {**node.get("childrens", {}), **node.get("dealcards", {})}
            if step not in options:
                known = quoted(", ".join(options))[1:-1] or "none"
                raise OptionError(f"{quoted(step)} is not in the dump there; the next steps are {known}")
            node = options[step]
        if "strategy" not in node:
            raise OptionError("there is no decision there: name a card or an action after it")
        table = node["strategy"]
        return {hand: dict(zip(table["actions"], row, strict=True)) for hand, row in table["strategy"].items()}
    except OptionError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise FileError(f"{name} does not have the layout of a dump of TexasSolver") from None
