import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from helpers import dense
from unifilter import Graph
from unifilter.models.gprgnn import GPRGNN, Config, weights


def bare(**options):
    """The filter alone: the MLP passes its input on."""
    model = GPRGNN(Config(**options), 20, 20).double().eval()
    model.mlp = nn.Identity()
    return model


@pytest.mark.parametrize("self_loops", [True, False])
def test_logits_are_weighted_powers(graph, X, self_loops):
    model = bare(K=4, self_loops=self_loops)
    w = torch.tensor([0.3, -1.0, 0.5, 2.0, -0.7], dtype=torch.float64)
    model.w.data = w
    P = dense(graph, self_loops)
    wanted = sum(w[k] * torch.linalg.matrix_power(P, k) @ X for k in range(5))
    assert_close(model(GPRGNN.prepare(graph, X, model.config)), wanted)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_ppr_weights_add_up_to_one_with_the_rest_on_the_last(alpha):
    w = weights(10, "ppr", alpha)
    assert_close(w.sum(), torch.tensor(1.0))
    assert_close(w[:10], torch.tensor([alpha * (1 - alpha) ** k for k in range(10)]))
    assert_close(w[10], torch.tensor((1 - alpha) ** 10))


def test_alpha_1_starts_from_the_mlp_alone_and_alpha_0_from_the_farthest_hop():
    assert weights(10, "ppr", 1.0).tolist() == [1] + [0] * 10
    assert weights(10, "ppr", 0.0).tolist() == [0] * 10 + [1]


@pytest.mark.parametrize("start", ["nppr", "random"])
def test_other_starts_have_sizes_that_add_up_to_one(start):
    torch.manual_seed(0)
    w = weights(10, start, -0.9)
    assert_close(w.abs().sum(), torch.tensor(1.0))
    assert (w < 0).any()


def test_nppr_weights_are_a_geometric_series():
    w = weights(6, "nppr", -0.5)
    assert_close(w[1:] / w[:-1], torch.full((6,), -0.5))


def test_an_unknown_start_is_refused():
    with pytest.raises(ValueError, match="start must be"):
        weights(3, "ones", 0.1)


def test_directed_follows_the_arcs_and_not_their_reverse():
    """Two arcs into node 2: with self-loops its row is (1/sqrt 3, 1/sqrt 3, 1/3), and it sends to nobody."""
    arcs = np.array([[0, 1], [2, 2]])
    X = torch.eye(3, dtype=torch.float64)
    model = GPRGNN(Config(K=1, alpha=0.0, directed=True), 3, 3).double().eval()
    model.mlp = nn.Identity()
    Z = model(GPRGNN.prepare(Graph.from_edges(arcs), X, model.config, arcs))
    third = 3**-0.5
    assert_close(Z, torch.tensor([[1, 0, 0], [0, 1, 0], [third, third, 1 / 3]], dtype=torch.float64))


def test_conventions_of_the_raw_data_need_the_raw_data():
    graph, X = Graph.from_edges([[0], [1]]), torch.zeros(2, 3)
    with pytest.raises(ValueError, match="needs the edges as they came"):
        GPRGNN.prepare(graph, X, Config(directed=True))


def test_the_filter_has_an_optimiser_group_of_its_own():
    groups = GPRGNN(Config(), 4, 2).groups()
    assert [p.numel() for p in groups["filter"]] == [11]
    assert len(groups["mlp"]) == 4
