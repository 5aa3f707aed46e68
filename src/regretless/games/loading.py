"""A user's own game: a class in a file or a module."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Iterable
from pathlib import Path

from regretless.errors import OptionError, suggest
from regretless.game import Game

__all__ = ["game_class", "load_file", "load_module"]


def load_file(path: str) -> types.ModuleType:
    """Import a user's file under a name of its own, so that it shadows no module and none shadows it."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise OptionError(f"there is no file {path!r} to read a game from")
    file = file.resolve()
    name = f"regretless_game_{file.stem}_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}"
    description = importlib.util.spec_from_file_location(name, file)
    if description is None or description.loader is None:
        raise OptionError(f"{path!r} is not a Python file: write FILE.py:CLASS")
    module = importlib.util.module_from_spec(description)
    # A class that is pickled, or a dataclass, looks its module up by name.
    sys.modules[name] = module
    # Last in the path: the file may import its neighbours, which shadow nothing.
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    try:
        description.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception | SystemExit):
            raise
        where = _last_line(error, str(file))
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise OptionError(f"{path}{where} cannot be imported: {type(error).__name__}: {reason}") from error
    return module


def load_module(name: str, known: Iterable[str]) -> types.ModuleType:
    """Import a module; where there is none, suggest the nearest of the known names."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise OptionError(f"module {name!r} cannot be imported: {error}") from error
        raise OptionError(f"there is no game or module named {name!r}: {suggest(name, known)}") from None
    except Exception as error:
        raise OptionError(f"module {name!r} cannot be imported: {type(error).__name__}: {error}") from error


def _last_line(error: BaseException, file: str) -> str:
    """Where in the user's file the error came up, as ", line 7"."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f", line {error.lineno},"
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f", line {line}," if line else ""


def game_class(module: types.ModuleType, source: str, class_name: str) -> type[Game]:
    """The game of that name in a module; an OptionError says why there is none."""
    kinds = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and not inspect.isabstract(value)
    }
    found = getattr(module, class_name, None) if class_name else None
    if found is None:
        own = [name for name, kind in kinds.items() if kind.__module__ == module.__name__]
        if not own:
            raise OptionError(f"{source} has no class {class_name!r}: it defines no game")
        if not class_name:
            raise OptionError(f"{source} needs a class: write {source}:{own[0]}")
        raise OptionError(f"{source} has no class {class_name!r}: {suggest(class_name, own)}")
    if not isinstance(found, type) or not issubclass(found, Game):
        raise OptionError(f"{source}:{class_name} is not a game: a game is a class that inherits regretless.Game")
    if inspect.isabstract(found):
        missing = ", ".join(sorted(found.__abstractmethods__))
        raise OptionError(f"{source}:{class_name} is not a whole game: it does not define {missing}")
    return found
