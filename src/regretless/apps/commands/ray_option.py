"""`--ray [ADDRESS]`: an option whose value may be left out, which the parser of options does not know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from regretless.scale.ray_cluster import Ray

__all__ = ["LOCAL", "cluster_of", "with_ray_address"]

LOCAL = "local"
"""Stands for a cluster on this machine that is started for the command."""

ADDRESS = re.compile(rf"auto|{LOCAL}|(ray://)?[^\s=/]+:\d+")


def with_ray_address(words: Sequence[str]) -> list[str]:
    """The words of a command line, with an address after each `--ray` that has none.

    >>> with_ray_address(["solve", "--ray", "fhp"]), with_ray_address(["solve", "fhp", "--ray", "head:6379"])
    (['solve', '--ray=local', 'fhp'], ['solve', 'fhp', '--ray', 'head:6379'])
    >>> with_ray_address([])
    []
    """
    following = [*words[1:], ""]
    return [
        f"--ray={LOCAL}" if word == "--ray" and not ADDRESS.fullmatch(after) else word
        for word, after in zip(words, following, strict=False)
    ]


def cluster_of(address: str | None, threads: int | None = None, device: str | None = None) -> Ray | None:
    """The cluster that `--ray` names, or None where it is not given; threads: of each task; device: where it computes.

    With device "cuda" each task has a GPU.
    """
    if address is None:
        return None
    from regretless.scale.ray_cluster import Ray

    return Ray(
        address=None if address == LOCAL else address, cpus_per_task=threads or 1, gpus_per_task=int(device == "cuda")
    )
