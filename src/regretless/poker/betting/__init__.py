"""Betting: the rules of limit and no-limit games for two players, and their public betting trees.

    Limit, NoLimit ──tree()──▶ BettingTree      kind, street, children, paid, win, tie, lose: arrays over nodes

Player 0 is the small blind and button in games that begin with blinds: first to act before the flop, last after it.
In a spot, which begins with a pot, player 0 is out of position and acts first on every street.
"""
