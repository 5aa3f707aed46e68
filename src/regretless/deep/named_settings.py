"""Settings of deep methods that have names: those of papers, and those that were measured to be best here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from regretless.errors import OptionError
from regretless.game import shortened

__all__ = ["PUBLISHED_DEEP_CFR", "PUBLISHED_NFSP", "RECOMMENDED_DEEP_CFR", "keeps_averaging", "settings_for"]

Named = Mapping[str, Mapping[str, Any]]

_PAPER: dict[str, Any] = {
    "traversals": 10_000,
    "steps": 4_000,
    "batch": 10_000,
    "rate": 1e-3,
    "schedule": "constant",
    "refit": "fresh",
    "memory": "reservoir",
    "capacity": 40_000_000,
    "strategy_steps": 4_000,
}

PUBLISHED_DEEP_CFR: Named = {
    "fhp": _PAPER,
    "hulh": {**_PAPER, "steps": 32_000, "batch": 20_000, "strategy_steps": 32_000},
}
"""Brown et al. 2019, §5.2. The paper does not say the unit of its targets; here they are scaled. Nor does it say the
number of walks on limit hold'em; here it is that of flop hold'em."""

_BOARDS = {**_PAPER, "schedule": "cosine", "rate": 2e-3, "strength": True, "averaging": "value-networks"}

RECOMMENDED_DEEP_CFR: Named = {
    "fhp": {
        **_BOARDS, "boards": "all", "memory": "merged", "traversals": 10_000_000, "targets": "strategies",
        "predictive": 1.0, "refit": "continued", "steps": 1_000,
    },
    "hulh": {
        **_BOARDS, "boards": 96, "traversals": 300_000, "strength": "expected", "off_path": 0.02, "steps": 1_500,
        "averaging": "strategy-network", "strategy_steps": 30_000,
    },
}  # fmt: skip
"""The settings of the lowest exploitability in docs/results/deep.md and docs/results/hulh.md. On limit hold'em boards
are sampled because all of them cannot be walked, and there is one strategy network because reading all networks of
SD-CFR on every board takes their number times as long."""

PUBLISHED_NFSP: Named = {
    "leduc": {
        "every": 128, "batch": 128, "optimiser": "sgd", "response_rate": 0.1, "average_rate": 0.005,
    },
    "hulh": {
        "exploration": 0.08, "every": 256, "batch": 256, "optimiser": "sgd", "response_rate": 0.1, "average_rate": 0.01,
        "response_capacity": 600_000, "average_capacity": 30_000_000, "target_every": 1_000,
        "widths": (1024, 512, 1024, 512),
    },
}  # fmt: skip
"""Heinrich & Silver 2016, §5. On limit hold'em two updates follow as many decisions as a batch has samples, as on
Leduc poker. Plays are parallel here, so they are more for each update unless `plays` is lower."""


def settings_for(named: Named, game: str) -> Mapping[str, Any]:
    """The settings for a game; OptionError for one that has none."""
    if not isinstance(game, str) or game not in named:
        raise OptionError(f"there are such settings for {' or '.join(map(repr, named))}, got game={shortened(game)}")
    return named[game]


if TYPE_CHECKING:
    keeps_averaging = classmethod
else:

    class keeps_averaging(classmethod):
        """A class method which, called on an instance, passes on the instance's `averaging`: SD-CFR stays SD-CFR."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """The method, of the class or of an instance."""
            bound = super().__get__(instance, owner)
            return bound if instance is None else partial(bound, averaging=instance.averaging)
