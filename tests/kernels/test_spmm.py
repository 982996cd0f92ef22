import torch
from torch.testing import assert_close

from unifilter import propagation
from unifilter.kernels import reference, spmm


def test_every_device_gives_the_same_product(graph, X):
    for device in ["cpu"] + (["cuda"] if torch.cuda.is_available() else []):
        P = propagation(graph, dtype=torch.float64, device=device)
        got = spmm.spmm(P._csr, X.to(device), P._plan)
        assert_close(got.cpu(), reference.spmm(propagation(graph, dtype=torch.float64)._csr, X))


def test_the_cpu_has_a_kernel_for_the_recurrence(P, X):
    found = spmm.three_term(P._csr, X, X.new_empty(3, *X.shape), P._plan)
    assert_close(found.norm, torch.linalg.vector_norm(X, dim=0))


def test_mix_casts_coefficients_to_the_precision_of_v():
    V, C = torch.randn(3, 5, 2), torch.randn(2, 3, 2, dtype=torch.float64)
    assert spmm.mix(V, C).dtype == torch.float32
    assert_close(spmm.mix(V, C), reference.mix(V, C.float()))
