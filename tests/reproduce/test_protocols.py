import numpy as np
import pytest

from unifilter.data.dataset import Dataset
from unifilter.data.embedded import build
from unifilter.data.splits import SEEDS
from unifilter.reproduce.protocols import SHARES, names, parse, trials

EMBEDDED = "sbm:n=120,h=0.8,classes=3"


def named(n=60, splits=10) -> Dataset:
    """A graph that came with fixed splits, by the name of one that does."""
    data = build(f"sbm:n={n},h=0.8,classes=3")
    order = np.random.default_rng(0).permuted(np.tile(np.arange(n), (splits, 1)), axis=1)
    parts = {"train": order < 30, "val": (order >= 30) & (order < 48), "test": order >= 48}
    masks = {f"fixed_{part}": mask for part, mask in parts.items()}
    return Dataset(data.graph, data.X, data.y, "cora", masks=masks)


@pytest.mark.parametrize("kind", SHARES)
@pytest.mark.parametrize("data", [build(EMBEDDED), named()], ids=["embedded", "named"])
def test_splits_are_found_again_by_the_names_that_their_records_bear(kind, data):
    drawn = [(t.split.name, t.split.seed) for t in trials(data, f"{kind}:4")]
    assert drawn == [(s.name, s.seed) for s in names(data.name, f"{kind}:4")]


def test_the_second_reading_has_the_shares_of_the_first():
    split = trials(build("sbm:n=1000,h=0.8,classes=4"), "quota48:1")[0].split
    np.testing.assert_allclose(split.shares, (0.48, 0.32, 0.2), atol=0.01)
    assert split.seed == SEEDS[0]


@pytest.mark.parametrize("data", [build(EMBEDDED), named()], ids=["embedded", "named"])
def test_random_splits_have_their_shares_of_the_whole_graph(data):
    for seed, (split, _) in enumerate(trials(data, "random:3")):
        assert (split.name, split.seed) == ("random 0.6/0.2", seed)
        np.testing.assert_allclose(split.shares, (0.6, 0.2, 0.2))


@pytest.mark.parametrize(
    "wrong", ["quota", "quota:0", "quota:11", "random", "random:11", "thirds:3", "fixed:x"]
)
def test_a_wrong_protocol_is_refused_with_those_that_there_are(wrong):
    with pytest.raises(ValueError, match=r"quota48.*from 1 to 10"):
        parse(wrong)
