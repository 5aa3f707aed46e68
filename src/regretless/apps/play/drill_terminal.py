"""`regretless drill`: questions in the terminal, with the loss after each answer."""

from __future__ import annotations

from collections.abc import Sequence

from regretless.apps.play.drill import Answer, Drill
from regretless.apps.play.terminal import HELP, ask, choice_table, listed, print_view, read_action
from regretless.apps.printing import console, facts
from regretless.apps.startup import started
from regretless.apps.views.number_format import percent, plain_chips

__all__ = ["drill_in_terminal", "loss_in_words"]

WORST = 5
"""Mistakes that are listed at the end."""


def drill_in_terminal(runs: Sequence[str], *, questions: int | None, seed: int | None, game: str | None) -> None:
    """The whole command: ask until the player quits or all questions are asked, then print the score."""
    out = console()
    drill = Drill(list(runs), seed=seed, game=game)
    started()
    out.print("Choose an action; w repeats your worst mistake, q quits.", style="bold")
    try:
        while questions is None or len(drill.answers) < questions:
            again = _one_question(drill)
            if again or questions is None or len(drill.answers) < questions:
                drill.next(again=again)
    except (EOFError, KeyboardInterrupt):
        out.print()
    _print_score(drill)


def _one_question(drill: Drill) -> bool:
    """Ask one question; whether the worst mistake is wanted instead."""
    out, question = console(), drill.question
    out.print(f"\nQuestion {len(drill.answers) + 1}", style="bold", end="")
    out.print(f" · {question.source}, player {question.player}")
    if question.situation:
        out.print(f"  {question.situation}")
    print_view(out, question.view)
    while True:
        typed = ask(question.actions)
        if typed.lower() in ("w", "worst") and typed not in question.actions:
            if drill.worst(1):
                return True
            out.print("  there is no mistake to repeat")
        elif typed in HELP or (action := read_action(typed, question.actions)) is None:
            out.print(f"  type one of: {listed(question.actions)}; w repeats your worst mistake, q quits")
        else:
            answer = drill.answer(action)
            out.print(f"  {loss_in_words(answer)}", style="bold")
            out.print(choice_table(answer.choice, marked="→ you"))
            return False


def loss_in_words(answer: Answer) -> str:
    """What a choice costs."""
    if answer.good:
        return "Good: this costs nothing."
    share = "" if answer.pot_share is None else f", {percent(answer.pot_share)} of the pot"
    return f"This costs {plain_chips(answer.loss)} chips{share}."


def _print_score(drill: Drill) -> None:
    out, score = console(), drill.score
    if not score.answers:
        out.print("No question was answered.")
        return
    rows = [
        ("answers", f"{score.answers:,}, {score.good:,} good"),
        ("loss", f"{plain_chips(score.loss)} chips, {plain_chips(score.loss / score.answers)} an answer"),
    ]
    if score.pot_share is not None:
        rows.append(("of the pot", f"{percent(score.pot_share)} an answer"))
    for answer in drill.worst(WORST):
        chosen = answer.choice.actions[answer.choice.chosen]
        rows.append(("mistake", f"{answer.question.label}: {chosen}, {loss_in_words(answer)}"))
    out.print(facts(rows))
