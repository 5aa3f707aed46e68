"""Commands: reports of many flops, push or fold, card abstractions."""

from __future__ import annotations

from typing import Annotated

import typer

from regretless.apps.cli.application import app
from regretless.apps.cli.option_types import (
    Device,
    Flops,
    GameArgument,
    Iterations,
    Json,
    Overwrite,
    Quiet,
    Recall,
    Seconds,
    Threads,
    Until,
)
from regretless.apps.output_paths import in_existing_folder, refuse_inputs


@app.command()
def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="FOLDER|RUNS…|SPOT.toml",
            show_default=False,
            help="Runs of one spot on several flops, or a spot file without a board, which is solved first.",
        ),
    ],
    line: Annotated[str, typer.Option(help='The line of play on the flop, "check"; the first decision without.')] = "",
    sort: Annotated[str | None, typer.Option(help="Sort flops by an action, ev, equity or reach.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Print at most N flops (30).")] = None,
    csv: Annotated[
        str | None, typer.Option(help="Write a row for each flop to a CSV file.", callback=in_existing_folder)
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw the groups of flops: FILE.png, .svg or .pdf.", callback=in_existing_folder)
    ] = None,
    html: Annotated[str | None, typer.Option(help="Write a page with all tables.", callback=in_existing_folder)] = None,
    flops: Flops = None,
    algorithm: Annotated[str | None, typer.Option("-a", "--algorithm", help="How a spot is solved.")] = None,
    iterations: Iterations = None,
    until: Until = None,
    seconds: Seconds = None,
    out: Annotated[
        str, typer.Option("-o", "--out", help="The folder of the runs of a spot.", callback=in_existing_folder)
    ] = "runs",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (one per processor).")] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Frequencies, EV and equity at one node of a spot, flop by flop."""
    from regretless.apps.commands.holdem.reporting import ReportOptions, report_and_tell
    from regretless.apps.commands.solving_many import ManyOptions

    report_and_tell(
        ReportOptions(
            runs, line, sort, limit, csv, plot, html, json,
            ManyOptions(
                games=runs, algorithms=[algorithm] if algorithm else [], iterations=iterations, until=until,
                seconds=seconds, seeds=1, folder=out, workers=workers, threads=1, dtype=None, measure=None, ray=None,
                json=json, quiet=quiet,
                flops=25 if flops is None and len(runs) == 1 and runs[0].lower().endswith(".toml") else flops,
            ),
        )
    )  # fmt: skip


@app.command("push-fold")
def push_fold(
    stack: Annotated[float, typer.Option(help="Big blinds of each player, before antes and blinds.")],
    ante: Annotated[float, typer.Option(help="What each player pays first, in big blinds.")] = 0.0,
    small_blind: Annotated[float, typer.Option(help="The small blind, in big blinds.")] = 0.5,
    chart: Annotated[
        str | None, typer.Option(help="Draw both ranges: FILE.png, .svg or .pdf.", callback=in_existing_folder)
    ] = None,
    csv: Annotated[
        str | None, typer.Option(help="Write a row for each class of hands to a CSV file.", callback=in_existing_folder)
    ] = None,
    json: Json = False,
) -> None:
    """Solve heads-up hold'em where the small blind is all-in or folds: exact, with charts."""
    from regretless.apps.commands.holdem.pushing import push_fold_and_tell

    push_fold_and_tell(stack, ante, small_blind, chart=chart, csv=csv, json=json)


@app.command()
def abstract(
    game: GameArgument,
    out: Annotated[
        str, typer.Option("-o", "--out", help="The file to write, such as a.abs.", callback=in_existing_folder)
    ],
    buckets: Annotated[
        str, typer.Option(help="Buckets of all streets, or of each with commas: 169,200,200,200.")
    ] = "200",
    features: Annotated[
        str | None,
        typer.Option(help="ehs, percentile, histogram, ochs or lossless, also one per street (histogram; last ochs)."),
    ] = None,
    recall: Annotated[
        Recall, typer.Option(help="Whether players know the buckets of earlier streets.")
    ] = Recall.imperfect,
    seed: Annotated[int, typer.Option(min=0, help="For the sample and the clusters.")] = 0,
    sample: Annotated[int | None, typer.Option(min=1, help="Find clusters from N hands (50 for each bucket).")] = None,
    threads: Threads = None,
    device: Annotated[
        Device, typer.Option(help="Find clusters on the CPU or on a GPU, with the same result.")
    ] = Device.cpu,
    overwrite: Overwrite = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Merge the hands of hold'em into buckets; interrupted, the same command goes on."""
    refuse_inputs([game], {"--out": out})
    from regretless.apps.commands.abstracting import AbstractOptions, abstract_and_tell

    abstract_and_tell(
        AbstractOptions(
            game, out, buckets, features, recall.value, seed, sample, threads, device.value, overwrite, json, quiet
        )
    )
