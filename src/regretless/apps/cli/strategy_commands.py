"""Commands: what is done with the strategy of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from regretless.apps.cli.application import app
from regretless.apps.cli.option_types import (
    DeviceOption,
    GameArgument,
    Json,
    Overwrite,
    RayAddress,
    ResolveMethod,
    Seconds,
    Seed,
    Threads,
)
from regretless.apps.output_paths import in_existing_folder, refuse_existing, refuse_inputs
from regretless.errors import OptionError


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
    refuse_inputs([run], {"--csv": csv, "--parquet": parquet, "--plot": plot, "--compact": compact})
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
    refuse_inputs([one, other], {"--csv": csv})
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
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Lock a node of a solved spot: write a spot file that is solved with it."""
    refuse_inputs([run], {"--out": out})
    refuse_existing(out, overwrite=overwrite)
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
    refuse_inputs([run], {"--out": out, "--plot": plot})
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
        ResolveMethod, typer.Option(help="All but unsafe never raise exploitability (of hold'em: up to convergence).")
    ] = ResolveMethod.maxmargin,
    player: Annotated[int | None, typer.Option(min=0, max=1, help="Only this player's part (both).")] = None,
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="Write the patched strategy to this file.", callback=in_existing_folder),
    ] = None,
    overwrite: Overwrite = False,
    iterations: Annotated[
        int | None, typer.Option("-n", "--iterations", min=1, help="Hold'em: iterations for each player (1,000).")
    ] = None,
    seconds: Seconds = None,
    device: DeviceOption = None,
    game: Annotated[
        str | None, typer.Option(metavar="GAME", help="The game with its card abstraction: hulh:abstraction=FILE.")
    ] = None,
    json: Json = False,
) -> None:
    """Solve a subgame of a solved game again."""
    refuse_inputs([run], {"--out": out})
    refuse_existing(out, overwrite=overwrite)
    holdem = {
        "line": line, "board": board, "iterations": iterations, "seconds": seconds, "game": game,
        "device": device.value if device else None,
    }  # fmt: skip
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
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            show_default=False,
            help="A run or a strategy, in a file; of hold'em also always-call, …, random.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", show_default=False, help="What it plays against.")],
    hands: Annotated[
        int | None,
        typer.Option(help="Play N deals, each in every seat, instead of computing the result."),
    ] = None,
    boards: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Hold'em: draw N boards, and play all hands on each, in both seats."),
    ] = None,
    seed: Seed = None,
    threads: Threads = None,
    ray: RayAddress = None,
    json: Json = False,
) -> None:
    """Say what one strategy wins from another."""
    from regretless.apps.commands.strategies.matching import match_and_tell

    match_and_tell(game, a, b, hands=hands, boards=boards, seed=seed, threads=threads, ray=ray, json=json)


@app.command()
def measure(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            show_default=False,
            help="A file that solve --out wrote; or always-call, …, random of --game.",
        ),
    ],
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
    device: DeviceOption = None,
    ray: RayAddress = None,
    json: Json = False,
) -> None:
    """Measure how exploitable the strategy of a run is."""
    refuse_inputs([run], {"--checkpoint": checkpoint, "--table": table})
    from regretless.apps.commands.strategies.measuring import measure_and_tell

    measure_and_tell(
        run, game=game, flops=flops, checkpoint=checkpoint, values=values, table=table, lbr=lbr, boards=boards,
        first_street=first_street, seed=seed, threads=threads, device=device.value if device else None, ray=ray,
        json=json,
    )  # fmt: skip


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
