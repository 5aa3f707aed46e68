"""Listed games on a GPU: products over payoffs and sweeps over treeplexes as phases of one kernel."""
