"""Double oracle methods on trees: solve a restricted game, answer it in the whole game, add the answers."""
