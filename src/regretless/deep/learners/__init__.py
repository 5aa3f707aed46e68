"""Deep CFR, SD-CFR and NFSP at work on each kind of problem."""
