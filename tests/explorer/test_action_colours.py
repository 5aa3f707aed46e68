"""One colour per action everywhere: at all nodes of a game, on all pages, and in pictures."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from explored import saved
from page_reading import get

import regretless as rg
from regretless.apps.explorer.pages.action_colours import line_colours, ranked_colours
from regretless.apps.explorer.web.explorer import Explorer
from regretless.poker import Spot
from regretless.poker.betting.limit import FLOP_HOLDEM
from regretless.poker.betting.no_limit import NoLimit
from regretless.poker.results.drawing.bet_scale import ALL_IN, bet_steps, step_of
from regretless.poker.results.drawing.grid_pictures import BETS, PASSIVE, action_colours

RANGES = ("QQ+,AK,JTs", "77,AQ,T9s,KTs")
SPOT = Spot("Qs Jh 2h 7c", RANGES, pot=100, stack=400, sizes="bet 33% 75%, raise 60%")


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    folder: Path = tmp_path_factory.mktemp("colours")
    spot = rg.solve(SPOT, rg.DCFR, iterations=4)  # type: ignore[arg-type]
    return Explorer([saved(folder, "turn.run", spot), saved(folder, "leduc.run", rg.solve("leduc", iterations=20))])


def colour_of(page: str, action: str) -> set[str]:
    """The colours that patches beside the name of an action have."""
    return set(
        re.findall(rf'<svg class="patch"[^>]*><rect class="([\w-]+)"[^>]*></rect></svg>(?:<b>)?{action}\b', page)
    )


def test_the_same_share_of_the_pot_has_the_same_step_at_every_node() -> None:
    tree, rules = SPOT.betting_tree(), SPOT.betting
    steps: dict[str, set[int | None]] = {}
    for line in ("", "check", "check bet 33 call /", "check check / check", "bet 75", "check bet 75 raise to 225"):
        for action, step in zip(names := tree.actions[tree.find(line)], bet_steps(rules, line, names), strict=True):
            steps.setdefault(action.split()[0], set()).add(step)
    assert steps["fold"] == steps["call"] == steps["check"] == {None} and steps["all-in"] == {ALL_IN}
    assert steps["bet"] == {step_of(0.33), step_of(0.75)}  # also 54.78 chips into 166, after a bet was called
    assert steps["raise"] == {step_of(0.6)}


def test_raises_before_the_flop_are_shares_of_the_pot_after_a_call() -> None:
    rules = NoLimit(stack=100, blinds=(0.5, 1), streets=2, sizes="bet 50%, raise 100% 3x", add_all_in=0)
    names = rules.tree().actions[0]
    assert names == ("fold", "call", "raise to 3")
    assert bet_steps(rules, "", names) == (None, None, step_of(1))  # 2 more chips into a pot of 2


def test_bets_of_limit_games_have_one_colour_although_the_pot_grows() -> None:
    tree, colours = FLOP_HOLDEM.tree(), set()
    for line in ("", "raise", "raise call /", "raise raise call / check bet"):
        names = tree.actions[tree.find(line)]
        colours |= set(line_colours(FLOP_HOLDEM, line, names)) - {"hold-fold", "hold-pass"}
    assert len(colours) == 1


def test_all_pages_and_pictures_have_the_colours_of_the_style_sheet() -> None:
    css = files("regretless.apps.explorer").joinpath("static/explorer.css").read_text()
    assert set(re.findall(r"\.hold-bet(\d+) \{", css)) == {str(step) for step in range(ALL_IN + 1)}
    light = css[css.index(":root") : css.index("}")]
    stops = dict(re.findall(r"--(bet\d|pass): (#\w+);", light))
    assert [stops[f"bet{at}"] for at in range(4)] == [colour.lower() for colour in BETS]
    assert stops["pass"] == PASSIVE.lower()
    mixed = re.search(r"\.hold-bet15 \{ --paint: color-mix\(in srgb, var\(--bet2\) (\d+)%, var\(--bet1\)\)", css)
    assert mixed is not None
    low, high = ([int(stops[name][at : at + 2], 16) / 255 for at in (1, 3, 5)] for name in ("bet1", "bet2"))
    share = int(mixed[1]) / 100
    painted = [share * b + (1 - share) * a for a, b in zip(low, high, strict=True)]
    assert action_colours(("bet 75",), (15,))[0] == pytest.approx(painted, abs=0.01)


def test_a_bet_has_one_colour_on_all_pages(explorer: Explorer) -> None:
    wanted = {f"hold-bet{step_of(0.75)}"}
    assert colour_of(get(explorer, "/strategy", run=0, line="check").text, "bet 75") == wanted
    assert colour_of(get(explorer, "/spot/lock", run=0, line="check").text, "bet 75") == wanted
    later = get(explorer, "/strategy", run=0, line="check bet 33 call /", runouts=1).text
    assert colour_of(later, "bet 124.5") == wanted  # of 166 chips
    shares = {f"hold-bet{step_of(share)}" for share in (0.33, 0.6, 0.75)}
    calm = {"hold-fold", "hold-pass", f"hold-bet{ALL_IN}"}
    for path, query in (
        ("/best-response", {}), ("/compare", {"other": 0}), ("/compare", {"other": 0, "line": "check"}), ("/spot", {}),
    ):  # fmt: skip
        page = get(explorer, path, run=0, **query)
        found = set(re.findall(r"hold-\w+", page.text))
        assert page.status == 200 and found <= shares | calm and found & shares


def test_an_action_of_a_listed_game_has_one_colour_at_all_infosets(explorer: Explorer) -> None:
    outline = [get(explorer, "/strategy", run=1, search=search).text for search in ("", "Q*")]
    colours = {action: colour_of("".join(outline), action) for action in ("fold", "call", "raise")}
    assert all(len(found) == 1 for found in colours.values())
    assert len(set().union(*colours.values())) == 3
    for path in ("/compare", "/best-response"):
        page = get(explorer, path, run=1, other=1).text
        assert {action: colour_of(page, action) or colours[action] for action in colours} == colours


def test_charts_of_push_or_fold_have_the_colours_of_their_actions() -> None:
    assert ranked_colours(("fold", "all-in")) == ["hold-fold", f"hold-bet{ALL_IN}"]
    assert ranked_colours(("fold", "call")) == ["hold-fold", "hold-pass"]
