"""The pages of the explorer: each a function from a request to an answer, on top of the view models next door."""
