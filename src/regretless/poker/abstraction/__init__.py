"""Card abstractions: hands are merged into buckets, so that a game of hold'em fits into memory.

    abstract(game, buckets, features) ──▶ Abstraction ──save──▶ a.abs ──load_abstraction──▶ Abstraction

| file | what it has |
|---|---|
| `card_rounds.py` | the cards of a game by street, and their indices up to suits |
| `street_plans.py` | what is asked for: buckets and features of each street |
| `sweeping.py` | features of all hands, board by board |
| `kmeans.py` | clusters of a sample |
| `building.py`, `street_building.py`, `workers.py`, `progress.py` | the whole build, the stages of a street, threads |
| `build_state.py`, `estimates.py` | checkpoints; time and memory |
| `abstraction.py`, `street_buckets.py`, `abstraction_files.py` | the result, and its file |
| `inspection.py`, `pictures.py` | what is in a bucket |
"""
