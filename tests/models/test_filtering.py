import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from torch.testing import assert_close
from torch_geometric.nn.conv.gcn_conv import gcn_norm

from helpers import dense
from unifilter.bases import monomial
from unifilter.models._filtering import Decoupled, normalised, weigh
from unifilter.models._layers import dropout
from unifilter.models._operators import from_arcs
from unifilter.models.gprgnn import Config


class Cubic(Decoupled):
    def filter(self, A, H):
        return weigh(self.w, monomial(A, H, 3))


@pytest.fixture
def model() -> Cubic:
    torch.manual_seed(0)
    return Cubic(Config(hidden=7), 20, 4, torch.tensor([0.5, -1.0, 2.0, 0.25])).double()


def by_hand(model, graph, X, self_loops=True):
    """The network written out: two linear layers, then a polynomial of a dense P."""
    first, second = model.mlp.layers
    H = torch.relu(X @ first.weight.T + first.bias) @ second.weight.T + second.bias
    P = dense(graph, self_loops)
    return sum(w * torch.linalg.matrix_power(P, k) @ H for k, w in enumerate(model.w.tolist()))


def test_the_filter_acts_on_what_the_mlp_found(model, graph, X):
    model.eval()
    inputs = Cubic.prepare(graph, X, model.config)
    assert_close(model(inputs), by_hand(model, graph, X))


def test_dropout_acts_before_both_layers_and_before_the_filter(model, graph, X):
    """Three masks are drawn, in this order; with the same numbers the network by hand gives the same."""
    model.train()
    torch.manual_seed(3)
    ours = model(Cubic.prepare(graph, X, model.config))
    torch.manual_seed(3)
    drop = model.mlp._dropped
    first, second = model.mlp.layers
    H = torch.relu(drop(X) @ first.weight.T + first.bias)
    H = dropout(drop(H) @ second.weight.T + second.bias, 0.5, training=True)
    P = dense(graph, self_loops=True)
    wanted = sum(w * torch.linalg.matrix_power(P, k) @ H for k, w in enumerate(model.w.tolist()))
    assert_close(ours, wanted)


def test_the_response_is_the_filter_in_the_eigenbasis(model, graph):
    lam, U = torch.linalg.eigh(torch.eye(graph.n, dtype=torch.float64) - dense(graph))
    H = torch.randn(graph.n, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    assert_close(model.filter(dense(graph), H), U @ (model.response(lam)[:, None] * (U.T @ H)))


def test_a_network_without_a_filter_says_so(graph, X):
    model = Decoupled(Config(), 20, 3, torch.ones(1)).double()
    with pytest.raises(NotImplementedError, match="Decoupled does not say what its filter is"):
        model(Decoupled.prepare(graph, X, Config()))


def test_weights_may_differ_between_columns():
    basis, w = torch.randn(3, 5, 2), torch.randn(3, 2)
    assert_close(weigh(w, basis), (w[:, None] * basis).sum(dim=0))


def test_normalised_is_p_for_a_graph_s_own_matrix(graph, X):
    assert_close(normalised(graph.to_scipy(), X) @ X, dense(graph) @ X)


def test_loops_of_any_weight_count_in_the_degrees(graph, X):
    loops = np.random.default_rng(0).integers(0, 3, graph.n).astype(float)
    A = torch.from_numpy(graph.to_scipy().toarray() + np.diag(loops))
    d = A.sum(dim=1)
    s = torch.where(d > 0, d, torch.inf) ** -0.5
    assert_close(normalised(csr_array(A.numpy()), X).to("cpu") @ X, (s[:, None] * A * s) @ X)


def test_directed_arcs_are_normalised_on_both_sides_by_what_arrives():
    """As PyTorch Geometric's gcn_norm does it."""
    arcs = np.random.default_rng(4).integers(0, 30, (2, 90))
    pairs = torch.from_numpy(np.unique(arcs, axis=1))
    index, value = gcn_norm(pairs, num_nodes=32, add_self_loops=False, dtype=torch.float64)
    M = torch.zeros(32, 32, dtype=torch.float64).index_put((index[1], index[0]), value)
    X = torch.randn(32, 3, dtype=torch.float64, requires_grad=True)
    ours = normalised(csr_array(from_arcs(arcs, 32, directed=True, loops=True).T), X)
    assert_close(ours @ X, M @ X)
    assert torch.autograd.gradcheck(lambda X: ours @ X, X)
    assert not torch.equal(M, M.T)
