"""Many solves at once: on the processes of one machine, or on a cluster through Ray.

| module | what it does |
|---|---|
| `tasks` | one solve as a record: game, method, seed, options, and the file of its run |
| `worker` | the program of a worker process |
| `process_pool` | worker processes that survive the death of one of them |
| `ray_cluster` | `Ray`: a cluster, its connection, and a sentence for each thing that can be wrong with it |
| `ray_tasks` | solves as tasks of a cluster |
| `spread_learners` | which methods are spread over a cluster |
| `actor_team` | the actors of one solve, and the replacement of one that dies |
| `shards/` | exact CFR on a public tree with its boards in actors, on CPUs or GPUs |
| `table_merging` | infoset tables of several machines, added up by key |
| `spread_sampling` | sampled CFR with its walks divided among actors |
| `spread_buckets` | sampled CFR on a card abstraction with its boards divided among actors |
| `spread_measuring` | flops of a measurement and boards of a match as tasks |
| `spread_deep` | Deep CFR with its walks divided among actors |
| `many` | `solve_many`: all tasks, a table that fills, and only what is missing when started again |
"""
