"""Ranges: everything poker people type, and back."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regretless.errors import OptionError
from regretless.poker.cards.deck import STANDARD, Deck
from regretless.poker.ranges.range import ORDERS, Range, class_name, hand_order

SHORT = Deck("9TJQKA", "cdh")
LEDUC = Deck("JQK", "sh")


def classes(text: str, deck: Deck = STANDARD) -> set[str]:
    """The names of the classes of which a range has all hands."""
    weights = Range.parse(text, deck).weights
    held: dict[str, list[float]] = {}
    for hand, weight in zip(deck.hands(2), weights, strict=True):
        held.setdefault(class_name(hand, deck), []).append(float(weight))
    assert all(set(of) in ({0.0}, {1.0}) for of in held.values())
    return {name for name, of in held.items() if set(of) == {1.0}}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("QQ", "QQ"),
        ("AKs", "AKs"),
        ("kao", "AKo"),
        ("AK", "AKs AKo"),
        ("QQ+", "QQ KK AA"),
        ("ATs+", "ATs AJs AQs AKs"),
        ("a10S+", "ATs AJs AQs AKs"),
        ("QT+", "QTs QJs QTo QJo"),
        ("JTs+", "JTs"),
        ("JJ-99", "JJ TT 99"),
        ("99 - JJ", "JJ TT 99"),
        ("A5s-A2s", "A5s A4s A3s A2s"),
        ("A2o-A4o", "A2o A3o A4o"),
        ("K9-K8", "K9s K9o K8s K8o"),
        ("JTs-87s", "JTs T9s 98s 87s"),
        ("64o-J9o", "64o 75o 86o 97o T8o J9o"),
        ("AA-AA", "AA"),
        ("22,33;44\n55 66", "22 33 44 55 66"),
    ],
)
def test_classes(text: str, meant: str) -> None:
    assert classes(text) == set(meant.split())


@pytest.mark.parametrize("text", ["random", "any", "100%", "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32"])
def test_everything(text: str) -> None:
    assert Range.parse(text) == Range.full()
    assert Range.parse(text).combos == 1326


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("AA", 6),
        ("AKs", 4),
        ("AKo", 12),
        ("AK", 16),
        ("AhKh", 1),
        ("KhAh", 1),
        ("A♥K♥, AsAd", 2),
        ("QQ:0.5", 3),
        ("QQ:50%", 3),
        ("QQ : .5", 3),
        ("QQ:5e-1", 3),
        ("random:0.5", 663),
        ("[50]QQ,JJ[/50],AA", 12),
        ("[25.0]AK[/25.0]", 4),
        ("QQ+,AKs,A5s-A2s,JJ-99:0.5,AhKh:0.25", 18 + 4 + 16 + 9 - 0.75),
    ],
)
def test_combos(text: str, combos: float) -> None:
    assert Range.parse(text).combos == combos


def test_the_later_entry_counts() -> None:
    assert Range.parse("AhKh:0.25,AK").combos == 16
    assert Range.parse("AK,AhKh:0.25").combos == 15.25
    assert Range.parse("random,AA:0").combos == 1320
    assert Range.parse("AA:0.5,AA:0.25").combos == 1.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("QQ+, foo, AK", r"'foo' at character 6 of the range 'QQ\+, foo, AK' cannot be read: ranges are written like"),
        ("QQx", "'QQx' at character 1"),
        ("AKQ", "'AKQ' at character 1"),
        ("AA KK-", "'KK-' at character 4"),
        ("15%", "'15%' at character 1"),
        ("[50AA", r"'\[50AA' at character 1"),
        ("AA,KKs", "'KKs' at character 4 .* a pair is neither suited nor offsuit"),
        ("AhKh+", "'AhKh\\+' at character 1 .* stands alone"),
        ("AhAh", "'AhAh' at character 1 .* every card is dealt once"),
        ("A5s-K2s", "'A5s-K2s' .* share their first card or the distance of their cards"),
        ("AKs-AQo", "'AKs-AQo' .* both ends of a span are of one kind"),
        ("KK-QJ", "'KK-QJ' .* share their first card or the distance"),
        ("AK-AA", "'AK-AA' .* share their first card or the distance"),
        ("AA:1.5", "'AA:1.5' at character 1 .* a weight is between 0 and 1"),
        ("QQ,AA:-0.5", "'AA:-0.5' at character 4 .* a weight is between 0 and 1"),
        ("AA:x", "'AA:x' .* a weight is between 0 and 1"),
        ("AA:nan", "'AA:nan' .* a weight is between 0 and 1"),
        ("[150]AA[/150]", r"'\[150\]' .* a weight is between 0 and 1"),
        ("", "the range '' is empty; ranges are written like"),
        (" , ", "is empty"),
        ("AA:0", "the range 'AA:0' is empty"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Range.parse(text)


def test_ranges_of_other_decks() -> None:
    assert classes("QQ+", LEDUC) == {"QQ", "KK"}
    assert classes("KJ+", LEDUC) == {"KQs", "KQo", "KJs", "KJo"}
    assert classes("T9s-AKs", SHORT) == {"T9s", "JTs", "QJs", "KQs", "AKs"}
    assert Range.full(SHORT).combos == 153
    assert Range.parse("KQs", Deck("JQK", "s")).combos == 1
    with pytest.raises(OptionError, match="this deck has no 8, only 9TJQKA"):
        Range.parse("88", SHORT)
    with pytest.raises(OptionError, match=r"'AsKs' at character 1 .* is not in this deck"):
        Range.parse("AsKs", SHORT)
    with pytest.raises(OptionError, match="the ranks JQK in the suits s and no such hand"):
        Range.parse("KQo", Deck("JQK", "s"))


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("AA,KK,QQ", "QQ+"),
        ("AKs,AQs,AJs,AKo,AQo,AJo", "AJ+"),
        ("AKs,AQs,AKo", "AQs+,AKo"),
        ("JTs,T9s,98s,87s", "JTs-87s"),
        ("JTs,T9s", "JTs,T9s"),
        ("A2s,A3s,A4s,A5s", "A5s-A2s"),
        ("random:0.5", "random:0.5"),
        ("100%", "random"),
        ("AKs,AhKh:0", "AKs,AhKh:0"),
        ("AhKh,AsKs", "AsKs,AhKh"),
        ("99-77:0.5,QQ+,AhKh:0.25", "QQ+,99-77:0.5,AhKh:0.25"),
        ("22:0.3333333333333333", "22:0.3333333333333333"),
    ],
)
def test_short_spellings(text: str, short: str) -> None:
    assert Range.parse(text).compact() == short
    assert str(Range.parse(text)) == short


def test_the_empty_range_is_spelled_as_nothing() -> None:
    assert str(Range.from_weights(np.zeros(1326))) == ""


@st.composite
def weights(draw: st.DrawFn, deck: Deck) -> np.ndarray:
    """Weights that are mostly equal within a class, as ranges are, with some hands that are not."""
    names = [class_name(hand, deck) for hand in deck.hands(2)]
    palette = [*draw(st.lists(st.floats(0, 1), min_size=1, max_size=3)), 0.0, 1.0]
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    by_class = {name: random.choice(palette) for name in sorted(set(names))}
    result = np.array([by_class[name] for name in names])
    strays = random.random(len(names)) < draw(st.sampled_from([0.0, 0.02, 0.5]))
    result[strays] = random.choice(palette, strays.sum())
    return result


@given(st.data(), st.sampled_from([STANDARD, SHORT, LEDUC, Deck("2345", "h"), Deck("2A", "cdhs")]))
def test_what_is_printed_is_read_as_the_same(data: st.DataObject, deck: Deck) -> None:
    held = Range.from_weights(data.draw(weights(deck)), deck=deck)
    if held.combos == 0:
        return
    again = Range.parse(held.compact(), deck)
    assert again == held
    assert hash(again) == hash(held)
    assert eval(repr(held)) == held


def test_orders() -> None:
    hands = STANDARD.hands(2)

    def first(order: str, count: int) -> str:
        return " ".join(STANDARD.hand_name(hands[hand]) for hand in hand_order(STANDARD, order)[:count])

    # As PioSOLVER prints it; its documentation gives the first three.
    assert first("pio", 10) == "2d2c 2h2c 2h2d 2s2c 2s2d 2s2h 3c2c 3c2d 3c2h 3c2s"
    places = [b * (b - 1) // 2 + a for a, b in combinations(range(52), 2)]
    assert hand_order(STANDARD, "pio")[places].tolist() == list(range(1326))
    # postflop-solver: 2d2c is 0, 2h2c is 1, 2s2c is 2, AsAh is 1325.
    assert first("postflop-solver", 3) == "2d2c 2h2c 2s2c"
    assert first("regretless", 4) == "2d2c 2h2c 2s2c 3c2c"
    # OpenSpiel: 2s2h, 2s2d, 2s2c, 2s3s, 2s3h, …, 2sAc, 2h2d, 2h2c, …, AdAc.
    spelled = first("openspiel", 1326).split()
    assert " ".join(spelled[:5]) == "2s2h 2s2d 2s2c 3s2s 3h2s"
    assert " ".join(spelled[50:53]) == "Ac2s 2h2d 2h2c"
    assert spelled[-1] == "AdAc"


@given(st.sampled_from(ORDERS), st.sampled_from([STANDARD, SHORT]), st.integers(0, 1000))
def test_orders_there_and_back(order: str, deck: Deck, seed: int) -> None:
    held = Range.from_weights(np.random.default_rng(seed).random(len(deck.hands(2))), deck=deck)
    assert Range.from_weights(held.in_order(order), order, deck) == held


def test_an_unknown_order() -> None:
    with pytest.raises(OptionError, match="there is no order of hands called 'pioo'; did you mean 'pio'"):
        Range.full().in_order("pioo")


def test_weights_that_make_no_range() -> None:
    with pytest.raises(OptionError, match=r"has 1326 weights, got an array of shape \(169,\)"):
        Range.from_weights(np.ones(169))
    with pytest.raises(OptionError, match=r"has 1326 weights, got an array of shape \(169,\)"):
        Range(np.ones(169))
    with pytest.raises(OptionError, match=r"weights are between 0 and 1, got 2.0 for 2h2c"):
        Range(np.where(np.arange(1326) == 1, 2.0, 1.0))
    with pytest.raises(OptionError, match="got nan for 2d2c"):
        Range(np.full(1326, np.nan))


def test_ranges_do_not_change() -> None:
    given_weights = np.ones(1326)
    held = Range(given_weights)
    given_weights[:] = 0
    assert held.combos == 1326
    with pytest.raises(ValueError, match="read-only"):
        held.weights[0] = 0.5


def test_without_cards() -> None:
    assert Range.full().without("As").combos == 1275
    assert Range.parse("AA,KK").without("AsAhKd").combos == 1 + 3


def test_grid() -> None:
    grid = Range.parse("AKs,AKo:0.5,KK,AsAh").grid()
    assert grid.shape == (13, 13)
    assert grid[0, 1] == 1
    assert grid[1, 0] == 0.5
    assert grid[1, 1] == 1
    assert grid[0, 0] == pytest.approx(1 / 6)
    assert np.count_nonzero(grid) == 4
    assert (Range.full().grid() == 1).all()
    assert Range.parse("KQs", SHORT).grid()[1, 2] == 1
    assert Range.full(SHORT).grid().shape == (6, 6)
    assert np.isnan(Range.full(Deck("JQK", "s")).grid()[0, 0])


def test_class_names() -> None:
    names = {class_name(hand) for hand in STANDARD.hands(2)}
    assert len(names) == 169
    assert class_name(STANDARD.cards("Th9h")) == "T9s"
    assert class_name(LEDUC.cards("JsKh"), LEDUC) == "KJo"


def test_ranges_have_a_limit() -> None:
    """A text of 200,000 entries is no range; one that is just short enough takes no more time than it should."""
    with pytest.raises(OptionError, match="a range has at most 100,000 characters, got 799,999"):
        Range.parse(",".join(["AKs"] * 200_000))
    assert Range.parse(",".join(["AKs", "AhKd"] * 10_000)) == Range.parse("AKs,AhKd")
    with pytest.raises(OptionError, match="a range is a text, got 5"):
        Range.parse(5)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["A" * 50_000, "AK:" + "9" * 50_000, "[" * 50_000, "AKs " * 20_000 + "much"])
def test_messages_about_long_ranges_are_short(text: str) -> None:
    with pytest.raises(OptionError) as caught:
        Range.parse(text)
    assert len(str(caught.value)) < 500
