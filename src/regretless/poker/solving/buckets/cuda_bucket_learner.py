"""Public chance sampling with buckets on a GPU: `BucketLearner` with all tables on the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from regretless.errors import OptionError
from regretless.method import Settings
from regretless.poker.abstraction.bucketed_tree import BucketedTree
from regretless.poker.solving.buckets.board_batches import BoardBatches
from regretless.poker.solving.buckets.bucket_learner import SampledBuckets, public_chance_plan
from regretless.poker.solving.buckets.cuda_batch_walker import CudaBatchWalker
from regretless.storage import verify_mapped

__all__ = ["CudaBucketLearner"]

Array = npt.NDArray[Any]


class CudaBucketLearner(SampledBuckets):
    """`MCCFR(sampling="public-chance")` on a bucketed tree with device="cuda", in 32 or 64 bits.

    It draws the boards of `BucketLearner`, and adds up the same numbers in another order: results agree to rounding.
    A run can go on where the other one was interrupted.
    """

    def __init__(self, tree: BucketedTree, method: Any, settings: Settings) -> None:
        plan = public_chance_plan(tree, method)
        if settings.dtype == "int16":
            raise OptionError("16-bit tables need device='cpu': on a GPU take dtype='float32'")
        self.method = method
        self.batches = BoardBatches(tree, method.boards, settings.dtype)
        self.walker = CudaBatchWalker(tree, self.batches.counts, settings.dtype)
        super().__init__(tree, settings, method.variant, plan, self.walker)
        self.tables: Any = self.walker.tables()

    def compile(self) -> None:
        """Compile what an iteration calls, by walking a batch that does not count."""
        self.walker.match(self.tables)
        self._walk(0.0, 0, 0, 0)
        self.tables.gain.copy_to_device(np.zeros(self.tree.infoset_actions, self.settings.dtype))
        super().compile()

    def walk_pieces(self, turn: int, pieces: range, weight: float) -> None:
        """Walk some batches of an iteration; the host prepares a batch while the GPU walks the one before."""
        self.walker.match(self.tables)
        for batch in pieces:
            self._walk(weight, self.settings.seed, self.iteration, batch)

    def _walk(self, weight: float, *seeds: int) -> None:
        self.walker.walk(self.batches.prepared(self.batches.draw(*seeds)), self.tables, weight)

    def arrays(self) -> dict[str, Array]:
        """Regrets and averages, copied to the host."""
        return {name: array.copy_to_host() for name, array in self.stand_ins().items()}

    def stand_ins(self) -> dict[str, Any]:
        """The arrays on the device, without a copy."""
        return {"regret": self.tables.regret, "average": self.tables.average}

    def restore(self, arrays: Mapping[str, Array], iteration: int) -> None:
        """Continue from the arrays of a run, also of one on the CPU."""
        verify_mapped(arrays)
        for name, own in self.stand_ins().items():
            own.copy_to_device(np.ascontiguousarray(arrays[name]))
        self.iteration = iteration
