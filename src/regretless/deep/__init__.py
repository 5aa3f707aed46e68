"""Deep CFR, single deep CFR, DREAM, ESCHER and neural fictitious self-play: strategies as networks, trained on play.

| folder | contents |
|---|---|
| `games/` | games as batches of states on a device: listed games, compiled games, hold'em; features |
| `walks/` | external and outcome sampling, walks over boards with all hands, self-play, baselines, random streams |
| `memories/` | reservoirs and windows, samples merged by infoset, a fixed set of infosets, transitions, moves |
| `networks/` | multilayer networks, the hold'em network, gradients, losses, training steps, fused GPU kernels |
| `learners/` | Deep CFR, SD-CFR, DREAM, ESCHER and NFSP on each kind of problem |

`methods` and `model_free_methods` hold the records of settings and do not need PyTorch. `pytorch` checks whether
PyTorch is installed.
"""
