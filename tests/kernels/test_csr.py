from itertools import pairwise

import numpy as np
import pytest
import torch

from unifilter.kernels.csr import Places, schedule


@pytest.mark.parametrize("shape", ["even", "skewed", "empty rows", "one row", "nothing"])
def test_a_schedule_covers_every_entry_once_in_shares_of_bounded_cost(shape):
    rng = np.random.default_rng(0)
    degrees = {
        "even": np.full(500, 8),
        "skewed": np.where(np.arange(500) == 77, 9000, rng.integers(0, 6, 500)),
        "empty rows": np.where(rng.random(500) < 0.7, 0, 5),
        "one row": np.array([5000]),
        "nothing": np.zeros(0, int),
    }[shape]
    indptr = torch.from_numpy(np.concatenate([[0], np.cumsum(degrees)]))
    parts, pieces, ranges = schedule(indptr, shares=8, least=100)
    share = max(100, -(-int(indptr[-1] + degrees.size) // 8))
    rows = [r for a, b in parts.tolist() for r in range(a, b)]
    long = sorted({p[0] for p in pieces.tolist()})
    assert sorted(rows + long) == list(range(degrees.size))
    assert [r for a, b in ranges.tolist() for r in range(a, b)] == list(range(degrees.size))
    for a, b in parts.tolist():
        assert indptr[b] - indptr[a] <= 2 * share
    for row in long:
        bits = [p for p in pieces.tolist() if p[0] == row]
        assert bits[0][1] == indptr[row]
        assert bits[-1][2] == indptr[row + 1]
        assert all(x[2] == y[1] for x, y in pairwise(bits))
        assert all(0 < e - b <= share for _, b, e in bits)


def test_without_long_rows_there_are_no_pieces():
    assert schedule(torch.arange(0, 4000, 4)).pieces.shape == (0, 3)


def test_places_know_where_rows_begin_and_that_some_are_empty():
    A = Places.of(torch.tensor([0, 0, 2]), torch.tensor([1, 1, 0]), n=4)
    assert A.indptr.tolist() == [0, 2, 2, 3, 3]
    assert A.indices.tolist() == [1, 1, 0]
    assert A.to("cpu").rows.tolist() == [0, 0, 2]
