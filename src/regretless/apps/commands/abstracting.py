"""`regretless abstract`, and `regretless show` of an abstraction."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regretless.apps.printing import console, facts, plain_table, print_json, spent
from regretless.apps.startup import started
from regretless.errors import FileError, OptionError, RegretlessError

if TYPE_CHECKING:
    from regretless.poker.abstraction.abstraction import Abstraction

__all__ = ["AbstractOptions", "abstract_and_tell", "is_abstraction", "show_abstraction"]


@dataclass(frozen=True)
class AbstractOptions:
    """What `regretless abstract` was asked for."""

    game: str
    out: str
    buckets: str
    features: str | None
    recall: str
    seed: int
    sample: int | None
    threads: int | None
    device: str
    overwrite: bool
    json: bool
    quiet: bool


def abstract_and_tell(options: AbstractOptions) -> None:
    """The whole command: estimate, build with a progress bar, save, print."""
    from regretless.lookup.games import find_game
    from regretless.poker import abstract
    from regretless.poker.abstraction.build.building import build_cost
    from regretless.poker.abstraction.build.cuda_clusters import check_build_device
    from regretless.poker.games import PublicGame

    if Path(options.out).exists() and not options.overwrite:
        raise FileError(f"{options.out} exists: name another file, or give --overwrite")
    game = find_game(options.game)
    if not isinstance(game, PublicGame):
        raise OptionError(f"abstract takes games of hold'em such as hulh, hunl or fhp, got {options.game}")
    buckets, features = _numbers(options.buckets), _words(options.features)
    check_build_device(options.device)
    talks = not options.json and not options.quiet
    if talks:
        cost = build_cost(game, buckets, features, options.threads, options.sample, options.device)
        print(f"building takes {cost}", flush=True)
    started()
    began = time.perf_counter()
    made = abstract(
        game, buckets, features, options.recall, seed=options.seed, sample=options.sample, threads=options.threads,
        progress=talks and sys.stderr.isatty(), checkpoint=f"{options.out}.part",
        device=options.device,
    )  # fmt: skip
    made.save(options.out)
    seconds = time.perf_counter() - began
    if options.json:
        print_json({"command": "abstract", "file": options.out, "seconds": seconds, **_for_machines(made)})
    elif talks:
        _print(made, options.out, [("built in", spent(seconds))])


def _numbers(text: str) -> int | tuple[int, ...]:
    """Numbers of buckets, "200" or "169,200,200,200"."""
    try:
        numbers = tuple(int(word) for word in text.replace("-", ",").split(","))
    except ValueError:
        raise OptionError(f"--buckets is a number, or one for each street like 169,200,200,200, got {text!r}") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _words(text: str | None) -> str | tuple[str | None, ...] | None:
    """Features, "ehs" or "lossless,histogram,histogram,ochs"; "-" for the default of a street."""
    if text is None:
        return None
    words = tuple(None if word.strip() in ("-", "default") else word.strip() for word in text.split(","))
    return words[0] if len(words) == 1 else words


def is_abstraction(path: str) -> bool:
    """Whether a file holds an abstraction; False where it cannot be read, so that the caller says why."""
    from regretless.poker.abstraction.abstraction_files import FORMAT
    from regretless.storage import read_header

    try:
        return bool(read_header(path).get("format") == FORMAT)
    except RegretlessError:
        return False


def show_abstraction(path: str, wanted: Sequence[str], *, json: bool, plot: str | None = None) -> None:
    """The streets of an abstraction, or the bucket of a hand: HAND [BOARD]."""
    from regretless.poker import load_abstraction

    found = load_abstraction(path)
    if plot is not None:
        street = found.rounds.streets - 1 if not wanted else found.rounds.street_of(_board_cards(found, wanted))
        found.plot(street, plot)
    if not wanted:
        if json:
            print_json({"command": "show", "kind": "abstraction", "file": path, **_for_machines(found)})
        else:
            _print(found, path, [])
        return
    view = found.describe(wanted[0], " ".join(wanted[1:]))
    if json:
        print_json({"command": "show", "kind": "bucket", "file": path, **view._asdict()})
    else:
        print(view)


def _board_cards(found: Abstraction, wanted: Sequence[str]) -> int:
    return len(found.rounds.deck.cards(" ".join(wanted[1:])))


def _for_machines(found: Abstraction) -> dict[str, Any]:
    return {
        "cards": found.rounds.to_json(),
        "recall": found.recall,
        "fingerprint": found.fingerprint,
        "settings": dict(found.settings),
        "streets": [
            {
                "name": found.rounds.street_name(n),
                "features": street.feature,
                "buckets": street.count,
                "hands": int(street.hands.sum()),
                "smallest": int(street.hands.min()),
                "largest": int(street.hands.max()),
                "sequences": found.sequence_counts[n],
            }
            for n, street in enumerate(found.streets)
        ],
    }


def _print(found: Abstraction, path: str, more: list[tuple[str, str]]) -> None:
    from regretless.poker.tree.memory_estimate import readable

    told = _for_machines(found)
    rows = [
        ("abstraction", f"{path}: {found.name}, {found.recall} recall, {readable(found.nbytes)}"),
        ("cards", found.rounds.describe()),
        ("fingerprint", found.fingerprint),
        *more,
    ]
    out = console()
    out.print(facts(rows))
    table = [
        (s["name"], s["features"], f"{s['buckets']:,}", f"{s['hands']:,}", f"{s['smallest']:,} to {s['largest']:,}")
        for s in told["streets"]
    ]
    out.print(plain_table(["street", "features", "buckets", "hands up to suits", "hands of a bucket"], table))
