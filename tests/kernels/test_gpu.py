import pytest
import torch
from torch.testing import assert_close

from unifilter import propagation
from unifilter.kernels import gpu, reference


@pytest.mark.parametrize("self_loops", [False, True])
def test_spmm_agrees_with_the_reference(graph, X, self_loops):
    """torch's CSR product runs anywhere, so the formula around it is tested without a GPU too."""
    A = propagation(graph, self_loops, torch.float64)._csr
    assert_close(gpu.spmm(A, X), reference.spmm(A, X))
