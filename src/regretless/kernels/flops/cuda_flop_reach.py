"""The other player's reach on a line of play; see `cuda_flop_walks`."""

from __future__ import annotations

from regretless.kernels.cuda_target import device, field, int32, load, store
from regretless.kernels.flops.cuda_flop_layout import (
    ACTIONS,
    CHILD_ROW,
    GROUP_RECORD,
    REACH_END,
    REACH_FIRST,
    REACH_RECORD,
    ROW,
    STRATEGY,
    THEIR_ROW,
    Spot,
)


@device
def spot_of(lines, street, player, board, parent, group):
    """A group of lines on a board."""
    record = int32((player * street.groups + group) * GROUP_RECORD)
    return Spot(record, int32(player), int32(board), int32(parent), int32(group * street.wide))


@device
def strategy_at(player, bucket, street):
    """Where the strategy of a player in a bucket begins; indices from there on have 32 bits."""
    if player == 0:
        return bucket * street.first_rows
    return street.second_table + bucket * street.second_rows


@device
def bucket_of(boards, street, player, number):
    """The bucket of a hand [boards · hands] as a player knows it."""
    return boards.bucket[player * street.bucket_apart + number]


@device
def write_reach(lines, street, boards, spot, k, lane, reach, strategies, rows, at, width):
    """The other player's reach at all nodes of a line with hand k, to a column of `rows`."""
    number = spot.board * street.hands + k
    board_above = int(spot.player) * street.above + spot.parent
    entry = (board_above * street.hands_above + boards.above[number]) * street.lines + spot.line + lane
    store(rows, at, reach[entry])
    other = 1 - spot.player
    strategy = strategies[strategy_at(other, bucket_of(boards, street, other, number), street) :]
    begin = int32(field(lines.group, spot.group, THEIR_ROW) * street.wide + lane)
    decision = int32(field(lines.group, spot.group, REACH_FIRST) * REACH_RECORD)
    end = int32(field(lines.group, spot.group, REACH_END) * REACH_RECORD)
    while decision < end:
        here = load(rows, at + field(lines.reach, decision, ROW) * width)
        child = int32(at + field(lines.reach, decision, CHILD_ROW) * width)
        entry = int32(begin + field(lines.reach, decision, STRATEGY) * street.wide)
        last = int32(entry + field(lines.reach, decision, ACTIONS) * street.wide)
        while entry < last:
            store(rows, child, here * load(strategy, entry))
            entry, child = int32(entry + street.wide), int32(child + width)
        decision = int32(decision + REACH_RECORD)
