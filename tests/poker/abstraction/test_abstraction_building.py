"""Whole builds on small decks: the same map in every way of building it, and what the map must satisfy."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_abstraction import distances

from regretless.errors import FileError, OptionError
from regretless.kernels.cards.hand_features import OPPONENTS
from regretless.poker import FLOP_HOLDEM, Abstraction, Deck, LimitHoldem, PublicGame, abstract
from regretless.poker.abstraction.build import building, estimates
from regretless.poker.abstraction.build.building import build_cost
from regretless.poker.abstraction.build.progress import BuildProgress
from regretless.poker.abstraction.build.street_building import opponent_clusters, percentiles
from regretless.poker.abstraction.build.sweeping import BoardSweep
from regretless.poker.abstraction.build.workers import Workers
from regretless.poker.betting.limit import Limit

DECK = Deck("9TJQKA", "sh")
GAME = PublicGame(DECK, 2, (3, 1), Limit(streets=3, caps=2))
LARGER = PublicGame(Deck("TJQKA", "shd"), 2, (3,), FLOP_HOLDEM)
ONE_CARD = PublicGame(Deck("TJQKA", "sh"), 1, (1,), Limit(streets=2))
FEATURES = ("ehs", "percentile", "histogram", "ochs")
full = pytest.mark.full  # a build compiles for many seconds


@pytest.fixture(scope="module")
def built() -> dict[str, Abstraction]:
    return {feature: abstract(GAME, (10, 12, 15), feature, seed=3, threads=1) for feature in FEATURES}


@full
@pytest.mark.parametrize("feature", FEATURES)
def test_threads_do_not_matter_and_seeds_do(feature: str, built: dict[str, Abstraction]) -> None:
    again = abstract(GAME, (10, 12, 15), feature, seed=3, threads=2)
    assert again.fingerprint == built[feature].fingerprint and again == built[feature]
    for mine, theirs in zip(again.streets, built[feature].streets, strict=True):
        for name, array in mine.arrays.items():
            assert (array == getattr(theirs, name)).all()
    if feature != "percentile":
        assert any(abstract(GAME, (10, 12, 15), feature, seed=s) != again for s in (4, 5))


@full
def test_a_sample_is_drawn_by_the_seed(built: dict[str, Abstraction]) -> None:
    """Where a street has more hands than the sample: the same on any number of threads, near the whole."""
    few = [abstract(GAME, (10, 12, 15), "ehs", seed=3, sample=500, threads=threads) for threads in (1, 2)]
    assert few[0] == few[1] != built["ehs"]
    assert np.abs(few[0].strengths(2) - built["ehs"].strengths(2)).max() < 0.1


class Stop(Exception):
    """Ends a build from its progress callback."""


def stopping_at(call: int) -> Callable[[BuildProgress], None]:
    left = [call]

    def progress(_: BuildProgress) -> None:
        left[0] -= 1
        if not left[0]:
            raise Stop

    return progress


@full
def test_a_build_may_be_interrupted_at_any_report(tmp_path: Path) -> None:
    """Also at the last of the iterations of k-means: one more of them gave another map."""
    reports: list[BuildProgress] = []
    whole = abstract(GAME, (10, 12, 15), seed=3, progress=reports.append)
    for call in range(1, len(reports) + 1):
        with pytest.raises(Stop):
            abstract(GAME, (10, 12, 15), seed=3, progress=stopping_at(call), checkpoint=tmp_path / "build.part")
        assert abstract(GAME, (10, 12, 15), seed=3, checkpoint=tmp_path / "build.part") == whole, reports[call - 1]


@full
@pytest.mark.parametrize("feature", ["histogram", "percentile"])
def test_an_interrupted_build_goes_on(
    feature: str, built: dict[str, Abstraction], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped again and again, after one more report each time, it ends with the same map."""
    import regretless.poker.abstraction.build.sweeping as sweeping

    monkeypatch.setattr(sweeping, "ROWS_OF_A_PIECE", 200)
    state, stopped = tmp_path / "build.part", 0
    while True:
        try:
            again = abstract(
                GAME, (10, 12, 15), feature, seed=3, progress=stopping_at(2 + stopped % 5), checkpoint=state
            )
            break
        except Stop:
            stopped += 1
            assert state.exists() and stopped < 300
    assert stopped > 10 and not state.exists()
    assert again == built[feature]
    for mine, theirs in zip(again.streets, built[feature].streets, strict=True):
        assert (mine.deals == theirs.deals).all() and (mine.strength == theirs.strength).all()


@full
def test_checkpoints_of_other_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "SECONDS_BETWEEN_SAVES", 0.0)
    state = tmp_path / "build.part"
    with pytest.raises(Stop):
        abstract(GAME, (10, 12, 15), seed=3, progress=stopping_at(4), checkpoint=state)
    with pytest.raises(FileError, match="is the checkpoint of another build"):
        abstract(GAME, (10, 12, 15), seed=4, checkpoint=state)
    data = state.read_bytes()
    state.write_bytes(data[: len(data) // 2])
    with pytest.raises(FileError, match=r"cut short|damaged"):
        abstract(GAME, (10, 12, 15), seed=3, checkpoint=state)


@full
@pytest.mark.parametrize("feature", FEATURES)
def test_what_a_map_satisfies(feature: str, built: dict[str, Abstraction]) -> None:
    """Suits do not matter, all hands of a deck are looked up at once, and buckets are sorted by strength."""
    a, draw = built[feature], random.Random(2)
    suits = len(DECK.suits)
    for street, cards in enumerate(a.rounds.boards):
        found = a.streets[street]
        assert found.hands.sum() == a.rounds.classes(street) and found.deals.sum() == a.rounds.deals(street)
        assert (found.hands > 0).all() and (np.diff(found.mean_strength) >= 0).all()
        assert 0 <= found.mean_strength[0] <= found.mean_strength[-1] <= 1
        for _ in range(10):
            dealt = draw.sample(range(DECK.size), 2 + cards)
            board, hands = dealt[2:], DECK.hands(2).tolist()
            bucket = a.bucket(dealt[:2], board)
            assert a.buckets_on(board)[hands.index(sorted(dealt[:2]))] == bucket
            for p in permutations(range(suits)):
                image = [card // suits * suits + p[card % suits] for card in dealt]
                assert a.bucket(image[:2], image[2:]) == bucket
            assert [n for n, b in enumerate(a.buckets_on(board)) if b < 0] == [
                n for n, hand in enumerate(hands) if {*hand} & {*board}
            ]


@full
@pytest.mark.parametrize("feature", ["histogram", "ochs"])
def test_the_assignment_is_that_of_a_comparison_with_all_centroids(feature: str, built: dict[str, Abstraction]) -> None:
    a = built[feature]
    with Workers(1) as workers:
        clusters = opponent_clusters(a.rounds, 3, workers)
    for street, found in enumerate(a.streets):
        sweep = BoardSweep(a.rounds, street, OPPONENTS if feature == "ochs" else 1, clusters)
        for piece in sweep.pieces:
            rows = sweep.rows(piece)
            apart = distances(rows.features, found.centroids, feature == "ochs")
            chosen = apart[np.arange(len(apart)), found.bucket_of[rows.indices]]
            assert (chosen == apart.min(axis=1)).all()


@full
def test_clusters_of_opposing_hands() -> None:
    with Workers(2) as workers:
        clusters = opponent_clusters(three_suits(), 1, workers)
    hands = Deck("9TJQKA", "shd").hands(2).tolist()
    strongest, weakest = clusters[-1], clusters[hands.index([0, 4])]
    assert sorted(set(clusters.tolist())) == list(range(8))
    assert strongest == 7 and weakest < 3  # two aces; ten-nine offsuit


def three_suits() -> Any:
    from regretless.poker.abstraction.card_rounds import CardRounds

    return CardRounds(Deck("9TJQKA", "shd"), 2, (0, 3, 4))


@full
def test_lossless_where_there_are_enough_buckets() -> None:
    a = abstract(ONE_CARD, buckets=1_000)
    assert a.features == ("lossless", "lossless") and a.counts == (5, 45)
    assert (a.sizes(0) == 1).all() and a.strengths(0).tolist() == sorted(a.strengths(0).tolist())
    assert [a.bucket(hand) for hand in ("Ts", "Th", "Js", "Qh", "Kh", "As")] == [0, 0, 1, 2, 3, 4]
    merged = abstract(LARGER, (20, 30))
    assert merged.counts == (20, 30) and merged.features == ("histogram", "ochs")


@full
def test_recall() -> None:
    a, b = (abstract(ONE_CARD, (3, 4), recall=recall) for recall in ("imperfect", "perfect"))
    assert a.sequence_counts == (3, 4) and b.sequence_counts == (3, 12) and a != b
    assert (a.sequences_on("Ks") == a.buckets_on("Ks")).all()
    first, then, both = b.buckets_on(""), b.buckets_on("Ks"), b.sequences_on("Ks")
    assert both[ONE_CARD.deck.card("Ks")] == -1
    free = then >= 0
    assert (both[free] == first[free] * b.counts[1] + then[free]).all()
    actions = [count.actions for count in ONE_CARD.betting_tree().counts]
    decisions = [count.decisions for count in ONE_CARD.betting_tree().counts]
    assert a.infoset_actions(ONE_CARD) == 3 * actions[0] + 4 * actions[1]
    assert b.infoset_actions(ONE_CARD) == 3 * actions[0] + 12 * actions[1]
    assert b.infosets(ONE_CARD) == 3 * decisions[0] + 12 * decisions[1]


def test_percentiles_have_equal_mass() -> None:
    strengths = np.random.default_rng(1).integers(0, 65_536, 20_000).astype(np.uint16)
    bucket_at = percentiles(strengths, np.ones(20_000, np.int64), 10)
    assert np.bincount(bucket_at[strengths]).tolist() == pytest.approx([2_000] * 10, abs=5)
    assert (np.diff(bucket_at) >= 0).all()
    same = percentiles(np.full(100, 7, np.uint16), np.ones(100, np.int64), 4)
    assert len(set(same[[7]].tolist())) == 1


# -- estimates and mistakes -------------------------------------------------------------------------------------------


def test_estimates() -> None:
    small, large = (build_cost(LimitHoldem(), (169, k, k, k), threads=2) for k in (200, 20_000))
    assert 300e6 < small.memory < 2e9 and small.memory < large.memory < 8e9
    assert 60 < small.seconds < 600 < large.seconds < 5_400
    assert "of memory and about" in str(small)


def test_a_build_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimates, "free_memory", lambda: 100_000_000)
    with pytest.raises(OptionError, match=r"169-200-200-200 buckets needs .* of memory while it is built, and 100 MB"):
        abstract(LimitHoldem(), 200)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"buckets": (5, 5)}, "buckets has one value for each of the game's 3 streets, got 2"),
    ({"buckets": 0}, "the number of buckets is a whole number from 1 to 2,147,483,647, got 0"),
    ({"buckets": 2.5}, "the number of buckets is a whole number"),
    ({"buckets": (5, True, 5)}, "the number of buckets is a whole number"),
    ({"features": "hs"}, "there are no features 'hs'"),
    ({"features": ("ehs", ["ehs"], "ehs")}, "there are no features"),
    ({"features": "lossless", "buckets": 5}, "lossless buckets need one for each of the 36 hands"),
    ({"recall": "good"}, "recall is 'imperfect' or 'perfect', got 'good'"),
    ({"seed": -1}, "seed is a whole number"),
    ({"threads": 0}, "threads is a whole number"),
    ({"sample": 0}, "sample is a whole number"),
    ({"sample": 4, "buckets": 5}, "sample=4 hands cannot be the beginnings of 5 buckets: take at least that"),
    ({"progress": "bar"}, "progress is True or a function"),
]


@pytest.mark.parametrize(("options", "sentence"), WRONG)
def test_wrong_options(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionError, match=sentence.replace("(", r"\(")):
        abstract(GAME, **{"buckets": 5, **options})


def test_hands_of_three_cards() -> None:
    game = PublicGame(Deck("TJQKA", "sh"), 3, (1,), Limit(streets=2))
    with pytest.raises(OptionError, match="card abstractions are for hands of 1 or 2 cards, got 3"):
        abstract(game)


@full
def test_progress_is_reported() -> None:
    seen: list[BuildProgress] = []
    abstract(GAME, (10, 12, 15), progress=seen.append)
    assert {step.stage for step in seen} == {"sample", "seeds", "clusters", "buckets"}
    assert [step.street for step in seen if step.stage == "seeds"] == ["preflop", "flop", "turn"]
    shares = [step.share for step in seen]
    assert shares == sorted(shares) and 0 <= shares[0] <= shares[-1] <= 1
    abstract(GAME, (10, 12, 15), progress=True)
