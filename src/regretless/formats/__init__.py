"""Games and strategies in the files and objects of other programs."""

from regretless.formats.gambit import EfgGame, read_efg, write_efg
from regretless.formats.openspiel_policy import from_openspiel, to_openspiel

__all__ = ["EfgGame", "from_openspiel", "read_efg", "to_openspiel", "write_efg"]
