"""A committee's probabilities are the mean of its members'."""

import pytest
import torch
from torch.testing import assert_close

from unifilter.data import load
from unifilter.models import create
from unifilter.models.committee import Committee, Config


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=80,h=0.3,d=6,seed=2")


def test_the_vote_is_the_mean_of_probabilities(data):
    config = Config(K=3, members=({"hidden": 8, "layers": 1}, {"hidden": 4, "tau": 0.2}))
    net = Committee(config, data.d, 5, h=0.3).eval()
    inputs = Committee.prepare(data.graph, data.features(), config)
    each = torch.stack([torch.softmax(m(inputs), dim=1) for m in net.members])
    assert_close(net(inputs).exp(), each.mean(dim=0))
    assert not torch.allclose(each[0], each[1], atol=1e-3)


def test_one_member_decides_alone(data):
    net = create("committee", data.d, 5, K=3, members=[{"hidden": 8}]).eval()
    inputs = Committee.prepare(data.graph, data.features(), net.config)
    assert_close(net(inputs), torch.log_softmax(net.members[0](inputs), dim=1))


def test_what_is_learned_is_told_as_a_mean(data):
    net = create("committee", data.d, 5, K=2, members=[{"tau": 0.2}, {"tau": 0.6}])
    assert net.learned()["tau"] == pytest.approx(0.4)
    assert set(net.groups()) == {"mlp", "filter", "shares"}
    assert sum(len(g) for g in net.groups().values()) == len(list(net.parameters()))


def test_members_may_have_fewer_hops_but_not_more(data):
    config = Config(K=4, members=({"K": 2}, {}))
    assert [c.K for c in config.configs()] == [2, 4]
    net = Committee(config, data.d, 5).eval()
    inputs = Committee.prepare(data.graph, data.features(), config)
    near = net.members[0]
    assert_close(near(inputs), near(near.prepare(data.graph, data.features(), near.config)))
    assert {"w_2", "w_4"} < set(net.learned())
    with pytest.raises(ValueError, match="K = 4 hops"):
        Config(K=4, members=({"K": 5},))


def test_a_committee_of_nobody_is_refused():
    with pytest.raises(ValueError, match="at least one member"):
        Config(members=())


def test_it_answers_in_the_precision_it_is_asked_in(data):
    config = Config(K=2, members=({"hidden": 8}, {"hidden": 4}))
    for dtype in (torch.float32, torch.float64):
        model = Committee(config, data.d, 3).to(dtype).eval()
        found = model(Committee.prepare(data.graph, data.features().to(dtype), config))
        assert found.dtype == dtype
        wrong = (found.exp().sum(dim=1) - 1).abs().max()
        assert wrong < 8 * torch.finfo(dtype).eps
