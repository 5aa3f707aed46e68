"""The command line: `regretless COMMAND …`. Every command is a thin function; heavy modules load inside them."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

import typer

# The help lists commands in the order in which they are imported.
# isort: off
from regretless.apps.cli import solve_commands as solve_commands
from regretless.apps.cli import holdem_commands as holdem_commands
from regretless.apps.cli import strategy_commands as strategy_commands
from regretless.apps.cli import play_commands as play_commands
from regretless.apps.cli import result_commands as result_commands

# isort: on
from regretless.apps.cli.application import app
from regretless.apps.commands.ray_option import with_ray_address
from regretless.apps.exit_messages import ensure_streams
from regretless.apps.languages.choice import Language, language_of, with_language_first
from regretless.apps.startup import starting

__all__ = ["app", "main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # for terminals that cannot print ∝
    with starting():
        ensure_streams()
    words = with_language_first(with_ray_address(sys.argv[1:] if arguments is None else arguments))
    if language_of(words, os.environ) == Language.zh:
        from regretless.apps.languages.command_help import help_width, in_chinese

        in_chinese(typer.main.get_command(app))(args=words, prog_name="regretless", terminal_width=help_width())
    app(args=words, prog_name="regretless")
