"""The compiled blocks are reached through ``cpu`` and tested there; here is what only they can tell."""

import numpy as np

from unifilter.kernels import blocks


def test_rows_outside_the_range_are_left_alone(generator):
    V, C = generator.random((3, 10, 5)), generator.random((2, 3, 5))
    out = np.full((2, 10, 5), -1.0)
    blocks.mix_rows(V, C, out, 4, 7)
    np.testing.assert_allclose(out[:, 4:7], np.einsum("kjd,jnd->knd", C, V[:, 4:7]))
    assert (out[:, :4] == -1).all()
    assert (out[:, 7:] == -1).all()
