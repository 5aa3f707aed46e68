"""Matches: strategies and bots play hands against each other, with intervals."""
