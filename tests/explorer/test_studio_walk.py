"""Walking a solved spot: both players' facts, hands by kind, and the next cards by what they do."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import page_reading
import pytest

import regretless as rg
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.views.holdem_nodes import view_of
from regretless.apps.views.studio.range_facts import both_players, kind_rows, kinds_at, node_equities
from regretless.apps.views.studio.runouts import grouped_runouts, runouts
from regretless.poker import Spot
from regretless.poker.cards.hand_kinds import MADE


@cache
def turn_run() -> rg.Run:
    spot = Spot("Qs Jh 2h 7c", ("QQ,AK,JTs,98s,AhTh", "77,AQ,T9s,KTs,54s"), pot=100, stack=100, sizes="bet 75%")
    return rg.solve(spot, rg.DCFR, iterations=20)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    path = tmp_path_factory.mktemp("walk") / "turn.run"
    turn_run().save(path)
    return Explorer([str(path)], patience=300)


def strategy() -> Any:
    return turn_run().strategy


def test_equity_ev_and_realisation() -> None:
    node = strategy().at("check")
    equity = node_equities(node)
    first, second = both_players(strategy(), node, equity)
    assert (first.player, second.player, second.to_act) == (0, 1, True)
    assert first.equity is not None and second.equity is not None and first.ev is not None and second.ev is not None
    assert first.equity + second.equity == pytest.approx(1)
    assert first.ev + second.ev == pytest.approx(node.pot)
    assert second.ev == pytest.approx(node.mean_ev)
    assert second.realisation == pytest.approx(second.ev / (second.equity * 100))
    whole = rg.poker.equity(*strategy().tree.game.ranges, "Qs Jh 2h 7c")
    start = strategy().at("")
    assert both_players(strategy(), start, node_equities(start))[0].equity == pytest.approx(whole.a, abs=1e-6)


def test_with_rake_the_player_who_waits_has_an_ev_too(tmp_path: Path) -> None:
    game: Any = Spot("Qs Jh 2h 7c 3d", ("QQ,AK", "77,AQ"), pot=100, stack=100, sizes="bet 75%", rake=0.05, rake_cap=3)
    run = rg.solve(game, rg.DCFR, iterations=5)
    for line in ("", "check"):
        node = run.strategy.at(line)
        facts = both_players(run.strategy, node, node_equities(node))
        waits = next(found for found in facts if not found.to_act)
        assert waits.ev == pytest.approx(run.strategy.waiting(line).mean_ev) and waits.realisation is not None
        assert node.pot - 3.01 < sum(found.ev or 0.0 for found in facts) < node.pot - 0.01
    run.save(tmp_path / "raked.run")
    page = page_reading.get(Explorer([str(tmp_path / "raked.run")], patience=300), "/strategy", run=0).text
    table = page.split('class="players"')[1].split("</table>")[0]
    assert "player 1" in table and "–" not in table


def test_kinds_share_all_hands() -> None:
    node = strategy().at("check")
    kinds = kinds_at(node)
    assert kinds is not None
    rows = kind_rows(node, kinds, node_equities(node))
    made = [row for row in rows if not row.draw]
    assert sum(row.share for row in made) == pytest.approx(1)
    means = np.array([row.frequencies for row in made]).T @ [row.share for row in made]
    assert means.tolist() == pytest.approx(list(node.frequencies.values()))
    assert [row.kind for row in made] == sorted((row.kind for row in made), key=MADE.index)
    sets = next(row for row in made if row.kind == "set")
    assert sets.combos == pytest.approx(3, abs=0.5) and sets.equity is not None and sets.equity > 0.7


def test_a_kind_filters_the_grid_and_the_hands() -> None:
    view = view_of(strategy(), "check", "", "strategy", "set")
    assert [combo.name for combo in view.combos("")] and all(c.name[0] == c.name[2] == "7" for c in view.combos(""))
    assert np.nansum(view.grid.weight) == pytest.approx(np.nansum(view.grid.weight[view.grid.labels == "77"]))
    assert view.combos("AQs") == []
    with pytest.raises(rg.OptionError, match="no kind of hand"):
        view_of(strategy(), "check", "", "strategy", "<b>")


def test_the_other_player_s_range() -> None:
    view = view_of(strategy(), "check", "", "others")
    assert view.values is not None
    held = set(view.grid.labels[view.values > 0].tolist())
    assert "QQ" in held and "77" not in held


def test_the_player_who_waits() -> None:
    """Both players' means sum to the pot; where the other always checks, nothing changes for a hand."""
    for line in ("", "check", "check bet 75"):
        acts, waits = strategy().at(line), strategy().waiting(line)
        assert waits.player == 1 - acts.player and waits.mean_ev + acts.mean_ev == pytest.approx(acts.pot, abs=1e-3)
        assert waits.mass.sum() == pytest.approx(acts.mass.sum(), rel=1e-5)
    river = Spot("Qs Jh 2h 7c 3d", ("QQ,AK", "77,AQ"), pot=100, stack=100, sizes="bet 75%")
    run: Any = rg.solve(river.lock("", {"check": 1}), rg.DCFR, iterations=5)  # type: ignore[arg-type]
    assert run.strategy.waiting("").ev == pytest.approx(run.strategy.at("check").ev, abs=1e-3)
    board = "Qs Jh 2h 7c 3d"
    here, there = strategy().at("check check", board), strategy().waiting("check check", board)
    assert here.mean_ev + there.mean_ev == pytest.approx(here.pot, abs=1e-3)


def test_realisation_by_hand_kind_and_class(explorer: Explorer) -> None:
    view = view_of(strategy(), "check", "", "realisation")
    equity = node_equities(view.node)
    assert equity is not None and view.values is not None and view.by_hand is not None
    at = view.node.names.index("7h7d")
    assert view.by_hand[at] == pytest.approx(view.node.ev[at] / (equity[at] * 100))
    kinds = kinds_at(view.node)
    assert kinds is not None
    row = next(row for row in kind_rows(view.node, kinds, equity) if row.kind == "set")
    assert row.ev is not None and row.equity is not None
    assert row.realisation == pytest.approx(row.ev / (row.equity * 100))
    combo = next(combo for combo in view.combos("77", equity) if combo.name == "7h7d")
    assert combo.equity == pytest.approx(equity[at])
    page = page_reading.get(explorer, "/strategy", run=0, line="check", seat="wait", hand="QQ")
    assert page.status == 200 and "Hands of QQ" in page.text and 'data-hand="QhQd"' in page.text
    for what in ("ev", "equity", "realisation", "weight", "others"):
        assert page_reading.get(explorer, "/strategy", run=0, line="check", what=what, seat="wait").status == 200


def test_runouts_are_grouped() -> None:
    here = strategy()
    node = here.node("check check")
    found = runouts(here, node, here.tree.game.deck.cards("Qs Jh 2h 7c 3d"))
    assert len(found) == 48 and len({runout.card for runout in found}) == 48
    flush = next(group for group in grouped_runouts(found) if group.kind == "completes a flush")
    assert {card.card[1] for card in flush.cards} == {"h"}
    one = next(runout for runout in found if runout.card == "3d")
    expected = here.at("check check", "Qs Jh 2h 7c 3d")
    assert one.frequencies == pytest.approx(tuple(expected.frequencies.values()))
    assert one.ev == pytest.approx(expected.mean_ev)
    assert runouts(here, here.node(""), ()) == []


def test_pages(explorer: Explorer) -> None:
    page = page_reading.get(explorer, "/strategy", run=0, line="check")
    assert page.status == 200 and 'data-kind="set"' in page.text and 'data-player="1"' in page.text
    assert 'data-key="1"' in page.text and 'data-key="Backspace"' in page.text
    assert "Set this spot up again" in page.text
    only = page_reading.get(explorer, "/strategy", run=0, line="check", kind="set").text
    assert "Hands of set" in only and only.count("data-hand=") == 3
    shown = page_reading.get(explorer, "/strategy", run=0, line="check check", runouts=1).text
    assert shown.count("data-card=") == shown.count("data-runout=") == 48 and 'data-group="pairs the board"' in shown
    for what in ("others", "ev"):
        assert page_reading.get(explorer, "/strategy", run=0, line="check", what=what).status == 200
    wrong = page_reading.get(explorer, "/strategy", run=0, kind="<script>")
    assert wrong.status == 422 and "<script>" not in wrong.text and "hand-grid" in wrong.text


def test_locked_and_unused_moves_are_marked(tmp_path: Path) -> None:
    spot = Spot("Qs Jh 2h 7c 3d", ("QQ,AK", "77,AQ"), pot=100, stack=100, sizes="bet 75%")
    locked: Any = spot.lock("", {"bet 75": 1}).lock("bet 75", {"call": 1})
    rg.solve(locked, rg.DCFR, iterations=5).save(tmp_path / "locked.run")
    page = page_reading.get(Explorer([str(tmp_path / "locked.run")], patience=300), "/strategy", run=0).text
    assert "<small> locked</small>" in page and "<small> never</small>" in page
