"""Abstractions in files: the layout of safetensors, with checksums, opened as memory-mapped views.

The header and the small arrays are read and checked when a file is opened. The maps of the streets, up to hundreds of
megabytes, are views of the file; each is compared with its checksum when it is first used.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from regretless.errors import FileError, OptionError, RegretlessError
from regretless.poker.abstraction.abstraction import Abstraction
from regretless.poker.abstraction.build.street_plans import FEATURES, RECALL
from regretless.poker.abstraction.card_rounds import CardRounds
from regretless.poker.abstraction.street_buckets import NO_FEATURE, StreetBuckets, chunks
from regretless.poker.cards.deck import Deck
from regretless.storage import check_format, header_in, meta_in, needed, opened, write_arrays

__all__ = ["FORMAT", "load_abstraction", "save_abstraction"]

FORMAT, VERSION = "regretless abstraction", 1

DTYPES = {"hands": "I64", "deals": "I64", "strength": "I64", "centroids": "U16"}
NAMES: dict[str, np.dtype[Any]] = {"U16": np.dtype("<u2"), "U32": np.dtype("<u4"), "I64": np.dtype("<i8")}


def save_abstraction(abstraction: Abstraction, path: str | os.PathLike[str]) -> None:
    """Write an abstraction to a file, atomically."""
    arrays = {f"{n}.{name}": a for n, street in enumerate(abstraction.streets) for name, a in street.arrays.items()}
    meta: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "cards": abstraction.rounds.to_json(),
        "recall": abstraction.recall,
        "features": list(abstraction.features),
        "settings": dict(abstraction.settings),
        "fingerprint": abstraction.fingerprint,
        "checksums": {name: _checksum(array) for name, array in arrays.items()},
    }
    meta["header_checksum"] = _header_checksum(meta)
    write_arrays(path, arrays, meta)


def load_abstraction(path: str | os.PathLike[str]) -> Abstraction:
    """The abstraction in a file that `Abstraction.save` wrote; FileError where there is none."""
    with opened(path) as file:
        header, start = header_in(file, path)
        meta = meta_in(header, path)
        check_format(path, meta, FORMAT, VERSION)
        if meta.get("header_checksum") != _header_checksum(meta):
            raise FileError(f"{os.fspath(path)} is damaged: its header does not agree with its checksum")
        try:
            deck = Deck(*meta["cards"]["deck"])
            rounds = CardRounds(deck, int(meta["cards"]["hand_size"]), tuple(map(int, meta["cards"]["boards"])))
            features = [str(feature) for feature in meta["features"]]
            checksums, settings = dict(meta["checksums"]), dict(meta["settings"])
            recall, fingerprint = str(meta["recall"]), str(meta["fingerprint"])
            known = recall in RECALL and all(feature in (*FEATURES, NO_FEATURE) for feature in features)
            if not known or len(features) != rounds.streets:
                raise ValueError
        except (KeyError, TypeError, ValueError, OptionError):
            raise FileError(f"{os.fspath(path)} is damaged: its header describes no abstraction") from None
        reader = _Reader(file, path, header, start, checksums)
        streets = tuple(reader.street(n, feature, rounds) for n, feature in enumerate(features))
    abstraction = Abstraction(rounds, streets, recall, settings, os.fspath(path))
    abstraction.__dict__["fingerprint"] = fingerprint  # the cached property: computing it would read all maps
    return abstraction


class _Reader:
    """Reads the arrays of an open file."""

    def __init__(
        self,
        file: IO[bytes],
        path: str | os.PathLike[str],
        header: dict[str, Any],
        start: int,
        checksums: dict[str, Any],
    ) -> None:
        self.file, self.path, self.header, self.start, self.checksums = file, path, header, start, checksums
        self.size = os.fstat(file.fileno()).st_size - start

    def street(self, n: int, feature: str, rounds: CardRounds) -> StreetBuckets:
        """The buckets of one street: small arrays read and checked, the map as a view of the file."""
        small = {name: self._array(f"{n}.{name}", dtype) for name, dtype in DTYPES.items()}
        bucket_of, count = self._map(f"{n}.bucket_of"), len(small["deals"])
        try:
            classes = rounds.classes(n)
        except RegretlessError:
            classes = -1
        right = small["hands"].shape == small["deals"].shape == small["strength"].shape == (count,) and count > 0
        right = right and small["centroids"].ndim == 2 and small["centroids"].shape[0] in (0, count)
        if not right or bucket_of.shape != (classes,) or not (small["deals"] > 0).all():
            raise FileError(f"{os.fspath(self.path)} is damaged: the arrays of street {n} do not fit its cards")
        expected, path = self.checksums.get(f"{n}.bucket_of"), self.path

        def verify() -> None:
            largest = max(int(bucket_of[part].max()) for part in chunks(len(bucket_of)))
            if _checksum(bucket_of) != expected or largest >= count:
                raise FileError(f"{os.fspath(path)} is damaged: the map of street {n} differs from its checksum")

        return StreetBuckets(feature, bucket_of, **small, verify=verify)

    def _entry(self, name: str, dtypes: tuple[str, ...]) -> tuple[Any, int]:
        needed(self.path, self.header, name)
        entry = self.header[name]
        if entry["dtype"] not in dtypes:
            raise FileError(f"{os.fspath(self.path)} is damaged: {name!r} has numbers of the type {entry['dtype']}")
        if entry["data_offsets"][1] > self.size:
            raise FileError(f"{os.fspath(self.path)} is cut short: {name!r} goes beyond its end")
        return entry, self.start + int(entry["data_offsets"][0])

    def _array(self, name: str, dtype: str) -> npt.NDArray[Any]:
        entry, offset = self._entry(name, (dtype,))
        self.file.seek(offset)
        data = self.file.read(entry["data_offsets"][1] - entry["data_offsets"][0])
        if zlib.crc32(data) != self.checksums.get(name):
            raise FileError(f"{os.fspath(self.path)} is damaged: {name!r} differs from its checksum")
        return np.frombuffer(data, NAMES[dtype]).reshape(entry["shape"])

    def _map(self, name: str) -> npt.NDArray[Any]:
        entry, offset = self._entry(name, ("U16", "U32"))
        if len(entry["shape"]) != 1 or not entry["shape"][0]:
            raise FileError(f"{os.fspath(self.path)} is damaged: {name!r} is no list of buckets")
        mapped: npt.NDArray[Any] = np.memmap(Path(self.path), NAMES[entry["dtype"]], "r", offset, tuple(entry["shape"]))
        return mapped


def _checksum(array: npt.NDArray[Any]) -> int:
    crc = 0
    for part in chunks(len(array)):
        crc = zlib.crc32(np.ascontiguousarray(array[part]).data, crc)
    return crc


def _header_checksum(meta: dict[str, Any]) -> int:
    """A CRC-32 of all fields but the checksums of the header and of the whole file."""
    fields = {key: value for key, value in meta.items() if key not in ("header_checksum", "crc32")}
    return zlib.crc32(json.dumps(fields, sort_keys=True).encode())
