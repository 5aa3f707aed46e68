"""Deep CFR, SD-CFR and NFSP on each kind of game."""
