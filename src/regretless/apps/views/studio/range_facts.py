"""A node of hold'em as players study it: equity, EV and its realisation, and frequencies by what hands are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.poker.cards.hand_kinds import DRAWS, MADE, HandKinds, hand_kinds
from regretless.poker.results.board_strategy import BoardStrategy
from regretless.poker.results.grids import equities
from regretless.poker.results.public_strategy import NodeStrategy, PublicStrategy
from regretless.poker.results.waiting_ev import waiting_ev_at

__all__ = ["KindRow", "PlayerFacts", "both_players", "kind_rows", "kinds_at", "node_equities", "realisation"]

Array = npt.NDArray[Any]


LEAST_EQUITY = 1e-4
"""Below this equity the realisation is not shown: it would be a ratio of roundings."""


@dataclass(frozen=True)
class PlayerFacts:
    """What a player has at a node; None where it is not known."""

    player: int
    to_act: bool
    combos: float
    """Hands at the node, each counted with its weight."""
    equity: float | None
    ev: float | None
    """Expected chips from the node on."""
    realisation: float | None
    """EV ÷ (equity × pot): above 1, the player wins more than the share of the pot that the cards are worth."""


def node_equities(node: NodeStrategy) -> Array | None:
    """[hands] equities of the player to act; None before the flop, or if play never comes to the node."""
    if node.game.hand_size != 2 or not node.board or not node.mass.any():
        return None
    try:
        return equities(node)
    except OptionError:  # no two hands can be dealt together
        return None


def both_players(
    strategy: PublicStrategy | BoardStrategy, node: NodeStrategy, equity: Array | None
) -> list[PlayerFacts]:
    """Both players at a node of a strategy."""
    share = _mean(node, equity)
    ev = node.mean_ev
    mine = None if math.isnan(ev) else ev
    theirs = None if mine is None or isinstance(strategy, BoardStrategy) else waiting_ev_at(strategy, node)
    shares = (share, None if share is None else 1.0 - share)
    facts = []
    for at, (player, value) in enumerate(((node.player, mine), (1 - node.player, theirs))):
        combos = float(node.weight.sum() if at == 0 else node.others.sum())
        facts.append(PlayerFacts(player, at == 0, combos, shares[at], value, realisation(value, shares[at], node.pot)))
    return sorted(facts, key=lambda found: found.player)


def _mean(node: NodeStrategy, values: Array | None) -> float | None:
    """The mean of a value of each hand over the hands at the node."""
    if values is None:
        return None
    known = (node.mass > 0) & ~np.isnan(values)
    total = float(node.mass[known].sum())
    return float((node.mass[known] * values[known]).sum() / total) if total > 0 else None


def realisation(ev: float | None, equity: float | None, pot: float) -> float | None:
    """EV ÷ (equity × pot); None where one of them is not known, or without equity."""
    return None if ev is None or equity is None or equity < LEAST_EQUITY else ev / (equity * pot)


# -- by what hands are ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KindRow:
    """The hands of a kind at a node."""

    kind: str
    draw: bool
    combos: float
    share: float
    """Of all hands at the node."""
    frequencies: tuple[float, ...]
    ev: float | None
    equity: float | None
    realisation: float | None


def kinds_at(node: NodeStrategy) -> HandKinds | None:
    """The kinds of the hands of a node; None for boards and hands that have no kinds."""
    cards = node.game.deck.cards(node.board)
    if node.game.hand_size != 2 or not 3 <= len(cards) <= 5:
        return None
    return hand_kinds(node.game.deck, cards, node.hands)


def kind_rows(node: NodeStrategy, kinds: HandKinds, equity: Array | None) -> list[KindRow]:
    """A row for each made kind and each draw that some hand at the node has; made kinds come first."""
    rows = []
    for names, draw in ((MADE, False), (DRAWS, True)):
        for name in names:
            row = _row(node, kinds.having(name), name, draw, equity)
            rows += [] if row is None else [row]
    return rows


def _row(node: NodeStrategy, chosen: Array, name: str, draw: bool, equity: Array | None) -> KindRow | None:
    mass = np.where(chosen, node.mass, 0.0)
    total = float(mass.sum())
    if total <= 0:
        return None
    shares = mass @ node.probabilities / total
    ev, won = _weighted(mass, node.ev), None if equity is None else _weighted(mass, equity)
    return KindRow(
        kind=name,
        draw=draw,
        combos=float(node.weight[chosen].sum()),
        share=total / float(node.mass.sum()),
        frequencies=tuple(shares.tolist()),
        ev=ev,
        equity=won,
        realisation=realisation(ev, won, node.pot),
    )


def _weighted(mass: Array, values: Sequence[float] | Array) -> float | None:
    found = np.asarray(values)
    known = (mass > 0) & ~np.isnan(found)
    total = float(mass[known].sum())
    return float((mass[known] * found[known]).sum() / total) if total > 0 else None
