"""`check_game`: walks through a game and puts what it found into a report."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from regretless.errors import GameError, OptionError, RegretlessError
from regretless.game import CHANCE, TERMINAL, Game, shortened
from regretless.linter.deadline import Deadline
from regretless.linter.descriptions import where
from regretless.linter.endless import Endless
from regretless.linter.estimate import SECONDS, Estimate, estimate_size
from regretless.linter.memory import fits_in_memory
from regretless.linter.report import Finding, Report
from regretless.linter.rules import Broken, ask
from regretless.linter.walk import Walk
from regretless.problem import refuse_to_list

__all__ = ["check_game", "game_errors"]

METHODS = ("root", "player", "actions", "play", "infoset", "payoffs")
"""What every game must answer."""

SHARE_OF_WALK, SHARE_OF_PLAYS = 0.5, 0.25
"""Shares of the time for the walk through all histories and for random plays; the rest is for the estimate."""

REPLAY_SECONDS = 2.0


def check_game(
    game: Game, *, max_histories: int = 200_000, seed: int = 0, probes: int | None = None, seconds: float = 20.0
) -> Report:
    """Check a game: broken rules, notes that are good to know, and its size.

    A game of up to `max_histories` histories is walked through completely. Of a larger one, that many are visited
    depth first and half as many again in random plays; `estimate_size(game, probes=probes, seed=seed)` guesses its
    size. The report then says that it is based on a sample. A game that is slow is sampled too: after `seconds` the
    report is made from what was visited.

    >>> import regretless as rg
    >>> print(rg.check_game(rg.games.Kuhn()))
    Kuhn(players=2): no problem found
      looked at 58 histories: 30 terminal, 24 decisions in 12 infosets, 4 chance; depth 5 (all there are)
      memory: 7.8 kB to build, 7.5 kB to solve
    """
    refuse_to_list(game)
    if max_histories < 2:
        raise OptionError(f"max_histories is {max_histories}, but a game has at least 2 histories")
    deadline = Deadline(seconds)
    try:
        game = _an_object(game)
        walk = Walk(game)
        walk.start()
    except Broken as broken:
        return _hopeless(game, broken)
    rng = random.Random(seed)
    complete = walk.all_histories(max_histories, Deadline(seconds * SHARE_OF_WALK))
    if not complete:
        walk.random_plays(max_histories + max_histories // 2, rng, Deadline(seconds * SHARE_OF_PLAYS))
    _check_labels(walk)
    left = max(seconds - deadline.spent, 0.1 * seconds)
    estimate = _replay_and_estimate(walk, rng, seed, None if complete else (probes, left))
    exact = complete and not walk.problems
    return _report(walk, tuple(_notes(walk, exact, estimate)), estimate, exact)


@contextmanager
def game_errors(game: Game) -> Iterator[None]:
    """Turn exceptions that a game raises, or that its answers lead to, into a GameError.

    The linter finds which answer is wrong, and where; the exception itself is the cause of the GameError.
    """
    try:
        yield
    except (RegretlessError, MemoryError):
        raise
    except Exception as error:
        report = check_game(game, max_histories=50_000, seconds=5.0)
        name = type(game).__name__
        if not report.ok:
            raise GameError(f"{name}: {report.problems[0].message}") from error
        if isinstance(error, Endless):
            raise GameError(f"{name}: {error}") from None
        raise GameError(f"{name}: {type(error).__name__}: {error}") from error


def _report(walk: Walk, notes: tuple[str, ...], estimate: Estimate | None, exact: bool) -> Report:
    return Report(
        game=_name(walk.game),
        problems=tuple(walk.problems),
        notes=notes,
        estimate=estimate,
        exact=exact,
        players=walk.players,
        histories=walk.histories,
        terminals=walk.movers[TERMINAL],
        decisions=_decisions(walk),
        chances=walk.movers[CHANCE],
        infosets=len(walk.infosets),
        depth=walk.depth,
        perfect_recall=walk.forgotten is None,
        zero_sum=set(walk.sums) <= {0.0},
    )


def _an_object(game: Any) -> Game:
    """The game to check: an object, or a class that needs no arguments."""
    kind = game if isinstance(game, type) else type(game)
    missing = [name for name in METHODS if not callable(getattr(kind, name, None))]
    missing = sorted({*missing, *getattr(kind, "__abstractmethods__", ())}, key=(*METHODS, "").index)
    if missing:
        raise Broken(
            "missing method",
            f"{kind.__name__} has no {', '.join(missing)}",
            f"write def {missing[0]}(self{'' if missing[0] == 'root' else ', state'}): … as in rg.Game",
        )
    if not issubclass(kind, Game):
        raise Broken("not a game", f"{kind.__name__} is no rg.Game", f"write class {kind.__name__}(rg.Game): …")
    if not isinstance(game, type):
        return game  # type: ignore[no-any-return]
    try:
        made: Game = kind()
    except Exception as error:
        raise Broken(
            "not a game",
            f"{kind.__name__} is a class, and {kind.__name__}() raised {type(error).__name__}: {error}",
            f"pass an object, {kind.__name__}(…)",
        ) from None
    return made


def _check_labels(walk: Walk) -> None:
    """Labels are the keys of a strategy: all infosets of a player differ, all actions of an infoset."""
    infoset_of: dict[tuple[int, Hashable], Hashable] = {}
    checked: set[tuple[Hashable, ...]] = set()
    for infoset, first in walk.infosets.items():
        if walk.stopped:
            return
        try:
            label = _label(walk.game, "infoset_label", infoset)
            other = infoset_of.setdefault((first.player, label), infoset)
            if other != infoset:
                raise Broken(
                    "same label",
                    f"player {first.player}'s infosets {shortened(infoset)} and {shortened(other)}"
                    f" ({where(walk.game, walk.infosets[other].moves)}) are both labelled {shortened(label)}",
                    "let infoset_label() give every infoset of a player a label of its own",
                )
            if first.actions not in checked:
                checked.add(first.actions)
                labels = [_label(walk.game, "action_label", action) for action in first.actions]
                if len(set(labels)) < len(labels):
                    raise Broken(
                        "same label",
                        f"infoset {infoset!r} has the action labels {', '.join(map(str, labels))}",
                        "let action_label() give every action of an infoset a label of its own",
                    )
        except Broken as broken:
            walk.report(first.moves, broken)


def _label(game: Game, method: str, named: Hashable) -> Hashable:
    label: Hashable = ask(game, method, named)
    try:
        hash(label)
    except TypeError:
        raise Broken(
            "unhashable",
            f"{method}({shortened(named)}) returned {shortened(label)}, which cannot be hashed",
            "return a string, a number or a tuple",
        ) from None
    return label


def _notes(walk: Walk, exact: bool, estimate: Estimate | None) -> list[str]:
    notes = []
    if walk.forgotten is not None:
        meant = "if that is meant, set perfect_recall = False and solve it with" if walk.game.perfect_recall else "use"
        notes.append(f"imperfect recall: {walk.forgotten}; {meant} rg.FSICFR()")
    if walk.shared is not None:
        notes.append(f"players share infosets: {walk.shared}")
    if not set(walk.sums) <= {0.0}:
        example = next(where for total, where in walk.sums.items() if total != 0)
        constant = len(walk.sums) == 1
        notes.append(f"not zero-sum{', but constant-sum' if constant else ''}: {example}")
    if walk.players > 2:
        notes.append(f"{walk.players} players: regret minimisation need not end in a Nash equilibrium")
    idle = [player for player in range(walk.players) if not walk.movers[player]]
    if idle and not walk.problems:
        seldom = "never" if exact else "not once in the histories visited"
        notes.append(f"player {', '.join(map(str, idle))} {seldom} makes a decision")
    if walk.impossible is not None:
        notes.append(f"{walk.impossible} with probability 0: it could be left out")
    warning = fits_in_memory(estimate) if estimate is not None else None
    return [*notes, warning] if warning else notes


def _decisions(walk: Walk) -> int:
    return sum(count for mover, count in walk.movers.items() if mover >= 0)


def _counted(walk: Walk) -> Estimate:
    """The exact size, known because the walk was complete."""
    return Estimate(
        players=walk.players,
        histories=walk.histories,
        terminals=walk.movers[TERMINAL],
        decisions=_decisions(walk),
        infosets=len(walk.infosets),
        sequences=walk.players + sum(len(first.actions) for first in walk.infosets.values()),
        depth=walk.depth,
        infosets_seen=len(walk.infosets),
        exact=True,
    )


def _replay_and_estimate(
    walk: Walk, rng: random.Random, seed: int, guessed: tuple[int | None, float] | None
) -> Estimate | None:
    """The size, unless the game is broken: then it means little, and asking for it may never end.

    guessed: the number of probes and the seconds for an estimate; None where the walk was complete.
    """
    if walk.problems:
        return None
    try:
        walk.replays(rng, Deadline(REPLAY_SECONDS))
        if guessed is None:
            estimate = _counted(walk)
        else:
            probes, seconds = guessed
            estimate = estimate_size(walk.game, probes=probes, seed=seed, seconds=min(seconds, SECONDS))
    except Exception as error:  # in a part of the game that the walk did not visit
        found = f"a random play ended in {type(error).__name__}: {error}"
        if isinstance(error, GameError):
            found = str(error)
        walk.report((), Broken("raises", found, "check the game again with more max_histories to see where"))
    return None if walk.problems else replace(estimate, depth=max(estimate.depth, walk.depth))


def _name(game: Any) -> str:
    """The name of a game: its repr where it has one of its own, else its class."""
    text = shortened(game, 200)
    return text if not text.startswith("<") else f"{type(game).__name__}()"


def _hopeless(game: Any, broken: Broken) -> Report:
    """The report on something that cannot even be started."""
    name = game.__name__ if isinstance(game, type) else _name(game)
    finding = Finding(broken.kind, str(broken), "")
    return Report(
        game=name,
        problems=(finding,),
        notes=(),
        estimate=None,
        exact=False,
        players=0,
        histories=0,
        terminals=0,
        decisions=0,
        chances=0,
        infosets=0,
        depth=0,
        perfect_recall=True,
        zero_sum=True,
    )
