"""Listed games in sequence form: gradients, sweeps over treeplexes, whole iterations of CFR, best responses."""
