"""Drills: random situations of solved games, the choice of an action, and what it costs.

A situation is a decision of a hand that the strategy plays against itself, drawn uniformly from the decisions of that
hand. The cost of a choice is the expected chips of the best action less those of the chosen one, both against the
strategy and followed by its own play. It contains no luck.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.apps.play.table import Choice
from regretless.apps.views.infoset_views import InfosetView, infoset_view
from regretless.errors import OptionError
from regretless.game import CHANCE, TERMINAL, State
from regretless.sampling.playing.bots import pick

if TYPE_CHECKING:
    from regretless.apps.play.opponents import Opponent
    from regretless.run import Run

__all__ = ["Answer", "Drill", "DrillScore", "Question"]

TRIES = 200
"""Hands that are played to find a situation whose values are known."""

NEGLIGIBLE, NEGLIGIBLE_SHARE = 0.0005, 0.003
"""A choice is good up to this loss, in chips or as a share of the pot: solved strategies have errors of this size."""

Source = Callable[[], "Opponent"]


@dataclass(frozen=True)
class Question:
    """A situation in which an action is to be chosen."""

    number: int
    source: str
    """The name of the run that it is from."""
    player: int
    label: str
    view: InfosetView
    actions: tuple[str, ...]
    situation: str
    """Position, pot and stacks in words; empty for games that have none."""
    pot: float | None
    """Chips in the middle; None for games that have no pot."""


@dataclass(frozen=True)
class Answer:
    """What was chosen, what the strategy does, and what the choice costs."""

    question: Question
    choice: Choice
    repeated: bool = False
    """Whether the question was a repetition of an earlier mistake."""

    @property
    def loss(self) -> float:
        """Chips lost by not taking the best action."""
        return float(self.choice.cost or 0.0)

    @property
    def pot_share(self) -> float | None:
        """The loss as a share of the pot; None without a pot."""
        return self.loss / self.question.pot if self.question.pot else None

    @property
    def good(self) -> bool:
        """Whether the loss is within the error of a solved strategy."""
        return self.loss <= max(NEGLIGIBLE, NEGLIGIBLE_SHARE * (self.question.pot or 0.0))


@dataclass(frozen=True)
class DrillScore:
    """All answers so far."""

    answers: int
    good: int
    loss: float
    """Chips in all."""
    pot_share: float | None
    """The mean loss as a share of the pot; None without pots."""
    means: tuple[float, ...]
    """The mean loss in chips after each answer: the score over time."""


@dataclass(frozen=True)
class _Posed:
    """A question with the state that it asks about."""

    question: Question
    opponent: Opponent
    state: State


class Drill:
    """Questions from one run or from several; `runs` are Run objects, files, or folders of files.

    >>> import regretless as rg
    >>> drill = Drill(rg.solve("kuhn", iterations=500), seed=1)
    >>> drill.question.actions
    ('pass', 'bet')
    >>> answer = drill.answer("bet")
    >>> answer.loss >= 0, drill.score.answers
    (True, 1)
    """

    def __init__(self, runs: Any, *, seed: int | None = None, game: str | None = None) -> None:
        self._sources = runs if isinstance(runs, dict) else _sources(runs, game)
        if not self._sources:
            raise OptionError("a drill needs a run: regretless solve GAME --out FILE makes one")
        self._random = np.random.default_rng(secrets.randbits(63) if seed is None else seed)
        self._posed: list[_Posed] = []
        self.answers: list[Answer] = []
        self._repeats = False
        self._asked = self._pose()

    @property
    def question(self) -> Question:
        """The question that is to be answered, or was answered last."""
        return self._asked.question

    @property
    def opponent(self) -> Opponent:
        """The strategy that the question is about."""
        return self._asked.opponent

    @property
    def answered(self) -> bool:
        """Whether the question has been answered."""
        return bool(self.answers) and self.answers[-1].question is self._asked.question

    def answer(self, action: int | str) -> Answer:
        """Answer the question by the number or the name of an action."""
        if self.answered:
            raise OptionError("the question has been answered: ask for the next one")
        question, opponent, state = self._asked.question, self._asked.opponent, self._asked.state
        if isinstance(action, str) and action in question.actions:
            chosen = question.actions.index(action)
        elif isinstance(action, int) and 0 <= action < len(question.actions):
            chosen = action
        else:
            raise OptionError(f"there is no action {action!r} here: {', '.join(question.actions)}")
        values = opponent.values(state)
        worth = None if values is None else tuple(map(float, values))
        probabilities = tuple(map(float, opponent.probabilities(state)))
        found = Answer(question, Choice(question.label, question.actions, chosen, probabilities, worth), self._repeats)
        self.answers.append(found)
        return found

    def next(self, again: bool = False) -> Question:
        """Another question; with `again`, the worst mistake that has not been answered well since."""
        worst = self.worst(1) if again else []
        self._repeats = bool(worst)
        if worst:
            old = next(posed for posed in self._posed if posed.question.number == worst[0].question.number)
            number = len(self._posed)
            self._asked = _Posed(_numbered(old.question, number), old.opponent, old.state)
            self._posed.append(self._asked)
        else:
            self._asked = self._pose()
        return self.question

    def worst(self, most: int = 10) -> list[Answer]:
        """The mistakes that cost most, of each situation the last answer."""
        last = {(answer.question.source, answer.question.label): answer for answer in self.answers}
        wrong = [answer for answer in last.values() if not answer.good]
        return sorted(wrong, key=lambda answer: -(answer.pot_share or answer.loss))[:most]

    @property
    def score(self) -> DrillScore:
        """The score of all answers."""
        losses = [answer.loss for answer in self.answers]
        shares = [answer.pot_share for answer in self.answers if answer.pot_share is not None]
        means = np.cumsum(losses) / np.arange(1, len(losses) + 1)
        return DrillScore(
            answers=len(losses),
            good=sum(answer.good for answer in self.answers),
            loss=float(sum(losses)),
            pot_share=sum(shares) / len(shares) if shares else None,
            means=tuple(means.tolist()),
        )

    # -- situations ---------------------------------------------------------------------------------------------------

    def _pose(self) -> _Posed:
        """A random situation of a random run."""
        names = list(self._sources)
        name = names[int(self._random.integers(len(names)))]
        opponent = self._sources[name]()
        for _ in range(TRIES):
            state = self._situation(opponent)
            if state is not None and opponent.values(state) is not None:
                posed = _Posed(_question(len(self._posed), name, opponent, state), opponent, state)
                self._posed.append(posed)
                return posed
        raise OptionError(f"{name}: the expected chips of actions are not known, so there is nothing to drill")

    def _situation(self, opponent: Opponent) -> State | None:
        """One decision of a hand that the strategy plays against itself; None if the hand has no decision."""
        game = opponent.game
        state, chosen, decisions = game.root(), None, 0
        while (mover := game.player(state)) != TERMINAL:
            if mover == CHANCE:
                draws = game.chance(state)
            else:
                decisions += 1
                if self._random.random() * decisions < 1.0:
                    chosen = state
                draws = opponent.probabilities(state)
            state = game.play(state, game.actions(state)[pick(draws, float(self._random.random()))])
        return chosen


def _numbered(question: Question, number: int) -> Question:
    from dataclasses import replace

    return replace(question, number=number)


def _question(number: int, source: str, opponent: Opponent, state: State) -> Question:
    game: Any = opponent.game
    label = str(game.infoset_label(game.infoset(state)))
    named, viewed = getattr(game, "name_of", None), getattr(game, "infoset_view", None)
    actions = tuple(
        str(named(state, action) if callable(named) else game.action_label(action)) for action in game.actions(state)
    )
    situation, pot = getattr(game, "situation", None), getattr(game, "pot_at", None)
    return Question(
        number=number,
        source=source,
        player=game.player(state),
        label=label,
        view=viewed(label) if callable(viewed) else infoset_view(game, label),
        actions=actions,
        situation=situation(state) if callable(situation) else "",
        pot=float(pot(state)) if callable(pot) else None,
    )


# -- runs -------------------------------------------------------------------------------------------------------------


def _sources(runs: Any, game: str | None) -> dict[str, Source]:
    """{name: opponent} of runs and files."""
    given: Sequence[Any] = [runs] if isinstance(runs, str | os.PathLike) or not isinstance(runs, Sequence) else runs
    found: dict[str, Source] = {}
    for run in given:
        if isinstance(run, str | os.PathLike):
            found |= _in_files(Path(run), game)
        else:
            found[f"{run.game} {len(found)}" if run.game in found else run.game] = _of_run(run)
    return found


def _in_files(path: Path, game: str | None) -> dict[str, Source]:
    from regretless.apps.views.library import Library

    library = Library([str(path)], game)
    return {entry.name: _cached(library, entry.number) for entry in library.entries()}


def _cached(library: Any, number: int) -> Source:
    @lru_cache(maxsize=1)
    def opponent() -> Opponent:
        return library.load(number).opponent()  # type: ignore[no-any-return]

    return opponent


def _of_run(run: Run) -> Source:
    @lru_cache(maxsize=1)
    def opponent() -> Opponent:
        from regretless.apps.play.opponents import ListedOpponent
        from regretless.apps.views.infoset_measures import Measures
        from regretless.tree import Tree

        problem: Any = run.problem
        if getattr(problem, "kind", "") == "public tree":
            from regretless.apps.play.holdem_play import HoldemOpponent

            return HoldemOpponent(run.strategy)
        if not isinstance(problem, Tree):
            raise OptionError(
                f"{run.game}: drills need values of actions: listed games, and hold'em that was solved hand by hand"
            )
        return ListedOpponent(Measures(problem, run.strategy))

    return opponent
