"""Compression by zstd, and decompression bounded by what a file promises: a few bytes can inflate to gigabytes.

Files of earlier versions are deflated. A zstd frame begins with four bytes that no deflated stream begins with, so that
one function reads both. `zstandard` is imported on first use.
"""

from __future__ import annotations

import zlib
from typing import Any

__all__ = ["LARGEST_RATIO", "compress", "decompress_exactly"]

LEVEL = 1
"""Of zstd: five times as fast as deflate, and within 2 % of its size (benchmarks/results/packed-runs.md)."""

MAGIC = b"\x28\xb5\x2f\xfd"

LARGEST_RATIO = 44_000
"""Bytes that one compressed byte can stand for: a zstd block of three bytes can repeat one byte 128 KiB times."""


def compress(data: Any) -> bytes:
    """Bytes or a contiguous array as one zstd frame that states its size."""
    import zstandard

    return bytes(zstandard.ZstdCompressor(level=LEVEL).compress(data))


def decompress_exactly(data: bytes | memoryview, size: int) -> bytes:
    """The `size` bytes that a compressed stream holds; zlib.error if it holds more, fewer, or is damaged.

    At most size + 1 bytes are ever allocated for the output.

    >>> decompress_exactly(compress(b"abc"), 3), decompress_exactly(zlib.compress(b"abc"), 3)
    (b'abc', b'abc')
    >>> decompress_exactly(compress(b"abc"), 2)
    Traceback (most recent call last):
    zlib.error: the stream holds more than the 2 bytes that were promised
    """
    return _from_zstd(bytes(data), size) if bytes(data[:4]) == MAGIC else _inflated(data, size)


def _from_zstd(data: bytes, size: int) -> bytes:
    import zstandard

    try:
        promised = zstandard.frame_content_size(data)
        _check_size(promised, size)
        found = zstandard.ZstdDecompressor().decompress(data, max_output_size=size, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise zlib.error(f"the stream is damaged: {error}") from None
    _check_size(len(found), size)
    return bytes(found)


def _check_size(found: int, size: int) -> None:
    if found > size:
        raise zlib.error(f"the stream holds more than the {size:,} bytes that were promised")
    if found != size:  # also −1, where a frame does not state its size
        raise zlib.error(f"the stream does not end after the {size:,} bytes that were promised")


def _inflated(data: bytes | memoryview, size: int) -> bytes:
    stream = zlib.decompressobj()
    inflated = stream.decompress(data, size + 1)
    _check_size(len(inflated), size)
    if not stream.eof or stream.unused_data:
        raise zlib.error(f"the stream does not end after the {size:,} bytes that were promised")
    return inflated
