"""Grids: classes of hands against sums that are written out, and pictures that can be told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import regretless as rg
from regretless.errors import OptionError
from regretless.poker import LEDUC, Deck, PublicGame, Spot, strengths
from regretless.poker.cards.deck import STANDARD
from regretless.poker.cards.hand_classes import class_name
from regretless.poker.results.drawing.grid_pictures import BETS, FOLD, PASSIVE, action_colours, draw, where
from regretless.poker.results.grids import equities, grid_of

BOARD = "Qs Jh 2h 7c 3d"


@pytest.fixture(scope="module")
def strategy():
    spot = Spot(
        BOARD, ("22+,A2s+,KTo+,T9s", "QQ+,AK,AJs,98s,55:0.5"), pot=100, stack=200, sizes="bet 50% 100%, raise 60%"
    )
    return rg.solve(spot, rg.DCFR, iterations=30, dtype="float64").strategy


@pytest.fixture(scope="module")
def leduc():
    return rg.solve(
        PublicGame(Deck("JQK", "sh"), 1, (1,), LEDUC), rg.CFR_PLUS, iterations=100, dtype="float64"
    ).strategy


def test_cells_stand_as_in_poker(strategy) -> None:
    labels = strategy.at("").grid().labels
    assert labels.shape == (13, 13)
    assert [labels[0, 0], labels[0, 1], labels[1, 0], labels[12, 12], labels[4, 5]] == ["AA", "AKs", "AKo", "22", "T9s"]


@pytest.mark.parametrize("line", ["", "check", "check bet 50", "bet 100"])
def test_classes_against_sums_that_are_written_out(strategy, line: str) -> None:
    node = strategy.at(line)
    grid = node.grid()
    total = sum(w * o for w, o in zip(node.weight, node.opposing, strict=True))
    for place, label in np.ndenumerate(grid.labels):
        members = [i for i, hand in enumerate(node.hands.tolist()) if class_name(hand) == label]
        assert grid.hands[place] == len(members)
        if not members:
            assert np.isnan(grid.weight[place])
            continue
        mass = [node.weight[i] * node.opposing[i] for i in members]
        assert grid.weight[place] == pytest.approx(np.mean([node.weight[i] for i in members]))
        assert grid.reach[place] == pytest.approx(sum(mass) / total)
        if sum(mass):
            for action in range(len(node.actions)):
                wanted = sum(m * node.probabilities[i, action] for m, i in zip(mass, members, strict=True)) / sum(mass)
                assert grid.frequencies[(*place, action)] == pytest.approx(wanted)
            expected = sum(m * node.ev[i] for m, i in zip(mass, members, strict=True) if m) / sum(mass)
            assert grid.ev[place] == pytest.approx(expected)
    assert grid.hands[grid.labels == "QQ"] == 3
    whole = np.nansum(grid.reach[..., None] * np.nan_to_num(grid.frequencies), axis=(0, 1))
    assert whole == pytest.approx(list(node.frequencies.values()))
    assert grid["AKs"] == pytest.approx(dict(zip(node.actions, grid.frequencies[0, 1], strict=True)))


def test_an_unknown_class_is_named(strategy) -> None:
    with pytest.raises(OptionError, match="no class of hands called 'AKx'"):
        strategy.at("").grid()["AKx"]


def test_equities_against_all_showdowns(strategy) -> None:
    node = strategy.at("check bet 50")
    deck_hands = STANDARD.hands(2)
    strength = strengths(STANDARD, BOARD, deck_hands)
    shares = equities(node)
    for i, hand in enumerate(node.hands.tolist()):
        free = ~np.isin(deck_hands, hand).any(axis=1)
        weight = node.others * free
        own = strength[STANDARD.hand_number(hand)]
        wins = (weight * ((strength < own) + 0.5 * (strength == own))).sum() / weight.sum()
        assert weight.sum() == pytest.approx(node.opposing[i])
        if node.weight[i] > 0:
            assert shares[i] == pytest.approx(wins, abs=1e-9)


def test_hands_of_one_card_have_a_cell_for_each_rank(leduc) -> None:
    grid = leduc.at("bet call", board="Ks").grid()
    assert list(grid.labels) == ["K", "Q", "J"]
    assert list(grid.hands) == [1, 2, 2]
    assert grid.frequencies.sum(axis=-1) == pytest.approx(np.ones(3))


def test_hands_of_three_cards_have_no_grid(strategy) -> None:
    node = replace(strategy.at(""), hands=np.zeros((len(strategy.at("")), 3), np.int64))
    with pytest.raises(OptionError, match="one or two cards, and these have 3"):
        grid_of(node)


def lightness(colour: tuple[float, float, float]) -> float:
    """CIE L* of a colour in sRGB: what is left of it in a copy in black and white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


@pytest.mark.parametrize("bets", range(1, 9))
def test_colours_darken_from_fold_to_the_largest_bet(bets: int) -> None:
    for calm in (("check",), ("fold", "call")):
        actions = (*calm, *(f"bet {10 * (i + 1)}" for i in range(bets)))
        shades = [lightness(colour) for colour in action_colours(actions)]
        steps = [-step for step in np.diff(shades)]
        assert min(steps) > (13.5 if bets <= 4 else 5)


def test_named_colours_have_the_stated_lightness() -> None:
    from matplotlib.colors import to_rgb

    assert [round(lightness(to_rgb(colour))) for colour in (FOLD, PASSIVE, *BETS)] == [91, 77, 60, 44, 30, 9]


def pixels(figure, axes, points):
    """Colours of a drawn figure at points of its axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = np.asarray(canvas.buffer_rgba())[:, :, :3] / 255
    places = axes.transData.transform(points)
    return [image[int(image.shape[0] - y), int(x)] for x, y in places]


def test_bars_are_as_wide_as_frequencies_and_as_high_as_weights(strategy) -> None:
    node = strategy.at("check")
    actions = len(node.actions)
    probabilities = np.zeros((len(node), actions))
    probabilities[:, 0], probabilities[:, -1] = 0.25, 0.75
    half = np.array([0.5 if class_name(hand) == "AKs" else 1.0 for hand in node.hands.tolist()])
    figure = replace(node, probabilities=probabilities, weight=half).plot()
    colours = action_colours(node.actions)
    axes = figure.axes[0]
    # AA (row 0, column 0) is full; AKs (row 0, column 1) is there by half, from below.
    seen = pixels(figure, axes, [(0.12, 0.7), (0.5, 0.7), (1.12, 0.7), (1.5, 0.7), (1.5, 0.45), (12.5, 0.7)])
    for got, wanted in zip(seen, [colours[0], colours[-1], colours[0], colours[-1], (1, 1, 1), (1, 1, 1)], strict=True):
        assert got == pytest.approx(wanted, abs=0.02)


def test_labels_stand_on_pale_patches(strategy) -> None:
    node = strategy.at("check")
    texts = [text for text in node.plot().axes[0].texts if text.get_bbox_patch() is not None]
    assert len(texts) == np.count_nonzero(node.grid().hands)
    assert all(sum(text.get_bbox_patch().get_facecolor()[:3]) == 3 for text in texts)


@pytest.mark.parametrize("what", ["strategy", "ev", "equity", "weight"])
def test_pictures_are_written(strategy, leduc, tmp_path, what: str) -> None:
    strategy.at("check bet 50").plot(tmp_path / "grid.png", what=what)
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")
    if what != "equity":
        leduc.at("check bet").plot(tmp_path / "bars.svg", what=what)
        assert b"<svg" in (tmp_path / "bars.svg").read_bytes()


def test_numbers_are_written_into_the_cells(strategy) -> None:
    node = strategy.at("")
    texts = {text.get_text() for text in draw(node, "ev").axes[0].texts}
    assert f"{node.grid().ev[0, 0]:.1f}" in texts
    assert f"Over all hands: {node.mean_ev:.2f}" in draw(node, "ev").axes[0].get_xlabel()


def test_titles_say_where(strategy, leduc) -> None:
    assert where(strategy.at("check bet 50")).split("   ·   ") == [
        "Q♠ J♥ 2♥ 7♣ 3♦",
        "check bet 50",
        "out of position to act",
        "pot 150",
    ]
    assert where(leduc.at("")).split("   ·   ") == ["player 0 to act first", "pot 2"]


def test_legends_hold_total_frequencies(strategy) -> None:
    node = strategy.at("check")
    legend = [text.get_text() for text in node.plot().axes[0].get_legend().get_texts()]
    assert legend == [f"{action}  {share:.1%}" for action, share in node.frequencies.items()]


def test_wrong_pictures_are_named(strategy, leduc, tmp_path) -> None:
    with pytest.raises(OptionError, match="no picture of 'stratgy': did you mean 'strategy'"):
        strategy.at("").plot(what="stratgy")
    with pytest.raises(OptionError, match=r"\.png, \.svg or \.pdf"):
        strategy.at("").plot(tmp_path / "grid.gif")
    with pytest.raises(OptionError, match="equities are for hands of two cards"):
        leduc.at("").plot(what="equity")


def test_small_decks_have_small_grids() -> None:
    game = PublicGame(Deck("9TJQKA", "cdh"), 2, (1,), LEDUC)
    node = rg.solve(game, rg.CFR_PLUS, iterations=2, dtype="float64").strategy.at("check")
    grid = node.grid()
    assert grid.labels.shape == (6, 6)
    assert grid.hands.sum() == 18 * 17 // 2
    assert (grid.hands.diagonal() == 3).all() and grid.hands[0, 1] == 3 and grid.hands[1, 0] == 6
