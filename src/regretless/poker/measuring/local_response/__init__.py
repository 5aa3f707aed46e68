"""Local best response: a lower bound on exploitability."""
