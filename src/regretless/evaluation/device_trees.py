"""Trees on a GPU: copied once for each tree, and kept there as long as the tree is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.gpu.availability import cuda_available
from regretless.tree import Tree

if TYPE_CHECKING:
    from regretless.gpu.device_tree import DeviceTree, Responses

__all__ = ["check_device", "device_responses", "device_tree"]

Array = npt.NDArray[Any]

_copied: WeakKeyDictionary[Tree, DeviceTree] = WeakKeyDictionary()


def device_tree(tree: Tree) -> DeviceTree:
    """The arrays of a tree on the GPU."""
    from regretless.gpu.device_tree import DeviceTree

    if tree not in _copied:
        _copied[tree] = DeviceTree(tree.form)
    return _copied[tree]


def device_responses(tree: Tree, plan: Array, players: Sequence[int]) -> Responses:
    """Values and best responses of `players` when all follow `plan` [S], computed on the GPU."""
    device = device_tree(tree)
    return device.measure(device.cuda.to_device(np.ascontiguousarray(plan, np.float64)), players)


def check_device(device: str) -> None:
    """Refuse a device that does not exist or is missing here."""
    if device not in ("cpu", "cuda"):
        raise OptionError(f"there is no device {device!r}: use device='cpu' or 'cuda'")
    missing = cuda_available() if device == "cuda" else None
    if missing:
        raise OptionError(missing)
