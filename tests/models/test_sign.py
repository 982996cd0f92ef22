import pytest
import torch
from torch.testing import assert_close

from helpers import dense
from unifilter.models.sign import SIGN, Config


def hops(graph, X, K, self_loops=True):
    P = dense(graph, self_loops)
    return [torch.linalg.matrix_power(P, k) @ X for k in range(K + 1)]


@pytest.mark.parametrize("self_loops", [True, False])
def test_rows_hold_every_hop(graph, X, self_loops):
    inputs = SIGN.prepare(graph, X, Config(K=3, self_loops=self_loops))
    assert_close(inputs.X, torch.stack(hops(graph, X, 3, self_loops), dim=1))
    assert inputs.independent_rows


def test_in_float32_V_gives_what_products_give(graph, X):
    found = SIGN.prepare(graph, X.float(), Config(K=5)).X
    assert_close(found, torch.stack(hops(graph, X, 5), dim=1).float(), rtol=1e-5, atol=1e-6)
    assert (found[:, :, 7] == 0).all()  # a column of zeros stays one


def test_the_paper_s_network_has_a_map_for_every_hop(graph, X):
    torch.manual_seed(0)
    model = SIGN(Config(K=2, mixing="paper", hidden=5), 20, 3).double().eval()
    inputs = SIGN.prepare(graph, X, model.config)
    parts = [torch.relu(f(H)) for f, H in zip(model.net.maps, hops(graph, X, 2), strict=True)]
    last = model.net.head[-1]
    assert_close(model(inputs), torch.cat(parts, dim=1) @ last.weight.T + last.bias)


def test_the_released_network_sums_the_maps_before_the_nonlinearity(graph, X):
    torch.manual_seed(0)
    model = SIGN(Config(K=2, hidden=5, layers=2, batch_norm=False), 20, 3).double().eval()
    first, last = (m for m in model.net if isinstance(m, torch.nn.Linear))
    maps = first.weight.split(20, dim=1)
    H = sum(h @ W.T for h, W in zip(hops(graph, X, 2), maps, strict=True)) + first.bias
    wanted = torch.relu(H) @ last.weight.T + last.bias
    assert_close(model(SIGN.prepare(graph, X, model.config)), wanted)


def test_the_released_network_normalises_and_drops_after_every_hidden_layer():
    model = SIGN(Config(), 20, 3)
    kinds = [type(m).__name__ for m in model.net]
    hidden = ["Linear", "BatchNorm1d", "ReLU", "Dropout"]
    assert kinds == ["Flatten", *hidden, *hidden, "Linear"]


def test_an_unknown_mixing_is_refused():
    with pytest.raises(ValueError, match='mixing must be "released" or "paper"'):
        Config(mixing="sum")
