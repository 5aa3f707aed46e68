"""Listing a game: every history once, into flat arrays.

A history gets its number when its parent is expanded, so the children of a history are a run of numbers and a parent's
number is always below its children's. Histories are visited depth first: only the states still waiting are kept.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from regretless.compiled import compile_game, has_compiler, is_compiled
from regretless.compiled.compile_errors import TooWide
from regretless.compiled.compiling import is_at_hand, is_loaded
from regretless.compiled.listing import list_compiled
from regretless.errors import GameError
from regretless.game import CHANCE, TERMINAL, Game, State
from regretless.kernels.sequence_form.sequence_tracing import path_to
from regretless.linter import check_game, estimate_size, fits_in_memory
from regretless.linter.memory import available_memory, build_scratch_bytes, in_units, surely_exceeds

__all__ = ["Histories", "Listing", "list_game"]

REPORT_EVERY = 1 << 16
"""Histories between two looks at the clock, the memory and the depth."""

LARGE = 500_000
"""Histories after which the size of the whole game is guessed."""

WORTH_TURNING = 2_000
"""Histories after which a compiled game is listed by its machine code, if this process has that in hand already."""

WORTH_LOADING = 50_000
"""Histories after which a compiled game is listed by its machine code, if that is on disk already."""

WORTH_COMPILING = 500_000
"""Histories after which it is listed so in any case: compiling takes some seconds, once on a machine."""

HOPELESS = 4
"""A game that surely needs so many times the free memory is refused at once."""

DEEPEST = 100_000
"""No game is this deep; one that seems to be goes round in a cycle."""


@dataclass(frozen=True)
class Histories:
    """All histories of a game; H of them, T terminal, P players."""

    mover: npt.NDArray[np.int8]  # [H] player to move, CHANCE or TERMINAL
    index: npt.NDArray[np.int32]  # [H] infoset at a decision, row of `payoffs` at a terminal, −1 at chance
    first_child: npt.NDArray[np.int32]  # [H] the first of the children, which are numbered on from it
    children: npt.NDArray[np.int32]  # [H] how many
    probability: npt.NDArray[np.float64]  # [H] of chance's move into this history; 1 where a player moved
    payoffs: npt.NDArray[np.float64]  # [T, P] chips

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays together."""
        arrays = (self.mover, self.index, self.first_child, self.children, self.probability, self.payoffs)
        return sum(a.nbytes for a in arrays)


@dataclass(frozen=True)
class Listing:
    """Histories, and the infosets in the order in which they were first met."""

    histories: Histories
    player: list[int]  # [I] whose infoset
    infoset: list[Hashable]  # [I] as the game returned it
    actions: list[tuple[Hashable, ...]]  # [I] as the game returned them
    by_machine_code: bool = False


def list_game(game: Game, *, progress: Callable[[int], None] | None = None) -> Listing:
    """List every history of `game`; `progress` is told the number listed so far, now and then."""
    recorder = _Recorder(game, progress)
    try:
        recorder.walk()
    except (GameError, MemoryError):
        raise
    except Exception as error:  # the game's own, or what its answers led to: the linter says which answer
        report = check_game(game, max_histories=50_000)
        if not report.ok:
            raise GameError(f"{recorder.name}: {report.problems[0].message}") from error
        if isinstance(error, RecursionError):
            raise GameError(f"{recorder.name}: {error}") from None
        raise
    if recorder.compiled is not None:
        return recorder.compiled
    histories = recorder.arrays()
    bad = np.flatnonzero(~np.isfinite(histories.payoffs).all(axis=1))
    if len(bad):
        number = int(np.flatnonzero((histories.mover == TERMINAL) & (histories.index == bad[0]))[0])
        raise recorder.fault(number, f"payoffs returned {histories.payoffs[bad[0]].tolist()}, which are not finite")
    return Listing(histories, recorder.owners, recorder.infosets, recorder.offered)


def describe_path(game: Game, choices: Sequence[int]) -> str:
    """A history in the game's own words, from the number of the action taken at each of its steps."""
    state, words = game.root(), []
    for choice in choices:
        action = game.actions(state)[choice]
        words.append(str(game.action_label(action)))
        state = game.play(state, action)
    return ", ".join(words) or "the root"


def choices_to(histories: Histories, number: int) -> list[int]:
    """The number of the action taken at each step from the root to a history."""
    path = path_to(histories.first_child, histories.children, number)
    return [int(child - histories.first_child[h]) for h, child in pairwise(path)]


class _Recorder:
    """The depth-first walk and what it writes down, in order of visit."""

    def __init__(self, game: Game, progress: Callable[[int], None] | None) -> None:
        self.game, self.progress = game, progress
        self.number, self.mover, self.index = array("i"), array("b"), array("i")
        self.first_child, self.children = array("i"), array("i")
        self.payoffs = array("d")
        self.chance_child, self.chance_probability = array("i"), array("d")
        self.owners: list[int] = []
        self.infosets: list[Hashable] = []
        self.offered: list[tuple[Hashable, ...]] = []
        self.histories = 1
        self.estimated = False
        self.compiled: Listing | None = None  # where machine code has taken over
        self.compiles = is_compiled(game) and has_compiler()
        self.reported = 0

    def walk(self) -> None:
        """Visit everything. One long function on purpose: a call per history would cost a third of the speed."""
        game = self.game
        player_of, actions_of, play, infoset_of = game.player, game.actions, game.play, game.infoset
        note_number, note_mover, note_index = self.number.append, self.mover.append, self.index.append
        note_first, note_children = self.first_child.append, self.children.append
        players, histories, terminals = game.players, 1, 0
        known: list[dict[Hashable, int]] = [{} for _ in range(players)]
        offered = self.offered
        report_at = REPORT_EVERY
        if self.compiles:
            turning = WORTH_TURNING if is_loaded(self.game, "compiled_games.game_listing") else WORTH_LOADING
            report_at = min(REPORT_EVERY, turning)
        stack: list[tuple[State, int]] = [(game.root(), 0)]
        pop, push = stack.pop, stack.append
        while stack:
            state, number = pop()
            mover = player_of(state)
            note_number(number)
            note_mover(mover)
            if mover == TERMINAL:
                note_index(terminals)
                note_first(0)
                note_children(0)
                terminals += 1
                payoffs = game.payoffs(state)
                if len(payoffs) != players:
                    raise self.fault(number, f"payoffs returned {len(payoffs)} numbers for {players} players")
                try:
                    self.payoffs.extend(payoffs)
                except TypeError:
                    raise self.fault(number, f"payoffs returned {payoffs!r}, which are not numbers") from None
                continue
            actions = actions_of(state)
            count = len(actions)
            note_first(histories)
            note_children(count)
            if mover >= 0:
                if mover >= players:
                    raise self.fault(number, f"player returned {mover}, but players are numbered 0 to {players - 1}")
                key = infoset_of(state)
                infoset = known[mover].get(key, -1)
                if infoset < 0:
                    if len(set(actions)) < count:
                        raise self.fault(number, f"actions returned {list(actions)}, where one is named twice")
                    infoset = known[mover][key] = len(offered)
                    self.owners.append(mover)
                    self.infosets.append(key)
                    offered.append(tuple(actions))
                elif offered[infoset] is not actions and offered[infoset] != tuple(actions):
                    raise self.differing(number, infoset, actions)
                note_index(infoset)
            elif mover == CHANCE:
                note_index(-1)
                self.note_chance(state, number, histories, count)
            else:
                raise self.fault(number, f"player returned {mover}; it must be a player, rg.CHANCE or rg.TERMINAL")
            if count == 0:
                raise self.fault(number, "actions returned nothing where somebody must move")
            for choice in range(count - 1, -1, -1):
                push((play(state, actions[choice]), histories + choice))
            histories += count
            if histories > report_at:
                report_at = histories + REPORT_EVERY
                self.histories = histories
                if self.compiles and self.list_by_machine_code():
                    return
                if histories > REPORT_EVERY:
                    self.refuse_cycles()
                    self.look_around(histories, terminals)
        self.histories = histories

    def note_chance(self, state: State, number: int, first: int, count: int) -> None:
        """Write down the probabilities of a chance node's children."""
        probabilities = [float(p) for p in self.game.chance(state)]
        if len(probabilities) != count:
            raise self.fault(number, f"chance returned {len(probabilities)} probabilities for {count} actions")
        if min(probabilities, default=0.0) < 0 or not abs(sum(probabilities) - 1) < 1e-9:
            shown = ", ".join(f"{p:g}" for p in probabilities[:6])
            raise self.fault(number, f"chance returned ({shown}{', …' if count > 6 else ''}), which is no distribution")
        self.chance_child.extend(range(first, first + count))
        self.chance_probability.extend(probabilities)

    def list_by_machine_code(self) -> bool:
        """Let machine code list the whole game; False where it cannot, or is not worth its compilation yet."""
        if not is_loaded(self.game, "compiled_games.game_listing"):
            if self.histories < WORTH_LOADING:
                return False
            if self.histories < WORTH_COMPILING and not is_at_hand(
                self.game, "compiled_games.game_listing", "list_stretch"
            ):
                return False
        self.compiles = False
        try:
            found = list_compiled(compile_game(self.game), self.look_around)
        except TooWide:
            return False
        if found is None:  # the game breaks a rule somewhere, and the walk that meets it knows the words
            return False
        h = found
        self.look_around(len(h.mover), len(h.payoffs))
        histories = Histories(h.mover, h.index, h.first_child, h.children, h.probability, h.payoffs)
        self.compiled = Listing(histories, found.owner, found.infoset, list(found.actions), by_machine_code=True)
        return True

    def refuse_cycles(self) -> None:
        """Stop where the newest history is deeper than any game."""
        if self.histories > DEEPEST and len(self.choices(self.number[-1])) > DEEPEST:
            raise RecursionError(f"a history has more than {DEEPEST:,} moves; the game seems to go in a cycle")

    def look_around(self, histories: int, terminals: int) -> None:
        """Between stretches of the walk: report, and stop before the memory does."""
        if self.progress is not None and histories > self.reported:  # machine code starts anew, the count does not
            self.reported = histories
            self.progress(histories)
        if not self.estimated and histories > LARGE:
            self.estimated = True
            self.refuse_what_will_not_fit()
        free = available_memory()
        needed = build_scratch_bytes(self.game.players, histories, terminals)
        if free is not None and needed > free:
            raise GameError(
                f"{self.name}: {histories:,} histories are listed, and laying them out takes {in_units(needed)} "
                f"of memory where {in_units(free)} are free; the game is too large to list (see rg.check_game)"
            )

    def refuse_what_will_not_fit(self) -> None:
        """Guess the whole from a few probes, once it is clear that listing it takes a while."""
        estimate = estimate_size(self.game, probes=20)
        trouble = fits_in_memory(estimate)
        if trouble is not None and surely_exceeds(estimate, HOPELESS):
            raise GameError(f"{self.name}: {trouble}")

    @property
    def name(self) -> str:
        return type(self.game).__name__

    def choices(self, number: int) -> list[int]:
        return choices_to(self.arrays(), number)

    def fault(self, number: int, found: str) -> GameError:
        where = describe_path(self.game, self.choices(number))
        return GameError(f"{self.name}: {found} (after {where})")

    def differing(self, number: int, infoset: int, actions: Sequence[Hashable]) -> GameError:
        first = self.number[self.index_of_first_visit(infoset)]
        return GameError(
            f"{self.name}: infoset {self.infosets[infoset]!r} offers {list(self.offered[infoset])} after "
            f"{describe_path(self.game, self.choices(first))} but {list(actions)} after "
            f"{describe_path(self.game, self.choices(number))}; make infoset() tell these histories apart"
        )

    def index_of_first_visit(self, infoset: int) -> int:
        return next(v for v in range(len(self.index)) if self.mover[v] >= 0 and self.index[v] == infoset)

    def arrays(self) -> Histories:
        """What was written down, by number of history instead of order of visit."""
        seen = len(self.index)
        number = np.frombuffer(self.number, np.int32)[:seen]
        first, count = (np.frombuffer(noted, np.int32)[:seen] for noted in (self.first_child, self.children))
        histories = max(self.histories, int((first + count).max(initial=1)))  # children are numbered before their visit
        mover = np.full(histories, TERMINAL, np.int8)
        index, first_child, children = (np.zeros(histories, np.int32) for _ in range(3))
        probability = np.ones(histories)
        mover[number] = np.frombuffer(self.mover, np.int8)[:seen]
        index[number] = np.frombuffer(self.index, np.int32)
        first_child[number], children[number] = first, count
        if self.chance_child:
            child = np.frombuffer(self.chance_child, np.int32)
            probability = np.ones(max(histories, int(child.max()) + 1))
            probability[child] = np.frombuffer(self.chance_probability, np.float64)
        players = self.game.players
        payoffs = np.frombuffer(self.payoffs, np.float64) if self.payoffs else np.zeros(0)
        whole = len(payoffs) // players * players
        return Histories(mover, index, first_child, children, probability, payoffs[:whole].reshape(-1, players).copy())
