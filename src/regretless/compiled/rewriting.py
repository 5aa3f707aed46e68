"""From methods to functions: `self.field` becomes `rules.field`, `self.method(x)` a call of a compiled function.

The rest of the source stays as it is: Numba compiles most of Python. What it cannot compile is refused here, where the
line is known.
"""

from __future__ import annotations

import ast
import copy
from typing import Any, NoReturn

from regretless.compiled.compile_errors import ADVICE, WORDS, complaint
from regretless.compiled.lookup import Found, dotted, global_value, is_named_tuple, literal
from regretless.compiled.program import STATE, VALUE, WRITER, Function, Program
from regretless.compiled.sources import plain_function
from regretless.compiled.writers import Writers, code, names_stored

__all__ = ["Rewriter"]


class Rewriter(ast.NodeTransformer):
    """Rewrites one function of a program."""

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function, self.source = program, function, function.source
        arguments = self.source.node.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        self.locals = {argument.arg for argument in named} | names_stored(self.source.node)
        self.itself = named[0].arg if self.source.is_method and named else None
        self.rules, self.out, self.at, self.count = (self.fresh(n) for n in ("rules", "out", "at", "count"))
        self.writers = Writers(self)

    def fresh(self, name: str) -> str:
        """A local name that the function does not use."""
        while name in self.locals:
            name += "_"
        self.locals.add(name)
        return name

    def refuse(self, node: ast.AST, why: str, advice: str = ADVICE) -> NoReturn:
        """Raise a GameError about a line."""
        raise complaint(self.source, getattr(node, "lineno", None), why, advice)

    def rewrite(self) -> ast.FunctionDef:
        """The function as the generated module has it."""
        node = copy.deepcopy(self.source.node)
        made = ast.FunctionDef(name=self.function.name, args=self.arguments(node.args), body=[], decorator_list=[])
        for statement in node.body[1:] if ast.get_docstring(node) is not None else node.body:
            result = self.visit(statement)
            made.body += result if isinstance(result, list) else [result] if result is not None else []
        made.body = made.body or [ast.Pass()]
        ast.copy_location(made, node)
        return ast.fix_missing_locations(made)  # new code gets the line of what it stands for

    def arguments(self, given: ast.arguments) -> ast.arguments:
        """Rules instead of the game, no annotations, no keyword-only arguments; a writer also takes its buffer."""
        if given.vararg or given.kwarg:
            self.refuse(self.source.node, "it takes any number of arguments", "name them one by one")
        named = [*given.posonlyargs, *given.args][self.source.is_method :]
        by_keyword = sorted(
            zip(given.kwonlyargs, given.kw_defaults, strict=True), key=lambda pair: pair[1] is not None
        )  # those that must be given first
        defaults = [*given.defaults, *(default for _, default in by_keyword if default is not None)]
        last = [self.out, self.at] if self.function.mode == WRITER else []
        if defaults and (last or (given.defaults and len(by_keyword) > len(defaults) - len(given.defaults))):
            self.refuse(self.source.node, "it has default arguments", "give them in every call")
        names = [self.rules, *(argument.arg for argument in [*named, *(pair[0] for pair in by_keyword)]), *last]
        return ast.arguments(
            posonlyargs=[],
            args=[ast.arg(name) for name in names],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[self.visit(copy.deepcopy(default)) for default in defaults],
        )

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Syntax without a method here stays as it is, or is refused."""
        if type(node) in WORDS:
            self.refuse(node, WORDS[type(node)])
        return super().generic_visit(node)

    def visit_Return(self, node: ast.Return) -> Any:
        """A result, a state, or the items that a writer writes."""
        if node.value is None:
            self.refuse(node, "it returns nothing")
        if self.function.mode == WRITER:
            return self.writers.returned(node)
        value = self.visit(node.value)
        if self.function.mode == STATE:
            value = code("settled(value)", value=value)
        return ast.copy_location(ast.Return(value), node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Numbers only."""
        if node.value is None:
            self.refuse(node, "it uses None")
        if not isinstance(node.value, bool | int | float):
            self.refuse(node, "it uses text" if isinstance(node.value, str) else f"it uses {node.value!r}")
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """The interpreted game raises the error with its message, so the compiled one needs none."""
        return ast.copy_location(ast.parse("raise ValueError").body[0], node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """The same for assertions."""
        return ast.copy_location(ast.Assert(self.visit(node.test), None), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """Text that stands by itself is a comment."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """Annotations are left out."""
        if node.value is None:
            return None
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Arrays among the rules were tuples for the author, and can be unpacked like them."""
        target = node.targets[0]
        found = self.lookup(node.value)
        if found is not None and found.kind == "field" and isinstance(target, ast.Tuple):
            items = [
                ast.Subscript(copy.deepcopy(node.value), ast.Constant(i), ast.Load()) for i in range(len(target.elts))
            ]
            node.value = ast.copy_location(ast.Tuple([ast.copy_location(i, node) for i in items], ast.Load()), node)
            ast.fix_missing_locations(node.value)
        return self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        """Numba knows lists, but no generators inside expressions."""
        return self.visit(ast.copy_location(ast.ListComp(node.elt, node.generators), node))

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A local name, or what a name outside stands for."""
        return self.replaced(node, self.lookup(node)) if isinstance(node.ctx, ast.Load) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """A field of the game, a name of another module, or a part of a state."""
        if not isinstance(node.ctx, ast.Load):
            self.refuse(node, f"it changes {ast.unparse(node)}", "keep everything in the states")
        found = self.lookup(node)
        return self.generic_visit(node) if found is None else self.replaced(node, found)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """A row of a table, or anything that has items."""
        found = self.lookup(node.value)
        if found is None or found.field is None or found.field.kind != "table":
            return self.generic_visit(node)
        if isinstance(node.slice, ast.Slice | ast.Tuple):
            self.refuse(node, f"it takes more than one row of {ast.unparse(node.value)}", "take rows one by one")
        return code(
            f"row({self.rules}.{found.name}, {self.rules}.{found.name}_begin, index)", index=self.visit(node.slice)
        )

    def replaced(self, node: ast.expr, found: Found | None) -> Any:
        """The expression that stands for a name."""
        if found is None:
            if isinstance(node, ast.Name) and node.id == self.itself:
                self.refuse(node, f"it passes {self.itself} on", "give functions the numbers that they need")
            return node
        if found.kind == "literal":
            return copy.deepcopy(found.value)
        if found.kind == "field":
            if found.field is not None and found.field.kind == "table":
                self.refuse(node, f"it uses the table {ast.unparse(node)} whole", "take its rows by their number")
            return code(f"{self.rules}.{found.name}")
        if found.kind not in ("builtin", "module"):
            self.refuse(node, f"it uses {ast.unparse(node)} without calling it")
        return code(found.name)

    def lookup(self, node: ast.AST) -> Found | None:
        """What a name or a chain of attributes stands for; None for local names and what hangs on them."""
        names = dotted(node)
        if names is None or (names[0] in self.locals and names[0] != self.itself):
            return None
        if names[0] == self.itself:
            return self.own(node, names) if len(names) > 1 else None
        found = global_value(self.source, names)
        if isinstance(found, str):
            self.refuse(node, found)
        if found.kind != "value":
            return found
        if is_named_tuple(type(found.value)):
            return Found("literal", self.constant(node, found.value))
        return self.field_for(node, ("global", self.source.function.__module__, *names), names[-1:], found.value)

    def own(self, node: ast.AST, names: list[str]) -> Found:
        """A method or a field of the game."""
        method = self.program.method(names[1])
        if method is not None and len(names) == 2 and plain_function(method[1]) is not None:
            if isinstance(method[1], classmethod):
                self.refuse(node, f"it calls the class method {names[1]}", "make it a static method or a function")
            return Found("method", method[1], name=names[1], owner=method[0])
        value: Any = self.program.game
        for name in names[1:]:
            if not hasattr(value, name):
                self.refuse(node, f"there is no {ast.unparse(node)}", "")
            value = getattr(value, name)
        return self.field_for(node, tuple(names[1:]), names[1:], value)

    def field_for(self, node: ast.AST, path: tuple[str, ...], names: list[str], value: Any) -> Found:
        """A value among the rules."""
        field = self.program.field(path, value, names)
        if isinstance(field, str):
            self.refuse(node, f"{ast.unparse(node)} {field}")
        return Found("field", name=field[0], field=field[1])

    def called(self, node: ast.Call) -> Found | None:
        """What a call calls, where it is a function of the game or of a module."""
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
            inner = function.value
            if isinstance(inner.func, ast.Name) and inner.func.id == "super" and self.source.owner is not None:
                method = self.program.method(function.attr, after=self.source.owner)
                if method is None or plain_function(method[1]) is None:
                    self.refuse(node, f"super() has no method {function.attr}", "")
                return Found("method", method[1], name=function.attr, owner=method[0])
        return self.lookup(function)

    def compiled_call(self, node: ast.Call, found: Found, mode: str, *, last: tuple[str, ...] = ()) -> ast.Call:
        """The call of a compiled function; `last` are arguments that its writer takes."""
        if any(isinstance(argument, ast.Starred) for argument in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            self.refuse(node, "it spreads arguments with *", "name them one by one")
        needed = self.program.needs(found.value, found.owner, mode)
        self.function.calls.setdefault(needed.name, node.lineno)
        given = [_plain(self.visit(argument)) for argument in node.args]
        keywords = [ast.keyword(k.arg, _plain(self.visit(k.value))) for k in node.keywords]
        return ast.Call(code(needed.name), [code(self.rules), *given, *(code(text) for text in last)], keywords)

    def visit_Call(self, node: ast.Call) -> Any:
        """Calls of the game's functions take the rules instead of the game."""
        found = self.called(node)
        if found is None:
            return self.generic_visit(node)
        if found.kind in ("method", "function"):
            return self.compiled_call(node, found, VALUE)
        if found.kind == "tuple type":
            return self.constructed(node, found.value)
        if found.kind == "builtin" and len(node.args) == 1 and not node.keywords:
            rewritten = self.special(node, found.name)
            if rewritten is not None:
                return rewritten
        if found.kind not in ("builtin", "module"):
            self.refuse(node, f"it calls {ast.unparse(node.func)}, which is no function")
        node.func = code(found.name)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        return node

    def special(self, node: ast.Call, name: str) -> Any:
        """Lengths of tables and of lists of actions; tuples and lists made of generators."""
        argument = node.args[0]
        if name in ("tuple", "list") and isinstance(argument, ast.GeneratorExp | ast.ListComp):
            return self.visit(argument)
        if name != "len":
            return None
        found = self.lookup(argument)
        if found is not None and found.field is not None and found.field.kind == "table":
            return code(f"(len({self.rules}.{found.name}_begin) - 1)")
        if isinstance(argument, ast.Call):
            called = self.called(argument)
            if called is not None and called.kind == "method" and called.name == "actions":
                return self.compiled_call(argument, called, WRITER, last=(f"{self.rules}.nothing", "np.int64(0)"))
        return None

    def constructed(self, node: ast.Call, kind: Any) -> ast.AST:
        """A NamedTuple, with its keywords and defaults in their places."""
        given: dict[str, ast.expr] = dict(zip(kind._fields, node.args, strict=False))
        given |= {k.arg: k.value for k in node.keywords if k.arg is not None}
        missing = {name: value for name, value in kind._field_defaults.items() if name not in given}
        if set(given) | set(missing) != set(kind._fields) or any(
            isinstance(argument, ast.Starred) for argument in node.args
        ):
            self.refuse(node, f"{kind.__name__} needs {', '.join(kind._fields)}", "give them one by one")
        parts = [self.visit(given[n]) if n in given else self.constant(node, missing[n]) for n in kind._fields]
        return ast.Call(code(self.program.named_tuple(kind)), parts, [])

    def constant(self, node: ast.AST, value: Any) -> ast.expr:
        """A number, a tuple or a NamedTuple as an expression."""
        number = literal(value)
        if number is not None:
            return number
        if not isinstance(value, tuple):
            self.refuse(node, f"it uses {value!r}")
        parts = [self.constant(node, part) for part in value]
        if is_named_tuple(type(value)):
            return ast.Call(code(self.program.named_tuple(type(value))), parts, [])
        return ast.Tuple(parts, ast.Load())


def _plain(argument: ast.expr) -> ast.expr:
    """An argument as any whole number: Numba would compile a function anew for every number that is written out."""
    inner = argument.operand if isinstance(argument, ast.UnaryOp) else argument
    if isinstance(inner, ast.Constant) and type(inner.value) is int:
        return code("np.int64(number)", number=argument)
    return argument
