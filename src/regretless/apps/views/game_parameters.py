"""What the parameters of the ready-made games mean, and which values they take, for the fields of the solve page."""

from __future__ import annotations

__all__ = ["GAME_PARAMETERS"]

PLAYERS = ("players at the table", "2 to 10")
RECALL = ("last claims that players remember; none: all of them", "1 or more, or none")
ABRUPT = ("whether a player whose move is refused loses the turn", "true or false")

SIZES = "shares of the pot 50%, chips 120c, times the bet 3x, e for geometric, all-in, none"

GAME_PARAMETERS: dict[str, dict[str, tuple[str, str]]] = {
    "blotto": {
        "soldiers": ("soldiers that each player places", "1 to 1,000"),
        "fields": ("battlefields", "1 to 1,000"),
    },
    "kuhn": {"players": PLAYERS},
    "one_card_poker": {"deck": ("cards in the deck", "2 to 100,000")},
    "leduc": {
        "players": PLAYERS,
        "ranks": ("ranks in the deck; none: one more than players", "2 to 10,000, or none"),
        "suits": ("cards of each rank", "1 to 26"),
        "raises": ("raises allowed in a round", "1 to 1,000"),
    },
    "dudo": {
        "dice": ("dice of each player, such as 2x1", "1 or more each"),
        "sides": ("sides of a die", "2 or more"),
        "recall": RECALL,
    },
    "liars_dice": {
        "dice": ("dice of each player, such as 2x1", "1 or more each"),
        "sides": ("sides of a die", "2 or more"),
    },
    "liar_die": {"sides": ("sides of the die", "2 to 1,000"), "recall": RECALL},
    "goofspiel": {
        "cards": ("cards of each player", "2 to 13"),
        "hidden": ("whether only the winner of a round is announced, not the bids", "true or false"),
        "points": ("order of the prizes", "descending, ascending or random"),
    },
    "oshi_zumo": {
        "coins": ("coins of each player", "1 to 1,000"),
        "size": ("places on each side of the middle", "0 or more"),
        "min_bid": ("the lowest bid", "0 or more"),
        "horizon": ("rounds after which the game ends", "1 or more"),
    },
    "phantom_ttt": {"abrupt": ABRUPT},
    "dark_hex": {"size": ("rows and columns of the board, such as 3 or 3x2", "2 to 26"), "abrupt": ABRUPT},
    "sheriff": {
        "items": ("the largest number of illegal items", "1 or more"),
        "bribe": ("the highest bribe, chips", "0 or more"),
        "rounds": ("rounds of bargaining", "1 or more"),
        "value": ("chips for each item that gets through", "a number"),
        "penalty": ("chips that the smuggler pays for each item found", "a number"),
        "fine": ("chips that the sheriff pays for a search in vain", "a number"),
    },
    "battleship": {
        "size": ("rows and columns of each board, such as 2 or 2x3", "1 or more"),
        "ships": ("cells of each ship, such as 2x1", "1 or more each"),
        "values": ("chips of each ship; none: 1 each", "numbers, or none"),
        "shots": ("shots of each player", "1 or more"),
        "loss": ("how much a lost ship counts against a sunk one", "a number"),
        "repeat": ("whether a cell may be shot at again", "true or false"),
    },
    "bargaining": {
        "pool": ("items of each kind, such as 2x1x1", "1 or more each"),
        "total": ("what all items together are worth to a player", "1 or more"),
        "turns": ("offers before the talk ends", "1 or more"),
        "discount": ("factor on the worth after each turn", "0 to 1"),
        "end": ("probability that the talk breaks off after a turn", "0 to 1"),
    },
    "tiny_bridge": {
        "players": ("players at the table", "2 or 4"),
        "abstracted": ("whether hands are merged by what matters for the tricks", "true or false"),
    },
    "liars_poker": {
        "players": PLAYERS,
        "digits": ("different digits", "1 to 10"),
        "length": ("digits in each number", "1 to 10"),
    },
    "fhp": {"caps": ("raises before the flop and bets on it, such as 3x4", "1 or more each")},
    "hulh": {},
    "hunl": {
        "stack": ("chips of each player before antes and blinds", "above 0"),
        "blinds": ("chips of the small and the big blind", "two numbers; 0, 0 for none"),
        "ante": ("chips that each player pays before the cards", "0 or more"),
        "sizes": ("bets and raises on all streets; also donk for bets into the player who bet last", SIZES),
        "preflop": ("the same before the flop, where the blinds are bets and the rest are raises", SIZES),
        "flop": ("the same on the flop", SIZES),
        "turn": ("the same on the turn", SIZES),
        "river": ("the same on the river", SIZES),
        "caps": ("bets and raises allowed on a street, blinds not counted; none: any number", "3, 3x4x4x4 or none"),
    },
}
"""By game and parameter: its meaning, and its limits."""
