"""The joint layers of the hold'em network for many betting sequences, as one Triton kernel."""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["joint_layers"]


@triton.jit
def joint_layers(
    cards, betting, table_1, bias_1, table_2, bias_2, head_table, head_bias, out, COUNT, SHARE,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """The outputs [betting sequences, COUNT, HEADS] from both halves of the first joint layer.

    A program reads the weights once and processes a SHARE of the rows for one betting sequence. Its arguments are the
    tensors of three layers; Triton kernels take pointers and have no records.
    """
    column, head = tl.arange(0, WIDTH), tl.arange(0, 16)
    transposed = column[None, :] * WIDTH + column[:, None]
    first, second = tl.load(table_1 + transposed), tl.load(table_2 + transposed)
    first_bias, second_bias = tl.load(bias_1 + column)[None, :], tl.load(bias_2 + column)[None, :]
    last = tl.load(head_table + head[None, :] * WIDTH + column[:, None], mask=head[None, :] < HEADS, other=0.0)
    last_bias = tl.load(head_bias + head, mask=head < HEADS, other=0.0)[None, :]
    sequence = tl.program_id(1).to(tl.int64)
    bets = tl.load(betting + sequence * WIDTH + column)[None, :]
    begin = tl.program_id(0).to(tl.int64) * SHARE
    for at in range(0, SHARE, ROWS):
        row = begin + at + tl.arange(0, ROWS)
        alive = (row < COUNT)[:, None]
        joint = tl.load(cards + row[:, None] * WIDTH + column[None, :], mask=alive, other=0.0)
        joint = tl.maximum(joint + bets, 0.0)
        joint = tl.maximum(tl.dot(joint, first) + first_bias + joint, 0.0)
        joint = tl.maximum(tl.dot(joint, second) + second_bias + joint, 0.0)
        centred = joint - (tl.sum(joint, 1) / WIDTH)[:, None]
        normal = centred / tl.sqrt(tl.sum(centred * centred, 1) / WIDTH + 1e-5)[:, None]
        output = tl.dot(normal, last) + last_bias
        place = (sequence * COUNT + row[:, None]) * HEADS + head[None, :]
        tl.store(out + place, output, mask=alive & (head[None, :] < HEADS))
