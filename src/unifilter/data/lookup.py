"""A hash table of byte strings, built once and searched by many threads.

Keys are stretches of one byte array, as Arrow stores text: key j is ``keys[offsets[j]:offsets[j + 1]]``.
Arrow's own ``index_in`` hashes all keys anew at each call, and waits for one cache miss after the other.
"""

# mypy: ignore-errors
# (numba compiles these functions from their bytecode: its decorators carry no types)

from __future__ import annotations

import numpy as np
from numba import njit, uint8, uint64

_ODD = uint64(0x9E3779B97F4A7C15)
_BLOCK = 256

# Indices are unsigned throughout: with signed ones numba checks each for a negative value.


@njit(inline="always")
def _hash(data, begin, end):
    i, end = uint64(begin), uint64(end)
    h = (end - i) * _ODD
    while i + uint64(8) <= end:
        word = uint64(0)
        for k in range(uint64(8)):
            word |= uint64(data[i + k]) << (k * uint64(8))
        h = (h ^ word) * _ODD
        h ^= h >> uint64(32)
        i += uint64(8)
    word = uint64(0)
    for k in range(end - i):
        word |= uint64(data[i + k]) << (k * uint64(8))
    h = (h ^ word) * _ODD
    return h ^ (h >> uint64(32))


@njit(inline="always")
def _equal(data, begin, end, others, first, last):
    begin, first = uint64(begin), uint64(first)
    length = uint64(end) - begin
    if length != uint64(last) - first:
        return False
    differ = uint8(0)
    for k in range(length):  # to the end, without a branch that the processor would have to guess
        differ |= data[begin + k] ^ others[first + k]
    return differ == 0


@njit(cache=True, nogil=True)
def build(keys, offsets, slots, first):
    """Put n keys into ``slots``, (2^b, 2) filled with -1, 2^b > n.

    A slot holds half of a hash and the number of a key. ``first[j]`` becomes the number of the first key that
    is equal to key j: j itself if the keys are all different.
    """
    mask = uint64(slots.shape[0] - 1)
    for j in range(first.size):
        h = _hash(keys, offsets[j], offsets[j + 1])
        half, s = np.int32(h >> uint64(33)), h & mask
        first[j] = j
        while slots[s, 1] >= 0:
            other = slots[s, 1]
            if slots[s, 0] == half and _equal(
                keys, offsets[j], offsets[j + 1], keys, offsets[other], offsets[other + 1]
            ):
                first[j] = other
                break
            s = (s + uint64(1)) & mask
        if first[j] == j:
            slots[s, 0], slots[s, 1] = half, j


@njit(cache=True, nogil=True)
def find(data, at, keys, offsets, slots, out):
    """``out[i]`` becomes the number of the key equal to ``data[at[i]:at[i + 1]]``, -1 if there is none.

    Five short loops over a block instead of one: the reads of each miss the cache, but not one after the
    other. The third and the fourth only fetch what the last one reads.
    """
    mask = uint64(slots.shape[0] - 1)
    halves, places = np.empty(_BLOCK, np.int32), np.empty(_BLOCK, np.uint64)
    fetched = np.empty(_BLOCK, np.int64)
    for low in range(0, out.size, _BLOCK):
        high = min(low + _BLOCK, out.size)
        for i in range(low, high):
            h = _hash(data, at[i], at[i + 1])
            halves[i - low], places[i - low] = np.int32(h >> uint64(33)), h & mask
        for i in range(low, high):
            s = places[i - low]
            while slots[s, 1] >= 0 and slots[s, 0] != halves[i - low]:
                s = (s + uint64(1)) & mask
            places[i - low] = s
        for i in range(low, high):
            fetched[i - low] = offsets[max(slots[places[i - low], 1], 0)]
        for i in range(low, high):
            fetched[i - low] = keys[uint64(fetched[i - low])]
        for i in range(low, high):
            s = places[i - low]
            found = slots[s, 1]
            while found >= 0 and not (
                slots[s, 0] == halves[i - low]
                and _equal(data, at[i], at[i + 1], keys, offsets[found], offsets[found + 1])
            ):
                s = (s + uint64(1)) & mask
                found = slots[s, 1]
            out[i] = found
