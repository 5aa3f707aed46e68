"""How a command ends when something is wrong: one sentence on standard error and exit code 2, never a traceback."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from regretless.errors import RegretlessError

__all__ = ["INTERRUPTED", "MISTAKE", "Commands", "complain", "warn"]

MISTAKE = 2
INTERRUPTED = 130
"""128 + SIGINT, as shells count."""


def complain(message: object) -> None:
    """Say what is wrong, on one line."""
    print(f"regretless: {' '.join(str(message).split())}", file=sys.stderr)


def warn(message: object) -> None:
    """Say what may go wrong, on one line."""
    complain(f"warning: {message}")


class Commands(TyperGroup):
    """The group of all commands; it turns mistakes of the caller into sentences."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the line names."""
        try:
            return super().invoke(ctx)
        except RegretlessError as error:
            complain(error)
        except KeyboardInterrupt:
            complain("interrupted")
            raise typer.Exit(INTERRUPTED) from None
        except MemoryError:
            complain("there is not enough memory; a smaller game or float32 needs less")
        except Exception as error:
            # A usage error, by what it can do: which module defines its class depends on the version of typer.
            if not hasattr(error, "format_message"):
                raise
            complain(usage(error))
        raise typer.Exit(MISTAKE) from None


def usage(error: Any) -> str:
    """A usage error in one sentence that ends with where to read on."""
    message = str(error.format_message()).strip().rstrip(".")
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "regretless"
    return f"{message[:1].lower()}{message[1:]}; see {path} --help"
