"""Commands: games, methods and solves."""

from __future__ import annotations

from typing import Annotated

import typer

from regretless.apps.cli.application import app
from regretless.apps.cli.option_types import (
    DeviceOption,
    Dtype,
    Flops,
    GameArgument,
    Iterations,
    Json,
    Measure,
    Quiet,
    RayAddress,
    Seconds,
    Seed,
    Threads,
    Until,
)
from regretless.apps.exit_messages import MISTAKE
from regretless.apps.output_paths import in_existing_folder


@app.command()
def games(json: Json = False) -> None:
    """List the ready-made games and their parameters."""
    from regretless.apps.commands.catalogue import game_rows, parameters_in_words
    from regretless.apps.printing import console, entry, plain_table, print_json

    rows = game_rows()
    if json:
        print_json({"command": "games", "games": rows})
        return
    out = console()
    table = [(row["name"], entry(row["description"], parameters_in_words(row["parameters"]))) for row in rows]
    out.print(plain_table(["game", "what it is, and its parameters"], table))
    out.print("\nParameters follow a colon: regretless solve leduc:ranks=5,suits=2")
    out.print("A game of your own: regretless solve mygame.py:Guess, or a Gambit file: regretless solve game.efg")
    out.print("A spot of no-limit hold'em, or a game of the poker competition: regretless solve spot.toml, holdem.game")


@app.command()
def algorithms(json: Json = False) -> None:
    """List the algorithms, their rules and their papers."""
    from regretless.apps.commands.catalogue import algorithm_rows
    from regretless.apps.printing import console, entry, plain_table, print_json

    rows = algorithm_rows()
    if json:
        print_json({"command": "algorithms", "algorithms": rows})
        return
    out = console()
    table = [(row["name"], entry(row["rule"], row["paper"])) for row in rows]
    out.print(plain_table(["algorithm", "rule, and where it was published"], table))
    out.print("\nR: regret so far; R⁺, R⁻: its positive and negative part; r: regret of iteration t")
    out.print("Settings follow a colon: cfr+:delay=100, cfr:alternating=no, hs-dcfr:horizon=5000,")
    out.print("mccfr:sampling=outcome,baseline=infoset, mccfr:variant=linear,traversals=1000, mccfr:listed=no")


@app.command()
def check(
    game: GameArgument,
    histories: Annotated[int, typer.Option(min=2, help="Look at no more histories than this.")] = 200_000,
    json: Json = False,
) -> None:
    """Check a game: broken rules, notes, its size, and whether it compiles if it is marked @rg.compiled."""
    from regretless.apps.commands.catalogue import compiles, report_for_machines
    from regretless.apps.printing import print_json
    from regretless.linter import check_game
    from regretless.lookup.games import find_game
    from regretless.problem import opens_itself

    opened = find_game(game)
    if opens_itself(opened):
        from regretless.apps.commands.holdem_summary import check_and_tell

        check_and_tell(opened, game, json=json)
        return
    report = check_game(opened, max_histories=histories)
    compiled, sentence = compiles(opened) if report.ok else (None, "")
    if json:
        print_json({"command": "check", **report_for_machines(report, compiled, sentence)})
    else:
        print(report, *([f"  {sentence}"] if sentence else []), sep="\n")
    if not report.ok or compiled is False:
        raise typer.Exit(MISTAKE)


@app.command()
def solve(
    game: GameArgument,
    algorithm: Annotated[
        str | None,
        typer.Option("-a", "--algorithm", help="See regretless algorithms (cfr+; hold'em dcfr; large games mccfr)."),
    ] = None,
    iterations: Iterations = None,
    until: Until = None,
    seconds: Seconds = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="Save the run to this file, also while solving.", callback=in_existing_folder),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in --out until -n iterations in all.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a run that is in --out.")] = False,
    plot: Annotated[
        str | None, typer.Option(help="Draw the convergence: FILE.png, .svg or .pdf.", callback=in_existing_folder)
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    dtype: Dtype = None,
    device: DeviceOption = None,
    checkpoint_every: Annotated[float, typer.Option(help="Seconds between two saves to --out.")] = 30.0,
    measure: Measure = None,
    start: Annotated[
        str | None, typer.Option(metavar="RUN", help="Begin with the strategy in this file instead of uniform play.")
    ] = None,
    compact: Annotated[
        bool,
        typer.Option(
            "--compact", help="Hold'em: write the finished run small, with rounded strategies and no regrets."
        ),
    ] = False,
    ray: RayAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve a game and say how good the solution is."""
    from regretless.apps.commands.solving import SolveOptions, solve_and_tell

    solve_and_tell(
        SolveOptions(
            game=game, algorithm=algorithm, iterations=iterations, until=until, seconds=seconds, out=out,
            resume=resume, overwrite=overwrite, json=json, quiet=quiet, seed=seed, threads=threads,
            dtype=dtype.value if dtype else None, device=device.value if device else None,
            checkpoint_every=checkpoint_every, plot=plot, measure=measure, start=start, ray=ray, compact=compact,
        )
    )  # fmt: skip


@app.command()
def compare(
    game: GameArgument,
    algorithm: Annotated[
        list[str] | None,
        typer.Option("-a", "--algorithm", help="Several, with commas: cfr,cfr+,dcfr (these and pcfr+)."),
    ] = None,
    iterations: Iterations = None,
    until: Until = None,
    seconds: Seconds = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw all of them: FILE.png, .svg or .pdf.", callback=in_existing_folder)
    ] = None,
    csv: Annotated[
        str | None,
        typer.Option(help="Write every measurement to this file, comma-separated.", callback=in_existing_folder),
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    dtype: Dtype = None,
    device: DeviceOption = None,
    ray: RayAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank several algorithms on one game."""
    from regretless.apps.commands.strategies.comparing import ComparisonOutput, compare_and_tell

    compare_and_tell(
        game, algorithm or ["cfr,cfr+,dcfr,pcfr+"],
        iterations=iterations, until=until, seconds=seconds, seed=seed, threads=threads,
        dtype=dtype.value if dtype else None, device=device.value if device else None, ray=ray,
        output=ComparisonOutput(plot, csv, json, quiet),
    )  # fmt: skip


@app.command("solve-many")
def solve_many(
    games: Annotated[
        list[str],
        typer.Argument(metavar="FOLDER|GAMES…", show_default=False, help="Games, or folders of spots and game files."),
    ],
    algorithm: Annotated[
        list[str] | None, typer.Option("-a", "--algorithm", help="One or several, with commas (dcfr).")
    ] = None,
    iterations: Iterations = None,
    until: Until = None,
    seconds: Seconds = None,
    seeds: Annotated[int, typer.Option(min=1, help="Solve each with seeds 0 to N − 1.")] = 1,
    out: Annotated[
        str, typer.Option("-o", "--out", help="The folder of the runs.", callback=in_existing_folder)
    ] = "runs",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes (one per processor).")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each process.")] = 1,
    dtype: Dtype = None,
    measure: Measure = None,
    flops: Flops = None,
    ray: RayAddress = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Solve many games at once; started again, it does only what is missing."""
    from regretless.apps.commands.solving_many import ManyOptions, solve_many_and_tell

    solve_many_and_tell(
        ManyOptions(
            games=games, algorithms=algorithm or [], iterations=iterations, until=until, seconds=seconds,
            seeds=seeds, folder=out, workers=workers, threads=threads, dtype=dtype.value if dtype else None,
            measure=measure, ray=ray, json=json, quiet=quiet, flops=flops,
        )
    )  # fmt: skip
