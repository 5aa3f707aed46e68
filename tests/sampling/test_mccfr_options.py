"""MCCFR as a record: names, files, and one clear sentence for everything that cannot be meant."""

from __future__ import annotations

import json
from typing import Any

import pytest

import regretless as rg
from regretless.lookup.methods import method_by_name, method_from_json, method_to_json


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("mccfr", rg.MCCFR()),
        ("mccfr:sampling=outcome", rg.MCCFR(sampling="outcome")),
        (
            "mccfr:sampling=outcome,variant=linear,baseline=history,traversals=100",
            rg.MCCFR(sampling="outcome", variant=rg.LINEAR_CFR, baseline="history", traversals=100),
        ),
        ("mccfr:sampling=average_strategy,epsilon=0.1,beta=5,tau=2", None),
        ("mccfr:prune=300,variant=cfr", rg.MCCFR(prune=300.0)),
        ("mccfr:sampling=public-chance,listed=no,memory=1000000", None),
        ("mccfr:listed=yes", rg.MCCFR(listed=True)),
        ("mccfr:sampling=outcome,baseline=none", rg.MCCFR(sampling="outcome")),
    ],
)
def test_by_name_and_through_json(text: str, method: rg.MCCFR | None) -> None:
    found = method_by_name(text)
    assert isinstance(found, rg.MCCFR)
    assert method is None or found == method
    assert method_from_json(json.loads(json.dumps(method_to_json(found)))) == found
    assert found.replace() == found and hash(found.replace()) == hash(found)


def test_names() -> None:
    assert rg.MCCFR().name == "MCCFR external"
    full = rg.MCCFR(sampling="outcome", variant=rg.DCFR, baseline="infoset", traversals=2_000)
    assert full.name == "MCCFR outcome (DCFR, infoset baseline, 2,000 traversals)"
    assert rg.MCCFR(prune=5).name == "MCCFR external (pruned)"
    assert rg.MCCFR(sampling="outcome").exploration == 0.6
    assert rg.MCCFR(sampling="average-strategy").exploration == 0.05


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sampling": "outcom"}, "unknown sampling 'outcom'; did you mean 'outcome'?"),
        ({"sampling": "robust"}, "unknown sampling 'robust'; known: average-strategy, chance, external, outcome"),
        ({"variant": "dcfr"}, "variant is rg.CFR, rg.LINEAR_CFR, rg.DCFR or the like, got 'dcfr'"),
        ({"variant": rg.PCFR_PLUS}, "PCFR+ predicts from the last regret, which sampling does not see; use rg.DCFR"),
        ({"variant": rg.CFR.replace(alternating=False)}, "sampled CFR updates players in turn"),
        ({"baseline": "infoset"}, "baselines go with sampling='outcome', not with 'external'"),
        ({"sampling": "outcome", "baseline": "histroy"}, "unknown baseline 'histroy'; did you mean 'history'?"),
        ({"sampling": "outcome", "baseline": "history", "listed": False}, "baseline='history' needs a listed game"),
        ({"traversals": 0}, "traversals is a positive whole number, got 0"),
        ({"traversals": 2.5}, "traversals is a positive whole number, got 2.5"),
        ({"traversals": True}, "traversals is a positive whole number, got True"),
        ({"memory": -1}, "memory is a positive whole number, got -1"),
        ({"sampling": "outcome", "epsilon": 0}, "epsilon is a probability above 0, got 0"),
        ({"sampling": "outcome", "epsilon": 1.5}, "epsilon is a probability above 0, got 1.5"),
        ({"sampling": "outcome", "epsilon": float("nan")}, "epsilon is a probability above 0, got nan"),
        ({"sampling": "outcome", "epsilon": "half"}, "epsilon is a number, got 'half'"),
        ({"epsilon": 0.5}, "epsilon goes with outcome and average-strategy sampling, not with 'external'"),
        ({"sampling": "average-strategy", "beta": -1.0}, "beta and tau are numbers from 0 on, got -1.0"),
        ({"sampling": "average-strategy", "tau": float("inf")}, "beta and tau are numbers from 0 on"),
        ({"prune": 0}, "prune is an amount of regret above 0"),
        ({"prune": "much"}, "prune is a number, got 'much'"),
        ({"prune": 5.0, "variant": rg.CFR_PLUS}, "pruning goes with external, chance and public-chance sampling"),
        ({"prune": 5.0, "sampling": "outcome"}, "pruning goes with external, chance and public-chance sampling"),
        ({"listed": "no"}, "listed is True, False or None, got 'no'"),
    ],
)
def test_what_cannot_be_meant(options: dict[str, Any], said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        rg.MCCFR(**options)
    assert said in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mccfr:speed=9", "'speed=9' is no setting of mccfr; its settings are sampling, variant"),
        ("mccfr:traversals=many", "traversals is a whole number, got 'many'"),
        ("mccfr:epsilon=x", "epsilon is a number, got 'x'"),
        ("mccfr:listed=maybe", "listed is yes or no, got 'maybe'"),
        ("mccfr:variant=xfp", "variant is a variant of CFR such as linear or dcfr, got 'xfp'"),
        ("mccfr:variant=dfcr", "did you mean 'dcfr'?"),
        ("mccfr:sampling=extrenal", "did you mean 'external'?"),
        ("mccfr:variant=pcfr+", "predicts from the last regret"),
    ],
)
def test_names_that_mean_nothing(text: str, said: str) -> None:
    with pytest.raises(rg.OptionError) as error:
        method_by_name(text)
    assert said in str(error.value)


def test_both_spellings_of_a_scheme() -> None:
    assert rg.MCCFR(sampling="average_strategy") == rg.MCCFR(sampling="average-strategy")  # type: ignore[arg-type]


def test_a_tree_is_listed_already() -> None:
    tree = rg.build(rg.games.Kuhn())
    with pytest.raises(rg.OptionError, match=r"given a tree that is built: pass the game itself, Kuhn\(players=2\)"):
        rg.solve(tree, rg.MCCFR(listed=False), iterations=1)
