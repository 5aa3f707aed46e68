"""Public tests: every game and every method, ours or yours, keeps the same contract.

from regretless.testing import check_game_conformance, check_method

def test_my_game():
    check_game_conformance(MyGame(), histories=58, terminals=30, infosets=12)

def test_my_method():
    check_method(MyMethod())
"""

from regretless.testing.games import Conformance, check_game_conformance
from regretless.testing.methods import MethodConformance, check_method

__all__ = ["Conformance", "MethodConformance", "check_game_conformance", "check_method"]
