"""The command line itself, and the options before a command."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from regretless import __version__
from regretless.apps.exit_messages import Commands
from regretless.apps.languages.choice import Language, language_of

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve games of hidden information by minimising regret.",
    epilog="GAME is a name with parameters (leduc:ranks=5), a class of your own (mygame.py:Guess), a spot of hold'em "
    "(spot.toml), or a file of Gambit or of the poker competition (.efg, .game).",
)


def _version(asked: bool) -> None:
    if asked:
        print(f"regretless {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    lang: Annotated[
        Language | None,
        typer.Option("--lang", help="The language of help and of the explorer's pages (by the locale)."),
    ] = None,
) -> None:
    """Options before the command."""
    context.obj = lang or language_of([], os.environ)
