"""Best responses on all boards below a flop, on a GPU: a thread for each line of play."""
