"""`regretless abstract`, and `regretless show` of what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import command

import regretless as rg
from regretless.gpu.availability import cuda_available
from regretless.poker import load_abstraction
from regretless.poker.abstraction.build.building import build_cost

pytestmark = pytest.mark.full  # a build compiles for many seconds

RULES = """GAMEDEF
limit
numPlayers = 2
numRounds = 3
blind = 5 10
raiseSize = 10 10 20
firstPlayer = 1 2 2
maxRaises = 2 2 2
numSuits = 2
numRanks = 6
numHoleCards = 2
numBoardCards = 0 3 1
END GAMEDEF
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.game").write_text(RULES)


def test_abstract_and_show() -> None:
    built = command("abstract", "small.game", "-o", "a.abs", "--buckets", "10,12,15", "--seed", "3")
    assert built.code == 0, built.err
    assert "building takes" in built.out and "10-12-15, imperfect recall" in built.out
    assert "flop" in built.out and "histogram" in built.out and "ochs" in built.out
    found = load_abstraction("a.abs")
    assert found.counts == (10, 12, 15) and found.settings["seed"] == 3
    assert not Path("a.abs.part").exists()
    told = json.loads(command("show", "a.abs", "--json").out)
    assert told["kind"] == "abstraction" and told["fingerprint"] == found.fingerprint
    assert [street["buckets"] for street in told["streets"]] == [10, 12, 15]
    assert "fingerprint" in command("show", "a.abs").out
    view = found.describe("AsAh", "9s Th Jh")
    assert command("show", "a.abs", "AsAh", "9s Th Jh").out.strip() == str(view)
    assert json.loads(command("show", "a.abs", "AsAh", "9s", "Th", "Jh", "--json").out)["bucket"] == view.bucket
    assert command("show", "a.abs", "--plot", "turn.png").code == 0 and Path("turn.png").stat().st_size > 10_000
    quiet = command("abstract", "small.game", "-o", "b.abs", "--buckets", "5", "--features", "ehs", "-q")
    assert (quiet.code, quiet.out) == (0, "") and load_abstraction("b.abs").features == ("ehs",) * 3
    words = ("--features", "-,percentile,ehs", "--recall", "perfect", "--json", "--overwrite")
    other = command("abstract", "small.game", "-o", "b.abs", "--buckets", "5-6-7", *words)
    told = json.loads(other.out)
    assert told["recall"] == "perfect" and [street["sequences"] for street in told["streets"]] == [5, 30, 210]
    assert [street["features"] for street in told["streets"]] == ["histogram", "percentile", "ehs"]
    for arguments, sentence in (
        (("abstract", "small.game", "-o", "a.abs"), "a.abs exists"),
        (("show", "a.abs", "AsAh", "9s"), "a board of this abstraction has 0 or 3 or 4 cards"),
        (("show", "a.abs", "--csv", "a.csv"), "--csv is for runs, and a.abs is an abstraction"),
        (("solve", "hulh:abstraction=a.abs"), "the abstraction is for 12 cards"),
        (("solve", "hulh:abstraction=small.game"), "small.game is not a regretless file"),
        (("abstract", "small.game", "-o", "small.game", "--overwrite"), "--out small.game would replace small.game"),
    ):
        assert sentence in command(*arguments).refused()


@pytest.mark.skipif(cuda_available() is None, reason="there is a GPU")
def test_a_missing_gpu_is_said() -> None:
    answer = command("abstract", "small.game", "-o", "a.abs", "--buckets", "5", "--device", "cuda")
    assert "device='cuda' needs" in answer.refused() and not answer.out
    assert not list(Path().glob("a.abs*"))


def test_the_announced_time_counts_the_sample() -> None:
    game = rg.poker.LimitHoldem()
    usual, larger = build_cost(game), build_cost(game, sample=10_000_000)
    assert larger.seconds > 2 * usual.seconds and larger.memory > usual.memory


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["kuhn", "-o", "a.abs"], "abstract takes games of hold'em"),
        (["small.game", "-o", "a.abs", "--buckets", "five"], "--buckets is a number"),
        (["small.game", "-o", "a.abs", "--buckets", "5,5"], "one value for each of the game's 3 streets"),
        (["small.game", "-o", "a.abs", "--features", "hs"], "there are no features 'hs'"),
        (["nothing", "-o", "a.abs"], "there is no game"),
        (["small.game", "-o", "a.abs", "--sample", "5000000000"], "sample is a whole number"),
    ],
)
def test_mistakes(arguments: list[str], sentence: str) -> None:
    answer = command("abstract", *arguments)
    assert sentence in answer.refused() and answer.out == ""  # no time is announced first
    assert not Path("a.abs").exists()
