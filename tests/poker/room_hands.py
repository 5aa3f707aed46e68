"""A hand of a poker room as text, and a spot that it reaches."""

from __future__ import annotations

from regretless.poker import Spot

RANGES = ("AK,QQ,JJ,T9s,98s,22", "AK,AQs,KQs,22,77,QQ")
SPOT = Spot("Qs Jh 2h 7c", RANGES, pot=140, stack=230, sizes="bet 50%, raise all-in", chip=1)

STARS = """PokerStars Hand #{number}: Hold'em No Limit ($0.50/$1.00 USD) - 2024/05/01 12:00:00 ET
Table 'Alpha' 2-max Seat #1 is the button
Seat 1: Hero ($30 in chips)
Seat 2: Villain ($1,030 in chips)
Hero: posts small blind $0.50
Villain: posts big blind $1
*** HOLE CARDS ***
Dealt to Hero [{cards}]
Hero: raises $2 to $3
Villain: calls $2
*** FLOP *** [{flop}]
Villain: checks
Hero: bets $4
Villain: calls $4
*** TURN *** [{flop}] [{turn}]
Villain: checks
Hero: {move}
Villain: folds
Uncalled bet ($7) returned to Hero
Hero collected $13.50 from pot
*** SUMMARY ***
Total pot $14 | Rake $0.50
"""


def stars(
    number: int = 1, cards: str = "Ah Kh", flop: str = "Qs Jh 2h", turn: str = "7c", move: str = "bets $7"
) -> str:
    return STARS.format(number=number, cards=cards, flop=flop, turn=turn, move=move)
