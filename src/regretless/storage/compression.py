"""Decompression whose output is bounded by what a file promises: a few bytes can inflate to gigabytes."""

from __future__ import annotations

import zlib

__all__ = ["decompress_exactly"]


def decompress_exactly(data: bytes | memoryview, size: int) -> bytes:
    """The `size` bytes that a zlib stream holds; zlib.error if it holds more, fewer, or is damaged.

    At most size + 1 bytes are ever allocated for the output.

    >>> decompress_exactly(zlib.compress(b"abc"), 3)
    b'abc'
    >>> decompress_exactly(zlib.compress(b"abc"), 2)
    Traceback (most recent call last):
    zlib.error: the stream holds more than the 2 bytes that were promised
    """
    stream = zlib.decompressobj()
    inflated = stream.decompress(data, size + 1)
    if len(inflated) > size:
        raise zlib.error(f"the stream holds more than the {size:,} bytes that were promised")
    if len(inflated) < size or not stream.eof or stream.unused_data:
        raise zlib.error(f"the stream does not end after the {size:,} bytes that were promised")
    return inflated
