"""The documents and papers that `regretless reproduce` goes through."""

from __future__ import annotations

from regretless.reproduce.claims import Source

__all__ = [
    "BROWN_DEEP",
    "BROWN_DISCOUNTED",
    "HART",
    "JOHANSON",
    "LANCTOT",
    "NELLER_HNATH",
    "NELLER_LANCTOT",
    "OPEN_RUN",
    "RPS_NOTES",
    "SOURCES",
    "TAMMELIN",
    "ZINKEVICH",
]

HART = Source(
    "Hart & Mas-Colell 2000",
    "S. Hart and A. Mas-Colell, A Simple Adaptive Procedure Leading to Correlated Equilibrium, Econometrica 68, 2000",
)
NELLER_LANCTOT = Source(
    "Neller & Lanctot 2013",
    "T. W. Neller and M. Lanctot, An Introduction to Counterfactual Regret Minimization, Model AI Assignments, 2013",
)
RPS_NOTES = Source(
    "Notes on CFR, 2022",
    "Notes in Chinese on CFR and rock-paper-scissors with worked numbers, 2022 (the second of the five documents)",
)
NELLER_HNATH = Source(
    "Neller & Hnath 2011",
    "T. W. Neller and S. Hnath, Approximating Optimal Dudo Play with Fixed-Strategy Iteration Counterfactual Regret "
    "Minimization, Advances in Computer Games 13, 2011",
)
ZINKEVICH = Source(
    "Zinkevich et al. 2007",
    "M. Zinkevich, M. Johanson, M. Bowling and C. Piccione, Regret Minimization in Games with Incomplete Information, "
    "NIPS 2007",
)
LANCTOT = Source(
    "Lanctot et al. 2009",
    "M. Lanctot, K. Waugh, M. Zinkevich and M. Bowling, Monte Carlo Sampling for Regret Minimization in Extensive "
    "Games, NIPS 2009",
)
JOHANSON = Source(
    "Johanson et al. 2011",
    "M. Johanson, K. Waugh, M. Bowling and M. Zinkevich, Accelerating Best Response Calculation in Large Extensive "
    "Games, IJCAI 2011",
)
TAMMELIN = Source(
    "Tammelin 2014", "O. Tammelin, Solving Large Imperfect Information Games Using CFR+, arXiv:1407.5042, 2014"
)
BROWN_DISCOUNTED = Source(
    "Brown & Sandholm 2019",
    "N. Brown and T. Sandholm, Solving Imperfect-Information Games via Discounted Regret Minimization, AAAI 2019",
)
BROWN_DEEP = Source(
    "Brown et al. 2019",
    "N. Brown, A. Lerer, S. Gross and T. Sandholm, Deep Counterfactual Regret Minimization, ICML 2019",
)
OPEN_RUN = Source(
    "Open reproductions", "Figures that authors of open reproductions of Deep CFR on flop hold'em have published"
)

SOURCES = (
    HART,
    NELLER_LANCTOT,
    RPS_NOTES,
    ZINKEVICH,
    NELLER_HNATH,
    JOHANSON,
    TAMMELIN,
    LANCTOT,
    BROWN_DISCOUNTED,
    BROWN_DEEP,
    OPEN_RUN,
)
"""In the order in which tables list them."""
