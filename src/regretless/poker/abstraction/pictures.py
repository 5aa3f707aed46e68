"""A picture of one street: how often buckets are dealt, how strong they are, and what tells them apart."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.kernels.cards.hand_features import FULL
from regretless.plots import COLOURS, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regretless.poker.abstraction.abstraction import Abstraction

__all__ = ["street_picture"]

EXAMPLES = 7
"""Buckets whose centroids are drawn."""


def street_picture(abstraction: Abstraction, street: int, path: str | os.PathLike[str] | None) -> Figure:
    """Shares and mean strengths of all buckets (left), and the centroids of some (right)."""
    from matplotlib.figure import Figure

    found = abstraction.street(street)
    figure = Figure(figsize=(9.0, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.scatter(found.mean_strength, found.deals / found.deals.sum(), s=9, color=COLOURS[0], alpha=0.6, linewidths=0)
    left.set_xlabel("mean strength (share of the pot)")
    left.set_ylabel("probability to be dealt")
    left.set_ylim(bottom=0)
    shown = np.unique(np.linspace(0, found.count - 1, EXAMPLES).round().astype(int))
    if found.centroids.shape[1:] and found.centroids.shape[1] > 1:
        for number, bucket in enumerate(shown):
            _draw(right, found.feature, found.centroids[bucket], f"bucket {bucket}", COLOURS[number])
        right.legend(fontsize=8)
    else:
        right.bar(np.arange(found.count), found.hands, color=COLOURS[0])
        right.set_xlabel("bucket")
        right.set_ylabel("hands up to suits")
    for axes in (left, right):
        axes.grid(visible=True, color="#dddddd", linewidth=0.7)
        axes.set_axisbelow(True)
    name = abstraction.rounds.street_name(street)
    figure.suptitle(f"{name}: {found.count:,} bucket{'s' if found.count > 1 else ''} by {found.feature}", fontsize=11)
    if path is not None:
        save_figure(figure, path)
    return figure


def _draw(axes: Any, feature: str, centroid: Any, label: str, colour: str) -> None:
    if feature == "histogram":
        bins = len(centroid) + 1
        axes.step(np.arange(1, bins) / bins, centroid / FULL, where="post", color=colour, label=label)
        axes.set_xlabel("strength at the showdown")
        axes.set_ylabel("probability of less")
    else:
        axes.plot(np.arange(1, len(centroid) + 1), centroid / FULL, marker="o", color=colour, label=label)
        axes.set_xlabel("cluster of opposing hands, weakest first")
        axes.set_ylabel("strength against it")
