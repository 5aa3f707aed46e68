"""Exact CFR on a public tree whose boards are divided among the actors of a cluster.

| module | what it does |
|---|---|
| `board_shards` | shards of a public tree: boards and their numbers |
| `gpu_shards` | shards on GPUs |
| `shard_actors` | the actors that own shards; snapshots and replay |
| `sharded_learner` | the driver: the first street, and one walk over all shards after another |
"""
