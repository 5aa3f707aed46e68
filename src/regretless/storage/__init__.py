"""Files that survive a crash, a second writer and hostile contents.

atomic_files   a file takes the place of the old one only when it is complete and on the disk
write_lock     one process at a time writes a target; the lock dies with its process
array_files    arrays and a JSON header in one file (the layout of safetensors), with a checksum
compression    zstd, and decompression that is bounded by the promised size
run_headers    the types and ranges of what a run's header says
"""

from regretless.storage.array_files import (
    array_bytes,
    check_format,
    header_in,
    map_arrays,
    meta_in,
    needed,
    opened,
    read_arrays,
    read_header,
    verify_mapped,
    write_arrays,
)
from regretless.storage.atomic_files import write_atomically
from regretless.storage.compression import LARGEST_RATIO, compress, decompress_exactly
from regretless.storage.run_headers import PUBLIC_FORMAT, PUBLIC_VERSION, check_run_header
from regretless.storage.write_lock import WriteLock, while_locked

__all__ = [
    "LARGEST_RATIO",
    "PUBLIC_FORMAT",
    "PUBLIC_VERSION",
    "WriteLock",
    "array_bytes",
    "check_format",
    "check_run_header",
    "compress",
    "decompress_exactly",
    "header_in",
    "map_arrays",
    "meta_in",
    "needed",
    "opened",
    "read_arrays",
    "read_header",
    "verify_mapped",
    "while_locked",
    "write_arrays",
    "write_atomically",
]
