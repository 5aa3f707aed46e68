"""Strategies in the JSON layout of TexasSolver's `dump_result`, for programs that read its results.

What a dump holds (as in TexasSolver's source of 2023, in our own words):

- a decision: {"node_type": "action_node", "player": 0 or 1, "actions": [names], "strategy": {"actions": [names],
  "strategy": {hand: [probability of each action]}}, "childrens": {action: node}};
- a deal: {"node_type": "chance_node", "deal_number": how many, "dealcards": {card: node}};
- folds and showdowns are left out, and so are "childrens" and "dealcards" with nothing in them: the last street that
  is written, and chips that are all in, end in a deal without cards;
- player 0 is in position and player 1 out of position, who acts first on every street;
- names are CHECK, CALL, FOLD, BET x and RAISE x, with six decimals; x is what the player will have put in on this
  street. All-in is a bet or raise like any other. Order: check or call, bets or raises ascending, fold;
- a hand is written with its higher card first: "AhKd", suits ascending c, d, h, s.

The dump knows no ranges, pots, boards or expectations; none are written. Two things differ from a dump of TexasSolver:
cards that lie on the board are not among the deals, and hands that hold one of them are not in the tables (there they
have probabilities that mean nothing). Boards are written with all their suits, also where one stands for others.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, Any

import numpy as np

from regretless.errors import FileError, OptionError
from regretless.kernels.constants import DEAL
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
    """Write everything from a node on a board up to the end of a street; piece by piece, whatever its size."""
    game = strategy.tree.game
    if (
        game.hand_size != 2
        or len(board.cards) < 3
        or any(size != 1 for size in game.board_cards[len(board.path) - 1 :])
    ):
        raise OptionError(
            "TexasSolver knows hands of two cards, from the flop on, with single cards to come; "
            "name a line and a board with three cards or more"
        )
    writer = _Writer(strategy, last)

    def fill(file: IO[bytes]) -> None:
        writer.file = file
        writer.node(node, board)

    write_atomically(path, fill)


def action_names(strategy: PublicStrategy, node: int) -> list[tuple[str, int]]:
    """TexasSolver's names of a decision's actions in its order, each with its place among ours.

    A bet is the first of its street; after it, and after a blind, there are raises.
    """
    tree = strategy.tree.betting_tree
    mover, first = int(tree.kind[node]), int(tree.first_child[node])
    begin = node
    while tree.parent[begin] >= 0 and tree.kind[tree.parent[begin]] != DEAL:
        begin = int(tree.parent[begin])
    settled = float(tree.paid[begin].min())
    faced = float(tree.paid[node].max()) > settled
    calm, bets, folds = [], [], []
    for place, name in enumerate(tree.actions[node]):
        if name == "fold":
            folds.append(("FOLD", place))
        elif name in ("check", "call"):
            calm.append((name.upper(), place))
        else:
            chips = float(tree.paid[first + place, mover]) - settled
            bets.append((f"{'RAISE' if faced else 'BET'} {chips:.{DIGITS}f}", place))
    return calm + bets + folds


class _Writer:
    """Writes nodes one after the other; what is open are only the nodes on the way to the present one."""

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
        """A decision or a deal, with all that follows."""
        if self.tree.kind[node] == DEAL:
            self.deal(node, board)
            return
        names = action_names(self.strategy, node)
        spelled = json.dumps([name for name, _ in names])
        first, player = int(self.tree.first_child[node]), int(self.tree.kind[node])
        self.put(f'{{"actions":{spelled},')
        going_on = [(name, first + place) for name, place in names if self.tree.kind[first + place] <= DEAL]
        for at, (name, child) in enumerate(going_on):
            self.put(f'{"," if at else OPENING}"{name}":')
            self.node(child, board)
        self.put("}," if going_on else "")
        self.put(f'"node_type":"action_node","player":{self.players[player]},"strategy":{{"actions":{spelled},')
        self.put('"strategy":')
        self.hands(node, board, [place for _, place in names])
        self.put("}}")

    def hands(self, node: int, board: FoundBoard, places: list[int]) -> None:
        """The table of a decision."""
        player = int(self.tree.kind[node])
        key = (board.cards, player)
        if key not in self.held:
            self.held = {known: of for known, of in self.held.items() if known[0] == board.cards[: len(known[0])]}
            hands, classes = board.hands(player)
            self.held[key] = (self.names[hand_numbers(self.strategy.tree, hands)].tolist(), classes)
        names, classes = self.held[key]
        self.strategy.need(board.path)
        rows = np.round(self.strategy.block(node, board.number)[places][:, classes].T, DIGITS).tolist()
        self.put(json.dumps(dict(zip(names, rows, strict=True)), separators=(",", ":")))

    def deal(self, node: int, board: FoundBoard) -> None:
        """A deal, with the boards that it can lead to; without them after the last street, or if nobody decides."""
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
    try:
        node = json.loads(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise FileError(f"cannot read {os.fspath(path)} as a dump of TexasSolver: {error}") from None
    for step in line or []:
        options = {**node.get("childrens", {}), **node.get("dealcards", {})}
        if step not in options:
            known = ", ".join(options) or "nothing"
            raise OptionError(f"{step!r} is not in the dump there; what follows is {known}")
        node = options[step]
    if "strategy" not in node:
        raise OptionError("nobody decides there: name a card or an action after it")
    table = node["strategy"]
    return {hand: dict(zip(table["actions"], row, strict=True)) for hand, row in table["strategy"].items()}
