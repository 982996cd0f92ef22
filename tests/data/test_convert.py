"""SciPy, PyTorch Geometric and DGL: there and back."""

from dataclasses import replace

import networkx
import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from torch_geometric.data import Data, HeteroData

from unifilter import Graph
from unifilter.data import splits
from unifilter.data.dataset import Dataset

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


def assert_same(a: Dataset, b: Dataset) -> None:
    np.testing.assert_array_equal(a.graph.to_scipy().toarray(), b.graph.to_scipy().toarray())
    assert a.graph.weighted == b.graph.weighted
    np.testing.assert_array_equal(a.features(), b.features())
    np.testing.assert_array_equal(a.y, b.y)
    assert a.classes == b.classes
    assert (a.ids is None) == (b.ids is None)
    if a.ids is not None:
        assert a.ids.to_pylist() == b.ids.to_pylist()


@st.composite
def datasets(draw):
    """Nine nodes, any edges, maybe weights, dense or sparse features, labels with gaps, some ids."""
    pairs = np.array(draw(PAIRS), np.int64).reshape(-1, 2).T
    # Eighths, so that float32 holds them and their sums exactly.
    m = pairs.shape[1]
    weights = draw(st.none() | st.lists(st.integers(1, 80), min_size=m, max_size=m))
    d = draw(st.integers(0, 3))
    finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
    X = np.array(draw(st.lists(finite, min_size=9 * d, max_size=9 * d)), np.float32).reshape(9, d)
    names = draw(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4, unique=True))
    y = np.array(draw(st.lists(st.integers(-1, len(names) - 1), min_size=9, max_size=9)))
    return Dataset(
        Graph.from_edges(pairs, 9, None if weights is None else np.array(weights) / 8),
        csr_array(X) if draw(st.booleans()) else X,
        y,
        "drawn",
        classes=tuple(names),
        ids=draw(st.sampled_from([None, pa.array(range(10, 19)), pa.array([f"n{i}" for i in range(9)])])),
        columns=tuple(f"c{j}" for j in range(d)),
    )


@given(datasets())
def test_pyg_gives_back_what_it_got(dataset):
    back = Dataset.from_pyg(dataset.to_pyg(), dataset.name)
    assert_same(back, dataset)
    if dataset.ids is not None:
        assert back.ids.type == dataset.ids.type


@given(datasets())
def test_scipy_gives_back_what_it_got(dataset):
    A = dataset.graph.to_scipy()
    back = Dataset.from_scipy(A, dataset.X, dataset.y, classes=dataset.classes, ids=dataset.ids)
    if dataset.graph.weighted and (A.data == 1).all():  # ones in a matrix are no weights
        assert not back.graph.weighted
        dataset = replace(dataset, graph=back.graph)
    assert_same(back, dataset)
    np.testing.assert_array_equal(back.graph.to_scipy().toarray(), A.toarray())


@pytest.mark.parametrize("splits", [1, 3])
def test_masks_become_the_fixed_splits_and_back(splits, generator):
    part = generator.integers(0, 3, (splits, 5))
    masks = {f"fixed_{name}": part == i for i, name in enumerate(("train", "val", "test"))}
    graph = Graph.from_edges([[0, 1], [1, 2]], n=5)
    dataset = Dataset(graph, np.eye(5), np.array([0, 1, 0, 1, 0]), masks=masks)
    data = dataset.to_pyg()
    assert data.train_mask.shape == ((5,) if splits == 1 else (5, splits))
    back = Dataset.from_pyg(data)
    assert set(back.masks) == set(masks)
    for name, mask in masks.items():
        np.testing.assert_array_equal(back.masks[name], mask)


def test_pyg_edges_keep_direction_duplicates_and_loops_as_arcs():
    edge_index = torch.tensor([[0, 0, 2], [1, 1, 2]])
    dataset = Dataset.from_pyg(Data(edge_index=edge_index, num_nodes=4))
    assert dataset.arcs.tolist() == edge_index.tolist()
    assert (dataset.graph.m, dataset.graph.duplicates, dataset.graph.self_loops) == (1, 1, 1)
    assert dataset.X.shape == (4, 0)
    assert dataset.y.tolist() == [-1] * 4


def test_sparse_features_of_pyg_stay_sparse():
    x = torch.eye(3).to_sparse()
    dataset = Dataset.from_pyg(Data(x=x, edge_index=torch.tensor([[0], [1]])))
    assert isinstance(dataset.X, csr_array)
    np.testing.assert_array_equal(dataset.X.toarray(), np.eye(3))


def test_one_mask_beside_several_is_a_part_of_each_split():
    train, val = (torch.rand(4, 3, generator=torch.Generator().manual_seed(i)) < 0.5 for i in range(2))
    masks = {"train_mask": train, "val_mask": val & ~train, "test_mask": torch.zeros(4, dtype=torch.bool)}
    data = Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 1, 0, 1]), num_nodes=4, **masks)
    dataset = Dataset.from_pyg(data)
    assert {mask.shape for mask in dataset.masks.values()} == {(3, 4)}
    assert splits.fixed(dataset, 2).train.tolist() == train[:, 2].tolist()
    data.val_mask = val[:, :2]
    with pytest.raises(ValueError, match="as many splits, or one for all, but are of {'train': 3, 'val': 2,"):
        Dataset.from_pyg(data)


@pytest.mark.parametrize(
    ("y", "wanted"),
    [
        (torch.tensor([[1], [0], [2]]), [1, 0, 2]),
        (torch.tensor([1.0, float("nan"), 0.0]), [1, -1, 0]),
        (torch.tensor([1, -1, 0], dtype=torch.int8), [1, -1, 0]),
    ],
)
def test_labels_of_pyg_come_in_several_shapes(y, wanted):
    data = Data(edge_index=torch.tensor([[0], [1]]), y=y, num_nodes=3)
    assert Dataset.from_pyg(data).y.tolist() == wanted


@pytest.mark.parametrize(
    ("data", "error", "said"),
    [
        (HeteroData(), TypeError, "got HeteroData. .*to_homogeneous"),
        ([Data()], TypeError, r"got list\. A dataset's graph is dataset\[0\]"),
        (Data(x=torch.eye(2)), ValueError, "data must have an edge_index, but has x"),
        (
            Data(edge_index=torch.tensor([[0], [1]]), y=torch.eye(2), num_nodes=2),
            ValueError,
            r"one class a node, but has shape \(2, 2\)",
        ),
        (
            Data(edge_index=torch.tensor([[0], [1]]), y=torch.tensor([1.0, 2.5]), num_nodes=2),
            ValueError,
            "y must name classes, but node 1 has 2.5",
        ),
    ],
)
def test_what_is_no_node_classification_in_pyg_is_refused(data, error, said):
    with pytest.raises(error, match=said):
        Dataset.from_pyg(data)


class Stand:
    """What from_dgl asks of a DGL graph; DGL itself has no wheels for recent torch."""

    is_homogeneous = True

    def __init__(self):
        self.ndata = {"feat": torch.eye(3), "label": torch.tensor([0, 1, -1])}
        self.ndata |= {f"{p}_mask": torch.arange(3) == i for i, p in enumerate(("train", "val", "test"))}
        self.edata = {"w": torch.tensor([0.5, 2.0])}

    def edges(self):
        return torch.tensor([0, 1]), torch.tensor([1, 2])

    def num_nodes(self):
        return 3


def graphs():
    yield Stand()
    try:
        import dgl
    except Exception:  # not there, or built for another torch
        return
    g = dgl.graph(([0, 1], [1, 2]), num_nodes=3)
    g.ndata.update(Stand().ndata)
    g.edata.update(Stand().edata)
    yield g


@pytest.mark.parametrize("g", list(graphs()), ids=lambda g: type(g).__name__)
def test_dgl_gives_graph_features_labels_weights_and_masks(g):
    dataset = Dataset.from_dgl(g, weight="w")
    assert dataset.graph.to_scipy().toarray().tolist() == [[0, 0.5, 0], [0.5, 0, 2], [0, 2, 0]]
    np.testing.assert_array_equal(dataset.X, np.eye(3))
    assert dataset.y.tolist() == [0, 1, -1]
    assert dataset.masks["fixed_val"].tolist() == [[False, True, False]]
    assert dataset.arcs.tolist() == [[0, 1], [1, 2]]
    assert Dataset.from_dgl(g, label=None, features=None).X.shape == (3, 0)
    with pytest.raises(
        ValueError, match="the graph has no data 'x', only feat, label, .*Name another, or None"
    ):
        Dataset.from_dgl(g, features="x")


def test_dgl_graphs_of_several_kinds_are_refused():
    g = Stand()
    g.is_homogeneous = False
    with pytest.raises(ValueError, match="one kind of nodes and edges; see dgl.to_homogeneous"):
        Dataset.from_dgl(g)


def test_a_directed_matrix_keeps_its_arcs():
    dataset = Dataset.from_scipy(csr_array([[0, 2.0], [0, 0]]))
    assert dataset.arcs.tolist() == [[0], [1]]
    assert dataset.graph.to_scipy().toarray().tolist() == [[0, 2], [2, 0]]
    assert dataset.y.tolist() == [-1, -1]


def test_stored_zeros_and_weights_of_0_are_no_arcs():
    """Models that use direction would propagate along them."""
    A = csr_array(([1.0, 0.0, 2.0], ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    weights = torch.tensor([1.0, 0.0, 2.0])
    pyg = Data(edge_index=torch.tensor([[0, 0, 1], [1, 2, 2]]), edge_weight=weights, num_nodes=3)
    G = networkx.DiGraph()
    G.add_weighted_edges_from([(0, 1, 1.0), (0, 2, 0.0), (1, 2, 2.0)])
    for data in (Dataset.from_scipy(A), Dataset.from_pyg(pyg), Dataset.from_networkx(G, weight="weight")):
        assert data.arcs.tolist() == [[0, 1], [1, 2]]
