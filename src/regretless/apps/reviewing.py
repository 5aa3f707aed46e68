"""`regretless review`: the cost of the decisions of played hands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regretless.apps.startup import started
from regretless.errors import FileError, OptionError

if TYPE_CHECKING:
    from regretless.poker.reviewing.review import Review, ReviewedDecision

__all__ = ["ReviewOptions", "decisions_as_csv", "known_loss", "loss_in_words", "review_and_tell"]

FORMATS = ("regretless.public-run", "regretless.bucketed-run", "regretless.network-run")
"""Formats of runs that hands are looked up in."""
MOST_REASONS = 10
"""Reasons that are printed for hands without a solution."""


@dataclass(frozen=True)
class ReviewOptions:
    """The options of `regretless review`."""

    solutions: str
    files: list[str]
    player: str | None
    exact: bool
    limit: int
    csv: str | None
    json: bool
    game: str | None = None
    """The game with its card abstraction, for runs that do not hold it."""


def review_and_tell(options: ReviewOptions) -> None:
    """The whole command: read runs and hands, review, print."""
    from regretless.apps.printing import print_json
    from regretless.poker.reviewing.review import review
    from regretless.storage import write_atomically

    solutions = runs_in(options.solutions, options.game)
    started()
    result = review(options.files, solutions, player=options.player, nearest=not options.exact)
    if options.csv is not None:
        table = decisions_as_csv(result.decisions).encode()
        write_atomically(Path(options.csv), lambda file: file.write(table))
    if options.json:
        misfits = [{"hand": hand, "reason": reason} for hand, reason in result.misfits]
        print_json({"command": "review", "hands": result.hands, "loss": known_loss(result), "decisions": result.rows(),
                    "misfits": misfits, "note": result.note})  # fmt: skip
    else:
        tell(result, options.limit)


def known_loss(result: Review) -> float | None:
    """Chips that all decisions lost; None where no run stores values of actions."""
    return result.loss if result.valued or not result.decisions else None


def loss_in_words(result: Review) -> str:
    """What all decisions lost, in words, with the number of those that are left out of the sum."""
    from regretless.poker.betting.sizes import spell_chips

    unknown = len(result.decisions) - result.valued
    if known_loss(result) is None:
        return "not known: runs with buckets or networks store no values of actions"
    without = f", without {unknown:,} whose value is not known" if unknown else ""
    return f"{spell_chips(result.loss)} chips in all{without}"


def runs_in(given: str, game: str | None = None) -> dict[str, Any]:
    """The run in a file, or all runs of hold'em in a folder, by the names of their files."""
    from regretless.problem import found as find
    from regretless.run import load
    from regretless.storage import read_header

    path, played = Path(given).expanduser(), None if game is None else find(game)
    if not path.is_dir():
        return {path.name: load(path, game=played)}
    found = {}
    for file in sorted(path.iterdir()):
        if file.name.startswith(".") or not file.is_file():
            continue
        try:
            header = read_header(file)
            if header.get("format") in FORMATS:  # the game names an abstraction; other runs of the folder need none
                found[file.name] = load(file, game=played if header.get("problem") == "bucketed tree" else None)
        except FileError:
            continue  # not one of our files
    if not found:
        raise OptionError(f"there is no run of hold'em in {given}: regretless solve SPOT.toml --out FILE makes one")
    return found


def decisions_as_csv(decisions: Iterable[ReviewedDecision]) -> str:
    """One line for each decision, comma-separated."""
    import csv
    import io
    from dataclasses import asdict, fields

    from regretless.poker.reviewing.review import ReviewedDecision

    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(ReviewedDecision)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(one) for one in decisions)
    return text.getvalue()


def tell(result: Review, limit: int) -> None:
    """Print the worst decisions and why hands do not fit."""
    from regretless.apps.printing import console, facts, plain_table
    from regretless.poker.betting.sizes import spell_chips

    out = console()
    rows: list[list[Any]] = []
    for one in result.decisions[:limit]:
        loss = "" if one.loss is None else spell_chips(max(one.loss, 0.0))
        share = "" if one.share is None else f"{100 * max(one.share, 0.0):.1f}%"
        moves = one.in_hand(one.line) or "the beginning"
        rows.append([loss, share, one.player, f"{one.cards} {one.board}".strip(), moves,
                     ("" if one.exact else "≈ ") + one.in_hand(one.action), f"{100 * one.probability:.0f}%",
                     one.in_hand(one.best),
                     one.hand])  # fmt: skip
    if rows:
        head = ["loss", "of pot", "player", "cards", "after", "chosen", "solution", "best", "hand"]
        out.print(plain_table(head, rows, right=[0, 1, 6]))
    hands = len({one.hand for one in result.decisions})
    facts_rows = [
        ("hands", f"{result.hands:,} read, {hands:,} with decisions to review"),
        ("decisions", f"{len(result.decisions):,}"),
        ("lost", loss_in_words(result)),
        *([("note", result.note)] if result.note else []),
    ]
    out.print(facts(facts_rows))
    if result.misfits:
        out.print("Hands that do not fit:")
        for reason, count in result.reasons[:MOST_REASONS]:
            out.print(f"  {count:,} × {reason}", highlight=False)
        if len(result.reasons) > MOST_REASONS:
            out.print(f"  … and {len(result.reasons) - MOST_REASONS:,} other reasons: --json lists all")
