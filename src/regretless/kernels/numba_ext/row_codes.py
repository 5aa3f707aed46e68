"""Equal rows of an array numbered by their first occurrence."""

from __future__ import annotations

from regretless.kernels.numba_ext.compiling import inner, kernel


@inner(forceinline=True)
def bucket_of_row(rows, i, mask):
    """Where the search for a row begins; rows are the bits of floating-point numbers, which differ in the high ones."""
    mixed = rows[i, 0] ^ rows[i, 0]
    for column in range(rows.shape[1]):
        bits = rows[i, column]
        bits ^= bits >> 32
        bits ^= bits >> 20
        bits ^= bits >> 10
        mixed = bits ^ (mixed >> 3) ^ (mixed << 5)
    return mixed & mask


@kernel
def code_rows(rows, buckets, code, first):
    """code[i] ← number of row i among the different ones; first[k] ← the first row with number k. Returns how many.

    rows [N, columns] int64; buckets [2^n > N] zeros; code, first [N].
    """
    mask, kinds = buckets.shape[0] - 1, 0
    for i in range(rows.shape[0]):
        bucket = bucket_of_row(rows, i, mask)
        while True:
            kind = buckets[bucket] - 1
            if kind < 0:
                kind = kinds
                buckets[bucket], first[kinds] = kinds + 1, i
                kinds += 1
                break
            same = True
            for column in range(rows.shape[1]):
                same = same and rows[first[kind], column] == rows[i, column]
            if same:
                break
            bucket = (bucket + 1) & mask
        code[i] = kind
    return kinds
