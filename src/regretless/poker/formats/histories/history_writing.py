"""Played hands as PHH files; see `hand_histories`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from regretless.errors import OptionError
from regretless.kernels.constants import DEAL, SHOWDOWN
from regretless.poker.betting.betting_tree import BettingTree
from regretless.poker.betting.limit import Limit
from regretless.poker.cards.deck import STANDARD
from regretless.poker.games import PublicGame
from regretless.poker.results.playing import PlayedHand
from regretless.storage import write_atomically

__all__ = ["first_street", "hand_history", "pokerkit", "save_hands", "street_total"]

STREET_CARDS = (0, 3, 4, 5)
DECIMALS = 9


def pokerkit() -> Any:
    """The module PokerKit, an optional extra."""
    try:
        import pokerkit
    except ImportError:
        raise OptionError(
            "hand histories need PokerKit, which is not installed; pip install 'regretless[histories]'"
        ) from None
    return pokerkit


def save_hands(hands: Iterable[PlayedHand], path: str | os.PathLike[str]) -> list[Path]:
    """Write each hand to a .phh file in a folder, or all hands to one .phhs file; returns the paths."""
    kit, target = pokerkit(), Path(path)
    histories = [(hand.number, hand_history(hand)) for hand in hands]
    if target.suffix == ".phhs":
        text = kit.HandHistory.dumps_all([history for _, history in histories])
        write_atomically(target, lambda file: file.write(text.encode()))
        return [target]
    digits = len(str(max((number for number, _ in histories), default=1)))
    files = []
    for number, history in histories:
        file_path, text = target / f"hand-{number:0{digits}}.phh", history.dumps()
        write_atomically(file_path, lambda file, text=text: file.write(text.encode()))  # type: ignore[misc]
        files.append(file_path)
    return files


def hand_history(hand: PlayedHand) -> Any:
    """A played hand as PokerKit's `HandHistory`. PokerKit replays it as a check."""
    game = hand.tree.game
    kit, first = pokerkit(), first_player(game)
    stack = _starting_stack(game, hand.tree.betting_tree)
    finishing = [stack + chips for chips in hand.winnings]
    # PokerKit gives an odd chip to one player if chips are whole numbers; it splits decimals.
    chips = _whole if all(float(x).is_integer() for x in finishing) else _fraction
    seats = [first, 1 - first]
    history = kit.HandHistory(
        **_stakes(game, hand.tree.betting_tree, stack, chips),
        hand=hand.number,
        players=[f"player {player}" for player in seats],
        actions=[],
        finishing_stacks=[chips(finishing[player]) for player in seats],
        user_defined_fields={"_game": game.name},
    )
    try:
        history.actions, state = _replayed(kit, history.create_state(), hand, seats, chips)
    except ValueError as error:
        raise OptionError(f"PokerKit refuses this hand as {history.variant}: {error}") from None
    if not state.status and not getattr(game.betting, "rake", 0):
        got = [float(x) for x in state.stacks]
        wanted = [float(x) for x in history.finishing_stacks]
        if not np.allclose(got, wanted, rtol=0, atol=10.0 ** (3 - DECIMALS)):
            raise OptionError(f"PokerKit ends this hand with stacks of {got}, and the game ends with {wanted}")
    return history


def first_player(game: PublicGame) -> int:
    """The player of a game that is p1 in PHH: who acts first after the flop."""
    rules = game.betting
    if game.deck != STANDARD or game.hand_size != 2 or first_street(game) is None:
        raise OptionError("hand histories are for hold'em: 52 cards, hands of two, boards of 0, 3, 4 and 5 cards")
    blinds = any(rules.blinds)
    first = int(np.argmax(rules.blinds)) if blinds else rules.openers[0]
    if tuple(rules.openers) != ((1 - first) if blinds else first, *(first,) * (rules.streets - 1)):
        raise OptionError(
            f"hand histories need the usual order of players; here players {rules.openers} open the streets"
        )
    return first


def first_street(game: PublicGame) -> int | None:
    """The street of hold'em on which a game begins; None if its streets are not those of hold'em."""
    cards = np.cumsum([len(game.first_board), *game.board_cards]).tolist()
    if cards[0] not in STREET_CARDS:
        return None
    street = STREET_CARDS.index(cards[0])
    return street if tuple(cards) == STREET_CARDS[street : street + len(cards)] else None


def _starting_stack(game: PublicGame, tree: BettingTree) -> float:
    """Chips of each player before antes and blinds; more than can be bet where the game has no stacks."""
    rules = game.betting
    enough = max(100.0 * (game.big_blind or 1.0), 2.0 * float(tree.paid.max()))
    return (enough if rules.stack is None else float(rules.stack)) + rules.pot / 2


def _stakes(game: PublicGame, tree: BettingTree, stack: float, chips: Any) -> dict[str, Any]:
    """The fields of a history with the variant, the stacks and the forced bets."""
    rules = game.betting
    common = {
        "antes": [chips(rules.ante + rules.pot / 2)] * 2,
        "blinds_or_straddles": [chips(blind) for blind in sorted(rules.blinds)],
        "starting_stacks": [chips(stack)] * 2,
    }
    begin = first_street(game) or 0
    if isinstance(rules, Limit):
        small = rules.bet_sizes[0] if begin < 2 else rules.bet_sizes[0] / 2
        big = rules.bet_sizes[max(2 - begin, 0)] if begin + rules.streets > 2 else small
        usual = tuple(small if begin + street < 2 else big for street in range(rules.streets))
        if usual == rules.bet_sizes:
            return {"variant": "FT", "small_bet": chips(small), "big_bet": chips(big), **common}
    return {"variant": "NT", "min_bet": chips(_smallest_bet(tree, stack)), **common}


def _smallest_bet(tree: BettingTree, stack: float) -> float:
    """The smallest bet or raise of a tree, on top of the bet before it."""
    parent = np.maximum(tree.parent, 0)
    added = tree.paid.max(axis=1) - tree.paid[parent].max(axis=1)
    bets = added[(tree.parent >= 0) & (added > 0)]
    return float(min(bets.min(initial=np.inf), stack))


def _whole(chips: float) -> Any:
    value = round(float(chips), DECIMALS)
    return int(value) if value.is_integer() else Decimal(repr(value))


def _fraction(chips: float) -> Any:
    return Decimal(repr(round(float(chips), DECIMALS)))


def _replayed(kit: Any, state: Any, hand: PlayedHand, seats: Sequence[int], chips: Any) -> tuple[list[str], Any]:
    """The actions of a hand, each applied to PokerKit's state as soon as it is written."""
    from pokerkit.notation import parse_action

    deck, tree = hand.tree.game.deck, hand.tree.betting_tree
    actions: list[str] = []
    undealt = list(hand.board)

    def act(text: str) -> None:
        actions.append(text)
        parse_action(state, text)

    def deal() -> None:
        size = 3 if len(hand.board) == len(undealt) else 1
        if state.can_burn_card():
            state.burn_card("??")
        act(f"d db {deck.names(undealt[:size])}")
        del undealt[:size]

    for seat, player in enumerate(seats, start=1):
        act(f"d dh p{seat} {deck.hand_name(hand.hands[player])}")
    for _ in range(first_street(hand.tree.game) or 0):
        for _ in range(2):
            act(f"p{state.actor_index + 1} cc")
        deal()
    for node, after in zip(hand.nodes, hand.nodes[1:], strict=False):
        if tree.kind[node] == DEAL:
            _show(state, hand, seats, act)
            deal()
        else:
            act(f"p{seats.index(int(tree.kind[node])) + 1} {_action_text(hand, node, after, chips)}")
    if tree.kind[hand.nodes[-1]] == SHOWDOWN:
        _show(state, hand, seats, act)
    return actions, state


def _show(state: Any, hand: PlayedHand, seats: Sequence[int], act: Any) -> None:
    """Show the cards: at the end, or before the rest of the board once all chips are in."""
    while state.showdown_index is not None:
        seat = int(state.showdown_index)
        act(f"p{seat + 1} sm {hand.tree.game.deck.hand_name(hand.hands[seats[seat]])}")


def _action_text(hand: PlayedHand, node: int, after: int, chips: Any) -> str:
    tree = hand.tree.betting_tree
    name = tree.actions[node][after - int(tree.first_child[node])]
    if name == "fold":
        return "f"
    if name in ("check", "call"):
        return "cc"
    return f"cbr {chips(street_total(hand.tree.game, tree, node, after))}"


def street_total(game: PublicGame, tree: BettingTree, node: int, after: int) -> float:
    """Chips that the mover has paid on the street after an action, with blinds and without antes."""
    begin = node
    while tree.parent[begin] >= 0 and tree.kind[tree.parent[begin]] != DEAL:
        begin = int(tree.parent[begin])
    settled = float(tree.paid[begin].min()) if tree.street[node] else float(game.betting.ante)
    return float(tree.paid[after, int(tree.kind[node])]) - settled
