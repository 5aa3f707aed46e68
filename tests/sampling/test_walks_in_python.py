"""Sampling schemes of the user, and games that are walked in Python: unbiased, reproducible, stored, and refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regretless as rg
from regretless.sampling.in_python.schemes import AverageStrategy, External

SLOW = pytest.mark.filterwarnings("ignore:.*walked in Python:UserWarning")


@dataclass(frozen=True)
class Often:
    """Follows likely actions always, and others with probability `least`."""

    least: float = 0.4

    @property
    def name(self) -> str:
        return f"often {self.least:g}"

    def followed(self, strategy: Any, average: Any) -> Any:
        return np.maximum(strategy, self.least)


@dataclass(frozen=True)
class Answers:
    """A scheme that answers something wrong."""

    answer: float

    def followed(self, strategy: Any, average: Any) -> Any:
        return np.full(len(strategy), self.answer)


@dataclass(frozen=True)
class OwnGame(rg.games.Kuhn):
    """Rules that nothing finds by name."""

    walked_in_python = True


# -- schemes on listed games ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scheme", [External(), Often(), AverageStrategy(0.3, 0.0, 1.0)], ids=lambda s: type(s).__name__
)
def test_regrets_are_unbiased(kuhn: rg.Tree, scheme: Any) -> None:
    """The first player's regrets after one turn are the exact ones of uniform play, up to the luck of the draw."""
    walks = 1_500
    run = rg.solve(kuhn, rg.MCCFR(sampling=scheme, traversals=walks), iterations=1, seed=3)
    uniform, owner = kuhn.uniform().probabilities, kuhn.labels.infoset_of_sequence
    worth = kuhn.counterfactual_values(0, uniform)
    mean = np.bincount(owner[owner >= 0], (uniform * worth)[owner >= 0], kuhn.infosets)
    mine = (kuhn.labels.player_of_sequence == 0) & (owner >= 0)
    exact = worth[mine] - mean[owner[mine]]
    np.testing.assert_allclose(run.arrays["regret"][mine], exact, atol=6 * 2 / np.sqrt(walks))
    assert np.abs(run.arrays["regret"][mine] - exact).max() > 0


def test_a_scheme_is_a_method_like_any_other(kuhn: rg.Tree, tmp_path: Path) -> None:
    method = rg.MCCFR(sampling=Often(), variant=rg.LINEAR_CFR)
    assert method.name == "MCCFR often 0.4 (linear CFR)"
    rg.check_method(method)
    run = rg.solve(kuhn, method, iterations=300, checkpoint=tmp_path / "a.run")
    assert run.exploitability < 0.25 and run.history.nodes[-1] > 300
    again = rg.resume(tmp_path / "a.run", iterations=50, method=method)
    assert again.strategy == rg.solve(kuhn, method, iterations=350).strategy
    with pytest.raises(rg.FileError, match="names a method 'Often' that is not known here: pass the method"):
        rg.load(tmp_path / "a.run")


@pytest.mark.parametrize("answer", [0.0, 1.5, float("nan")])
def test_wrong_answers(kuhn: rg.Tree, answer: float) -> None:
    with pytest.raises(
        rg.OptionError, match=r"followed\(strategy, average\) of Answers must return a probability above 0"
    ):
        rg.solve(kuhn, rg.MCCFR(sampling=Answers(answer)), iterations=1)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"sampling": Often}, "unknown sampling <class"),
        ({"sampling": Often(), "prune": 5.0}, "pruning goes with external, chance and public-chance"),
        ({"sampling": Often(), "epsilon": 0.5}, "epsilon goes with outcome and average-strategy sampling"),
        ({"sampling": Often(), "baseline": "infoset"}, "baselines go with sampling='outcome'"),
    ],
)
def test_settings_that_do_not_go_together(settings: Any, said: str) -> None:
    with pytest.raises(rg.OptionError, match=said):
        rg.MCCFR(**settings)


def test_fixed_players(kuhn: rg.Tree) -> None:
    with pytest.raises(rg.OptionError, match="walks in Python and cannot hold players fixed"):
        rg.solve(kuhn, rg.MCCFR(sampling=Often()), iterations=1, fixed={0: rg.Strategy.uniform(kuhn)})


# -- games that are not listed ----------------------------------------------------------------------------------------


@SLOW
def test_walked_and_listed_agree(kuhn: rg.Tree) -> None:
    """The same draws on the same rules: the same strategy, whether infosets are listed or found on the way."""
    method = rg.MCCFR(sampling=Often())
    walked = rg.solve(rg.games.Kuhn(), method.replace(listed=False), iterations=80, seed=5)
    listed = rg.solve(kuhn, method, iterations=80, seed=5)
    assert walked.infosets == len(walked.strategy) == 12
    for key, row in walked.strategy.items():
        assert row == pytest.approx(listed.strategy[key])
    assert np.isnan(walked.exploitability) and walked.history.nodes[-1] == listed.history.nodes[-1]
    assert not walked.listed


@SLOW
def test_files_and_resuming(tmp_path: Path) -> None:
    method = rg.MCCFR(listed=False, sampling="average-strategy", variant=rg.CFR_PLUS)
    run = rg.solve(OwnGame(), method, iterations=30, seed=2, checkpoint=tmp_path / "a.run")
    again = rg.load(tmp_path / "a.run")
    assert isinstance(again, rg.Run) and again.strategy == run.strategy and again.current == run.current
    with pytest.raises(rg.OptionError, match=r"pass the game, rg.resume\(.*game="):
        rg.resume(tmp_path / "a.run", iterations=5)
    more = rg.resume(tmp_path / "a.run", iterations=25, game=OwnGame())
    whole = rg.solve(OwnGame(), method, iterations=55, seed=2)
    assert more.strategy == whole.strategy and more.value == whole.value
    with pytest.raises(rg.FileError, match="not the same any more"):
        rg.resume(tmp_path / "a.run", iterations=5, game=OwnGame(players=3))
    with pytest.raises(rg.OptionError, match="until= needs exploitability, of which nothing is known"):
        rg.solve(OwnGame(), method, until=0.1)


@pytest.mark.peer
def test_open_spiel_without_listing() -> None:
    """A game far too large to list: its C++ states are walked, and a warning says that this is slow."""
    pytest.importorskip("pyspiel")
    game = rg.games.OpenSpiel("liars_dice(numdice=2)")
    with pytest.warns(UserWarning, match="is not listed and is walked in Python, which is slow"):
        run = rg.solve(game, rg.MCCFR(listed=False), iterations=2, seed=1)
    assert run.infosets > 20 and all(abs(sum(row.values()) - 1) < 1e-9 for row in run.strategy.values())
    with pytest.raises(rg.OptionError, match="walks in Python know sampling='external', 'average-strategy'"):
        rg.solve(game, rg.MCCFR("outcome", listed=False), iterations=2)


@SLOW
def test_players_cannot_be_fixed_there() -> None:
    with pytest.raises(rg.OptionError, match="holding players fixed needs a listed game"):
        rg.solve(OwnGame(), rg.MCCFR(listed=False), iterations=2, fixed={0: {}})
