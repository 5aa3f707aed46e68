"""Listing a game: every history once, into flat arrays.

A history gets its number when its parent is expanded, so the children of a history are a run of numbers and a parent's
number is always below its children's. Histories are visited depth first: only the states still waiting are kept.
"""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Callable, Hashable, Sequence
from itertools import islice

import numpy as np

from regretless.compiled import compile_game, has_compiler, is_compiled
from regretless.compiled.compile_errors import TooWide
from regretless.compiled.compiling import is_at_hand, is_loaded
from regretless.compiled.listing.compiled_listing import list_compiled
from regretless.errors import GameError
from regretless.game import CHANCE, LARGEST_PAYOFF, MOST_ACTIONS, TERMINAL, Game, State, refuse_players, shortened
from regretless.kernels.coded_numbers import coded
from regretless.layout.histories import Histories, Listing, choices_to, describe_path
from regretless.linter import estimate_size, fits_in_memory
from regretless.linter.check import game_errors
from regretless.linter.descriptions import where
from regretless.linter.endless import EndlessGuard
from regretless.linter.memory import available_memory, build_scratch_bytes, in_units, surely_exceeds
from regretless.linter.played_states import CHANGED, moves_before_change, next_check, play_changes

__all__ = ["Histories", "Listing", "choices_to", "describe_path", "list_game"]

REPORT_EVERY = 1 << 16
"""Histories between two reports of progress and checks of the memory."""

LARGE, SLOW = 500_000, 2.0
"""Histories, or seconds, after which the size of the whole game is guessed."""

WORTH_TURNING = 2_000
"""Histories after which a compiled game is listed by its machine code, if this process has loaded that already."""

WORTH_LOADING = 50_000
"""Histories after which a compiled game is listed by its machine code, if that is on disk already."""

WORTH_COMPILING = 500_000
"""Histories after which it is listed so in any case: compiling takes some seconds, once on a machine."""

HOPELESS = 4
"""A game that surely needs this many times the free memory is refused at once."""

FIRST_DEPTH_CHECK = 1_024
"""Histories after which the depth is checked; again each time their number has doubled."""

DONE = -1
KERNELS = "compiled_games.game_listing"


def list_game(game: Game, *, progress: Callable[[int], None] | None = None) -> Listing:
    """List every history of `game`; `progress` is called now and then with the number listed so far.

    Raises a GameError for a game that breaks a rule, seems never to end, or will not fit into memory.
    """
    refuse_players(game)
    with game_errors(game):
        walk = _HistoryWalk(game, progress)
        walk.walk()
    if walk.compiled is not None:
        return walk.compiled
    histories = walk.arrays()
    wrong = np.flatnonzero(~(np.abs(histories.payoff.table) <= LARGEST_PAYOFF).all(axis=1))  # also where they are NaN
    if len(wrong):
        raise walk.wrong_payoffs(histories, int(np.flatnonzero(np.isin(histories.payoff.code, wrong))[0]))
    return Listing(histories, walk.owners, walk.infosets, walk.offered)


class _HistoryWalk:
    """The depth-first walk and what it records, in order of visit."""

    def __init__(self, game: Game, progress: Callable[[int], None] | None) -> None:
        self.game, self.progress = game, progress
        self.number, self.mover, self.index = array("i"), array("b"), array("i")
        self.first_child, self.children = array("i"), array("i")
        self.payoffs = array("d")
        self.chance_child, self.chance_probability = array("i"), array("d")
        self.known: list[dict[Hashable, int]] = [{} for _ in range(game.players)]
        self.owners: list[int] = []
        self.infosets: list[Hashable] = []
        self.offered: list[tuple[Hashable, ...]] = []
        self.histories, self.reported = 1, 0
        self.report_at, self.depth_at = REPORT_EVERY, FIRST_DEPTH_CHECK
        self.estimated = False
        self.began, self.guard = time.perf_counter(), EndlessGuard(game)
        self.rng = random.Random(0)  # for the plays that are checked
        self.compiled: Listing | None = None  # where machine code has taken over
        self.compiles = is_compiled(game) and has_compiler()
        self.turn_at = WORTH_TURNING if self.compiles and is_loaded(game, KERNELS) else WORTH_LOADING

    def walk(self) -> None:
        """Visit everything. One long function on purpose: a call per history would cost a third of the speed."""
        game, players, known, offered = self.game, self.game.players, self.known, self.offered
        player_of, actions_of, play, infoset_of = game.player, game.actions, game.play, game.infoset
        note_number, note_mover, note_index = self.number.append, self.mover.append, self.index.append
        note_first, note_children, note_payoffs = self.first_child.append, self.children.append, self.payoffs.extend
        histories, terminals, look_at = 1, 0, 1
        stack: list[tuple[State, int]] = [(game.root(), 0)]
        pop, push = stack.pop, stack.append
        self.check_plays(2)
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
                    note_payoffs(payoffs)
                except TypeError:
                    raise self.fault(number, f"payoffs returned {payoffs!r}, which are not numbers") from None
                continue
            actions = actions_of(state)
            count = len(actions)
            note_first(histories)
            note_children(count)
            if 0 <= mover < players:
                key = infoset_of(state)
                infoset = known[mover].get(key, -1)
                if infoset < 0:
                    infoset = self.enter_infoset(number, mover, key, actions)
                elif offered[infoset] is not actions and offered[infoset] != tuple(actions):
                    raise self.differing(number, infoset, actions)
                note_index(infoset)
            else:
                note_index(-1)
                self.note_chance(state, number, mover, histories, count)
            if count == 0:
                raise self.fault(number, "actions returned nothing where a player must move")
            for choice in range(count - 1, -1, -1):
                push((play(state, actions[choice]), histories + choice))
            histories += count
            if histories > look_at:
                self.histories = histories
                look_at = self.look(terminals, stack)
                if look_at == DONE:
                    return
        self.histories = histories

    def enter_infoset(self, number: int, mover: int, key: Hashable, actions: Sequence[Hashable]) -> int:
        """Record an infoset at its first visit."""
        self.check_count(number, len(actions))
        if len(set(actions)) < len(actions):
            raise self.fault(number, f"actions returned {list(actions)}, where one is named twice")
        infoset = self.known[mover][key] = len(self.offered)
        self.owners.append(mover)
        self.infosets.append(key)
        self.offered.append(tuple(actions))
        return infoset

    def note_chance(self, state: State, number: int, mover: int, first: int, count: int) -> None:
        """Record the probabilities of a chance node's children; a mover that is no player must be chance."""
        if mover >= 0:
            raise self.fault(number, f"player returned {mover}, but players are numbered 0 to {self.game.players - 1}")
        if mover != CHANCE:
            raise self.fault(number, f"player returned {mover}; it must be a player, rg.CHANCE or rg.TERMINAL")
        self.check_count(number, count)
        probabilities = [float(p) for p in islice(self.game.chance(state), MOST_ACTIONS + 1)]
        if len(probabilities) != count:
            raise self.fault(number, f"chance returned {len(probabilities)} probabilities for {count} actions")
        if min(probabilities, default=0.0) < 0 or not abs(sum(probabilities) - 1) < 1e-9:
            shown = ", ".join(f"{p:g}" for p in probabilities[:6])
            raise self.fault(number, f"chance returned ({shown}{', …' if count > 6 else ''}), which is no distribution")
        self.chance_child.extend(range(first, first + count))
        self.chance_probability.extend(probabilities)

    def check_count(self, number: int, count: int) -> None:
        """Refuse more actions than can be listed."""
        if count > MOST_ACTIONS:
            raise self.fault(number, f"actions returned {count:,} actions, and {MOST_ACTIONS:,} are the most")

    # -- between visits -------------------------------------------------------------------------------------------

    def look(self, terminals: int, stack: list[tuple[State, int]]) -> int:
        """Check a state, the depth, the memory and the time; returns the histories after which to look again.

        Returns DONE where machine code has listed the whole game.
        """
        histories = self.histories
        self.check_state(stack)
        if self.compiles and histories > self.turn_at:
            self.turn_at = histories + REPORT_EVERY
            if self.list_by_machine_code():
                return DONE
        if histories > self.depth_at:
            self.depth_at = 2 * histories
            self.check_plays(1)
            self.guard.check(self.depth_of(self.number[-1]))
        if not self.estimated and time.perf_counter() - self.began > SLOW:
            self.refuse_what_will_not_fit()
        if histories > self.report_at:
            self.report_at = histories + REPORT_EVERY
            self.look_around(histories, terminals)
        return min(next_check(histories), self.report_at)

    def depth_of(self, number: int) -> int:
        """Moves from the root to a history that has been visited."""
        inner = np.flatnonzero(np.frombuffer(self.children, np.int32))
        first, numbers = (np.frombuffer(noted, np.int32)[inner] for noted in (self.first_child, self.number))
        depth, key = 0, np.int32(number)  # a key of the array's own type: for another one the array would be copied
        while key:
            key = numbers[first.searchsorted(key, "right") - 1]  # first children rise from visit to visit
            depth += 1
        return depth

    def check_state(self, stack: list[tuple[State, int]]) -> None:
        """Refuse a game whose `play` changes the state that will be visited next."""
        if stack and play_changes(self.game, stack[-1][0]):
            raise self.fault(stack[-1][1], CHANGED)

    def check_plays(self, plays: int) -> None:
        """Refuse a game whose `play` changes a state of some random plays."""
        for _ in range(plays):
            moves = moves_before_change(self.game, self.rng)
            if moves is not None:
                raise GameError(f"{self.name}: {CHANGED} ({where(self.game, moves)})")

    def list_by_machine_code(self) -> bool:
        """Let machine code list the whole game; False where it cannot, or is not worth its compilation yet."""
        if not is_loaded(self.game, KERNELS):
            if self.histories < WORTH_LOADING:
                return False
            if self.histories < WORTH_COMPILING and not is_at_hand(self.game, KERNELS, "list_histories"):
                return False
        self.compiles = False
        try:
            found = list_compiled(compile_game(self.game), self.look_around)
        except TooWide:
            return False
        if found is None:  # the game breaks a rule somewhere, which this walk will find and describe
            return False
        h = found
        self.look_around(len(h.mover), len(h.payoff))
        histories = Histories(h.mover, h.index, h.first_child, h.children, h.chance, h.payoff)
        self.compiled = Listing(histories, found.owner, found.infoset, list(found.actions), by_machine_code=True)
        return True

    def look_around(self, histories: int, terminals: int) -> None:
        """Report progress, and refuse a game that will not fit into memory."""
        if self.progress is not None and histories > self.reported:  # machine code begins again, the count does not
            self.reported = histories
            self.progress(histories)
        if not self.estimated and histories > LARGE:
            self.refuse_what_will_not_fit()
        free = available_memory()
        needed = build_scratch_bytes(self.game.players, histories, terminals)
        if free is not None and needed > free:
            raise GameError(
                f"{self.name}: {histories:,} histories are listed, and laying them out takes {in_units(needed)} "
                f"of memory where {in_units(free)} are free; the game is too large to list (see rg.check_game)"
            )

    def refuse_what_will_not_fit(self) -> None:
        """Guess the size of the game from a few probes, once it is clear that listing it takes a while."""
        self.estimated = True
        try:
            estimate = estimate_size(self.game, probes=20, seconds=3.0)
        except GameError:  # plays that are too deep for an estimate, which a small game may have
            if self.histories > LARGE:
                raise
            return
        trouble = fits_in_memory(estimate)
        if trouble is not None and surely_exceeds(estimate, HOPELESS):
            raise GameError(f"{self.name}: {trouble}")

    # -- what went wrong ------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return type(self.game).__name__

    def choices(self, number: int) -> list[int]:
        return choices_to(self.arrays(), number)

    def fault(self, number: int, found: str) -> GameError:
        return GameError(f"{self.name}: {found} (after {self.where(number)})")

    def where(self, number: int) -> str:
        """A history by its actions; by its length where the game no longer leads there."""
        choices = self.choices(number)
        try:
            return describe_path(self.game, choices)
        except Exception:
            return f"{len(choices):,} moves"

    def wrong_payoffs(self, histories: Histories, row: int) -> GameError:
        number = int(np.flatnonzero((histories.mover == TERMINAL) & (histories.index == row))[0])
        found = f"payoffs returned {shortened(histories.payoffs[row].tolist())}"
        if not np.isfinite(histories.payoffs[row]).all():
            return self.fault(number, f"{found}, which are not finite")
        return self.fault(number, f"{found}; payoffs beyond {LARGEST_PAYOFF:g} in size cannot be summed")

    def differing(self, number: int, infoset: int, actions: Sequence[Hashable]) -> GameError:
        first = self.number[self.index_of_first_visit(infoset)]
        return GameError(
            f"{self.name}: infoset {self.infosets[infoset]!r} offers {list(self.offered[infoset])} after "
            f"{self.where(first)} but {list(actions)} after {self.where(number)}; make infoset() tell these histories "
            "apart"
        )

    def index_of_first_visit(self, infoset: int) -> int:
        return next(v for v in range(len(self.index)) if self.mover[v] >= 0 and self.index[v] == infoset)

    def arrays(self) -> Histories:
        """What was recorded, by number of history instead of order of visit."""
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
        rows = coded(payoffs[:whole].reshape(-1, players))
        return Histories(mover, index, first_child, children, coded(probability), rows)
