"""Drills: situations of solved games, costs that agree with the strategy, scores, and the worst mistakes again."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command_line import command

import regretless as rg
from regretless.poker import Spot


@cache
def kuhn() -> rg.Run:
    return rg.solve("kuhn", "cfr+", iterations=2_000)


@cache
def river() -> rg.Run:
    spot = Spot("Qs Jh 2h 7c 3d", ("QQ,AK,T9s", "77,AQ"), pot=100, stack=150, sizes="bet 75%")
    return rg.solve(spot, rg.DCFR, iterations=100)  # type: ignore[arg-type]


def test_the_loss_is_that_of_the_strategy() -> None:
    drill = rg.Drill(kuhn(), seed=3)
    tree: Any = kuhn().problem
    for _ in range(30):
        question = drill.question
        answer = drill.answer(0)
        strategy = kuhn().strategy
        key = (question.player, question.label)
        assert answer.choice.probabilities == pytest.approx(tuple(strategy[key].values()))
        assert answer.choice.values is not None
        assert answer.loss == max(answer.choice.values) - answer.choice.values[0] and answer.pot_share is None
        drill.next()
    assert tree.players == 2
    assert {answer.question.player for answer in drill.answers} == {0, 1}
    score = drill.score
    assert score.answers == 30 and len(score.means) == 30 and score.pot_share is None
    assert score.means[-1] == pytest.approx(score.loss / 30)


def test_playing_as_the_strategy_does_costs_nothing() -> None:
    drill = rg.Drill(kuhn(), seed=4)
    for _ in range(20):
        probabilities = drill._asked.opponent.probabilities(drill._asked.state)
        assert drill.answer(max(range(2), key=lambda at: probabilities[at])).loss < 0.01
        drill.next()


def test_the_same_seed_asks_the_same_questions() -> None:
    labels = []
    for _ in range(2):
        drill = rg.Drill(kuhn(), seed=5)
        labels.append([drill.question.label, *(drill.next().label for _ in range(10))])
    assert labels[0] == labels[1] and len(set(labels[0])) > 2


def test_holdem_has_pots_and_situations() -> None:
    drill = rg.Drill([river()], seed=1)
    for _ in range(12):
        question = drill.question
        assert question.pot is not None and question.pot >= 100 and "pot " in question.situation
        assert "position" in question.situation and "behind" in question.situation
        answer = drill.answer(question.actions[0])
        node = river().strategy.at(question.label.rpartition("|")[2].strip())  # type: ignore[attr-defined]
        assert answer.choice.probabilities == pytest.approx(tuple(node[question.label.partition(" ")[0]].values()))
        assert answer.pot_share == pytest.approx(answer.loss / question.pot)
        drill.next()


def test_the_worst_mistake_comes_again() -> None:
    drill = rg.Drill(river(), seed=2)
    while not drill.worst(1):
        drill.answer("fold" if "fold" in drill.question.actions else 0)
        drill.next()
    worst = drill.worst(1)[0]
    question = drill.next(again=True)
    assert question.label == worst.question.label and question.number != worst.question.number
    assert worst.choice.values is not None
    best = max(range(len(worst.choice.values)), key=worst.choice.values.__getitem__)
    answer = drill.answer(best)
    assert answer.repeated and answer.good
    assert worst.question.label not in {found.question.label for found in drill.worst()}


def test_wrong_use() -> None:
    drill = rg.Drill(kuhn(), seed=1)
    with pytest.raises(rg.OptionError, match="there is no action"):
        drill.answer("jump")
    drill.answer(0)
    with pytest.raises(rg.OptionError, match="has been answered"):
        drill.answer(0)
    with pytest.raises(rg.OptionError, match="a drill needs a run"):
        rg.Drill([])


def test_files_and_folders(tmp_path: Path) -> None:
    kuhn().save(tmp_path / "a.run")
    river().save(tmp_path / "b.run")
    drill = rg.Drill(str(tmp_path), seed=7)
    sources = {drill.question.source} | {drill.next().source for _ in range(12)}
    assert sources == {"a.run", "b.run"}


# -- the command ------------------------------------------------------------------------------------------------------


def drilled(monkeypatch: pytest.MonkeyPatch, typed: list[str], *words: object) -> str:
    lines = iter(typed)

    def read(prompt: str) -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    answer = command("drill", *words)
    assert answer.code == 0, answer.err
    return answer.out


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kuhn().save(tmp_path / "kuhn.run")
    said = drilled(monkeypatch, ["1", "jump", "2", "1"], tmp_path / "kuhn.run", "-n", 3, "--seed", 1)
    assert said.count("Question") == 3 and "type one of: 1 pass  2 bet" in said
    assert "answers" in said and "3, " in said
    said = drilled(monkeypatch, ["w", "q"], tmp_path / "kuhn.run")
    assert "there is no mistake to repeat" in said and "No question was answered" in said
    assert "no such file" in command("drill", tmp_path / "missing.run").refused()


@pytest.mark.full
def test_the_worst_mistake_in_the_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    river().save(tmp_path / "river.run")
    typed = [word for _ in range(12) for word in ("1",)] + ["w", "1"]
    said = drilled(monkeypatch, typed, tmp_path, "--seed", 2)
    assert "of the pot" in said and "mistake" in said and "This costs" in said
