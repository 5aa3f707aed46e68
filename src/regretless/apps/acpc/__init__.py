"""Matches of the Annual Computer Poker Competition over sockets: agents and a dealer."""
