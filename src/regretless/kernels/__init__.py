"""Compiled functions on plain arrays.

This room imports nothing else of the package. A function here takes arrays and numbers, allocates nothing in its inner
loops and returns arrays or nothing. No function is compiled with fast-math: sums are taken in the order written, so a
result has the same bits on one thread and on many.

| folder | what its functions walk |
|---|---|
| `sequence_form/` | treeplexes and payoff entries of a listed game |
| `sampling/` | sampled walks through histories, infoset tables, matches |
| `compiled_games/` | the rules of a user's game as machine code |
| `recall/` | graphs of positions, rounds of rising claims |
| `public/` | public trees of hold'em: boards × betting lines × hand vectors, on CPU and GPU |
| `cards/` | hand strength, equities, suit-canonical indices |
| `numba_ext/` | what we teach the compiler: pointers, vectors, atomics, caching by content |
"""
