"""Deep CFR, single deep CFR and neural fictitious self-play: strategies as networks, trained on sampled play.

| folder | contents |
|---|---|
| `games/` | games as batches of states on a device: listed games, compiled games, hold'em; features |
| `walks/` | external sampling level by level, walks over boards with all hands, self-play, baselines, random streams |
| `memories/` | reservoirs and windows, samples merged by infoset, a fixed set of infosets, transitions |
| `networks/` | multilayer networks, the hold'em network, gradients, losses, training steps, fused GPU kernels |
| `learners/` | Deep CFR, SD-CFR and NFSP on each kind of problem |

`methods` holds the records of settings and does not need PyTorch. `pytorch` checks whether PyTorch is installed.
"""
