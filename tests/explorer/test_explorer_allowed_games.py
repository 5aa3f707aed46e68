"""Games that run files and pages may name: no foreign code, no files, no sizes that take all memory."""

from __future__ import annotations

import dataclasses
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from explored import saved, solved
from page_reading import Elements, get, post

import regretless as rg
from conftest import built
from regretless.apps.explorer.web.explorer import Explorer
from regretless.apps.views.library import Library
from regretless.apps.views.size_probe import probe_size
from regretless.lookup.allowed_games import LARGEST_PARAMETER, check_parameters, may_open

HARMLESS = [
    "kuhn",
    "leduc:ranks=5",
    "openspiel:leduc_poker",
    "openspiel:goofspiel(imp_info=True,num_cards=4,points_order=descending)",
    "openspiel:name='kuhn_poker(players=3)'",
    "openspiel:turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=true))",
    "openspiel:nim(pile_sizes=1;2;3)",
]
HARMFUL = [
    "mygame.py:Guess",
    "os:system",
    "/tmp/x.py:A",
    "game.efg",
    "spot.toml",
    "holdem.game",
    "kuhn:/../game.efg",
    "leduc:ranks=3.TOML",
    "",
    "kuhn2",
    "openspiel",
    "openspiel:efg_game(filename=/etc/passwd)",
    "openspiel:efg_game(filename=passwd)",
    "openspiel:nfg_game",
    "openspiel:name='efg_game(filename=/etc/passwd)'",
    "openspiel:'efg\\x5fgame(filename=/etc/passwd)'",
    "openspiel: efg_game(filename=/etc/passwd)",
    "openspiel:repeated_game(stage_game=nfg_game(filename=/etc/passwd))",
    "openspiel:repeated_game(stage_game=misere(game=efg_game(filename=a)))",
    "openspiel:bargaining(instances_file=/etc/passwd)",
    "openspiel:colored_trails(boards_file=/etc/passwd)",
    "openspiel:crossword(puzzles_root=/etc)",
    "openspiel:kuhn_poker(players=../../etc/passwd)",
    "openspiel:kuhn_poker(players=2",
]


@pytest.mark.parametrize("spec", HARMLESS)
def test_harmless_games_may_be_opened(spec: str) -> None:
    assert may_open(spec)


@pytest.mark.parametrize("spec", HARMFUL)
def test_games_with_code_or_files_may_not_be_opened(spec: str) -> None:
    assert not may_open(spec)


def test_every_file_parameter_of_openspiel_is_known() -> None:
    """A parameter that is empty by default and whose name tells of files is refused for each game of OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel")
    words = ("file", "path", "root", "dir", "folder")
    found = [
        f"openspiel:{game.short_name}({name}=x)"
        for game in pyspiel.registered_games()
        for name in game.parameter_specification
        if any(word in name.lower() for word in words)
    ]
    assert len(found) >= 5
    assert not [spec for spec in found if may_open(spec)]


def test_games_of_installed_packages_may_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regretless.lookup.plugins.plugin_names", lambda group: ("their_game",))
    assert may_open("their_game") and may_open("their_game:cards=3,hidden=true")
    assert not may_open("their_game:table=cards.csv") and not may_open("their_game:file=cards")


@pytest.mark.parametrize("spec", [spec for spec in HARMFUL if spec])
def test_a_page_starts_no_such_game(tmp_path: Path, spec: str) -> None:
    explorer = Explorer(save_to=str(tmp_path))
    name, _, parameters = spec.partition(":")
    page = post(explorer, "/solve/start", game=name, parameters=parameters)
    assert page.status == 422
    assert "root:" not in page.text
    assert "library's own games" in Elements(page.text).text
    assert explorer.jobs.all() == []


def test_a_refused_request_keeps_the_form(tmp_path: Path) -> None:
    page = post(Explorer(save_to=str(tmp_path)), "/solve/start", game="leduc", parameters="ranks=x", seconds="7")
    values = {str(a.get("name")): a.get("value") for name, a in Elements(page.text).found if name == "input"}
    assert (page.status, values["parameters"], values["seconds"]) == (422, "ranks=x", "7")


# -- run files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["openspiel:efg_game(filename=/etc/passwd)", "x.efg", "spot.toml", "mygame.py:Guess"])
def test_a_run_file_that_names_such_a_game_is_shown_without_it(tmp_path: Path, spec: str) -> None:
    dataclasses.replace(solved("kuhn"), game=spec).save(tmp_path / "odd.run")
    explorer = Explorer([str(tmp_path / "odd.run")], patience=300)
    page = get(explorer, "/strategy", run=0)
    assert page.status == 200
    assert "is not one of the library's games" in Elements(page.text).text
    assert "root:" not in page.text
    assert get(explorer, "/best-response", run=0).status == 200
    assert post(explorer, "/play/new", run=0, seat="0").status == 422


def test_an_unlisted_run_imports_no_file_that_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The labels of such a run are made by its game, and the game would be imported from the file that it names."""
    monkeypatch.chdir(tmp_path)
    proof = tmp_path / "executed"
    Path("harmful.py").write_text(
        dedent(
            f"""
            from pathlib import Path
            import regretless as rg
            Path({str(proof)!r}).touch()
            Leduc = rg.games.Leduc
            """
        )
    )
    run = rg.solve(rg.games.Leduc(), rg.MCCFR(listed=False), iterations=50)
    dataclasses.replace(run, game="harmful.py:Leduc").save("unlisted.run")
    for game in (None, "leduc"):
        explorer = Explorer(["unlisted.run"], game=game, patience=300)
        for path in ("/strategy", "/best-response", "/compare", "/play"):
            assert get(explorer, path, run=0).status == 200
        assert get(explorer, "/strategy", run=0, search="K").status == 200
        post(explorer, "/play/new", run=0, seat="0")
    assert not proof.exists()
    assert not [name for name in sys.modules if "harmful" in name]
    assert "Ks" in Elements(get(explorer, "/strategy", run=0).text).text  # with --game leduc it has its labels


# -- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parameters", ["ranks=999999999", f"ranks={LARGEST_PARAMETER + 1}", "ranks=" + "9" * 5000])
def test_numbers_out_of_bounds_are_refused_before_anything_is_made(tmp_path: Path, parameters: str) -> None:
    explorer = Explorer(save_to=str(tmp_path))
    began = time.monotonic()
    page = post(explorer, "/solve/start", game="leduc", parameters=parameters)
    assert page.status == 422
    assert time.monotonic() - began < 2
    assert explorer.jobs.all() == []
    with pytest.raises(rg.OptionError, match="too large"):
        check_parameters(f"leduc:{parameters}")
    check_parameters("leduc:ranks=13,suits=4")


@pytest.mark.parametrize(
    ("spec", "reason"),
    [("leduc:ranks=999999999", "too large"), ("blotto:soldiers=600,fields=40", "takes at most 100,000 ways")],
)
def test_a_run_file_that_names_a_huge_game_is_shown_without_it(tmp_path: Path, spec: str, reason: str) -> None:
    dataclasses.replace(solved("kuhn"), game=spec).save(tmp_path / "huge.run")
    loaded = Library([str(tmp_path / "huge.run")]).load(0)
    assert loaded.game is None
    assert reason in loaded.why_no_tree
    assert list(loaded.strategy())


def test_sizes_are_probed_in_another_process() -> None:
    size = probe_size("leduc:ranks=4")
    assert size.fits and size.problem == ""
    assert size.histories == pytest.approx(built("leduc:ranks=4").histories, rel=0.5)
    assert "a whole number" in probe_size("leduc:ranks=x").problem


def test_a_game_with_parameters_is_still_browsed(tmp_path: Path) -> None:
    loaded = Library([saved(tmp_path, "three.run", solved("kuhn:players=3", 20))]).load(0)
    assert loaded.tree is not None
