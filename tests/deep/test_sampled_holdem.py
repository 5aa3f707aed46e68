"""Deep CFR on hold'em whose cards are dealt on demand, against the same game laid out hand by hand."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from four_streets import FOUR, SD_SMALL, SMALL, random_networks
from two_pieces import goes_on_bit_for_bit

import regretless as rg
from regretless.deep.games.sampled_holdem import SampledHoldem
from regretless.deep.learners.holdem.sampled_deep_cfr import SampledDeepCFR
from regretless.deep.playing import network_strategy
from regretless.deep.playing.stored_networks import in_16_bits
from regretless.errors import OptionError
from regretless.kernels.constants import DEAL
from regretless.method import Settings
from regretless.poker import Deck, Limit, PublicGame
from regretless.poker.resolving.subgame import copy_rows, subgame_after
from regretless.poker.results.board_strategy import holds_card


@pytest.fixture(scope="module")
def strategy() -> object:
    return random_networks()[1]


def test_probabilities_are_those_of_the_same_strategy_on_the_public_tree(strategy: object) -> None:
    public, tree = strategy.public, strategy.betting_tree
    rng = np.random.default_rng(0)
    for node in np.flatnonzero(tree.kind < DEAL).tolist()[::7]:
        size = (0, 1, 2, 3)[int(tree.street[node])]
        board = tuple(rng.choice(FOUR.deck.size, size, replace=False).tolist())
        mine, theirs = strategy.at_cards(node, board), public.at(node, FOUR.deck.names(board))
        rows = dict(zip(theirs.names, theirs.probabilities, strict=True))
        reached = mine.weight > 1e-6
        expected = np.array([rows[name] for name in mine.names])
        assert np.allclose(mine.probabilities[reached], expected[reached], atol=2e-5)


def test_each_network_counts_with_its_own_reach(strategy: object) -> None:
    """σ̄(I, a) = Σ ω_t π_t(I) σ_t(I, a) / Σ ω_t π_t(I), from networks that are asked one by one."""
    tree = strategy.betting_tree
    node = tree.find("call check / bet call / check")
    player, board = int(tree.kind[node]), tuple(FOUR.deck.cards("QsKh"))
    networks, path = strategy.players[player], []
    above = node
    while (parent := int(tree.parent[above])) >= 0:
        if tree.kind[parent] == player:
            path.append((parent, above - int(tree.first_child[parent])))
        above = parent
    assert path
    total = 0.0
    weights, shares = networks.weights, networks.shares
    for row, share in zip(weights, shares, strict=True):
        networks.weights, networks.shares = row[None], np.ones(1)
        strategy._known.clear()
        reach = share
        for at, action in path:
            reach = reach * strategy.hand_probabilities(at, board[: (0, 1, 2)[int(tree.street[at])]])[action]
        total = total + reach * strategy.hand_probabilities(node, board)
    networks.weights, networks.shares = weights, shares
    strategy._known.clear()
    free = ~holds_card(FOUR, board)
    assert np.allclose(strategy.hand_probabilities(node, board)[:, free], (total / total.sum(0))[:, free], atol=1e-5)


def test_one_hand_is_answered_like_all_of_them(strategy: object) -> None:
    node, board = strategy.betting_tree.find("call check / check"), FOUR.deck.cards("Qs")
    hands = FOUR.deck.hands(2)
    every = strategy.hand_probabilities(node, board)
    for number in (5, 13, 27):
        one = strategy.probabilities(node, tuple(hands[number].tolist()), board)
        assert np.allclose(one, every[:, number], atol=1e-6)


def test_many_nodes_are_answered_like_one(strategy: object) -> None:
    tree, board = strategy.betting_tree, FOUR.deck.cards("QsKh")
    nodes = np.flatnonzero((tree.kind < DEAL) & (tree.street == 2)).tolist()[:12]
    for node, found in zip(nodes, strategy.probabilities_on(nodes, board), strict=True):
        assert np.allclose(found, strategy.hand_probabilities(node, board), atol=1e-6)


def test_threads_share_the_cache_of_a_strategy(strategy: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache without slots evicts every entry at once, as other threads may do; each thread still gets its answer."""
    tree = strategy.betting_tree
    nodes = np.flatnonzero((tree.kind < DEAL) & (tree.street == 0)).tolist()
    known = {node: strategy.hand_probabilities(node, ()) for node in nodes}
    strategy._known.clear()
    monkeypatch.setattr(network_strategy, "REMEMBERED", 0)
    monkeypatch.setattr(strategy, "_probabilities", lambda asked, hands, board: [known[asked[0]]])
    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(4) as pool:
            found = pool.map(lambda node: strategy.hand_probabilities(node, ()) is known[node], nodes * 500)
            assert all(found)
    finally:
        sys.setswitchinterval(interval)
        strategy._known.clear()


def test_networks_play_hands_against_themselves_and_against_buckets(strategy: object) -> None:
    blind = rg.poker.card_blind(FOUR, call=1)
    for mine, theirs in ((strategy, strategy), (strategy, blind), (blind, strategy)):
        hands = rg.poker.play_out(mine, 60, seed=1, against=theirs)
        assert all(len(hand.board) == 3 or "fold" in hand.line for hand in hands)
        for action, share in mine.at("").frequencies.items():
            drawn = np.mean([hand.line.startswith(action) for hand in hands])
            assert abs(drawn - share) <= 4 * np.sqrt(share * (1 - share) / len(hands)) + 1e-6, action
    assert rg.poker.play_out(strategy, 3, seed=1) == rg.poker.play_out(strategy, 3, seed=1, against=strategy)


@pytest.mark.parametrize("method", [SMALL, SD_SMALL, rg.NFSP(listed=False)], ids=["deep-cfr", "sd-cfr", "nfsp"])
def test_until_is_refused_since_exploitability_is_not_known_during_a_solve(method: rg.DeepCFR | rg.NFSP) -> None:
    assert method.open(FOUR).exact  # the game would fit, but the learner does not lay it out
    with pytest.raises(OptionError, match="until= needs exploitability, of which nothing is known during a solve"):
        rg.solve(FOUR, method, until=0.1, iterations=1)


@pytest.mark.full
def test_local_best_responses_ask_networks(strategy: object) -> None:
    found, same = (rg.poker.local_best_response(FOUR, who, boards=3, seed=1) for who in (strategy, strategy.public))
    assert found.mean == pytest.approx(same.mean, rel=1e-4)


def test_expected_strength_has_three_digits() -> None:
    problem = SampledHoldem(FOUR, SMALL)
    method = SMALL.replace(strength="expected", boards=2)
    game = SampledDeepCFR(problem, method, Settings(dtype="float32", seed=1)).game
    assert game.visible == game.cards + 3


def test_purified_networks_drop_unlikely_actions_and_rescale_the_others() -> None:
    _, strategy = random_networks(count=1)
    purified = strategy.purify(0.3)
    line, board = "call check / bet", "Js"
    before, after = (one.at(line, board).probabilities for one in (strategy, purified))
    kept = np.where((before >= 0.3) | (before == before.max(1, keepdims=True)), before, 0)
    assert (kept == 0).any() and np.allclose(after, kept / kept.sum(1, keepdims=True), atol=1e-6)
    assert purified != strategy and purified == strategy.purify(0.3) == pickle.loads(pickle.dumps(purified))
    assert purified.on("cpu") is purified and strategy.purify(0) == strategy
    told_apart = {one.flop_game("float64", 1, "cpu").identity for one in (strategy, purified, strategy.purify(0.4))}
    assert len(told_apart) == 3  # flops that were measured of one are not taken for those of another
    _, mixture = random_networks(count=2)
    with pytest.raises(rg.OptionError, match="draws one of 2 networks before each play"):
        mixture.purify()
    with pytest.raises(rg.OptionError, match="a threshold is a probability from 0 to 1, got 2"):
        strategy.purify(2)


@pytest.mark.parametrize("board", ["Js Qh Ah", "Ah Qh Js", "Ah As Kh", "Js Jh Qs"])
def test_networks_that_read_the_strength_answer_on_all_boards(board: str) -> None:
    """Also for hands that hold a card of the board, whatever is said of them."""
    line = "call check / check check / check check"
    _, strategy = random_networks(method=SD_SMALL.replace(strength=True))
    node, expected = strategy.at(line, board), strategy.public.at(line, board)
    rows = dict(zip(expected.names, expected.probabilities, strict=True))
    assert np.allclose(node.probabilities, np.array([rows[name] for name in node.names]), atol=2e-5)
    together = strategy.probabilities_on([strategy.node(line)], FOUR.deck.cards(board))
    assert np.allclose(together[0].sum(0), 1, atol=1e-5)


def test_a_subgame_of_networks_asks_them_once_for_each_board(strategy: object, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []
    together = type(strategy).probabilities_on

    def counted(self: object, nodes: object, board: tuple[int, ...]) -> object:
        asked.append(board)
        return together(self, nodes, board)

    subgame = subgame_after(strategy, "call check / check check", "Js Qh")
    monkeypatch.setattr(type(strategy), "probabilities_on", counted)
    numbers = subgame.numbers("float32")
    assert len(asked) == subgame.tree.boards == len(set(asked))
    slow = np.zeros_like(numbers)
    hands = np.arange(len(FOUR.deck.hands(2)))
    for board, cards in enumerate(subgame.tree.book.cards):
        copy_rows(
            slow,
            subgame.tree,
            board,
            subgame.nodes,
            lambda node, on=cards: strategy.hand_probabilities(node, on),
            hands,
        )
    assert numbers == pytest.approx(slow, abs=1e-6)


@pytest.mark.full
def test_exploitability_by_flops_is_that_of_the_public_tree(strategy: object) -> None:
    measured = strategy.exploitability_by_flops()
    assert measured.exact
    assert float(measured) == pytest.approx(strategy.public.nash_conv() / 2, rel=1e-4)
    some = rg.exploitability(FOUR, strategy, flops=3, seed=2)
    assert not some.exact and some.low <= some <= some.high


@pytest.mark.full
def test_a_match_on_boards_is_the_match_of_tables(strategy: object) -> None:
    _, other = random_networks(seed=2)
    blind = rg.poker.card_blind(FOUR, fold=1, call=3, raise_=2)
    for against in (other, blind):
        exact = strategy.against(against)
        played = rg.match(FOUR, strategy, against, hands=60, exact=False, seed=1)
        assert abs(played.mean - exact) < 4 * played.standard_error + 1e-6
        assert rg.match(FOUR, against, strategy, hands=5, exact=False).mean == pytest.approx(
            -rg.match(FOUR, strategy, against, hands=5, exact=False).mean, abs=1e-5
        )


@pytest.mark.parametrize(
    "method",
    [
        SMALL,
        SD_SMALL,
        pytest.param(SD_SMALL.replace(boards=2), marks=pytest.mark.full),
        pytest.param(SMALL.replace(strength=True, refit="fresh"), marks=pytest.mark.full),
    ],
    ids=["deep-cfr", "sd-cfr", "boards", "strength"],
)
def test_a_run_goes_on_bit_for_bit(method: rg.DeepCFR, tmp_path: Path) -> None:
    runs = goes_on_bit_for_bit(FOUR, method, (2, 1), tmp_path, seed=3)
    loaded = rg.load(tmp_path / "half.run")
    node, board = FOUR.betting_tree().find("call check"), FOUR.deck.cards("Qs")
    for one, two in ((loaded.strategy, runs.half.strategy), (loaded.current, runs.half.current)):
        assert np.array_equal(one.hand_probabilities(node, board), two.hand_probabilities(node, board))


@pytest.mark.parametrize(
    "method", [SD_SMALL.replace(strength=True), SMALL, rg.NFSP(plays=32, widths=(8,), listed=False)]
)
def test_strategies_of_networks_are_compared_copied_and_pickled(method: rg.DeepCFR | rg.NFSP, tmp_path: Path) -> None:
    run = rg.solve(FOUR, method, iterations=2, seed=3, threads=1)
    run.save(tmp_path / "four.run")
    loaded = rg.load(tmp_path / "four.run")
    assert run.strategy == loaded.strategy and run.current == loaded.current and run.strategy != run.current
    assert run.strategy != rg.solve(FOUR, method, iterations=2, seed=4, threads=1).strategy
    node, board = FOUR.betting_tree().find("call check"), FOUR.deck.cards("Qs")
    for again in (copy.copy(run.strategy), copy.deepcopy(run.strategy), pickle.loads(pickle.dumps(loaded.strategy))):
        assert again == run.strategy
        assert np.array_equal(again.hand_probabilities(node, board), run.strategy.hand_probabilities(node, board))
    assert len(pickle.dumps(run.strategy)) < 200_000 and "memory" not in "".join(run.strategy.arrays)


@pytest.mark.parametrize("method", [SMALL, rg.NFSP(plays=32, widths=(8,), listed=False)], ids=lambda m: m.name)
def test_a_strategy_that_a_callback_keeps_does_not_change(method: rg.DeepCFR | rg.NFSP) -> None:
    kept: list[tuple[object, object]] = []

    def keep(snapshot: rg.Snapshot) -> None:
        kept.append((snapshot.strategy, pickle.dumps(snapshot.strategy)))

    rg.solve(FOUR, method, iterations=2, seed=3, threads=1, callback=keep)
    assert kept and all(strategy == pickle.loads(then) for strategy, then in kept)


@pytest.mark.full
def test_sd_cfr_is_that_of_the_public_tree() -> None:
    """The same seed walks the same deals, so the average is the same, whether it is kept as networks or as a table."""
    sampled = rg.solve(FOUR, SD_SMALL, iterations=3, seed=4)
    laid_out = rg.solve(FOUR, SD_SMALL.replace(listed=True), iterations=3, seed=4)
    assert np.isnan(sampled.exploitability)
    assert sampled.strategy.public.nash_conv() == pytest.approx(laid_out.nash_conv, rel=1e-4)


def test_a_player_who_never_moves_learns_nothing_and_goes_on() -> None:
    """Player 0's first network folds every hand of these deals, so that player 1's memory is still empty."""
    game = PublicGame(
        Deck("QKA", "shd"), 2, (2, 1, 1), Limit(streets=4, bets=(2, 2, 4, 4), caps=(2, 1, 1, 1), blinds=(1, 2))
    )
    learner = SampledDeepCFR(SampledHoldem(game, SMALL), SMALL, Settings(dtype="float32", seed=3))
    learner.advance(1)
    assert not len(learner.advantages[1].memory) and not learner.advantages[1].ready
    learner.advance(1)
    again = SampledDeepCFR(SampledHoldem(game, SMALL), SMALL, Settings(dtype="float32", seed=3))
    again.restore(learner.arrays(), 2)
    assert [a.ready for a in again.advantages.values()] == [a.ready for a in learner.advantages.values()]


def test_before_the_first_iteration_all_actions_are_alike() -> None:
    for method in (SMALL, SD_SMALL):
        learner = SampledDeepCFR(SampledHoldem(FOUR, method), method, Settings(dtype="float32", seed=1))
        found = learner.average_strategy().hand_probabilities(0, ())
        assert np.allclose(found, 1 / len(found))


def test_options_that_need_all_boards_are_refused_with_a_reason() -> None:
    with pytest.raises(OptionError, match="boards='all' walks every board"):
        rg.solve(FOUR, SMALL.replace(boards="all"), iterations=1)
    with pytest.raises(OptionError, match="memory='merged' follows the same infosets"):
        rg.solve(FOUR, SMALL.replace(memory="merged"), iterations=1)
    with pytest.raises(OptionError, match="locks"):
        rg.solve(FOUR.lock("", {"fold": 1.0}), SMALL, iterations=1)
    with pytest.raises(OptionError, match="held fixed"):
        rg.solve(FOUR, SMALL, iterations=1, fixed={0: None})


@pytest.mark.parametrize("abstracted", [False, True], ids=["networks", "card-blind"])
def test_exact_winnings_of_limit_holdem_are_refused_with_what_estimates_them(abstracted: bool) -> None:
    game = rg.poker.LimitHoldem()
    blind = rg.poker.card_blind(game, call=1)
    one = blind if abstracted else random_networks(game)[1]
    with pytest.raises(OptionError, match=r"exact winnings need hulh hand by hand, .*values=True\)\.trunk\.value"):
        rg.value(game, one)
    for compute in (lambda: rg.head_to_head(game, one, blind), lambda: rg.match(game, one, blind, exact=True)):
        with pytest.raises(OptionError, match=r"hulh hand by hand, .* rg\.match estimates them on drawn boards"):
            compute()


def test_networks_need_no_table_of_limit_holdem() -> None:
    run = rg.solve(rg.poker.LimitHoldem(), SD_SMALL.replace(traversals=2, listed=None), iterations=1, threads=1)
    assert run.problem.sizes == {"lines": 6_378} and not run.problem.exact
    node = run.strategy.at("raise call / bet call / check check / bet", "Qs Jh 2h 7c 3d")
    assert len(node) == 1_081 and np.allclose(node.probabilities.sum(1), 1)


@pytest.mark.parametrize("method", [SMALL, SD_SMALL])
def test_a_compact_run_plays_like_the_run_itself(method: rg.DeepCFR, tmp_path: Path) -> None:
    run = rg.solve(FOUR, method, iterations=3, seed=1, threads=1)
    run.save(tmp_path / "whole.run")
    run.save(tmp_path / "small.run", compact=True)
    small = rg.load(tmp_path / "small.run")
    of_all = {f"average_{player}_{part}" for player in range(2) for part in ("weights", "shares")}
    assert set(small.arrays) == ({"average_network"} if method is SMALL else of_all) and small.iterations == 3
    assert (tmp_path / "small.run").stat().st_size < (tmp_path / "whole.run").stat().st_size / 5
    for line, board in (("", ""), ("call check / bet call / check", "Qs Kh")):
        found, wanted = (each.strategy.at(line, board or ()).probabilities for each in (small, run))
        assert np.abs(found - wanted).max() < 0.01 and not np.array_equal(found, wanted)
    exact = [rg.exploitability(FOUR, each.strategy) for each in (small, run)]
    assert exact[0] == pytest.approx(exact[1], rel=0.01)
    with pytest.raises(OptionError, match="the average strategy only"):
        _ = small.current
    with pytest.raises(OptionError, match="is a compact run"):
        rg.resume(tmp_path / "small.run", iterations=1)


def test_weights_beyond_16_bits_stay_as_they_are() -> None:
    large = np.array([1e5, 1.0], np.float32)
    assert in_16_bits(large) is large
    assert in_16_bits(np.array([0.1], np.float32)).dtype == np.float16
    shares = np.array([0.1])
    assert in_16_bits(shares) is shares
