"""Functions that return sequences, turned into writers: they write into an array, allocate nothing and return a count.

`actions`, `payoffs` and `chance` take two more arguments, `out` and `at`, write item n to `out[at + n]` as far as the
buffer reaches, and return how many items there are.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.compiled.rewriting import Rewriter

__all__ = ["Writers", "code", "names_stored"]


def code(text: str, **parts: ast.expr) -> ast.expr:
    """An expression from its text, with some names replaced by expressions."""
    filled: ast.expr = _Fill(parts).visit(ast.parse(text, mode="eval").body)
    return filled


def names_stored(node: ast.AST) -> set[str]:
    """All names that are assigned to somewhere in a piece of source."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


class _Fill(ast.NodeTransformer):
    """Puts expressions in the place of names; what stays loses its line, to take that of its surroundings."""

    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self.parts = parts

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Name) and node.id in self.parts:
            return self.parts[node.id]
        for name in ("lineno", "end_lineno", "col_offset", "end_col_offset"):
            if hasattr(node, name):
                delattr(node, name)
        return self.generic_visit(node)


class _Rename(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node


class Writers:
    """Turns what a function returns into statements that write it."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def returned(self, node: ast.Return) -> list[ast.stmt]:
        """The statements for `return …`."""
        assert node.value is not None
        count = self.rewriter.count
        body = [*self.block(f"{count} = 0"), *self.items(node.value), *self.block(f"return {count}")]
        return [ast.copy_location(statement, node) for statement in body]

    def block(self, text: str, **parts: ast.expr) -> list[ast.stmt]:
        """Statements from their text."""
        fill = _Fill(parts)
        return [fill.visit(statement) for statement in ast.parse(text).body]

    def put(self, value: ast.expr) -> list[ast.stmt]:
        """Write one item, if the buffer is long enough, and count it."""
        out, at, count = self.rewriter.out, self.rewriter.at, self.rewriter.count
        return self.block(
            f"if {at} + {count} < len({out}):\n    {out}[{at} + {count}] = value\n{count} += 1", value=value
        )

    def items(self, node: ast.expr) -> list[ast.stmt]:
        """Write all items of a sequence, given by any expression."""
        match node:
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return [statement for item in items for statement in self.item(item)]
            case ast.IfExp():
                choice = ast.If(self.rewriter.visit(node.test), self.some(node.body), self.some(node.orelse))
                return [ast.copy_location(choice, node)]
            case ast.ListComp() | ast.GeneratorExp():
                return self.comprehension(node)
            case ast.BinOp(op=ast.Add()) if _is_display(node.left) or _is_display(node.right):
                return [*self.items(node.left), *self.items(node.right)]
            case ast.BinOp(op=ast.Mult()) if _is_display(node.left) or _is_display(node.right):
                return self.repeated(*((node.left, node.right) if _is_display(node.left) else (node.right, node.left)))
            case ast.Call():
                return self.call(node)
        return self.loop(self.rewriter.visit(node))

    def some(self, node: ast.expr) -> list[ast.stmt]:
        """The same, and never an empty block."""
        return self.items(node) or [ast.Pass()]

    def item(self, node: ast.expr) -> list[ast.stmt]:
        """One item of a display; a starred one is several."""
        return self.items(node.value) if isinstance(node, ast.Starred) else self.put(self.rewriter.visit(node))

    def loop(self, sequence: ast.expr) -> list[ast.stmt]:
        """Write the items of a loop."""
        item = self.rewriter.fresh("item")
        loop = self.block(f"for {item} in sequence:\n    pass", sequence=sequence)
        assert isinstance(loop[0], ast.For)
        loop[0].body = self.put(code(item))
        return loop

    def repeated(self, display: ast.expr, times: ast.expr) -> list[ast.stmt]:
        """A display times a number; its items are worked out once."""
        before: list[ast.stmt] = []
        inside: list[ast.stmt] = []
        for item in display.elts if isinstance(display, ast.Tuple | ast.List) else [ast.Starred(display)]:
            if isinstance(item, ast.Starred):
                inside += self.items(item.value)
            else:
                name = self.rewriter.fresh("value")
                before += self.block(f"{name} = item", item=self.rewriter.visit(item))
                inside += self.put(code(name))
        loop = self.block(
            f"for {self.rewriter.fresh('turn')} in range(times):\n    pass", times=self.rewriter.visit(times)
        )
        assert isinstance(loop[0], ast.For)
        loop[0].body = inside or [ast.Pass()]
        return [*before, *loop]

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[ast.stmt]:
        """Loops and conditions; their variables get names of their own, as they have in Python."""
        first = node.generators[0].iter
        stored = sorted({name for part in node.generators for name in names_stored(part.target)})
        renamed = copy.deepcopy(node)
        renamed.generators[0].iter = ast.Constant(0)
        renamed = _Rename({name: self.rewriter.fresh(name) for name in stored}).visit(renamed)
        renamed.generators[0].iter = first
        body = self.put(self.rewriter.visit(renamed.elt))
        for part in reversed(renamed.generators):
            for condition in reversed(part.ifs):
                body = [ast.copy_location(ast.If(self.rewriter.visit(condition), body, []), node)]
            loop = ast.For(part.target, self.rewriter.visit(part.iter), body, [])
            body = [ast.copy_location(loop, node)]
        return body

    def call(self, node: ast.Call) -> list[ast.stmt]:
        """A sequence that a call returns: the writer of that function goes on in the same array."""
        rewriter = self.rewriter
        found = rewriter.called(node)
        if found is not None and found.kind in ("method", "function"):
            last = (rewriter.out, f"{rewriter.at} + {rewriter.count}")
            call = rewriter.compiled_call(node, found, "writer", last=last)
            return self.block(f"{rewriter.count} += call", call=call)
        if found is not None and found.kind == "builtin" and found.name in ("tuple", "list") and len(node.args) <= 1:
            return self.items(node.args[0]) if node.args else []
        return self.loop(rewriter.visit(node))


def _is_display(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("tuple", "list")
    return isinstance(node, ast.Tuple | ast.List | ast.ListComp)
