"""k-means in whole numbers: nearest centroids by a pruned search, k-means++ seeds, and exact middles.

Rows and centroids are vectors of 16-bit numbers [width]. The distance is the sum of absolute differences (L1; of
cumulative histograms that is the earth mover's distance) or of squared differences (L2). Distances, sums and centroids
are integers, so the result does not depend on the order of rows, on threads or on the device.

The search is pruned by the sum of the coordinates, the *key* of a vector:

    L1:  |key(p) − key(q)| ≤ d(p, q)            L2:  (key(p) − key(q))² ≤ width · d(p, q)

Centroids are sorted by key and searched outwards from the key of the row, until the bound exceeds the best distance.
For cumulative histograms the key is the mean strength, up to a constant. Of equal distances the lowest centroid counts,
so the search finds the same centroid as a comparison with all.
"""

from __future__ import annotations

import numpy as np

from regretless.kernels.numba_ext.compiling import inner, kernel
from regretless.kernels.random_streams import STEP, mixed, stream

FAR = np.int64(2**31 - 1)
"""More than the difference of any two keys; its square is more than any bound."""

BLOCK = 1_024
"""Rows that share a bound while seeds are drawn."""


@inner(forceinline=True)
def distance(rows, i, centroids, c, squared):
    """The distance of row i and centroid c."""
    if squared:
        squares = np.int64(0)
        for j in range(rows.shape[1]):
            d = np.int64(np.int32(rows[i, j]) - np.int32(centroids[c, j]))
            squares += d * d
        return squares
    total = np.int32(0)
    for j in range(rows.shape[1]):
        total += abs(np.int32(rows[i, j]) - np.int32(centroids[c, j]))
    return np.int64(total)


@inner(forceinline=True)
def key_of_row(rows, i):
    """The sum of the coordinates of row i."""
    key = np.int32(0)
    for j in range(rows.shape[1]):
        key += np.int32(rows[i, j])
    return np.int64(key)


@inner(forceinline=True)
def nearest(rows, i, centroids, keys, squared, guess):
    """The centroid nearest to row i, and its distance. centroids are sorted by keys; guess: any centroid."""
    key, width = key_of_row(rows, i), rows.shape[1]
    best, best_distance = guess, distance(rows, i, centroids, guess, squared)
    above, end = 0, keys.shape[0]
    while above < end:
        middle = (above + end) >> 1
        if keys[middle] < key:
            above = middle + 1
        else:
            end = middle
    below = above - 1
    count = keys.shape[0]
    limit = best_distance * width if squared else best_distance
    while True:
        up = keys[above] - key if above < count else FAR
        down = key - keys[below] if below >= 0 else FAR
        gap = min(up, down)
        if (gap * gap if squared else gap) > limit:
            return best, best_distance
        if up <= down:
            c = above
            above += 1
        else:
            c = below
            below -= 1
        d = distance(rows, i, centroids, c, squared)
        if d < best_distance or (d == best_distance and c < best):
            best, best_distance = c, d
            limit = d * width if squared else d


@kernel
def nearest_centroids(rows, counts, begin, end, centroids, keys, squared, labels):
    """Write labels [n] of rows `begin` to `end`; what they held before are guesses. Returns the weighted distance."""
    total = np.int64(0)
    for i in range(begin, end):
        labels[i], d = nearest(rows, i, centroids, keys, squared, np.int64(labels[i]))
        total += d * counts[i]
    return total


@kernel
def move_centroids(rows, counts, order, first, begin, end, squared, centroids):
    """Move the centroids `begin` to `end` to the middle of their rows: the vector with the least sum of distances.

    That is the mean, rounded, for L2, and the median of each coordinate for L1. order [n]: rows by centroid, and first
    [centroids + 1] where those of a centroid begin. A centroid without rows stays.
    """
    mass = np.zeros(256, np.int64)
    for c in range(begin, end):
        weight = np.int64(0)
        for k in range(first[c], first[c + 1]):
            weight += counts[order[k]]
        if weight == 0:
            continue
        for j in range(rows.shape[1]):
            if squared:
                total = np.int64(0)
                for k in range(first[c], first[c + 1]):
                    total += np.int64(rows[order[k], j]) * counts[order[k]]
                centroids[c, j] = (total + weight // 2) // weight
            else:
                centroids[c, j] = weighted_median(rows, counts, order, first[c], first[c + 1], j, weight, mass)


@inner
def weighted_median(rows, counts, order, begin, end, j, weight, mass):
    """The lowest value of coordinate j with at least half of the weight at it or below, among some rows.

    The high byte is found first, then the low byte among the rows that have this high byte. mass [256]: scratch.
    """
    found, passed = np.int64(0), np.int64(0)
    for level in range(2):
        for digit in range(256):
            mass[digit] = 0
        for k in range(begin, end):
            value = np.int64(rows[order[k], j])
            if level == 0:
                mass[value >> 8] += counts[order[k]]
            elif value >> 8 == found:
                mass[value & 255] += counts[order[k]]
        digit = 0
        while 2 * (passed + mass[digit]) < weight:
            passed += mass[digit]
            digit += 1
        found = (found << 8) | digit
    return found


@kernel
def draw_seeds(rows, keys, counts, squared, seed, begin, end, seeds, distances, blocks):
    """Draw the seeds `begin` to `end` of k-means++ (Arthur & Vassilvitskii 2007); returns the number of seeds drawn.

    A row is drawn with a probability proportional to its count times its distance to the nearest seed (squared for L2).
    rows [n, width] are sorted by keys [n]. Written: seeds [k], the rows drawn; distances [n] to the nearest seed; and
    blocks = the greatest distance and the sum of count × distance of each BLOCK rows. A block that cannot come nearer
    is skipped by the bound of the keys. Stops where all rows are at distance 0.
    """
    greatest, mass = blocks
    for s in range(begin, end):
        drawn = draw_row(counts, distances, mass, mixed(np.uint64(seed) + STEP * np.uint64(s + 1)), s == 0)
        if drawn < 0:
            return s
        seeds[s] = drawn
        for block in range(mass.shape[0]):
            first, last = block * BLOCK, min((block + 1) * BLOCK, rows.shape[0])
            gap = max(keys[first] - keys[drawn], keys[drawn] - keys[last - 1], np.int64(0))
            if s and beyond(gap, greatest[block], squared, rows.shape[1]):
                continue
            greatest[block], mass[block] = come_nearer(
                rows, keys, counts, drawn, first, last, squared, distances, s == 0
            )
    return end


@inner(forceinline=True)
def beyond(gap, best, squared, width):
    """Whether rows whose keys differ by `gap` are at least as far apart as `best`."""
    return gap * gap >= best * width if squared else gap >= best


@inner
def come_nearer(rows, keys, counts, drawn, first, last, squared, distances, new):
    """Lower the distances of the rows `first` to `last` to those of a new seed; returns the greatest and their mass."""
    greatest, mass = np.int64(0), np.int64(0)
    for i in range(first, last):
        if new or not beyond(abs(keys[i] - keys[drawn]), distances[i], squared, rows.shape[1]):
            d = distance(rows, i, rows, drawn, squared)
            if new or d < distances[i]:
                distances[i] = d
        greatest = max(greatest, distances[i])
        mass += distances[i] * counts[i]
    return greatest, mass


@inner
def draw_row(counts, distances, mass, word, uniform):
    """A row drawn by a random word, with probability ∝ count × distance, or ∝ count; −1 where all distances are 0."""
    total = np.int64(0)
    if uniform:
        for i in range(counts.shape[0]):
            total += counts[i]
    else:
        for block in range(mass.shape[0]):
            total += mass[block]
    if total == 0:
        return -1
    rest, i = np.int64((word >> np.uint64(1)) % np.uint64(total)), 0
    if not uniform:
        block = 0
        while rest >= mass[block]:
            rest -= mass[block]
            block += 1
        i = block * BLOCK
    while True:
        share = counts[i] if uniform else counts[i] * distances[i]
        if rest < share:
            return i
        rest -= share
        i += 1


@kernel
def assign_rows(index, features, strength, deals, count, centroids, keys, squared, bucket_of, totals):
    """Write bucket_of [indices] for the first `count` rows: the nearest centroid.

    Added to totals [2, centroids]: the deals of each bucket, and deals × strength. Rows of one board follow each other,
    so the last centroid is a good guess.
    """
    guess = np.int64(0)
    for row in range(count):
        guess, _ = nearest(features, row, centroids, keys, squared, guess)
        bucket_of[index[row]] = guess
        totals[0, guess] += deals[row]
        totals[1, guess] += deals[row] * np.int64(strength[row])


@kernel
def assign_labels(index, label, strength, deals, bucket_of, totals):
    """The same where the nearest centroids are known: label [rows]."""
    for row in range(label.shape[0]):
        bucket = label[row]
        bucket_of[index[row]] = bucket
        totals[0, bucket] += deals[row]
        totals[1, bucket] += deals[row] * np.int64(strength[row])


@kernel
def assign_by_strength(index, strength, deals, count, bucket_at, bucket_of, totals):
    """The same where the bucket depends on the strength alone; bucket_at [65,536]."""
    for row in range(count):
        bucket = bucket_at[strength[row]]
        bucket_of[index[row]] = bucket
        totals[0, bucket] += deals[row]
        totals[1, bucket] += deals[row] * np.int64(strength[row])


@kernel
def pick_rows(index, features, strength, count, marked, wanted, picked, picked_strength):
    """Copy the features and strengths of the wanted rows to picked [n, width] and picked_strength [n].

    wanted [n]: their indices, sorted; marked: the same as a bit set, which answers most questions from the cache.
    """
    for row in range(count):
        at = np.uint64(index[row])
        if (marked[at >> np.uint64(6)] >> (at & np.uint64(63))) & np.uint64(1):
            k = np.searchsorted(wanted, index[row])
            picked_strength[k] = strength[row]
            for j in range(picked.shape[1]):
                picked[k, j] = features[row, j]


@kernel
def mark_indices(wanted, marked):
    """Set the bits of wanted [n] in the bit set marked."""
    for k in range(wanted.shape[0]):
        at = np.uint64(wanted[k])
        marked[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))


@kernel
def draw_deals(seed, street, deck, deals):
    """Write deals [n, cards]: different cards of a deck in each row. Row i depends on seed, street and i only."""
    for i in range(deals.shape[0]):
        word, used, k = stream(seed, street, 0, i), np.uint64(0), 0
        while k < deals.shape[1]:
            card = mixed(word) % np.uint64(deck)
            word += STEP
            if not (used >> card) & np.uint64(1):
                used |= np.uint64(1) << card
                deals[i, k] = card
                k += 1
