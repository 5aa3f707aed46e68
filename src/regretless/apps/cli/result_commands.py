"""Commands: speed, and published results computed again."""

from __future__ import annotations

from typing import Annotated

import typer

from regretless.apps.cli.application import app
from regretless.apps.cli.option_types import Json


@app.command()
def bench(
    peers: Annotated[bool, typer.Option("--peers", help="Also time OpenSpiel, if it is installed.")] = False,
    json: Json = False,
) -> None:
    """Time this machine."""
    from regretless.apps.commands.bench import bench_and_tell

    bench_and_tell(peers=peers, json=json)


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]…", show_default=False, help="Rows to compute again; without any, list all."),
    ] = None,
    all_rows: Annotated[bool, typer.Option("--all", help="Compute all rows.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Compute a small version: seconds instead of minutes.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="List the rows as a page in Markdown.")] = False,
    plots: Annotated[str | None, typer.Option(metavar="FOLDER", help="Draw NAME.png for rows with a picture.")] = None,
    keep: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write our numbers to this file, to compare later runs with.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare published figures, tables and worked numbers with ours."""
    from regretless.apps.commands.reproducing import ReproduceOptions, reproduce_and_tell

    reproduce_and_tell(
        ReproduceOptions(names or [], all=all_rows, quick=quick, json=json, markdown=markdown, plots=plots, keep=keep)
    )
