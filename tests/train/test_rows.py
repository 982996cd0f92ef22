"""Rows of splits of different length are padded, and what is padded counts nothing."""

import torch
from torch.testing import assert_close

from unifilter.data import load
from unifilter.models._basis import Basis
from unifilter.train.rows import Rows


def test_features_and_labels_of_every_split_are_padded_to_the_longest():
    data = load("sbm:n=60,d=5")
    inputs = Basis.of(data.graph, data.features(), 3)
    y, index = torch.from_numpy(data.y.copy()), [torch.arange(7), torch.arange(20, 24)]
    rows = Rows(inputs, y, index)
    assert rows.longest == 7
    assert rows.count.tolist() == [7, 4]
    X = rows.signal()
    assert X.shape == (2, 7, 5)
    assert_close(X[1, :4], data.features()[20:24], rtol=1e-5, atol=1e-6)
    assert not X[1, 4:].any()
    assert rows.valid[1].tolist() == [1, 1, 1, 1, 0, 0, 0]
    assert_close(rows.y[0], y[:7])
