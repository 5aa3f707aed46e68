"""The command line: `regretless COMMAND …`. Every command is a thin function; heavy modules load inside them."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from io import TextIOWrapper
from typing import Annotated

import typer

from regretless import __version__
from regretless.apps.commands.ray_option import with_ray_address
from regretless.apps.exit_messages import MISTAKE, Commands, ensure_streams
from regretless.apps.languages.choice import Language, language_of, with_language_first
from regretless.apps.output_paths import in_existing_folder
from regretless.apps.startup import starting
from regretless.errors import OptionError

__all__ = ["app", "main"]

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


class Precision(StrEnum):
    """The numbers a solve computes with."""

    float64 = "float64"
    float32 = "float32"
    int16 = "int16"


class ResolveMethod(StrEnum):
    """How a subgame is solved again."""

    unsafe = "unsafe"
    cfr_d = "cfr-d"
    maxmargin = "maxmargin"
    reach = "reach"


class Recall(StrEnum):
    """What players know of earlier streets."""

    imperfect = "imperfect"
    perfect = "perfect"


class Device(StrEnum):
    """What a solve computes on."""

    cpu = "cpu"
    cuda = "cuda"


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME", show_default=False, help="A name (leduc:ranks=5, fhp), FILE.py:CLASS, SPOT.toml or FILE.efg."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Iterations = Annotated[
    int | None,
    typer.Option("-n", "--iterations", help="Stop after N iterations (1,000 without another rule)."),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        help="Stop at this exploitability, in chips per game (NashConv / players); of hold'em also 0.3% of the pot, or "
        "5mbb per game for both players together.",
    ),
]
Seconds = Annotated[float | None, typer.Option(help="Stop after this many seconds.")]
Seed = Annotated[int | None, typer.Option(min=0, help="For methods that draw at random (0).")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads; large games use all cores by default.")]
Dtype = Annotated[
    Precision | None, typer.Option(help="Precision (float64; of hold'em float32, or int16 to save memory).")
]
DeviceOption = Annotated[Device | None, typer.Option(help="On the CPU or, hold'em and networks only, on a GPU.")]
Measure = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="Measure every N iterations, at a growth factor such as 1.1, or never (1.05)."),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Use a Ray cluster: auto, HOST:PORT or ray://HOST:PORT; without an address, one on this machine.",
    ),
]
Flops = Annotated[
    int | None,
    typer.Option(metavar="N", help="Solve spot files without a board on a set of 25, 49, 95, 184 or 1755 flops."),
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing but mistakes.")]


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
            games=games, algorithms=algorithm or ["dcfr"], iterations=iterations, until=until, seconds=seconds,
            seeds=seeds, folder=out, workers=workers, threads=threads, dtype=dtype.value if dtype else None,
            measure=measure, ray=ray, json=json, quiet=quiet, flops=flops,
        )
    )  # fmt: skip


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
    algorithm: Annotated[str, typer.Option("-a", "--algorithm", help="How a spot is solved.")] = "dcfr",
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
                games=runs, algorithms=[algorithm], iterations=iterations, until=until, seconds=seconds, seeds=1,
                folder=out, workers=workers, threads=1, dtype=None, measure=None, ray=None, json=json, quiet=quiet,
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
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Merge the hands of hold'em into buckets; interrupted, the same command goes on."""
    from regretless.apps.commands.abstracting import AbstractOptions, abstract_and_tell

    abstract_and_tell(
        AbstractOptions(game, out, buckets, features, recall.value, seed, sample, threads, overwrite, json, quiet)
    )


@app.command()
def show(
    run: Annotated[str, typer.Argument(metavar="RUN", show_default=False, help="A file that solve or abstract wrote.")],
    infosets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INFOSETS|LINE",
            show_default=False,
            help='Only these infosets, "Q*" for many; of hold\'em the line of play to look at, "check bet 50"; of an '
            'abstraction a hand and a board, "AsKh" "Qs Jh 2h".',
        ),
    ] = None,
    player: Annotated[int | None, typer.Option(min=0, help="Only this player's, counted from 0.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Print at most N infosets (40; with --json all of a listed game).")
    ] = None,
    current: Annotated[bool, typer.Option("--current", help="The last iterate instead of the average.")] = False,
    csv: Annotated[
        str | None,
        typer.Option(help="Write the whole strategy, or the node, to a CSV file.", callback=in_existing_folder),
    ] = None,
    parquet: Annotated[
        str | None, typer.Option(help="The same to a Parquet file.", callback=in_existing_folder)
    ] = None,
    board: Annotated[str | None, typer.Option(help='Hold\'em: the cards on the board, "Qs Jh 2h", or all.')] = None,
    range: Annotated[str | None, typer.Option(help='Hold\'em: only these hands, "AK,QQ+".')] = None,
    hands: Annotated[bool, typer.Option("--hands", help="Hold'em: hand by hand instead of by class.")] = False,
    ev: Annotated[bool, typer.Option("--ev", help="Hold'em: what hands and actions are worth, best first.")] = False,
    leaks: Annotated[
        bool, typer.Option("--leaks", help="Hold'em: nodes and hands that lose chips to a best response, worst first.")
    ] = False,
    plot: Annotated[
        str | None, typer.Option(help="Hold'em: draw the range, FILE.png, .svg or .pdf.", callback=in_existing_folder)
    ] = None,
    compact: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Hold'em: write the run small, with rounded strategies only.",
            callback=in_existing_folder,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Name infosets by this game: a file opens no game of your own by itself."),
    ] = None,
    json: Json = False,
) -> None:
    """Print a solved strategy as a table."""
    from regretless.apps.commands.show.show import show_strategy

    show_strategy(
        run, infosets or [], player=player, limit=limit, current=current, csv=csv, parquet=parquet, json=json,
        game=game,
        holdem={
            "board": board, "range": range, "hands": hands, "ev": ev, "leaks": leaks, "plot": plot, "compact": compact,
        },
    )  # fmt: skip


@app.command()
def differences(
    one: Annotated[str, typer.Argument(metavar="RUN", show_default=False, help="A run of hold'em.")],
    other: Annotated[str, typer.Argument(metavar="OTHER", show_default=False, help="A run of the same tree.")],
    board: Annotated[
        str | None, typer.Option(help='A board of a later street, "Qs Jh 2h 7c", or all (the first street).')
    ] = None,
    by: Annotated[str, typer.Option(help='Sort nodes by difference, "gain 0" or "gain 1".')] = "difference",
    limit: Annotated[int | None, typer.Option(min=1, help="Print at most N nodes (20; with --json all).")] = None,
    csv: Annotated[
        str | None, typer.Option(help="Write a row for each node to a CSV file.", callback=in_existing_folder)
    ] = None,
    json: Json = False,
) -> None:
    """Say where two solutions of one spot differ, and what each player gains."""
    from regretless.apps.commands.holdem.studying import compare_runs

    compare_runs(one, other, board=board, by=by, limit=limit, csv=csv, json=json)


@app.command()
def lock(
    run: Annotated[str, typer.Argument(metavar="RUN", show_default=False, help="A run of a spot.")],
    line: Annotated[
        str | None,
        typer.Argument(
            metavar="LINE", show_default=False, help='The node, "check bet 50"; without it locks are listed.'
        ),
    ] = None,
    hands: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HANDS=ACTIONS",
            show_default=False,
            help='What hands do, "AK,QQ+=bet 75:0.5,check:0.5"; may be given several times, others play as solved.',
        ),
    ] = None,
    board: Annotated[str | None, typer.Option(help="The board, at a node of a later street.")] = None,
    every_board: Annotated[
        bool, typer.Option("--every-board", help="On all boards, each class of hands as on this one.")
    ] = False,
    unlock: Annotated[
        list[int] | None, typer.Option(show_default=False, help="Remove the lock with this number in the list.")
    ] = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="The spot file to write.", callback=in_existing_folder)
    ] = None,
    json: Json = False,
) -> None:
    """Lock a node of a solved spot: write a spot file that is solved with it."""
    from regretless.apps.commands.holdem.studying import lock_and_write

    lock_and_write(
        run, line, hands or [], board=board, every_board=every_board, unlock=unlock or [], out=out, json=json
    )


@app.command()
def clean(
    run: Annotated[str, typer.Argument(metavar="RUN", show_default=False, help="A file that solve --out wrote.")],
    threshold: Annotated[
        list[float] | None,
        typer.Option(show_default=False, help="Drop actions taken less often; may be given several times."),
    ] = None,
    plot: Annotated[
        str | None, typer.Option(help="Draw the report: .png, .svg or .pdf.", callback=in_existing_folder)
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(help="Write the strategy cleaned at the one threshold given.", callback=in_existing_folder),
    ] = None,
    json: Json = False,
) -> None:
    """Say what dropping rare actions does to a solved strategy."""
    from regretless.apps.commands.strategies.cleaning import clean_and_tell

    clean_and_tell(run, threshold or [], plot=plot, out=out, json=json)


@app.command()
def resolve(
    run: Annotated[str, typer.Argument(metavar="RUN", show_default=False, help="A file that solve --out wrote.")],
    at: Annotated[
        list[str] | None,
        typer.Option(show_default=False, help="An infoset where the subgame begins; may be given several times."),
    ] = None,
    history: Annotated[
        str | None, typer.Option(help='A history where it begins: the actions from the root on, "Js, Qh, c, c".')
    ] = None,
    line: Annotated[
        str | None, typer.Option(help='Hold\'em: the line of play up to the cards, "raise call / bet call".')
    ] = None,
    board: Annotated[str | None, typer.Option(help='Hold\'em: the cards on the board, "Qs Jh 2h 7c".')] = None,
    method: Annotated[
        ResolveMethod, typer.Option(help="All but unsafe never raise exploitability.")
    ] = ResolveMethod.maxmargin,
    player: Annotated[int | None, typer.Option(min=0, max=1, help="Only this player's part (both).")] = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="Write the patched strategy to this file.", callback=in_existing_folder),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("-n", "--iterations", min=1, help="Hold'em: iterations for each player (1,000).")
    ] = None,
    seconds: Seconds = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game with its card abstraction: hulh:abstraction=FILE.")
    ] = None,
    json: Json = False,
) -> None:
    """Solve a subgame of a solved game again."""
    holdem = {"line": line, "board": board, "iterations": iterations, "seconds": seconds, "game": game}
    if line is not None or board is not None:
        from regretless.apps.commands.strategies.holdem_resolving import resolve_holdem_and_tell

        listed = {"--at": at, "--history": history}
        resolve_holdem_and_tell(run, listed, method=method.value, player=player, out=out, json=json, holdem=holdem)
        return
    from regretless.apps.commands.strategies.resolving import resolve_and_tell

    resolve_and_tell(run, at or [], history, method=method.value, player=player, out=out, json=json, holdem=holdem)


@app.command()
def match(
    game: GameArgument,
    a: Annotated[str, typer.Argument(metavar="A", show_default=False, help="A run or a strategy, in a file.")],
    b: Annotated[str, typer.Argument(metavar="B", show_default=False, help="What it plays against.")],
    hands: Annotated[
        int | None,
        typer.Option(help="Play N deals, each in every seat, instead of computing the result."),
    ] = None,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Say what one strategy wins from another."""
    from regretless.apps.commands.strategies.matching import match_and_tell

    match_and_tell(game, a, b, hands=hands, seed=seed, json=json)


@app.command()
def measure(
    run: Annotated[str, typer.Argument(metavar="RUN", show_default=False, help="A file that solve --out wrote.")],
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="The game with its card abstraction: hulh:abstraction=FILE."),
    ] = None,
    flops: Annotated[
        int | None, typer.Option(metavar="N", min=2, help="Measure N flops, drawn at random, instead of all.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Keep measured flops in this file, and go on from it.", callback=in_existing_folder
        ),
    ] = None,
    values: Annotated[
        bool, typer.Option("--values", help="Also compute what the strategy itself wins, by flop and by line.")
    ] = False,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.csv", help="Write what each flop is worth and gives away.", callback=in_existing_folder
        ),
    ] = None,
    lbr: Annotated[
        bool, typer.Option("--lbr", help="A lower bound by a local best response, for the largest games.")
    ] = False,
    boards: Annotated[int | None, typer.Option(metavar="N", min=1, help="With --lbr: boards to draw (200).")] = None,
    first_street: Annotated[
        str | None,
        typer.Option(metavar="STREET", help="With --lbr: it checks and calls before this street, for example turn."),
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    ray: RayAddress = None,
    json: Json = False,
) -> None:
    """Measure how exploitable the strategy of a run is."""
    from regretless.apps.commands.strategies.measuring import measure_and_tell

    measure_and_tell(
        run, game=game, flops=flops, checkpoint=checkpoint, values=values, table=table, lbr=lbr, boards=boards,
        first_street=first_street, seed=seed, threads=threads, ray=ray, json=json,
    )  # fmt: skip


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
def export(
    game: GameArgument,
    out: Annotated[
        str,
        typer.Argument(metavar="FILE.efg", show_default=False, help="Where to write it.", callback=in_existing_folder),
    ],
) -> None:
    """Write a game as a Gambit .efg file."""
    from regretless.apps.commands.game_opening import blame_the_game
    from regretless.formats.gambit import write_efg
    from regretless.lookup.games import find_game

    if not out.endswith(".efg"):
        raise OptionError(f"export writes Gambit files: name one that ends in .efg, got {out!r}")
    opened = find_game(game)
    with blame_the_game(opened):
        write_efg(opened, out, title=game)


@app.command()
def explore(
    context: typer.Context,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]…", show_default=False, help="Files that solve --out wrote, or folders of them."),
    ] = None,
    host: Annotated[str, typer.Option(help="Listen here; other machines than this one need a token.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Listen on this port (8765 or the next).")] = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game of runs whose game is a class of your own.")
    ] = None,
    save_to: Annotated[str, typer.Option(metavar="FOLDER", help="Where the page saves what it has solved.")] = ".",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
) -> None:
    """Look at strategies and play against them in the browser."""
    from regretless.apps.commands.exploring import explore_and_serve

    explore_and_serve(
        runs or [], host=host, port=port, game=game, save_to=save_to, browser=browser, language=context.obj
    )


@app.command()
def play(
    run: Annotated[
        str, typer.Argument(metavar="RUN", show_default=False, help="A file that solve --out wrote, or a game's name.")
    ],
    seat: Annotated[str, typer.Option(help="Your seat: 0, 1, random or alternate.")] = "random",
    hands: Annotated[int | None, typer.Option(min=1, help="Play N hands (until you quit).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Deal the same hands again (new ones).")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="After each hand, say what your choices cost.")] = False,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game of a run whose game is a class of your own.")
    ] = None,
    acpc: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Hold'em: play at a dealer of the poker competition as an agent."),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.001, help="With --acpc: seconds the dealer may be silent.")] = 600.0,
) -> None:
    """Play against a strategy in the terminal, or let it play at a dealer of the poker competition.

    With --acpc, RUN may also be always-call, always-fold, always-raise or random; these need --game.
    """
    if acpc is not None:
        from regretless.apps.acpc.commands import play_at_dealer
        from regretless.apps.play.terminal import fresh_seed

        if explain or seat != "random":
            raise OptionError(
                "with --acpc the dealer chooses the seats and nothing is explained: leave out --seat and --explain"
            )
        play_at_dealer(run, acpc, game=game, seed=fresh_seed() if seed is None else seed, hands=hands, seconds=timeout)
        return
    from regretless.apps.acpc.agents import NAMED_AGENTS
    from regretless.apps.play.terminal import play_in_terminal

    if run in NAMED_AGENTS:
        raise OptionError(f"{run} plays only at a dealer of the poker competition: add --acpc HOST:PORT and --game")
    play_in_terminal(run, seat=seat, hands=hands, seed=seed, explain=explain, game=game)


@app.command()
def deal(
    game: GameArgument,
    ports: Annotated[
        str, typer.Option(metavar="A,B", help="Listen here for the two agents; 0 is a free port.")
    ] = "0,0",
    hands: Annotated[int, typer.Option(min=1, help="Play N hands.")] = 1_000,
    seed: Annotated[int | None, typer.Option(min=0, help="Deal the same cards again (0).")] = None,
    duplicate: Annotated[bool, typer.Option("--duplicate", help="Play each deal twice, with exchanged cards.")] = False,
    names: Annotated[str, typer.Option(metavar="A,B", help="The names of the agents in the log.")] = "agent-1,agent-2",
    out: Annotated[
        str, typer.Option("-o", "--out", help="The log of the match.", callback=in_existing_folder)
    ] = "match.log",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a log that is there.")] = False,
    timeout: Annotated[float, typer.Option(min=0.001, help="Seconds for one answer.")] = 600.0,
    hand_timeout: Annotated[float, typer.Option(min=0.001, help="Seconds of an agent in one hand.")] = 600.0,
    mean_timeout: Annotated[
        float, typer.Option(min=0.001, help="Seconds of an agent a hand, over the whole match.")
    ] = 7.0,
    start_timeout: Annotated[float, typer.Option(min=0.001, help="Seconds until both agents are there.")] = 600.0,
    host: Annotated[str, typer.Option(help="Listen on this address.")] = "127.0.0.1",
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Deal a match for two agents of the poker competition (ACPC protocol)."""
    from regretless.apps.acpc.commands import DealOptions, deal_and_tell, read_names
    from regretless.apps.acpc.dealer import MatchSettings

    settings = MatchSettings(
        hands, seed or 0, duplicate, read_names(names), timeout, hand_timeout, mean_timeout, start_timeout
    )
    deal_and_tell(DealOptions(game, ports, host, out, overwrite, json, quiet), settings)


@app.command()
def review(
    solutions: Annotated[
        str, typer.Argument(metavar="RUN", show_default=False, help="A run of hold'em, or a folder of them.")
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…", show_default=False, help="Hands: PokerStars or GGPoker text, PHH, or a log of the ACPC."
        ),
    ],
    player: Annotated[str | None, typer.Option(metavar="NAME", help="Only this player's decisions.")] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Leave out hands with bets that the run does not have.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="Print the N worst decisions.")] = 20,
    csv: Annotated[str | None, typer.Option(help="Write all decisions to this file, comma-separated.")] = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game with its card abstraction: hulh:abstraction=FILE.")
    ] = None,
    json: Json = False,
) -> None:
    """Say what the decisions of played hands cost, worst first."""
    from regretless.apps.reviewing import ReviewOptions, review_and_tell

    review_and_tell(ReviewOptions(solutions, files, player, exact, limit, csv, json, game))


@app.command()
def drill(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN…", show_default=False, help="Files that solve --out wrote, or folders of them."),
    ],
    questions: Annotated[int | None, typer.Option("-n", "--questions", min=1, help="Ask N (until you quit).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Ask the same questions again (new ones).")] = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game of runs whose game is a class of your own.")
    ] = None,
) -> None:
    """Choose actions in random situations of solved games, and see what they cost."""
    from regretless.apps.play.drill_terminal import drill_in_terminal

    drill_in_terminal(runs, questions=questions, seed=seed, game=game)


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
