"""Showdowns of all hands against one hand over many boards."""

from __future__ import annotations

from regretless.kernels.cards.hand_strength import write_strengths
from regretless.kernels.numba_ext.compiling import kernel

__all__ = ["add_hand_showdowns"]


@kernel
def add_hand_showdowns(boards, hands, own, deck, tables, in_suit, strength, net):
    """Compare all hands [hands, cards] with hand number `own` on each of the boards [n, cards].

    deck, tables: as in `strengths_on_board`; in_suit [suits] and strength [hands] are scratch. No board holds a card of
    the one hand. Added to net [hands]: the boards on which a hand beats it, less those on which it loses to it.
    """
    for b in range(boards.shape[0]):
        in_suit[:] = 0
        write_strengths(boards[b], hands, deck, tables, in_suit, strength)
        for h in range(hands.shape[0]):
            if strength[h] > strength[own]:
                net[h] += 1
            elif 0 <= strength[h] < strength[own]:
                net[h] -= 1
