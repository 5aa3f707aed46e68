"""Error messages of the command line: one sentence on standard error and exit code 2, never a traceback."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from regretless.errors import RegretlessError

__all__ = ["INTERRUPTED", "MISTAKE", "Commands", "complain", "ensure_streams", "reported_warnings", "warn"]

MISTAKE = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells count."""
CLOSED = 141
"""128 + SIGPIPE: the reader of standard output has closed it."""


def complain(message: object) -> None:
    """Print an error on one line."""
    print(f"regretless: {' '.join(str(message).split())}", file=sys.stderr)


def warn(message: object) -> None:
    """Print a warning on one line."""
    complain(f"warning: {message}")


def ensure_streams() -> None:
    """Where standard output or error is closed, write to nowhere instead of failing at the first line."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _nowhere())


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - stays open until the process ends


class Commands(TyperGroup):
    """The group of all commands; it turns errors of the caller into sentences."""

    def make_context(self, *given: Any, **named: Any) -> Any:
        """Parse the options before the command."""
        with in_a_sentence():
            return super().make_context(*given, **named)

    def invoke(self, ctx: Any) -> Any:
        """Parse the rest of the line and run the command."""
        with in_a_sentence():
            result = super().invoke(ctx)
            sys.stdout.flush()  # a full disk is reported here, not as the interpreter ends
            return result


@contextmanager
def reported_warnings() -> Iterator[None]:
    """Print warnings of the library as one line each."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_args, **_named: warn(message)
        yield


@contextmanager
def in_a_sentence() -> Iterator[None]:
    """Errors of the caller end in a sentence and an exit code; bugs of ours keep their traceback."""
    try:
        yield
    except RegretlessError as error:
        complain(error)
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        sys.stdout = _nowhere()
        raise typer.Exit(CLOSED) from None
    except OSError as error:
        sys.stdout = _nowhere()
        complain(f"cannot write the output: {error.strerror or error}")
    except MemoryError:
        complain("there is not enough memory: a smaller game or --dtype float32 needs less")
    except Exception as error:
        # A usage error, known by what it can do: which module defines its class depends on the version of typer.
        if not hasattr(error, "format_message") or type(error).__name__ == "NoArgsIsHelpError":
            raise
        complain(usage(error))
    else:
        return
    raise typer.Exit(MISTAKE)


def usage(error: Any) -> str:
    """A usage error in one sentence, with the command that prints help."""
    from regretless.games.not_offered import why_not

    message = str(error.format_message()).strip().rstrip(".").replace(". Did you", ": did you")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "regretless"
    if "--" in message and (sentence := why_not(message.partition("--")[2].split()[0].strip("'\":;,."))):
        return f"{message[:1].lower()}{message[1:]}; {sentence}"
    further = "" if message.endswith("?") else f"; see {path} --help"
    return f"{message[:1].lower()}{message[1:]}{further}"
