"""`solve` runs a method on a game until something says stop; `resume` goes on where a saved run ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from regretless.errors import FileError, OptionError
from regretless.game import Game, on_public_tree
from regretless.game_lookup import find_game
from regretless.layout.labels import Labels
from regretless.methods import Learner, Method, Settings, learner_for, method_by_name
from regretless.methods.deep import NFSP, DeepCFR, check_deals
from regretless.methods.fsicfr import FSICFR
from regretless.methods.learner import processors
from regretless.methods.mccfr import MCCFR
from regretless.run import Run, name_of, read_run
from regretless.solving.loop import Loop, Rules, Snapshot, whole
from regretless.solving.stopping import chips_until
from regretless.strategy import Probabilities, Strategy
from regretless.tree import Tree, as_tree
from regretless.variants import CFR_PLUS, Variant

if TYPE_CHECKING:
    from regretless.poker.games import PublicGame
    from regretless.poker.tree.public_tree import PublicTree

__all__ = [
    "Snapshot",
    "check_device",
    "check_public_method",
    "checked_dtype",
    "default_threads",
    "resume",
    "solve",
    "tree_of",
]

THREADS_FROM = 10_000
"""Terminals for each block of infosets from which on threads gain more than starting them costs."""

MCCFR_THREADS_FROM = 2_000
"""Traversals of an iteration from which on threads gain more than handing out the work costs."""

Fixed = Mapping[int, Strategy | Mapping[Any, Probabilities] | Probabilities]


def solve(
    game: Game | Tree | PublicGame | PublicTree | str,
    method: Variant | Method | str = CFR_PLUS,
    *,
    iterations: int | None = None,
    until: float | str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    fixed: Fixed | None = None,
    dtype: str | None = None,
    threads: int | None = None,
    device: str = "cpu",
    callback: Callable[[Snapshot], object] | None = None,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
) -> Run:
    """Solve a game; a `Game`, a built `Tree`, or a name such as "leduc:ranks=5".

    It stops at whichever comes first: `iterations` (1,000 if nothing else is said), exploitability at most `until`, or
    `seconds` of wall time, each counted from this call. Ctrl-C stops cleanly too and the run is returned whole.
    `until` is in chips; of hold'em also "0.3%" of the pot, or "5mbb" per game for both players together.

    `fixed` holds players still, {player: strategy}; the others then learn a best response. `callback` gets a
    `Snapshot` at every measurement and stops the solve by returning True. `checkpoint` names a file that is written
    every `checkpoint_every` seconds and at the end.

    >>> import regretless as rg
    >>> run = rg.solve(rg.games.RockPaperScissors(), rg.CFR, iterations=1_000, fixed={0: [0.4, 0.3, 0.3]})
    >>> {action: round(p, 2) for action, p in run.strategy[1, "player 1"].items()}
    {'rock': 0.0, 'paper': 1.0, 'scissors': 0.0}
    """
    method = method_by_name(method) if isinstance(method, str) else method
    found = find_game(game) if isinstance(game, str) else game
    level = chips_until(until, found)
    rules = Rules.checked(iterations, level, seconds, callback, progress, checkpoint, checkpoint_every)
    planned = None if iterations is None and (level or seconds) else rules.iterations
    if isinstance(method, FSICFR):
        method = method.planned(planned)
    dtype = checked_dtype(found, method, dtype)
    check_device(found, method, device)
    tree = opened(found, method)
    settings = Settings(
        fixed=_fixed(tree, fixed or {}) if isinstance(tree, Tree) else dict(fixed or {}),
        dtype=dtype,
        threads=_threads(tree, method, threads),
        seed=_checked_seed(seed),
        device=device,
    )
    learner = learner_for(method, tree, settings)
    _check_until(learner, rules.until)
    plan = {
        "dtype": dtype,
        "device": device,
        "threads": settings.threads,
        "seed": settings.seed,
        "planned": planned,
        "fixed": sorted(settings.fixed),
    }
    loop = Loop(learner, method, name_of(tree.game), rules, plan)
    return loop.run()


def resume(
    path: str | os.PathLike[str],
    *,
    iterations: int | None = None,
    until: float | str | None = None,
    seconds: float | None = None,
    game: Game | Tree | PublicGame | PublicTree | None = None,
    threads: int | None = None,
    device: str | None = None,
    callback: Callable[[Snapshot], object] | None = None,
    progress: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
) -> Run:
    """Go on with a saved run or a checkpoint, for `iterations` more; without a number, to where it was planned to end.

    The result is bit for bit that of a run which was never interrupted. A game of your own that cannot be found again
    by name is passed as `game`.
    """
    old = read_run(path)
    if iterations is None and until is None and seconds is None:
        planned = old.settings.get("planned")
        left = (int(planned) if planned else 0) - old.iterations
        if left <= 0:
            raise OptionError(f"{os.fspath(path)} has done its {old.iterations:,} iterations; say how many more")
        iterations = left
    level = chips_until(until, old.public_tree)
    rules = Rules.checked(iterations, level, seconds, callback, progress, checkpoint, checkpoint_every)
    tree: Any = old.public_tree if game is None and old.public_tree else opened(game or old.game, old.method)
    if tree.fingerprint != old.fingerprint:
        raise FileError(
            f"{os.fspath(path)} is a run of {old.game}, but that game is not the same any more (or another)"
        )
    settings = Settings(
        fixed={int(p): old.current for p in old.settings.get("fixed", [])},
        dtype=str(old.settings["dtype"]),
        threads=_threads(tree, old.method, threads if threads is not None else int(old.settings["threads"])),
        seed=int(old.settings["seed"]),
        device=_resumed_device(tree, old, device),
    )
    learner = learner_for(old.method, tree, settings)
    _check_until(learner, rules.until)
    unfit = _unfit(learner, old.arrays)
    if unfit:
        raise FileError(f"{os.fspath(path)} holds no usable {unfit[0]!r}: it is damaged or from another version")
    learner.restore(old.arrays, old.iterations)
    plan = {
        **old.settings,
        "threads": settings.threads,
        "device": settings.device,
        "planned": old.iterations + rules.iterations if iterations else None,
    }
    loop = Loop(learner, old.method, old.game, rules, plan, old)
    del old  # what was read is in the learner now; of hold'em it would be held twice, and it is gigabytes
    return loop.run()


def opened(game: Game | Tree | PublicGame | PublicTree | str, method: Variant | Method) -> Tree:
    """What a method works on: a tree, unless the method would rather walk through the game itself."""
    found = find_game(game) if isinstance(game, str) else game
    if on_public_tree(found):
        check_public_method(method, found)
        return cast("PublicGame", found).public_tree()  # type: ignore[no-any-return]
    listed = cast("Game | Tree", found)
    if isinstance(method, MCCFR | DeepCFR | NFSP) and isinstance(listed, Game):
        return method.opened(listed)  # type: ignore[no-any-return]
    if isinstance(method, FSICFR):
        return method.opened(listed)  # type: ignore[no-any-return]
    return as_tree(listed)


def check_public_method(method: Variant | Method, game: Any) -> None:
    """Refuse what does not work on public trees, before one is laid out."""
    if isinstance(method, DeepCFR):
        check_deals(getattr(game, "game", game))
    if not isinstance(method, Variant | DeepCFR):
        name = getattr(method, "name", repr(method))
        raise OptionError(
            f"{name} does not work on public trees; take a variant of CFR such as rg.CFR_PLUS (cfr+), or rg.DeepCFR()"
        )


def checked_dtype(game: object, method: Variant | Method, dtype: str | None) -> str:
    """The precision of a solve: as asked for, or what suits the game."""
    public = on_public_tree(game)
    known = ("float64", "float32", "int16") if public else ("float64", "float32")
    suits = "float32" if public else "float64"
    if dtype is None:
        return suits
    if dtype not in known:
        raise OptionError(f"dtype is {' or '.join(map(repr, known))}, got {dtype!r}")
    if isinstance(method, DeepCFR | NFSP):
        if dtype != suits:
            raise OptionError(
                f"{method.name} has networks in float32 and keeps averages in {suits} here: leave out dtype={dtype!r}"
            )
        return dtype
    if dtype == "float32" and not isinstance(method, Variant | MCCFR):
        raise OptionError(f"{method.name} computes in float64 only")
    return dtype


def check_device(game: object, method: Variant | Method, device: str) -> None:
    """Refuse a GPU where there is none, and for methods that do not use one."""
    if device == "cpu":
        return
    if isinstance(method, DeepCFR | NFSP):
        method.check_device(device)
        return
    name = getattr(method, "name", str(method))
    if device != "cuda" or not on_public_tree(game) or not isinstance(method, Variant):
        what = name if device == "cuda" else f"device={device!r}"
        raise OptionError(f"{what} has no GPU path yet: use device='cpu' (hold'em on public trees has device='cuda')")
    from regretless.poker.solving.cuda_walker import cuda_available

    missing = cuda_available()
    if missing:
        raise OptionError(missing)


def _resumed_device(tree: Any, old: Run, device: str | None) -> str:
    """Where a run goes on: where it was, unless said otherwise; a run of a GPU may go on on a CPU, and the reverse."""
    chosen = device or str(old.settings.get("device") or "cpu")
    check_device(tree.game if hasattr(tree, "learner") else tree, old.method, chosen)
    return chosen


def tree_of(game: Game | Tree | str) -> Tree:
    """A tree, from whatever a user calls a game; names may also be Gambit files."""
    return as_tree(find_game(game) if isinstance(game, str) else game)


def _fixed(tree: Tree, given: Fixed) -> dict[int, Strategy]:
    """Strategies of the players that are held still, however they were given."""
    if not isinstance(given, Mapping):
        raise OptionError(f"fixed is {{player: strategy}}, got {given!r}")
    out = {}
    for player, strategy in given.items():
        if player not in range(tree.players):
            raise OptionError(f"fixed names player {player!r}; this game has players 0 to {tree.players - 1}")
        if isinstance(strategy, Strategy):
            strategy.check_same_game(tree.labels)
            out[int(player)] = strategy
            continue
        own = [i for i in tree.labels.reading_order.tolist() if tree.labels.owner[i] == player]
        table = _table_of(tree, player, own, strategy)
        out[int(player)] = Strategy.from_dict(tree, table, missing="uniform")
    if len(out) == tree.players:
        raise OptionError("every player is fixed: nothing is left to learn")
    return out


def _table_of(tree: Tree, player: int, own: list[int], given: Any) -> dict[tuple[int, Any], Any]:
    """A fixed player's strategy by (player, label), complete; a player with one infoset may give its numbers alone."""
    names = [tree.labels.names[i] for i in own]
    single = len(own) == 1
    if single and not (isinstance(given, Mapping) and (names[0] in given or (player, names[0]) in given)):
        given = {names[0]: given}
    if not isinstance(given, Mapping):
        raise OptionError(f"fixed player {player} has {len(own)} infosets: give a Strategy or {{label: probabilities}}")
    table = {key if key in tree.labels.by_player else (player, key): p for key, p in given.items()}
    for name in names:
        if (player, name) not in table:
            raise OptionError(f"fixed player {player}: the strategy says nothing about infoset {name!r}")
    return table


def default_threads(tree: Tree) -> int:
    """All processors for a game large enough to share, else one."""
    return processors() if tree.terminals >= THREADS_FROM * len(tree.form.block_strips) else 1


def _check_until(learner: Learner, until: float | None) -> None:
    if until is None or learner.exact:
        return
    known = "only a lower bound is known for a game that is not listed"
    if isinstance(learner.tree.labels, Labels):
        known = "nothing is known without a twin of the game with perfect recall that can be listed"
    raise OptionError(f"until= needs exploitability, of which {known}; stop by iterations= or seconds=")


def _unfit(learner: Learner, arrays: Mapping[str, Any]) -> list[str]:
    """The arrays of a learner whose place none of a run's can take; of those that grow only the kind is compared."""
    grows = learner.grows or not isinstance(learner.tree.labels, Labels)

    def fits(old: Any, new: Any) -> bool:
        return bool(old.dtype == new.dtype and old.ndim == new.ndim and (grows or old.shape == new.shape))

    return [name for name, like in learner.stand_ins().items() if name not in arrays or not fits(arrays[name], like)]


def _threads(tree: Tree, method: Variant | Method, threads: int | None) -> int:
    if threads is None and isinstance(method, MCCFR):
        return processors() if method.traversals >= MCCFR_THREADS_FROM else 1
    if threads is None and hasattr(tree, "learner"):
        return int(tree.default_threads)  # type: ignore[attr-defined]
    if threads is None:
        return default_threads(tree) if isinstance(tree, Tree) else 1
    if not whole(threads, least=1):
        raise OptionError(f"threads is a positive whole number, got {threads!r}")
    return int(threads)


def _checked_seed(seed: int) -> int:
    if not whole(seed, least=0) or seed >= 2**64:
        raise OptionError(f"seed is a whole number from 0 to 2**64 - 1, got {seed!r}")
    return int(seed)
