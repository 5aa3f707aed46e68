"""Games by name: what reads, what is written back, and one sentence for everything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from regretless import games
from regretless.errors import OptionError
from regretless.game import Game

MINE = '''
from dataclasses import dataclass
from regretless.game import Game, TERMINAL

LIMIT = 3

class Guess(Game):
    """Player 0 hides a coin, player 1 guesses the side."""
    def __init__(self, sides=2, loud: bool = False):
        self.sides, self.loud = sides, loud
    def root(self): return ()
    def player(self, h): return TERMINAL if len(h) == 2 else len(h)
    def actions(self, h): return range(self.sides)
    def play(self, h, a): return (*h, a)
    def infoset(self, h): return len(h)
    def payoffs(self, h): return (-1, 1) if h[0] == h[1] else (1, -1)

class Needy(Guess):
    def __init__(self, sides): super().__init__(sides)

class Fragile(Guess):
    def __init__(self): raise RuntimeError("no luck")

class Half(Game):
    def root(self): return ()

@dataclass(frozen=True)
class Sized(Guess):
    sides: int = 2
'''


@pytest.fixture
def mine(tmp_path: Path) -> str:
    file = tmp_path / "mygame.py"
    file.write_text(MINE)
    return str(file)


@pytest.mark.parametrize(
    ("spec", "game"),
    [
        ("rps", games.RockPaperScissors()),
        ("matching_pennies", games.MatchingPennies()),
        ("battle_of_the_sexes", games.BattleOfTheSexes()),
        ("matrix:((1,-1),(-1,1))", games.Matrix([[1, -1], [-1, 1]])),
        (
            "matrix:((1,-1),(-1,1)),action_names=(('l, l', 'r'), ('l, l', 'r')),name=mine",
            games.Matrix([[1, -1], [-1, 1]], action_names=["l, l", "r"], name="mine"),
        ),
        ("blotto", games.Blotto()),
        ("blotto:soldiers=6,fields=4", games.Blotto(6, 4)),
        ("kuhn", games.Kuhn()),
        ("kuhn:players=3", games.Kuhn(players=3)),
        ("one_card_poker:deck=5", games.OneCardPoker(5)),
        ("leduc", games.Leduc()),
        ("leduc:players=3", games.Leduc(players=3)),
        ("leduc:ranks=5", games.Leduc(ranks=5)),
        ("leduc:players=3,ranks=3,raises=1", games.Leduc(3, ranks=3, raises=1)),
        ("dudo", games.Dudo()),
        ("dudo:recall=3", games.Dudo(recall=3)),
        ("dudo:dice=2x1", games.Dudo(dice=(2, 1))),
        ("liars_dice:dice=2x2,sides=4", games.LiarsDice(2, 4)),
        ("goofspiel", games.Goofspiel()),
        ("goofspiel:cards=3,hidden=false,points=random", games.Goofspiel(3, False, "random")),
        ("goofspiel:cards=3,points=5x3x1", games.Goofspiel(3, points=(5, 3, 1))),
        ("oshi_zumo:coins=5", games.OshiZumo(coins=5)),
        ("phantom_ttt", games.PhantomTicTacToe()),
        ("phantom_ttt:abrupt=true", games.PhantomTicTacToe(abrupt=True)),
        ("dark_hex", games.DarkHex()),
        ("dark_hex:size=2,abrupt=true", games.DarkHex(2, abrupt=True)),
        ("dark_hex:size=2x3", games.DarkHex((2, 3))),
    ],
)
def test_specs_are_read_and_written(spec: str, game: Game) -> None:
    assert games.by_name(spec) == game
    assert games.spec_of(game) == spec


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        (" leduc:ranks=3 , suits=2", "leduc"),
        ("dudo:dice=1,recall=none", "dudo"),
        ("liars_dice:dice=(2,1)", "liars_dice:dice=2x1"),
        ("matrix:payoff_arrays=[[1, -1], [-1, 1]]", "matrix:((1,-1),(-1,1))"),
        ("goofspiel:points=[4,3,2,1]", "goofspiel:points=4x3x2x1"),
        ("leduc:", "leduc"),
        ("dark_hex:size=3x3", "dark_hex"),
        ("dark_hex:size=[2,3]", "dark_hex:size=2x3"),
    ],
)
def test_other_spellings(spec: str, canonical: str) -> None:
    assert games.spec_of(games.by_name(spec)) == canonical


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("kuhm", "there is no game named 'kuhm': did you mean 'kuhn'?"),
        ("chess", "there is no game named 'chess': known: bargaining, battle_of_the_sexes"),
        ("", "there is no game named ''"),
        ("ledcu:ranks=5", "there is no game named 'ledcu': did you mean 'leduc'?"),
        ("ledcu:Foo", "there is no game or module named 'ledcu': did you mean 'leduc'?"),
        ("leduc:ranks=-1", "Leduc needs at least 2 ranks, got ranks=-1"),
        ("leduc:ranks=many", "leduc needs a whole number or none as ranks, got ranks=many"),
        ("leduc:ranks=2.5", "leduc needs a whole number or none as ranks, got ranks=2.5"),
        ("leduc:ranks=true", "leduc needs a whole number or none as ranks, got ranks=true"),
        ("leduc:ranks=", "leduc needs a whole number or none as ranks, got ranks="),
        (
            "leduc:colours=3",
            "leduc has no parameter 'colours'; its parameters are players=2, ranks=None, suits=2, raises=2",
        ),
        ("leduc:5", "leduc: '5' is not of the form key=value; its parameters are players=2"),
        ("leduc:ranks=5,ranks=6", "leduc: parameter 'ranks' is given twice"),
        ("leduc:ranks=5,,suits=2", "leduc: nothing stands between two commas in 'ranks=5,,suits=2'"),
        ("dudo:dice=(1,1", "dudo: brackets or quotes do not close in 'dice=(1,1'"),
        ("dudo:dice=1x1x1", "Dudo needs one number of dice for each of two players"),
        ("dudo:dice=two", "dudo needs a whole number or numbers like 2x1 as dice, got dice=two"),
        ("goofspiel:hidden=maybe", "goofspiel needs true or false as hidden, got hidden=maybe"),
        ("goofspiel:points=sideways", "Goofspiel knows the point orders descending, ascending, random"),
        ("rps:players=3", "rps has no parameter 'players'; it has no parameters"),
        ("matrix", "matrix needs payoff_arrays: write matrix:payoff_arrays="),
        ("matrix:hello", "Matrix needs numbers as payoffs, got 'hello'"),
        ("no/such/file.py:Guess", "there is no file 'no/such/file.py' to read a game from"),
        ("file.py", "there is no file 'file.py' to read a game from"),
        ("json:Nothing", "json has no class 'Nothing': it defines no game"),
        (
            "json:JSONDecoder",
            "json:JSONDecoder is not a game: a game is a class that inherits regretless.Game",
        ),
        (
            "regretless.game:Game",
            "regretless.game:Game is not a whole game: it does not define actions, infoset",
        ),
    ],
)
def test_bad_specs_end_in_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        games.by_name(spec)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_a_game_from_a_file(mine: str) -> None:
    game = games.by_name(f"{mine}:Guess")
    assert isinstance(game, Game)
    assert list(game.actions(())) == [0, 1]
    assert list(games.by_name(f"{mine}:Guess:sides=4,loud=true").actions(())) == [0, 1, 2, 3]
    assert repr(games.by_name(f"{mine}:Sized:sides=3")) == "Sized(sides=3)"
    assert games.spec_of(game) is None


def test_a_game_from_a_module(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(mine).parent))
    assert type(games.by_name("mygame:Guess")).__name__ == "Guess"
    assert games.by_name("regretless.games:Kuhn") == games.Kuhn()


@pytest.mark.parametrize(
    ("rest", "sentence"),
    [
        ("", "{file} needs a class: write {file}:Guess"),
        (":Gues", "{file} has no class 'Gues': did you mean 'Guess'?"),
        (":LIMIT", "{file}:LIMIT is not a game"),
        (
            ":Half",
            "{file}:Half is not a whole game: it does not define actions, infoset, payoffs, play, player",
        ),
        (":Needy", "{file}:Needy needs sides: write {file}:Needy:sides=…"),
        (":Fragile", "{file}:Fragile cannot be made: RuntimeError: no luck"),
        (":Guess:size=3", "{file}:Guess has no parameter 'size'; its parameters are sides=2, loud=False"),
        (":Guess:loud=2", "{file}:Guess needs true or false as loud, got loud=2"),
    ],
)
def test_a_bad_class_in_a_file(mine: str, rest: str, sentence: str) -> None:
    with pytest.raises(OptionError) as error:
        games.by_name(mine + rest)
    assert str(error.value).startswith(sentence.format(file=mine))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("import nothing_of_the_kind", ", line 1, cannot be imported: ModuleNotFoundError"),
        ("x = 1\ny = 1 / 0", ", line 2, cannot be imported: ZeroDivisionError"),
        ("class Guess(:", ", line 1, cannot be imported: SyntaxError"),
        ("raise SystemExit(3)", ", line 1, cannot be imported: SystemExit: 3"),
    ],
)
def test_a_file_that_cannot_be_imported(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(text)
    with pytest.raises(OptionError) as error:
        games.by_name(f"{file}:Guess")
    assert str(error.value).startswith(f"{file}{sentence}")


def test_a_file_may_import_its_neighbour(tmp_path: Path, mine: str) -> None:
    (tmp_path / "second.py").write_text("from mygame import Guess\nclass More(Guess): pass\n")
    assert type(games.by_name(f"{tmp_path / 'second.py'}:More")).__name__ == "More"


@pytest.mark.peer
def test_openspiel_by_name() -> None:
    pytest.importorskip("pyspiel")
    game = games.by_name("openspiel:leduc_poker(players=3)")
    assert game.players == 3
    assert games.spec_of(game) == "openspiel:leduc_poker(players=3)"
    assert games.OpenSpiel("kuhn_poker") == games.by_name("openspiel:kuhn_poker")


def test_every_game_describes_itself_in_one_line() -> None:
    for name, kind in games.names().items():
        first = (kind.__doc__ or "").partition("\n")[0]
        assert first.endswith(".") and len(first) < 110, name
        assert not first.startswith(kind.__name__ + "("), name


def test_importing_games_is_cheap() -> None:
    code = "import sys, regretless.games; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numba", "scipy", "matplotlib", "pyspiel", "regretless.games.openspiel"}
    assert not heavy & set(run.stdout.split())


@pytest.mark.parametrize(
    "spec", ["omaha", "PLO", "omaha:stack=10", "icm", "hunl:players=3", "hulh:players=6", "6max", "holdem:players=3"]
)
def test_what_is_not_offered_is_named(spec: str) -> None:
    with pytest.raises(OptionError, match=r"not offered"):
        games.by_name(spec)


def test_hold_em_has_other_names() -> None:
    with pytest.raises(OptionError, match=r"no game named 'holdem': hold'em is hunl \(no-limit\), hulh"):
        games.by_name("holdem")
