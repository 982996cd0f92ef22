import numpy as np
import pytest
import torch
from torch.testing import assert_close

from helpers import Counting, dense, gram_error
from unifilter import Graph, lanczos, mix, propagation
from unifilter.bases import monomial
from unifilter.graph.synthetic import block_model

BOUND = {torch.float32: 1e-4, torch.float64: 1e-12}


@pytest.fixture(scope="module")
def big():
    """Large enough for columns that behave, with a few that do not."""
    graph, X, _ = block_model(600, 0.3, degree=8, power=2.3, d=40, generator=np.random.default_rng(0))
    X = torch.from_numpy(X)
    d = torch.from_numpy(graph.degrees)
    X[:, 3] = 0
    X[:, 11] = d.sqrt()  # an eigenvector: the Krylov space is exhausted at once
    X[:, 12] = d.sqrt() + 1e-5 * X[:, 12]  # next to one
    X[:, 17] *= 1e-30
    X[:, 18] *= 1e30
    return graph, X


@pytest.mark.parametrize("K", [0, 1, 5])
def test_p_v_is_v_t(graph, P, X, K):
    """The defining equation, in all but the last vector."""
    V, T, norm = lanczos(P, X, K)
    for k in range(K):
        after = T.beta[k] * V[k + 1] + (T.beta[k - 1] * V[k - 1] if k else 0)
        assert_close(P @ V[k], T.alpha[k] * V[k] + after, rtol=1e-13, atol=1e-13)
    assert_close(norm * V[0], X)


@pytest.mark.parametrize("dtype", BOUND)
def test_v_is_orthonormal_up_to_the_point_where_a_column_breaks_down(big, dtype):
    graph, X = big
    V, _, norm = lanczos(propagation(graph, dtype=dtype), X.to(dtype), 10)
    assert gram_error(V).max() <= BOUND[dtype]
    assert_close(norm.double(), torch.linalg.vector_norm(X, dim=0), rtol=1e-6, atol=0)


@pytest.mark.parametrize("dtype", BOUND)
def test_small_graphs_are_orthonormal_too(graph, X, dtype):
    """Here most columns exhaust their Krylov space before K = 10."""
    V, T, _ = lanczos(propagation(graph, dtype=dtype), X.to(dtype), 10)
    assert gram_error(V).max() <= BOUND[dtype]
    assert not V[1:][T.beta.eq(0)[:, None].expand_as(V[1:])].any()


def test_an_exhausted_krylov_space_gives_zeros_and_exact_polynomials(big):
    graph, X = big
    P = propagation(graph, dtype=torch.float64)
    V, T, norm = lanczos(P, X, 6)
    assert not V[1:, :, 11].any()
    assert not T.beta[:, 11].any()
    assert_close(
        mix(V, monomial(T, norm * T.e1, 6))[:, :, 11], X[:, 11].expand(7, -1), rtol=1e-12, atol=1e-12
    )


def test_more_hops_than_nodes_are_legal():
    graph = Graph.from_edges([[0, 1], [1, 2]])
    P, X = propagation(graph, dtype=torch.float64), torch.eye(3, dtype=torch.float64)
    V, T, norm = lanczos(P, X, 6)
    assert_close(mix(V, monomial(T, norm * T.e1, 6)), monomial(P, X, 6), rtol=1e-14, atol=1e-14)
    assert (V != 0).any(dim=1).sum(dim=0).max() == 3


def test_a_zero_column_stays_zero(big):
    graph, X = big
    V, T, norm = lanczos(propagation(graph, dtype=torch.float64), X, 4)
    assert norm[3] == 0
    assert not V[:, :, 3].any()
    assert not T.alpha[:, 3].any()


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_the_scale_of_a_column_does_not_matter(big, scale):
    graph, X = big
    P, x = propagation(graph, dtype=torch.float64), X[:, :1]
    one, other = lanczos(P, x, 5), lanczos(P, scale * x, 5)
    assert_close(other.V, one.V, rtol=1e-11, atol=1e-11)
    assert_close(other.norm, scale * one.norm, rtol=1e-12, atol=0)


@pytest.mark.parametrize(("dtype", "scale"), [(torch.float32, 1e-42), (torch.float64, 1e-310)])
@pytest.mark.parametrize("gradients", [False, True])
def test_columns_whose_norm_has_no_reciprocal_are_factorised_too(big, dtype, scale, gradients):
    """Numbers this small have few digits: the same column times a power of 2 has the same ones."""
    graph, X = big
    P, x = propagation(graph, dtype=dtype), (X[:, :2].to(dtype) * scale)
    one = lanczos(P, x.clone().requires_grad_(gradients), 5)
    other = lanczos(P, x * 2.0**100, 5)
    assert_close(one.V.detach(), other.V, rtol=1e-4, atol=1e-4 if dtype is torch.float32 else 1e-9)


def test_orthogonality_survives_a_thousand_hops_in_float64():
    graph, X, _ = block_model(1500, 0.3, degree=8, d=3, generator=np.random.default_rng(1))
    V, T, _ = lanczos(propagation(graph, dtype=torch.float64), torch.from_numpy(X[:, :1]), 1000)
    assert gram_error(V).max() <= 1e-8
    assert (T.beta > 0).all()


def test_it_takes_k_products_and_repeats_only_the_columns_that_need_it(big):
    graph, X = big
    P = Counting(torch.from_numpy(np.asarray(dense(graph))))
    lanczos(P, X[:, 20:], 10)
    assert P.columns == [20] * 10
    P.columns.clear()
    lanczos(P, X, 10)
    again = P.columns[10:]
    assert P.columns[:10] == [40] * 10
    assert len(again) <= 10
    assert max(again) <= 4  # the zero column, the eigenvector and its neighbour, and what floats cannot hold


@pytest.mark.parametrize("columns", [1, 7, 16, 100])
def test_blocks_of_columns_change_nothing(big, columns):
    graph, X = big
    P = propagation(graph, dtype=torch.float64)
    one, other = lanczos(P, X, 4), lanczos(P, X, 4, columns=columns)
    assert_close(other.V, one.V, rtol=1e-11, atol=1e-11)
    assert_close(other.T.alpha, one.T.alpha, rtol=1e-11, atol=1e-11)


def test_kept_rows_are_those_of_the_whole(big):
    graph, X = big
    P, rows = propagation(graph), torch.tensor([5, 17, 3, 599])
    whole, some = lanczos(P, X.float(), 4), lanczos(P, X.float(), 4, keep_rows=rows)
    assert some.V.shape == (5, 4, 40)
    assert_close(some.V, whole.V[:, rows], rtol=1e-5, atol=1e-5)
    assert_close(some.T.beta, whole.T.beta)


@pytest.mark.parametrize("gradients", [False, True])
def test_rows_may_be_kept_by_a_mask_too(big, gradients):
    graph, X = big
    P, X, mask = propagation(graph), X.float().requires_grad_(gradients), torch.arange(600) % 7 == 0
    by_mask, by_index = (lanczos(P, X, 2, keep_rows=rows).V for rows in (mask, mask.nonzero().flatten()))
    assert torch.equal(by_mask, by_index)
    assert torch.equal(lanczos(P, X, 2, keep_rows=mask.numpy()).V, by_index)  # as a split has it


def test_v_is_written_where_it_is_wanted(big, tmp_path):
    graph, X = big
    P, X = propagation(graph), X.float()
    file = np.lib.format.open_memmap(tmp_path / "V.npy", "w+", np.float32, (5, 600, 40))
    V = lanczos(P, X, 4, out=torch.from_numpy(file)).V
    file.flush()
    np.testing.assert_array_equal(np.load(tmp_path / "V.npy"), lanczos(P, X, 4).V.numpy())
    assert V.data_ptr() == torch.from_numpy(file).data_ptr()


def test_anything_with_matmul_will_do(big):
    graph, X = big
    one = lanczos(propagation(graph, dtype=torch.float64), X, 5)
    other = lanczos(dense(graph), X, 5)
    assert_close(other.V, one.V, rtol=1e-10, atol=1e-10)


def test_the_result_is_the_same_every_time(big):
    graph, X = big
    one, other = (lanczos(propagation(graph), X.float(), 10) for _ in range(2))
    assert torch.equal(one.V, other.V)


def test_gradients_flow_through_the_recurrence(P, X):
    x = X[:, :3].clone().requires_grad_()

    def signature(x):
        V, T, norm = lanczos(P, x, 2)
        return V.pow(2).sum(), T.alpha, T.beta, norm

    assert torch.autograd.gradcheck(signature, x, atol=1e-6)
    V = lanczos(P, x, 2).V
    assert_close(V, lanczos(P, x.detach(), 2).V, rtol=1e-10, atol=1e-10)


def test_gradients_are_finite_where_a_column_is_zero_or_breaks_down():
    graph = Graph.from_edges([[0, 1, 2], [1, 2, 0]])
    P = propagation(graph, dtype=torch.float64)
    x = torch.tensor([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    lanczos(P, x, 3).V.sum().backward()
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("K", [3, 100])
def test_values_that_are_not_finite_are_named(big, value, K):
    graph, X = big
    X = X[:, :5].clone()
    X[7, 2] = value
    with pytest.raises(ValueError, match=rf"X\[7, 2\] = {value}"):
        lanczos(propagation(graph, dtype=torch.float64), X, K)


def test_bad_arguments_are_named(P, X):
    with pytest.raises(TypeError, match="K must be a whole number"):
        lanczos(P, X, 2.5)
    with pytest.raises(ValueError, match="K must not be negative"):
        lanczos(P, X, -1)
    with pytest.raises(ValueError, match="columns must be at least 1"):
        lanczos(P, X, 2, columns=0)
    with pytest.raises(ValueError, match="out must have shape"):
        lanczos(P, X, 2, out=torch.empty(2, 2, 2, dtype=torch.float64))


@pytest.mark.parametrize("rows", [50, 99, 101])
def test_a_signal_that_p_cannot_multiply_is_refused_before_the_kernel_reads_it(rows):
    P = propagation(Graph.from_edges(np.stack([np.arange(99), np.arange(1, 100)])))
    with pytest.raises(ValueError, match="P has 100 rows"):
        lanczos(P, torch.randn(rows, 3), K=2)
    with pytest.raises(ValueError, match="torch.float64"):
        lanczos(P, torch.randn(100, 3, dtype=torch.float64), K=2)
    with pytest.raises(TypeError, match=r"torch\.as_tensor"):
        lanczos(P, np.ones((100, 3)), K=2)


@pytest.mark.parametrize("lie", ["columns", "strided", "expanded"])
def test_signals_may_lie_in_memory_as_they_like(graph, P, X, lie):
    given = {
        "columns": lambda: X.T.contiguous().T,
        "strided": lambda: torch.stack([X, X + 1], dim=2)[:, :, 0],
        "expanded": lambda: X[:, :1].expand(-1, 3),
    }[lie]()
    wanted = lanczos(P, given.clone(memory_format=torch.contiguous_format), 4)
    found = lanczos(P, given, 4)
    assert_close(found.V, wanted.V)
    assert_close(found.V[0] * found.norm, given)
    out = torch.full((given.shape[1], graph.n, 5), torch.nan, dtype=X.dtype).permute(2, 1, 0)
    assert lanczos(P, given, 4, out=out).V is out
    assert_close(out, wanted.V)


PATH, STAR, CIRCLE = (
    np.stack([np.arange(7), np.arange(1, 8)]),
    np.stack([np.zeros(19, int), np.arange(1, 20)]),
    np.stack([np.arange(6), (np.arange(6) + 1) % 6]),
)


@pytest.mark.parametrize("edges", [PATH, STAR, CIRCLE], ids=["path", "star", "circle"])
@pytest.mark.parametrize("dtype", BOUND)
def test_with_gradients_the_factorisation_is_the_same_also_where_it_is_exhausted(edges, dtype):
    P = propagation(Graph.from_edges(edges), dtype=dtype)
    torch.manual_seed(0)
    X = torch.randn(P.shape[0], 20, dtype=dtype)
    fast, slow = lanczos(P, X, 10), lanczos(P, X.clone().requires_grad_(), 10)
    w = torch.randn(11, 1, dtype=dtype)
    for basis in (monomial,):
        Z = [mix(V, (w[:, None] * basis(T, norm * T.e1, 10)).sum(0)) for V, T, norm in (fast, slow)]
        assert_close(Z[1], Z[0], rtol=1e-3 if dtype == torch.float32 else 1e-9, atol=1e-4)
    assert ((fast.T.beta > 0) == (slow.T.beta > 0)).all()


@pytest.mark.parametrize("dtype", BOUND)
def test_with_gradients_orthogonality_is_kept_for_many_hops_and_any_length(big, dtype):
    graph, X = big
    P = propagation(graph, dtype=dtype)
    V, _, norm = lanczos(P, X.to(dtype).requires_grad_(), 60)
    assert gram_error(V.detach()).max() < BOUND[dtype]
    assert_close(norm.detach(), lanczos(P, X.to(dtype), 0).norm, rtol=1e-4, atol=0)
    with pytest.raises(ValueError, match="finite"):
        lanczos(P, (X.to(dtype) * torch.nan).requires_grad_(), 2)
    with pytest.raises(ValueError, match="out has no gradients"):
        lanczos(P, X.to(dtype).requires_grad_(), 2, out=torch.empty(3, *X.shape, dtype=dtype))


def test_gradients_are_right_where_the_space_is_exhausted():
    P = propagation(Graph.from_edges(PATH[:, :3]), dtype=torch.float64)
    torch.manual_seed(0)
    X = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)

    def powers(X):
        V, T, norm = lanczos(P, X, 6)
        return mix(V, monomial(T, norm * T.e1, 6).sum(0))

    assert torch.autograd.gradcheck(powers, (X,), atol=1e-6)
