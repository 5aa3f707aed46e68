"""Solve games of hidden information by minimising regret.

The public names, in reading order: describe a game, build it, choose a method, solve, look at the result. Importing
the package is cheap: everything that needs a compiler, scipy or matplotlib is loaded when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from regretless.compiled import compiled
from regretless.errors import FileError, GameError, OptionError, RegretlessError
from regretless.game import CHANCE, TERMINAL, Game
from regretless.lazy_names import on_demand
from regretless.method import Learner, Method, Settings, load_learners_with
from regretless.problem import Capabilities, Problem, open_problem, open_with
from regretless.variants import (
    CFR,
    CFR_PLUS,
    DCFR,
    DCFR_PLUS,
    HS_DCFR,
    HS_PCFR_PLUS,
    LINEAR_CFR,
    PCFR_PLUS,
    PDCFR_PLUS,
    SAPCFR_PLUS,
    Discounted,
    Polynomial,
    Ramp,
    Variant,
)

if TYPE_CHECKING:
    from regretless import games, poker
    from regretless.apps.play.drill import Drill
    from regretless.comparison import Comparison, compare
    from regretless.deep.methods import NFSP, SD_CFR, DeepCFR
    from regretless.deep.model_free_methods import DREAM, ESCHER
    from regretless.evaluation.correlated import coarse_correlated_gap, correlated_gap
    from regretless.evaluation.correlated_play import (
        CorrelatedGaps,
        CorrelatedPlay,
        PlaySums,
        correlated_gaps,
        efcce_gap,
        efce_gap,
        nfcce_gap,
    )
    from regretless.evaluation.equilibrium import Equilibrium, equilibrium
    from regretless.evaluation.quantal import quantal_gap
    from regretless.evaluation.responses import (
        BestResponse,
        best_response,
        counterfactual_values,
        exploitability,
        head_to_head,
        nash_conv,
        value,
        values,
    )
    from regretless.exploiting.cleaning import CleaningReport, cleaning_report
    from regretless.exploiting.counters import exploiting_equilibrium, restricted_nash_response
    from regretless.exploiting.curve import ExploitationCurve, exploitation_curve
    from regretless.exploiting.models import erring, quantal, tempered
    from regretless.exploiting.programs import CounterStrategy
    from regretless.formats.gambit import read_efg, write_efg
    from regretless.formats.openspiel_policy import from_openspiel, to_openspiel
    from regretless.linter import check_game, estimate_size
    from regretless.methods.cfr_br import CFRBR
    from regretless.methods.double_oracle.double_oracle import DoubleOracle
    from regretless.methods.double_oracle.xdo import XDO
    from regretless.methods.epsilon_cfr import EpsilonCFR
    from regretless.methods.fictitious import XFP, FictitiousPlay
    from regretless.methods.first_order.egt import EGT
    from regretless.methods.first_order.mmd import MMD
    from regretless.methods.first_order.omd import OMD
    from regretless.methods.polished.polished_cfr import PolishedCFR
    from regretless.methods.regret_matching import RegretMatching
    from regretless.methods.tree_learner import TreeLearner
    from regretless.methods.trigger_regret import TriggerRegret
    from regretless.nash_equilibria import NashEquilibrium, nash
    from regretless.recall.dudo_match import DudoMatch, solve_dudo_match
    from regretless.recall.fsicfr import FSICFR
    from regretless.recall.graph import Graph, graph_of
    from regretless.recall.remembering import remembered
    from regretless.recall.solved_round import SolvedRound, solve_round
    from regretless.run import History, Run, load
    from regretless.sampling.mccfr import MCCFR
    from regretless.sampling.playing.matches import Match, match
    from regretless.sampling.table_strategy import TableStrategy
    from regretless.scale.many import Many, solve_many
    from regretless.scale.ray_cluster import Ray
    from regretless.solver import resume, solve
    from regretless.solving.loop import Snapshot
    from regretless.strategy import Strategy
    from regretless.subgames.resolving import resolve
    from regretless.testing.methods import check_method
    from regretless.tree import Tree, build

__version__ = "0.1.0"

_HOMES = {
    "games": "",
    "poker": "",
    "check_game": "linter",
    "estimate_size": "linter",
    "Tree": "tree",
    "build": "tree",
    "check_method": "testing.methods",
    "TreeLearner": "methods.tree_learner",
    "Strategy": "strategy",
    "solve": "solver",
    "resume": "solver",
    "solve_many": "scale.many",
    "Many": "scale.many",
    "Ray": "scale.ray_cluster",
    "Snapshot": "solving.loop",
    "Run": "run",
    "History": "run",
    "load": "run",
    "compare": "comparison",
    "Comparison": "comparison",
    "CFRBR": "methods.cfr_br",
    "EpsilonCFR": "methods.epsilon_cfr",
    "FictitiousPlay": "methods.fictitious",
    "XFP": "methods.fictitious",
    "RegretMatching": "methods.regret_matching",
    "PolishedCFR": "methods.polished.polished_cfr",
    "OMD": "methods.first_order.omd",
    "EGT": "methods.first_order.egt",
    "MMD": "methods.first_order.mmd",
    "DoubleOracle": "methods.double_oracle.double_oracle",
    "XDO": "methods.double_oracle.xdo",
    "TriggerRegret": "methods.trigger_regret",
    "MCCFR": "sampling.mccfr",
    "FSICFR": "recall.fsicfr",
    "DeepCFR": "deep.methods",
    "SD_CFR": "deep.methods",
    "DREAM": "deep.model_free_methods",
    "ESCHER": "deep.model_free_methods",
    "NFSP": "deep.methods",
    "Graph": "recall.graph",
    "graph_of": "recall.graph",
    "DudoMatch": "recall.dudo_match",
    "solve_dudo_match": "recall.dudo_match",
    "remembered": "recall.remembering",
    "SolvedRound": "recall.solved_round",
    "solve_round": "recall.solved_round",
    "TableStrategy": "sampling.table_strategy",
    "value": "evaluation.responses",
    "values": "evaluation.responses",
    "best_response": "evaluation.responses",
    "BestResponse": "evaluation.responses",
    "counterfactual_values": "evaluation.responses",
    "exploitability": "evaluation.responses",
    "nash_conv": "evaluation.responses",
    "head_to_head": "evaluation.responses",
    "resolve": "subgames.resolving",
    "Drill": "apps.play.drill",
    "match": "sampling.playing.matches",
    "Match": "sampling.playing.matches",
    "quantal_gap": "evaluation.quantal",
    "equilibrium": "evaluation.equilibrium",
    "Equilibrium": "evaluation.equilibrium",
    "nash": "nash_equilibria",
    "NashEquilibrium": "nash_equilibria",
    "correlated_gap": "evaluation.correlated",
    "coarse_correlated_gap": "evaluation.correlated",
    "CorrelatedPlay": "evaluation.correlated_play",
    "CorrelatedGaps": "evaluation.correlated_play",
    "PlaySums": "evaluation.correlated_play",
    "correlated_gaps": "evaluation.correlated_play",
    "nfcce_gap": "evaluation.correlated_play",
    "efcce_gap": "evaluation.correlated_play",
    "efce_gap": "evaluation.correlated_play",
    "erring": "exploiting.models",
    "tempered": "exploiting.models",
    "quantal": "exploiting.models",
    "exploiting_equilibrium": "exploiting.counters",
    "restricted_nash_response": "exploiting.counters",
    "CounterStrategy": "exploiting.programs",
    "exploitation_curve": "exploiting.curve",
    "ExploitationCurve": "exploiting.curve",
    "cleaning_report": "exploiting.cleaning",
    "CleaningReport": "exploiting.cleaning",
    "read_efg": "formats.gambit",
    "write_efg": "formats.gambit",
    "to_openspiel": "formats.openspiel_policy",
    "from_openspiel": "formats.openspiel_policy",
}
"""Where each name that is loaded on first use lives."""

__all__ = [
    "CFR",
    "CFRBR",
    "CFR_PLUS",
    "CHANCE",
    "DCFR",
    "DCFR_PLUS",
    "DREAM",
    "EGT",
    "ESCHER",
    "FSICFR",
    "HS_DCFR",
    "HS_PCFR_PLUS",
    "LINEAR_CFR",
    "MCCFR",
    "MMD",
    "NFSP",
    "OMD",
    "PCFR_PLUS",
    "PDCFR_PLUS",
    "SAPCFR_PLUS",
    "SD_CFR",
    "TERMINAL",
    "XDO",
    "XFP",
    "BestResponse",
    "Capabilities",
    "CleaningReport",
    "Comparison",
    "CorrelatedGaps",
    "CorrelatedPlay",
    "CounterStrategy",
    "DeepCFR",
    "Discounted",
    "DoubleOracle",
    "Drill",
    "DudoMatch",
    "EpsilonCFR",
    "Equilibrium",
    "ExploitationCurve",
    "FictitiousPlay",
    "FileError",
    "Game",
    "GameError",
    "Graph",
    "History",
    "Learner",
    "Many",
    "Match",
    "Method",
    "NashEquilibrium",
    "OptionError",
    "PlaySums",
    "PolishedCFR",
    "Polynomial",
    "Problem",
    "Ramp",
    "Ray",
    "RegretMatching",
    "RegretlessError",
    "Run",
    "Settings",
    "Snapshot",
    "SolvedRound",
    "Strategy",
    "TableStrategy",
    "Tree",
    "TreeLearner",
    "TriggerRegret",
    "Variant",
    "best_response",
    "build",
    "check_game",
    "check_method",
    "cleaning_report",
    "coarse_correlated_gap",
    "compare",
    "compiled",
    "correlated_gap",
    "correlated_gaps",
    "counterfactual_values",
    "efcce_gap",
    "efce_gap",
    "equilibrium",
    "erring",
    "estimate_size",
    "exploitability",
    "exploitation_curve",
    "exploiting_equilibrium",
    "from_openspiel",
    "games",
    "graph_of",
    "head_to_head",
    "load",
    "match",
    "nash",
    "nash_conv",
    "nfcce_gap",
    "open_problem",
    "poker",
    "quantal",
    "quantal_gap",
    "read_efg",
    "remembered",
    "resolve",
    "restricted_nash_response",
    "resume",
    "solve",
    "solve_dudo_match",
    "solve_many",
    "solve_round",
    "tempered",
    "to_openspiel",
    "value",
    "values",
    "write_efg",
]


if not TYPE_CHECKING:  # type checkers know the names above alone, so that they report a name that is not there
    __getattr__ = on_demand("regretless", _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)


def _find(spec: str) -> Any:
    from regretless.lookup.games import find_game

    return find_game(spec)


def _build(game: Any) -> Problem:
    from regretless.tree import listed

    return listed(game)


def _names() -> dict[str, Any]:
    from regretless.lookup.games import game_names

    return game_names()


def _find_again(spec: str) -> Any:
    from regretless.lookup.allowed_games import game_again

    return game_again(spec)


def _load_learners() -> None:
    import regretless.methods.cfr  # noqa: F401


load_learners_with(_load_learners)
open_with(find=_find, build=_build, names=_names, find_again=_find_again)
