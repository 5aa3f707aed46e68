"""`regretless deal` and `regretless play RUN --acpc HOST:PORT`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass

from regretless.apps.acpc.agents import find_agent
from regretless.apps.acpc.client import AgentScore, play_match
from regretless.apps.acpc.dealer import Dealer, MatchSettings, Standing, listen, seat_agents
from regretless.apps.acpc.line_socket import connect
from regretless.apps.acpc.match_log import MatchLog
from regretless.apps.exit_messages import warn
from regretless.apps.startup import started
from regretless.errors import OptionError
from regretless.poker.betting.sizes import spell_chips
from regretless.poker.formats.acpc_messages import ProtocolError, check_whole_game
from regretless.poker.games import PublicGame
from regretless.poker.quoting import quoted

__all__ = ["DealOptions", "deal_and_tell", "play_at_dealer", "read_names"]

NAME_CHARACTERS = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


@dataclass(frozen=True)
class DealOptions:
    """The options of `regretless deal`."""

    game: str
    ports: str
    host: str
    out: str
    overwrite: bool
    json: bool
    quiet: bool


def deal_and_tell(options: DealOptions, settings: MatchSettings) -> None:
    """The whole command: wait for two agents, play, write the log, print the score."""
    from regretless.lookup.games import find_game

    game = check_whole_game(find_game(options.game))
    with ExitStack() as opened:
        listening = [opened.enter_context(closing(one)) for one in listen(options.host, read_ports(options.ports))]
        log = opened.enter_context(closing(MatchLog(options.out, options.overwrite)))
        # The first line of a dealer of the competition: the ports in the order of the seats.
        known = " ".join(str(one.getsockname()[1]) for one in listening)
        print(known, file=sys.stderr if options.json else sys.stdout, flush=True)
        started()
        with kept_in_log(log):
            agents = [opened.enter_context(closing(agent)) for agent in seat_agents(listening, settings)]
            standing = Dealer(game, agents, settings, log).play()
    tell_match(game, options, settings, standing)


@contextmanager
def kept_in_log(log: MatchLog) -> Iterator[None]:
    """Where a match is cut short, the log says why, and the error says what the log holds."""
    try:
        yield
    except KeyboardInterrupt:
        log.comment("the match was interrupted")
        raise
    except ProtocolError as error:
        log.comment(f"the match was cut short: {error}")
        finished = "1 finished hand is" if log.hands == 1 else f"{log.hands:,} finished hands are"
        raise ProtocolError(f"{error}; {finished} in {log.path}") from None


def tell_match(game: PublicGame, options: DealOptions, settings: MatchSettings, standing: Standing) -> None:
    """Print the result of a match."""
    from regretless.apps.printing import console, facts, print_json

    for name, count in zip(settings.names, standing.corrected, strict=True):
        if count:
            moves = "1 move that is" if count == 1 else f"{count:,} moves that are"
            warn(f"{name} made {moves} not legal; the nearest legal move was taken")
    if options.json:
        print_json({"command": "deal", "game": game.name, "log": options.out, "names": list(settings.names),
                    **asdict(standing)})  # fmt: skip
        return
    if options.quiet:
        return
    rows = [("game", game.name), ("hands", f"{standing.hands:,}")]
    for name, won in zip(settings.names, standing.won, strict=True):
        rows.append((name, per_hand(game, won, standing.hands)))
    console().print(facts([*rows, ("log", options.out)]))


def per_hand(game: PublicGame, won: float, hands: int) -> str:
    """Chips of a match, and thousandths of a big blind a hand where the game has blinds."""
    text = f"{'+' if won > 0 else ''}{spell_chips(won)} chips"
    if game.big_blind and hands:
        text += f", {1000 * won / hands / game.big_blind:+.1f} mbb/g"
    return text


def read_ports(text: str) -> tuple[int, int]:
    """The two ports of "A,B"; 0 takes a free one."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.strip().isdecimal() and int(part) < 65_536 for part in parts):
        raise OptionError(
            f"--ports takes two ports from 0 to 65535 with a comma, such as 20001,20002, got {quoted(text)}"
        )
    first, second = map(int, parts)
    if first == second != 0:
        raise OptionError(f"--ports takes two different ports, one for each agent, got {first} twice")
    return first, second


def read_names(text: str) -> tuple[str, str]:
    """The names of the agents in "A,B"; a log separates names by | and fields by :, so these are not allowed."""
    names = [part.strip() for part in text.split(",")]
    if len(names) != 2 or names[0] == names[1] or not all(name and set(name) <= NAME_CHARACTERS for name in names):
        raise OptionError(
            f"--names takes two different names of letters, digits, dots and dashes with a comma, got {quoted(text)}"
        )
    return names[0], names[1]


def play_at_dealer(run: str, address: str, *, game: str | None, seed: int, hands: int | None, seconds: float) -> None:
    """The whole command: find the agent, connect, play until the dealer ends the match, print the score."""
    from regretless.apps.printing import console, facts

    agent = find_agent(run, game, seed)
    dealer = connect(address, seconds)
    started()
    score = AgentScore()
    try:
        play_match(dealer, agent, seconds, score, hands)
    finally:
        dealer.close()
        if score.hands:
            rows = [("hands", f"{score.hands:,}"), (run, per_hand(agent.game, score.won, score.hands))]
            console().print(facts(rows))
