"""Matches over sockets of this machine: agents, the dealer, its log, and peers that misbehave."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from command_line import command

import regretless as rg
from regretless.apps.acpc.agents import Agent, NamedAgent, StrategyAgent, find_agent
from regretless.apps.acpc.client import AgentScore, checked_hand, play_match
from regretless.apps.acpc.commands import kept_in_log, play_at_dealer
from regretless.apps.acpc.dealer import Dealer, MatchSettings, Standing, listen, seat_agents
from regretless.apps.acpc.line_socket import LineSocket, connect, read_address
from regretless.apps.acpc.match_log import MatchLog
from regretless.errors import FileError, OptionError
from regretless.poker import Deck, Holdem, Limit, LimitHoldem, NoLimit, PublicGame
from regretless.poker.formats.acpc_messages import MatchState, ProtocolError, read_answer, read_state

Peer = Callable[[str], Any]
"""What a thread does at the address of a dealer."""

SMALL = PublicGame(Deck("9TJQKA", "sh"), 2, (3, 1), Limit(streets=3, bets=(2, 2, 4), caps=2, blinds=(1, 2)))
SMALL_NO_LIMIT = PublicGame(
    Deck("9TJQKA", "sh"), 2, (1,), NoLimit(stack=60, streets=2, blinds=(1, 2), sizes="bet 100%, raise 100%")
)


def matched(game: PublicGame, peers: Sequence[Peer], path: Path, **settings: Any) -> Standing:
    """The result of a match; errors of the dealer are raised."""
    listening = listen("127.0.0.1", (0, 0))
    agents: list[LineSocket] = []
    log = MatchLog(path)
    threads = [
        threading.Thread(target=peer, args=(f"127.0.0.1:{one.getsockname()[1]}",), daemon=True)
        for peer, one in zip(peers, listening, strict=True)
    ]
    for thread in threads:
        thread.start()
    chosen = MatchSettings(**{"names": ("one", "two"), "response": 20.0, "start": 20.0, **settings})
    try:
        with kept_in_log(log):
            agents += seat_agents(listening, chosen)
            return Dealer(game, agents, chosen, log).play()
    finally:
        for opened in (*agents, *listening, log):
            opened.close()
        for thread in threads:
            thread.join(20)


def playing(agent: Agent, scores: list[AgentScore] | None = None, hands: int | None = None) -> Peer:
    """A peer that plays as an agent."""

    def play(address: str) -> None:
        dealer, score = connect(address, 20.0), AgentScore()
        if scores is not None:
            scores.append(score)
        try:
            play_match(dealer, agent, 20.0, score, hands)
        except ProtocolError:
            pass  # the dealer has ended the match because of the other peer
        finally:
            dealer.close()

    return play


def sending(*data: bytes, stay: bool = False) -> Peer:
    """A peer that sends its version and then these bytes, and hangs up unless it stays silent."""

    def send(address: str) -> None:
        with suppress(OSError), socket.create_connection(read_address(address), timeout=20) as raw:
            raw.sendall(b"VERSION:2.0.0\r\n")
            raw.recv(4096)
            for part in data:
                raw.sendall(part)
            while stay and raw.recv(4096):
                pass

    return send


def states(path: Path) -> list[list[str]]:
    """The fields of the STATE lines of a log."""
    return [line.split(":") for line in path.read_text().splitlines() if line.startswith("STATE:")]


def check_log(path: Path, standing: Standing) -> None:
    """The score of a log is the sum of its hands, and chips only change hands."""
    total = {"one": 0.0, "two": 0.0}
    for *_, won, names in states(path):
        chips = [float(part) for part in won.split("|")]
        assert sum(chips) == 0
        for name, part in zip(names.split("|"), chips, strict=True):
            total[name] += part
    assert list(total.values()) == standing.won
    assert path.read_text().splitlines()[-1].startswith("SCORE:")


@pytest.fixture(scope="module")
def bucketed() -> rg.Run:
    import dataclasses

    game = dataclasses.replace(SMALL, abstraction=rg.poker.abstract(SMALL, buckets=(20, 30, 40), seed=1))
    return rg.solve(game, rg.MCCFR(sampling="public-chance", variant=rg.LINEAR_CFR), iterations=20, measure="never")


@pytest.mark.full
def test_two_agents_of_a_run_play_fifty_hands(bucketed, tmp_path) -> None:
    """Scores sum to zero, agents know their own, and the same seed gives the same log."""
    logs = []
    for name in ("first.log", "again.log"):
        scores: list[AgentScore] = []
        peers = [playing(StrategyAgent(bucketed.strategy, seed), scores) for seed in (1, 2)]
        standing = matched(SMALL, peers, tmp_path / name, hands=50, seed=3)
        assert standing.hands == 50 and sum(standing.won) == 0 and standing.corrected == [0, 0]
        check_log(tmp_path / name, standing)
        assert sorted(score.won for score in scores) == sorted(standing.won)
        logs.append(states(tmp_path / name))
    assert logs[0] == logs[1]
    assert len({betting for _, _, betting, *_ in logs[0]}) > 5


@pytest.mark.full
@pytest.mark.parametrize(("game", "agents"), [(LimitHoldem(), ("random", "always-raise")), (Holdem(), ("random",) * 2)])
def test_pokerkit_reads_the_log(game, agents, tmp_path) -> None:
    """PokerKit replays every hand to the same result."""
    kit = pytest.importorskip("pokerkit")
    path = tmp_path / "match.log"
    standing = matched(
        game, [playing(NamedAgent(name, game, seed)) for seed, name in enumerate(agents)], path, hands=50
    )
    check_log(path, standing)
    limit = isinstance(game.betting, Limit)
    table = kit.FixedLimitTexasHoldem if limit else kit.NoLimitTexasHoldem
    rules = table((), True, 0, (50, 100), *((100, 200) if limit else (100,)))
    histories = list(kit.HandHistory.from_acpc_protocol(rules, 20_000, path.read_text(), error_status=True))
    assert len(histories) == 50
    for history, (*_, won, names) in zip(histories, states(path), strict=True):
        *_, end = history
        assert list(end.payoffs) == [float(part) for part in won.split("|")] and history.players == names.split("|")


def test_duplicate_hands_exchange_the_cards(tmp_path) -> None:
    """Equal players with exchanged cards win nothing from each other."""
    game = LimitHoldem()
    peers = [playing(NamedAgent("always-call", game)) for _ in range(2)]
    standing = matched(game, peers, tmp_path / "m.log", hands=20, duplicate=True, seed=5)
    cards = [fields[3] for fields in states(tmp_path / "m.log")]
    assert cards[::2] == cards[1::2] and len(set(cards)) == 10
    assert standing.won == [0, 0]


def test_a_no_limit_strategy_meets_sizes_it_does_not_have(tmp_path) -> None:
    run = rg.solve(SMALL_NO_LIMIT, rg.CFR_PLUS, iterations=5)
    peers = [playing(StrategyAgent(run.strategy, 1)), playing(NamedAgent("random", SMALL_NO_LIMIT, 2))]
    standing = matched(SMALL_NO_LIMIT, peers, tmp_path / "m.log", hands=60)
    check_log(tmp_path / "m.log", standing)
    assert standing.corrected == [0, 0]


def test_moves_that_are_not_legal_are_corrected(tmp_path) -> None:
    """As by the competition's dealer: a raise above the cap is a call, a fold without a bet a check."""

    def stubborn(address: str) -> None:
        dealer = connect(address, 20.0)
        dealer.send("VERSION:2.0.0", 20.0)
        with suppress(ProtocolError):  # the dealer may close the connection before it has read the last answers
            while (line := dealer.receive(20.0)) is not None:
                dealer.send("# thinking", 20.0)
                dealer.send(f"{line}:r", 20.0)  # also when it is not its turn: such answers are late for every state
        dealer.close()

    game = LimitHoldem()
    standing = matched(game, [stubborn, playing(NamedAgent("always-raise", game))], tmp_path / "m.log", hands=2)
    assert standing.corrected[0] > 0
    assert all(fields[2] == "rrrc/rrrrc/rrrrc/rrrrc" for fields in states(tmp_path / "m.log"))


@pytest.mark.parametrize(
    ("peer", "sentence"),
    [
        (sending(b"GET / HTTP/1.1\r\n", stay=True), "'GET / HTTP/1.1' is no answer of the ACPC protocol"),
        (sending(b"MATCHSTATE:0:0::|:x\r\n", stay=True), "is no answer of the ACPC protocol"),
        (sending(b"\xff\xfe\r\n", stay=True), "bytes that are no text"),
        (sending(b"x" * 30_000, stay=True), "a line of more than 20,000 bytes"),
        (sending(b"MATCHSTATE"), "has hung up within a line: b'MATCHSTATE' in hand 0"),
        (sending(), r"seat 1 \(one\) has hung up in hand 0"),
        (sending(b"# hm\r\n" * 1_500, stay=True), "only comments and answers to other states"),
        (sending(stay=True), r"has not answered within 0.5 s \(the limit for an answer\) in hand 0"),
    ],
)
def test_peers_that_misbehave(peer, sentence, tmp_path) -> None:
    game = LimitHoldem()
    path = tmp_path / "m.log"
    with pytest.raises(ProtocolError, match=sentence + r".*; 0 finished hands are in"):
        matched(game, [peer, playing(NamedAgent("always-call", game))], path, response=0.5)
    assert "# the match was cut short" in path.read_text() and "SCORE" not in path.read_text()


def test_finished_hands_are_kept(tmp_path) -> None:
    """A peer that leaves in the fourth hand."""
    game = LimitHoldem()
    path = tmp_path / "m.log"
    peers = [playing(NamedAgent("always-call", game), hands=3), playing(NamedAgent("always-call", game))]
    with pytest.raises(ProtocolError, match=r"seat 1 \(one\) has hung up.*; 3 finished hands are in"):
        matched(game, peers, path, hands=10)
    assert len(states(path)) == 3


@pytest.mark.parametrize(("name", "limits"), [("a hand", {"per_hand": 0.1}), ("all hands", {"mean": 0.0001})])
def test_time_limits(name, limits, tmp_path) -> None:
    game = LimitHoldem()
    with pytest.raises(ProtocolError, match=f"the limit for {name}"):
        matched(game, [sending(stay=True), playing(NamedAgent("always-call", game))], tmp_path / "m.log", **limits)


def test_a_match_begins_with_the_version(tmp_path) -> None:
    def other(address: str) -> None:
        with suppress(OSError), socket.create_connection(read_address(address), timeout=20) as raw:
            raw.sendall(b"VERSION:1.0.0\r\n")
            raw.recv(1)

    with pytest.raises(ProtocolError, match=r"begins with 'VERSION:1\.0\.0'"):
        matched(LimitHoldem(), [other, other], tmp_path / "m.log")
    with pytest.raises(ProtocolError, match=r"no agent has connected for seat 1 \(one\) within 0.1 s"):
        matched(LimitHoldem(), [lambda _: None, lambda _: None], tmp_path / "n.log", start=0.1)


# -- dealers that misbehave -------------------------------------------------------------------------------------------


def at_dealer(*lines: str, agent: str = "always-call", game: str = "hulh") -> None:
    """Play at a dealer that sends these lines and closes the connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def deal() -> None:
            with server.accept()[0] as raw:
                raw.recv(4096)
                raw.sendall("".join(line + "\r\n" for line in lines).encode())

        thread = threading.Thread(target=deal, daemon=True)
        thread.start()
        play_at_dealer(agent, f"127.0.0.1:{server.getsockname()[1]}", game=game, seed=1, hands=None, seconds=5.0)
        thread.join(5)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([], "has hung up before the first hand"),
        (["hello"], "'hello' is no message of the ACPC protocol"),
        (["MATCHSTATE:0:0::AsKh|"], "has hung up in hand 0"),
        (["MATCHSTATE:0:0:rrrr:AsKh|"], "where the game allows no raise"),
        (["MATCHSTATE:0:0:r300:AsKh|"], "a raise in a limit game has no amount"),
        (["MATCHSTATE:0:0:cc/:AsKh|"], "other numbers of board cards"),
        (["MATCHSTATE:0:0::As|"], "a hand of hulh has 2 cards"),
        (["MATCHSTATE:0:0::AsXx|"], "'Xx' in 'AsXx' is no card"),
        (["MATCHSTATE:0:0:cc/:AsKh|/AsKh2d"], "As is twice"),
        (["#"] * 1_100, "comments and no message"),
    ],
)
def test_dealers_that_misbehave(lines, sentence) -> None:
    with pytest.raises(ProtocolError, match=sentence):
        at_dealer(*lines)


def test_a_match_ends_between_hands(capsys) -> None:
    at_dealer("# welcome", "MATCHSTATE:0:0::AsKh|", "MATCHSTATE:0:0:f:AsKh|", "MATCHSTATE:1:1:f:|AsKh")
    printed = capsys.readouterr().out
    assert "hands" in printed and "0 chips" in printed  # +50 as the big blind, −50 as the small blind


def test_messages_are_read_as_they_are_written() -> None:
    text = "MATCHSTATE:1:30:rrc/:|TdAs/2c8c3h"
    state = read_state(text)
    assert state == MatchState(1, 30, "rrc/", ("", "TdAs"), ("2c8c3h",)) and str(state) == text
    assert str(read_answer(text + ":r", state)) == "r"
    assert read_answer("MATCHSTATE:1:29:rrc/:|TdAs/2c8c3h:r", state) is None


def test_damaged_messages_end_in_a_sentence() -> None:
    """Characters changed, dropped and repeated: a message is played, or refused as no message of the protocol."""
    draw = random.Random(1)
    whole = "MATCHSTATE:0:3:r300c/cr600:TdAs|/2c8c3h"
    agents = [NamedAgent("random", LimitHoldem()), NamedAgent("random", Holdem())]
    played = 0
    for _ in range(500):
        at, more = draw.randrange(len(whole)), draw.choice(["", *"09cAr:/|-٣", whole[:9]])
        line = whole[:at] + more + whole[at + draw.randrange(3) :]
        for agent in agents:
            try:
                state = read_state(line)
                hand = checked_hand(agent, state)
            except ProtocolError:
                continue
            played += hand.over or agent.move(state, hand).kind in "fcr"
    assert 0 < played < 500


# -- the command line -------------------------------------------------------------------------------------------------


def test_the_commands_refuse_in_a_sentence(tmp_path) -> None:
    assert "two ports" in command("deal", "hulh", "--ports", "1").refused()
    assert "two different names" in command("deal", "hulh", "--names", "a,a").refused()
    assert "the ACPC protocol is for poker" in command("deal", "kuhn").refused()
    assert "HOST:PORT" in command("play", "random", "--game", "hulh", "--acpc", "nowhere").refused()
    assert "needs the game" in command("play", "random", "--acpc", "localhost:1").refused()
    assert "there is no run 'x.run'" in command("play", "x.run", "--acpc", "localhost:1").refused()
    assert "cannot reach a dealer" in command("play", "random", "--game", "hulh", "--acpc", "127.0.0.1:1").refused()
    assert "leave out --seat" in command("play", "random", "--acpc", "localhost:1", "--seat", "1").refused()
    (tmp_path / "there.log").write_text("")
    assert "--overwrite" in command("deal", "hulh", "--out", tmp_path / "there.log").refused()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = command("deal", "hulh", "--ports", f"{port},0", "-o", tmp_path / "n.log").refused()
        assert f"cannot listen on 127.0.0.1:{port}: another program uses this port; name another one, or 0" in said
    nowhere = command("deal", "hulh", "--host", "256.1.1.1", "-o", tmp_path / "n.log").refused()
    assert "cannot listen on 256.1.1.1:" in nowhere and "Unknown error" not in nowhere
    twice = command("deal", "hulh", "--ports", "23701,23701", "-o", tmp_path / "n.log").refused()
    assert "--ports takes two different ports, one for each agent, got 23701 twice" in twice
    late = command("deal", "hulh", "--start-timeout", "0.05", "-o", tmp_path / "late.log")
    assert (
        "no agent has connected" in late.refused()
        and "0 finished hands" in (tmp_path / "late.log").read_text() + late.err
    )


@pytest.mark.full
def test_agents_by_name_and_by_file(bucketed, tmp_path) -> None:
    with pytest.raises(OptionError, match="did you mean 'always-call'"):
        NamedAgent("always-cal", LimitHoldem())
    with pytest.raises(FileError, match="cannot write"):
        MatchLog(tmp_path / "none" / "m.log")
    spot = rg.poker.Spot("Qs Jh 2h 7c 3d", ("AA", "KK"), pot=10, stack=10)
    solved = rg.solve(spot, rg.CFR_PLUS, iterations=1)
    with pytest.raises(OptionError, match="does not begin with the deal"):
        StrategyAgent(solved.strategy)
    fixed = rg.solve(SMALL_NO_LIMIT, rg.CFR_PLUS, iterations=1)
    fixed.save(tmp_path / "small.run")
    assert isinstance(find_agent(str(tmp_path / "small.run"), None, 1), StrategyAgent)
