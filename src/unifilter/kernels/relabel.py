"""Labels changed one node at a time, the number of equal edges kept up to date."""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def relabel(indptr, indices, y, order, proposals, same, target, only_lower):
    """Give nodes their proposed labels, in ``order``, until the ``same`` equal edges have become ``target``.

    ``only_lower`` takes a proposal only if it lowers the number of equal edges. Changes y, returns that
    number.
    """
    for i in order:
        if same <= target:
            break
        change = 0
        for e in range(indptr[i], indptr[i + 1]):
            neighbour = y[indices[e]]
            change += (neighbour == proposals[i]) - (neighbour == y[i])
        if change < 0 or not only_lower:
            y[i] = proposals[i]
            same += change
    return same
