"""What is dropped is reached through ``cpu`` and tested there; here is what only the kernels can tell."""

import numpy as np

from unifilter.kernels import dropped, reference


def test_tiles_hold_every_coefficient_once_and_zeros_beyond_the_end(generator):
    C = generator.random((2, 3, 11)).astype(np.float32)
    tiles = dropped.tiled(C).reshape(1, 6, 16)
    np.testing.assert_array_equal(tiles[0, :, :11], C.reshape(6, 11))
    assert not tiles[0, :, 11:].any()


def test_the_hash_is_the_references():
    for x in (0, 1, 12345, 2**32 - 1):
        assert int(dropped.scramble(np.uint32(x))) == int(reference.scramble(np.array([x]))[0])


def test_rows_outside_the_range_are_left_alone(generator):
    V, C = generator.random((3, 10, 5)), generator.random((3, 3, 5))
    out = np.full((10, 5), -1.0)
    tiles, keep = dropped.tiled(C), (np.uint32(0), 1.0, np.uint32(7))
    dropped.mix_dropped_rows(V, tiles, 3, False, *keep, out, 4, 7)
    np.testing.assert_allclose(out[4:7], np.einsum("kjd,jnd->nd", C, V[:, 4:7]))
    assert (out[:4] == -1).all()
    assert (out[7:] == -1).all()
