"""What the hold'em network says of one betting, as one kernel of a GPU, in Triton."""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["conclude"]


@triton.jit
def conclude(
    cards, betting, table_1, bias_1, table_2, bias_2, head_table, head_bias, out, COUNT, SHARE,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    """What the network says [COUNT, HEADS] of one betting, from both halves of the first layer that sees all.

    A program reads the weights once and takes a SHARE of the rows through them.
    """
    column, head = tl.arange(0, WIDTH), tl.arange(0, 16)
    turned = column[None, :] * WIDTH + column[:, None]
    first, second = tl.load(table_1 + turned), tl.load(table_2 + turned)
    first_bias, second_bias = tl.load(bias_1 + column)[None, :], tl.load(bias_2 + column)[None, :]
    last = tl.load(head_table + head[None, :] * WIDTH + column[:, None], mask=head[None, :] < HEADS, other=0.0)
    last_bias = tl.load(head_bias + head, mask=head < HEADS, other=0.0)[None, :]
    bets = tl.load(betting + column)[None, :]
    begin = tl.program_id(0).to(tl.int64) * SHARE
    for at in range(0, SHARE, ROWS):
        row = begin + at + tl.arange(0, ROWS)
        alive = (row < COUNT)[:, None]
        joint = tl.load(cards + row[:, None] * WIDTH + column[None, :], mask=alive, other=0.0)
        joint = tl.maximum(joint + bets, 0.0)
        joint = tl.maximum(tl.dot(joint, first) + first_bias + joint, 0.0)
        joint = tl.maximum(tl.dot(joint, second) + second_bias + joint, 0.0)
        apart = joint - (tl.sum(joint, 1) / WIDTH)[:, None]
        normal = apart / tl.sqrt(tl.sum(apart * apart, 1) / WIDTH + 1e-5)[:, None]
        said = tl.dot(normal, last) + last_bias
        tl.store(out + row[:, None] * HEADS + head[None, :], said, mask=alive & (head[None, :] < HEADS))
