"""The hash table against a Python dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unifilter.data.lookup import build, find


def packed(keys):
    offsets = np.concatenate([[0], np.cumsum([len(k) for k in keys], dtype=np.int64)]).astype(np.int64)
    return np.frombuffer(b"".join(keys) or b"\0", np.uint8), offsets


def looked_up(keys, asked, bits=None):
    data, offsets = packed(keys)
    slots = np.full((1 << (bits or (2 * len(keys)).bit_length()), 2), -1, np.int32)
    first, out = np.empty(len(keys), np.int32), np.empty(len(asked), np.int32)
    build(data, offsets, slots, first)
    find(*packed(asked), data, offsets, slots, out)
    return first, out


BYTES = st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=60)


@given(BYTES, BYTES)
def test_it_finds_what_a_dictionary_finds(keys, others):
    asked = others + keys
    first, out = looked_up(keys, asked)
    assert first.tolist() == [keys.index(k) for k in keys]
    assert out.tolist() == [keys.index(k) if k in keys else -1 for k in asked]


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 100])
def test_keys_that_differ_in_one_byte_are_told_apart(length):
    keys = [bytes(length), *(bytes([0] * i + [1] + [0] * (length - i - 1)) for i in range(length))]
    asked = [*keys, bytes(length + 1), b"\x02" * length]
    assert looked_up(keys, asked)[1].tolist() == [*range(len(keys)), -1, -1]


def test_a_nearly_full_table_still_ends_every_search():
    keys = [i.to_bytes(4, "little") for i in range(255)]
    asked = [i.to_bytes(4, "little") for i in range(600)]
    assert looked_up(keys, asked, bits=8)[1].tolist() == [*range(255), *[-1] * 345]


def test_equal_halves_of_hashes_do_not_make_keys_equal():
    """A search has to go on past a slot whose stored half agrees and whose bytes do not."""
    keys = [b"one", b"tie"]  # the same length and last byte
    data, offsets = packed(keys)
    slots = np.full((8, 2), -1, np.int32)
    build(data, offsets, slots, np.empty(2, np.int32))
    for key in (0, 1):
        # The other key, with the same half, right before this one.
        forged = slots.copy()
        at = int(np.flatnonzero(slots[:, 1] == key)[0])
        half = slots[at, 0]
        forged[:] = -1
        forged[at] = half, 1 - key
        forged[(at + 1) % 8] = half, key
        out = np.empty(1, np.int32)
        find(*packed([keys[key]]), data, offsets, forged, out)
        assert out.tolist() == [key]
