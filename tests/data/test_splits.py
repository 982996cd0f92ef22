import numpy as np
import pytest

from unifilter.data import read_tables, splits
from unifilter.data.dataset import Dataset
from unifilter.graph import Graph
from unifilter.graph.synthetic import block_model


@pytest.fixture
def y(generator):
    return generator.choice(4, 1000, p=[0.5, 0.3, 0.15, 0.05])


def released_split(y, train, val, seed):
    """What the released code draws, step by step, with its lists."""
    classes, n = int(np.max(y)) + 1, y.shape[0]
    quota, wanted = round(train * n / classes), round(val * n)
    state = np.random.RandomState(seed)
    training = []
    for c in range(classes):
        members = np.where(y == c)[0]
        training.extend(members if len(members) < quota else state.choice(members, quota, replace=False))
    rest = [i for i in range(n) if i not in set(training)]
    validation = state.choice(rest, wanted, replace=False)
    test = [i for i in rest if i not in set(validation)]
    return training, validation, test


ALL = [
    lambda y: splits.quota(y),
    lambda y: splits.quota(y, 0.48, 0.32, seed=3),
    lambda y: splits.stratified(y),
    lambda y: splits.random(y),
    lambda y: splits.per_class(y, k=10, val=100, test=200),
]


@pytest.mark.parametrize("draw", ALL)
def test_the_three_parts_are_disjoint_and_leave_out_the_unlabelled(draw, y):
    y[::7] = -1
    split = draw(y)
    total = split.train.astype(int) + split.val + split.test
    assert total.max() == 1
    assert not total[y < 0].any()
    assert all(part.any() for part in split[:3])
    assert split.shares == pytest.approx([part.mean() for part in split[:3]])


@pytest.mark.parametrize("draw", ALL)
def test_the_same_seed_draws_the_same_nodes(draw, y):
    one, other = draw(y), draw(y)
    np.testing.assert_array_equal(one.train, other.train)
    np.testing.assert_array_equal(one.test, other.test)


@pytest.mark.parametrize("seed", splits.SEEDS)
@pytest.mark.parametrize("shares", [(0.6, 0.2), (0.48, 0.32)])
def test_quota_draws_what_the_released_code_draws(seed, shares, y):
    split = splits.quota(y, *shares, seed=seed)
    for mask, nodes in zip(split[:3], released_split(y, *shares, seed), strict=True):
        np.testing.assert_array_equal(np.flatnonzero(mask), np.sort(nodes))


def test_quota_gives_small_classes_wholly_to_training(y):
    split = splits.quota(y)
    counts = np.bincount(y[split.train], minlength=4)
    assert counts[:1].tolist() == [150]
    assert counts[3] == (y == 3).sum()
    assert not (split.test & (y == 3)).any()
    assert split.val.sum() == 200


def test_stratified_keeps_the_shares_of_every_class(y):
    split = splits.stratified(y, 0.5, 0.25, seed=1)
    for c in range(4):
        assert split.train[y == c].mean() == pytest.approx(0.5, abs=0.02)
        assert split.val[y == c].mean() == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("train", "val"), [(0.6, 0.2), (0.48, 0.32), (0.025, 0.025), (0.8, 0.2)])
def test_random_takes_its_shares_of_all_labelled_nodes(train, val, y):
    y[::7] = -1
    n = int((y >= 0).sum())
    split = splits.random(y, train, val, seed=2)
    assert split.train.sum() == round(train * n)
    assert split.val.sum() == round(val * n)
    assert (split.train | split.val | split.test).sum() == n
    assert split.name == f"random {train:g}/{val:g}"
    assert split.seed == 2


def test_random_asks_for_no_class(y):
    """Another seed gives classes other numbers, and the same nodes are drawn whatever they are called."""
    drawn = [splits.random(y, seed=seed) for seed in range(20)]
    counts = np.array([np.bincount(y[split.train], minlength=4) for split in drawn])
    assert (counts.std(axis=0) > 1).all()
    np.testing.assert_allclose(counts.mean(axis=0), 0.6 * np.bincount(y), rtol=0.1)
    renamed = splits.random(np.roll(y, 5), seed=3)
    np.testing.assert_array_equal(renamed.train, drawn[3].train)
    assert not np.array_equal(drawn[3].train, drawn[4].train)


def test_random_may_leave_a_class_out_of_training_but_never_everyone():
    y = np.array([0] * 50 + [1])
    assert not all(splits.random(y, seed=seed).train[50] for seed in range(10))
    assert splits.random(y, train=0.0).train.sum() == 1


def test_a_single_node_of_a_class_trains():
    split = splits.stratified(np.array([0] * 50 + [1]))
    assert split.train[50]


@pytest.mark.parametrize("shares", [(0.6, 0.2), (0.8, 0.1), (0.1, 0.1), (0.5, 0.45)])
def test_three_nodes_of_a_class_are_enough_for_every_part(shares):
    y = np.repeat([0, 1, 2], [3, 4, 40])
    for seed in range(5):
        split = splits.stratified(y, *shares, seed=seed)
        for part in split[:3]:
            assert (np.bincount(y[part], minlength=3) > 0).all()


def test_a_part_that_is_to_be_empty_stays_so():
    split = splits.stratified(np.repeat([0, 1], [3, 40]), 0.8, 0.2)
    assert not split.test.any()


def test_classes_of_more_nodes_are_divided_as_they_always_were():
    """Committed records name such splits by their seeds."""
    for size in range(4, 200):
        y = np.repeat([0, 1], size)
        split, draw = splits.stratified(y, seed=7), np.random.default_rng(7)
        for c in range(2):
            members = draw.permutation(np.flatnonzero(y == c))
            first, second = round(0.6 * size), round(0.6 * size) + round(0.2 * size)
            parts = members[:first], members[first:second], members[second:]
            for mask, nodes in zip(split[:3], parts, strict=True):
                np.testing.assert_array_equal(np.flatnonzero(mask & (y == c)), np.sort(nodes))


def test_per_class_takes_k_of_each(y):
    assert np.bincount(y[splits.per_class(y, 7, 50, 60).train]).tolist() == [7] * 4


def test_names_tell_what_they_are(y):
    assert splits.quota(y, seed=5).name == "quota 0.6/0.2"
    assert splits.quota(y, seed=5).seed == 5
    assert splits.per_class(y, 7, 50, 60).name == "per_class 7"


def test_splits_that_came_with_the_data_are_read(generator):
    graph, X, y = block_model(60, 0.5, generator=generator)
    parts = generator.integers(0, 3, (2, 60))
    masks = {f"fixed_{p}": parts == i for i, p in enumerate(("train", "val", "test"))}
    dataset = Dataset(graph, X, y, "mine", masks=masks)
    split = splits.fixed(dataset, 1)
    np.testing.assert_array_equal(split.val, parts[1] == 1)
    assert split.name == "fixed:1"
    with pytest.raises(ValueError, match="splits 0 to 1, but 2"):
        splits.fixed(dataset, 2)
    with pytest.raises(ValueError, match="mine has no public split; it comes with fixed"):
        splits.public(dataset)


def test_a_node_of_two_parts_is_no_split():
    nodes, y = np.arange(9), np.array([0, 1, 2] * 3)
    masks = {f"fixed_{p}": (nodes // 3 == i)[None] for i, p in enumerate(("train", "val", "test"))}
    dataset = Dataset(Graph.from_edges([[0], [1]], n=9), np.eye(9), y, "mine", masks=masks)
    assert splits.fixed(dataset).test.nonzero()[0].tolist() == [6, 7, 8]
    masks["fixed_test"][0, 1] = True
    with pytest.raises(ValueError, match=r"those of 'fixed' share 1 \(first: node 1\)"):
        splits.fixed(dataset)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda y: splits.quota(y, 0.9, 0.5), "too few for 500 validation nodes"),
        (lambda y: splits.quota(y, 1.5), r"train must lie in \[0, 1\]"),
        (lambda y: splits.per_class(y, 300), "cannot give 300"),
        (lambda y: splits.per_class(y, 5, 900, 900), "left for 900"),
    ],
)
def test_what_cannot_be_drawn_is_said(draw, message, y):
    with pytest.raises(ValueError, match=message):
        draw(y)


def test_shares_that_are_too_much_counts_below_nothing_and_no_labels_at_all_are_refused():
    y = np.arange(100) % 4
    for split in (splits.stratified, splits.random):
        with pytest.raises(ValueError, match=r"0.8 and 0.5 are too much"):
            split(y, 0.8, 0.5)
    with pytest.raises(ValueError, match="val must not be negative"):
        splits.per_class(y, 5, -5, 10)
    for split in (splits.stratified, splits.quota, splits.random):
        with pytest.raises(ValueError, match="every node is unlabelled"):
            split(np.full(10, -1))


def test_a_column_of_a_table_is_a_split(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\na,b\nb,c\n")
    (tmp_path / "n.csv").write_text("id,x,label,part\na,1,u,train\nb,2,v,val\nc,3,u,test\n")
    dataset = read_tables(tmp_path / "e.csv", tmp_path / "n.csv", split="Part")
    assert [mask.tolist() for mask in splits.column(dataset)[:3]] == np.eye(3, dtype=bool).tolist()
    dataset.save(tmp_path / "saved")
    assert splits.column(Dataset.load(tmp_path / "saved")).val.tolist() == [False, True, False]
    with pytest.raises(ValueError, match="must be a column of the node table, but there is no such table"):
        read_tables(tmp_path / "e.csv", split="part")
    with pytest.raises(ValueError, match="has no column split"):
        splits.column(read_tables(tmp_path / "e.csv", tmp_path / "n.csv"))
