"""A walk over a betting tree of one shape, as source: the lines of a program without loops and look-ups.

`cuda_flop_walks` interprets programs: it reads what to do from arrays, about twenty instructions for each action. Where
all lines of the last street have one shape, as in limit hold'em, it pays to write the program out: two or three
instructions for each action, with reach and values in registers.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from regretless.kernels.flops.cuda_flop_layout import EVERY, FOLDED, PAYOFFS
from regretless.kernels.flops.cuda_shape_sweeps import ShapeSizes
from regretless.poker.measuring.gpu.flop_lines import ShapeGroups
from regretless.poker.measuring.gpu.line_shapes import Program

__all__ = ["ShapeSource", "compiled_walk", "shape_source"]


class ShapeSource(NamedTuple):
    """The functions of a walk as source, and its sizes."""

    text: str
    sizes: ShapeSizes

    def functions(self) -> dict[str, Any]:
        """The functions by name: lane_reach, root_value and root_played."""
        from regretless.kernels.cuda_target import at_least, field, put

        space: dict[str, Any] = {"at_least": at_least, "field": field, "put": put}
        exec(compile(self.text, "<walk of a shape>", "exec"), space)
        return {name: space[name] for name in ("lane_reach", "root_value", "root_played")}


@cache
def compiled_walk(source: ShapeSource, played: bool) -> Any:
    """The kernel of a walk. Compiling takes seconds, so all measurements of a process share it."""
    from regretless.kernels.flops.cuda_shape_walks import shape_kernel

    return shape_kernel(source.functions(), source.sizes, played)


def shape_source(shape: ShapeGroups, player: int, cards: int, wide: int, width: int, two: bool) -> ShapeSource:
    """The walk of a player. cards: of the deck; wide: lines side by side; width: from row to row in shared memory."""
    program = shape.programs[player]
    lanes, shows = len(program.lanes), program.shows
    rows = program.sums * (cards + 1) * wide
    sizes = ShapeSizes(
        lanes, shows, program.boths, program.sums, cards, wide, width, two, rows, rows + lanes * width,
        rows + (lanes + shows) * width,
    )  # fmt: skip
    parts = [_lane_reach(program, sizes), _root_value(program, sizes, False), _root_value(program, sizes, True)]
    return ShapeSource("\n\n".join(parts), sizes)


def _lane_reach(program: Program, sizes: ShapeSizes) -> str:
    """The other player's reach in each lane: to shared memory, and returned."""
    body = ["row0 = here"]
    for decision in program.decisions:
        if not decision.own:
            for action in range(len(decision.children)):
                entry = f"field(theirs, line, {(decision.action + action) * sizes.wide})"
                body.append(f"row{decision.child_row + action} = row{decision.row} * {entry}")
    rows = [f"row{lane.row}" for lane in program.lanes]
    body += [f"put(shared, column, {sizes.rows + number * sizes.width}, {row})" for number, row in enumerate(rows)]
    body.append(f"return ({', '.join(rows)},)")
    return _function("lane_reach", "theirs, line, here, shared, column", body)


def _root_value(program: Program, sizes: ShapeSizes, played: bool) -> str:
    """The value of the root, of a best response or of the own strategy."""
    name = {}
    body = []
    for number, lane in enumerate(program.lanes):
        if lane.fold >= 0 or lane.raked:
            body.append(f"all{number} = {_available(program, sizes, number)}")
        if lane.fold >= 0:
            name[lane.fold] = f"value{lane.fold}"
            body.append(f"value{lane.fold} = {_payoff(number, FOLDED, sizes)} * all{number}")
        if lane.show >= 0:
            name[lane.show] = f"value{lane.show}"
            shown = f"field(shared, column, {sizes.values + number * sizes.width})"
            raked = f" + {_payoff(number, EVERY, sizes)} * all{number}" if lane.raked else ""
            body.append(f"value{lane.show} = {shown}{raked}")
    for decision in reversed(program.decisions):
        children = [name[child] for child in decision.children]
        if decision.own and played:
            entries = [(decision.action + action) * sizes.wide for action in range(len(children))]
            children = [f"field(mine, line, {entry}) * {child}" for entry, child in zip(entries, children, strict=True)]
        worth = children[0]
        for child in children[1:]:
            worth = f"at_least({child}, {worth})" if decision.own and not played else f"{worth} + {child}"
        name[decision.place] = f"value{decision.place}"
        body.append(f"value{decision.place} = {worth}")
    body.append(f"return {name[0]}")
    arguments = "reach, shared, column, every, low, high, payoff, lane, mine, line"
    return _function("root_played" if played else "root_value", arguments, body)


def _available(program: Program, sizes: ShapeSizes, number: int) -> str:
    """The reach of all hands that share no card with a hand."""
    at = program.sum_of_all(number) * (sizes.cards + 1) * sizes.wide
    text = f"field(shared, every, {at}) - field(shared, low, {at})"
    return f"{text} - field(shared, high, {at}) + reach[{number}]" if sizes.two else text


def _payoff(number: int, which: int, sizes: ShapeSizes) -> str:
    return f"field(payoff, lane, {(number * PAYOFFS + which) * sizes.wide})"


def _function(name: str, arguments: str, body: list[str]) -> str:
    return "\n".join([f"def {name}({arguments}):", *(f"    {line}" for line in body)])
