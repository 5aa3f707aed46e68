"""Begin a run of CFR with a strategy instead of uniform play.

Regrets are set such that regret matching plays the strategy σ (Brown & Sandholm 2016, "Strategy-based warm starting"):

    R(I, a) = σ(I, a) · π₋ᵢ(I) · Δᵢ

π₋ᵢ(I) is how likely chance and the others bring the game to I under σ, and Δᵢ the range of the player's payoffs. So
π₋ᵢ(I) · Δᵢ bounds what one iteration adds to a regret. The paper chooses the size by the bound after T iterations of
CFR; we take T = 1, since a good strategy leaves far less regret per iteration than the bound says.
Averaging begins with the first iteration: the strategy itself has no weight in the average.

Variants with a discount multiply all regret by 0 in iteration 1, so they cannot begin with regrets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.kernels.sequence_form.counterfactual_reach import others_reach
from regretless.strategy import Strategy
from regretless.tree import Tree
from regretless.variants import Variant

__all__ = ["check_start", "warm_regrets"]


def check_start(variant: Variant) -> None:
    """Raise OptionError for a variant that forgets the regrets it begins with."""
    if variant.discount is not None:
        raise OptionError(
            f"{variant.name} discounts regret to nothing in its first iteration, so it cannot begin with a strategy: "
            "leave out start=, or use rg.CFR_PLUS, rg.PCFR_PLUS or rg.CFR"
        )


def warm_regrets(tree: Tree, strategy: Strategy, learners: list[int]) -> npt.NDArray[Any]:
    """[S] regrets of the learning players that regret matching turns into `strategy`; 0 for the others."""
    h, labels = tree.listing, tree.labels
    regrets = np.zeros(tree.sequences)
    smallest = float(np.sqrt(np.finfo(np.float32).tiny))  # infosets that are never reached play the strategy, too
    for player in learners:
        reach = others_reach(
            h.mover, h.index, h.first_child, h.children, h.probability, labels.first, labels.stride,
            strategy.probabilities, player,
        )  # fmt: skip
        span = float(np.ptp(h.payoffs[:, player])) if len(h.payoffs) else 0.0
        scale = np.maximum(reach * (span or 1.0), smallest)
        mine = (labels.player_of_sequence == player) & (labels.infoset_of_sequence >= 0)
        regrets[mine] = strategy.probabilities[mine] * scale[labels.infoset_of_sequence[mine]]
    return regrets
