"""Commands: the explorer, play, matches of the poker competition, reviews and drills."""

from __future__ import annotations

from typing import Annotated

import typer

from regretless.apps.cli.application import app
from regretless.apps.cli.option_types import GameArgument, Json, Quiet
from regretless.apps.output_paths import in_existing_folder
from regretless.errors import OptionError


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
