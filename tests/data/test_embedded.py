import numpy as np
import pytest

from unifilter import edge_homophily
from unifilter.data import embedded


def test_digits_is_a_homophilous_graph_of_images():
    digits = embedded.build("digits")
    assert (digits.n, digits.d, len(digits.classes)) == (1797, 64, 10)
    assert edge_homophily(digits.graph, digits.y, np.ones(1797, bool)) > 0.9
    assert 0 <= digits.features().min() <= digits.features().max() == 1


@pytest.mark.parametrize(("name", "h", "n"), [("sbm", 0.15, 2000), ("sbm:h=0.7,n=300", 0.7, 300)])
def test_a_block_model_has_the_homophily_in_its_name(name, h, n):
    sbm = embedded.build(name)
    assert sbm.n == n
    assert sbm.name == name
    assert edge_homophily(sbm.graph, sbm.y, np.ones(n, bool)) == pytest.approx(h, abs=1e-3)


def test_every_argument_reaches_the_block_model():
    sbm = embedded.build("sbm:n=400,h=0.5,classes=3,degree=6,d=7,power=2.5,signal=0,seed=4")
    assert (sbm.n, sbm.d, len(sbm.classes), sbm.graph.m) == (400, 7, 3, 1200)
    other = embedded.build("sbm:n=400,h=0.5,classes=3,degree=6,d=7,power=2.5,signal=0,seed=5")
    assert not np.array_equal(sbm.X, other.X)


@pytest.mark.parametrize("name", ["sbm:hh=0.2", "sbm:n=many", "sbm:0.3"])
def test_a_wrong_argument_is_named(name):
    with pytest.raises(ValueError, match="no argument of a block model"):
        embedded.build(name)
