"""Games and strategies in the files and objects of other programs."""

from regretless.formats.gambit import EfgGame, read_efg, write_efg

__all__ = ["EfgGame", "read_efg", "write_efg"]
