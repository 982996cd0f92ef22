"""Learned entries in fixed places, against the dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.func import grad, vmap
from torch.testing import assert_close

from unifilter.graph.pattern import Pattern

N = 9


def some() -> Pattern:
    """Node 4 has no row, node 0 no column; one place is named twice."""
    rng = np.random.default_rng(0)
    rows = np.sort(np.concatenate([rng.integers(0, 4, 8), rng.integers(5, N, 12), [7, 7]]))
    columns = rng.integers(1, N, rows.size)
    columns[rows == 7] = 3
    return Pattern.of(rows, columns, N)


def none() -> Pattern:
    return Pattern.of(np.empty(0, np.int64), np.empty(0, np.int64), N)


@pytest.fixture(params=[some, none], ids=["some", "none"])
def A(request) -> Pattern:
    return request.param().to("cpu")


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def dense(A: Pattern, values: torch.Tensor) -> torch.Tensor:
    zeros = torch.zeros(N, N, dtype=values.dtype)
    return zeros.index_put((A.rows, A.columns.long()), values, accumulate=True)


def by_rows(A: Pattern, scores: torch.Tensor) -> torch.Tensor:
    """A softmax of each row, all others being minus infinity."""
    alone = torch.where(A.rows[:, None] == A.rows, scores, -torch.inf)
    return torch.softmax(alone, dim=1).diagonal()


def test_a_product_and_both_its_gradients_are_those_of_the_dense_matrix(A):
    values, X, G = random(A.rows.numel()), random(N, 5), random(N, 5).detach()
    wanted = dense(A, values) @ X
    assert_close(A.product(values, X), wanted)
    found = torch.autograd.grad(A.product(values, X), (values, X), G)
    assert_close(found, torch.autograd.grad(wanted, (values, X), G))


def test_a_sampled_product_is_the_dense_one_at_the_places(A):
    G, X, back = random(N, 5), random(N, 5), random(A.rows.numel()).detach()
    wanted = (G @ X.T)[A.rows, A.columns.long()]
    assert_close(A.sampled(G, X), wanted)
    found = torch.autograd.grad(A.sampled(G, X), (G, X), back)
    assert_close(found, torch.autograd.grad(wanted, (G, X), back))


def test_sums_are_those_of_the_two_ends(A):
    left, right = random(N), random(N)
    assert_close(A.sums(left, right), left[A.rows] + right[A.columns.long()])


def test_shares_are_a_softmax_of_each_row(A):
    scores, back = random(A.rows.numel()), random(A.rows.numel()).detach()
    wanted = by_rows(A, scores)
    assert_close(A.softmax(scores), wanted)
    found = torch.autograd.grad(A.softmax(scores), scores, back)
    assert_close(found, torch.autograd.grad(wanted, scores, back))


def test_first_and_second_derivatives_pass_torch_s_check():
    A = some()
    e = A.rows.numel()
    for function, inputs in (
        (A.product, (random(e), random(N, 3))),
        (A.sampled, (random(N, 3), random(N, 3))),
        (A.sums, (random(N), random(N))),
        (A.softmax, (random(e),)),
    ):
        assert gradcheck(function, inputs)
        assert gradgradcheck(function, inputs)


def test_the_transpose_has_the_entries_in_its_own_order():
    A, values, X = some(), random(22), random(N, 3)
    assert_close(A.T.product(values[A._order], X), dense(A, values).T @ X)
    assert_close(A.T.T.product(values, X), A.product(values, X))


def shifted(x: torch.Tensor, dim: int | None) -> torch.Tensor:
    return x if dim is None else x.movedim(0, dim)


@pytest.mark.parametrize("in_dims", [(0, 0), (1, 2), (0, None), (None, 1)])
def test_a_bundle_computes_what_its_members_would(A, in_dims):
    v, x = in_dims
    e = A.rows.numel()
    values = random(e) if v is None else random(3, e)
    X, G = random(N, 4) if x is None else random(3, N, 4), random(3, N, 4).detach()
    alone = torch.stack(
        [A.product(values if v is None else values[b], X if x is None else X[b]) for b in range(3)]
    )
    bundled = vmap(A.product, in_dims)(shifted(values, v), shifted(X, x))
    assert_close(bundled, alone)
    found = torch.autograd.grad(bundled, (values, X), G)
    assert_close(found, torch.autograd.grad(alone, (values, X), G))


def test_a_bundle_has_gradients_inside_and_bundles_of_bundles(A):
    def loss(scores, X):
        return (A.product(A.softmax(scores) * A.sums(X[:, 0], X[:, 1]), X) ** 2).sum()

    scores, X = random(2, 3, A.rows.numel()).detach(), random(2, 3, N, 4).detach()
    ours = vmap(vmap(grad(loss, argnums=(0, 1))))(scores, X)
    for a in range(2):
        for b in range(3):
            alone = grad(loss, argnums=(0, 1))(scores[a, b], X[a, b])
            assert_close((ours[0][a, b], ours[1][a, b]), alone)


def test_the_same_inputs_give_the_same_bits():
    A, values, X = some(), torch.randn(22, requires_grad=True), torch.randn(N, 40, requires_grad=True)
    runs = [torch.autograd.grad(A.product(A.softmax(values), X).sum(), (values, X)) for _ in range(2)]
    assert all(torch.equal(a, b) for a, b in zip(*runs, strict=True))
