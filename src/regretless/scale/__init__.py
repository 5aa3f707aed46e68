"""Many solves at once: on the processes of one machine, or on a cluster through Ray.

| module | what it does |
|---|---|
| `tasks` | one solve as a record: game, method, seed, options, and the file of its run |
| `worker` | the program of a worker process |
| `process_pool` | worker processes that survive the death of one of them |
| `many` | `solve_many`: all tasks, a table that fills, and only what is missing when started again |
"""
