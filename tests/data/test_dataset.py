import numpy as np
import pytest
import torch
from scipy.sparse import csr_array

from unifilter import Graph
from unifilter.data.dataset import Dataset


@pytest.fixture
def graph():
    return Graph.from_edges([[0, 1, 2], [1, 2, 3]])


def test_features_come_as_dense_blocks(graph):
    X = np.arange(8.0).reshape(4, 2)
    for given in (X, csr_array(X)):
        dataset = Dataset(graph, given, np.zeros(4, int))
        assert dataset.features().dtype == torch.float32
        np.testing.assert_array_equal(dataset.features(slice(1, 2)), X[:, 1:])
    block = Dataset(graph, X, np.zeros(4, int)).features()
    block[0, 0] = 99
    assert X[0, 0] == 0


def test_preprocessing_is_remembered(graph):
    dataset = Dataset(graph, np.ones((4, 2)), np.array([0, 1, 1, -1]))
    scaled = dataset.preprocess("row")
    assert repr(scaled) == "Dataset(unnamed: n=4, m=3, d=2, classes=2, unlabelled: 1, features: row)"
    assert (scaled.X == 0.5).all()
    assert dataset.preprocessing == "none"
    assert scaled.preprocess("none").preprocessing == "row"


def test_features_are_scaled_once(graph):
    """A second name would hide the first from records and newcomers."""
    dataset = Dataset(graph, np.ones((4, 2)), np.zeros(4, int), name="four")
    with pytest.raises(ValueError, match="those of four were scaled by 'row' before 'standard'"):
        dataset.preprocess("none").preprocess("row").preprocess("standard")


def test_nodes_in_no_fixed_mask_are_named(graph):
    mask = np.array([[True, False, False, False], [False, True, False, False]])
    dataset = Dataset(
        graph, np.ones((4, 2)), np.zeros(4, int), masks={"fixed_train": mask, "public_val": ~mask}
    )
    assert dataset.unassigned.tolist() == [2, 3]
    assert Dataset(graph, np.ones((4, 2)), np.zeros(4, int)).unassigned.tolist() == []


def test_labels_are_named_by_number_unless_they_have_names(graph):
    assert Dataset(graph, np.ones((4, 1)), np.array([0, 2, 1, -1])).classes == ("0", "1", "2")


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((3, 2)), np.zeros(4, int), "one row for each of the 4 nodes"),
        (np.array([["a"]] * 4), np.zeros(4, int), "must hold numbers"),
        (np.array([[1.0], [np.nan], [1.0], [1.0]]), np.zeros(4, int), r"X\[1, 0\] = nan"),
        (csr_array(np.array([[1.0], [0.0], [np.inf], [1.0]])), np.zeros(4, int), r"X\[2, 0\] = inf"),
        (np.ones((4, 2)), np.zeros(4), "-1 = unlabelled"),
        (np.ones((4, 2)), np.array([0, -2, 1, 1]), "but y has -2"),
    ],
)
def test_bad_input_is_named(graph, X, y, message):
    with pytest.raises(ValueError, match=message):
        Dataset(graph, X, y)


def test_a_class_without_a_name_is_refused(graph):
    with pytest.raises(ValueError, match="y names class 3, but there are only 2"):
        Dataset(graph, np.ones((4, 1)), np.array([0, 1, 2, 3]), classes=("a", "b"))
