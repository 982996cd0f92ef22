"""Edge tables in many batches: what is counted, what is refused, and where."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unifilter.data import files
from unifilter.data.edges import EdgeColumns, edge_columns, ids_in_edges, read_edges
from unifilter.data.files import open_table

COLUMNS = EdgeColumns("src", "dst", None)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(files, "BLOCK_ROWS", 3)
    monkeypatch.setattr(files, "BLOCK_BYTES", 32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("edges")


def table(folder, columns):
    pyarrow.parquet.write_table(pa.table(columns), folder / "e.parquet")
    return open_table(folder / "e.parquet")


@given(st.lists(st.tuples(*[st.none() | st.integers(0, 9)] * 2), min_size=1, max_size=40))
def test_known_edges_are_kept_in_order_and_the_others_counted(folder, pairs):
    known = [0, 2, 3, 5, 8, 9]
    wanted = [[known.index(u), known.index(v)] for u, v in pairs if u in known and v in known]
    ends = {name: pa.array([p[i] for p in pairs], pa.int64()) for i, name in enumerate(("src", "dst"))}
    if not wanted:
        with pytest.raises(ValueError, match="every edge must join two nodes"):
            read_edges(table(folder, ends), COLUMNS, pa.array(known), "n", strict=False)
        return
    edges = read_edges(table(folder, ends), COLUMNS, pa.array(known), "n", strict=False)
    assert edges.arcs.T.tolist() == wanted
    assert edges.arcs.dtype == np.int32
    assert (edges.rows, edges.unknown) == (len(pairs), len(pairs) - len(wanted))
    if edges.unknown:
        row = next(i for i, p in enumerate(pairs) if not set(p) <= set(known))
        assert edges.first_unknown == f"data row {row + 1}: {pairs[row][0]} -> {pairs[row][1]}"


def test_rows_are_counted_through_all_batches(folder):
    columns = {"src": [0] * 11, "dst": [1] * 10 + [9], "w": [1.0] * 8 + [-2.0] * 3}
    file = table(folder, columns)
    with pytest.raises(
        ValueError, match=r"1 of 11 in e.parquet do not \(first: data row 11: 0 -> 9\)\. Add the"
    ):
        read_edges(file, COLUMNS, pa.array([0, 1, 2]), "n", strict=True)
    with pytest.raises(ValueError, match=r"column 'w' must hold finite weights .* data row 9 is -2.0"):
        read_edges(file, COLUMNS._replace(weight="w"), pa.array([0, 1, 2]), "n", strict=False)


def test_bad_fields_and_headers_are_found_in_late_batches(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\n" + "0,1\n" * 50 + "0,one\n")
    with pytest.raises(ValueError, match="column 'dst' must hold whole numbers, .* data row 51 says 'one'"):
        read_edges(open_table(tmp_path / "e.csv"), COLUMNS, pa.array([0, 1]), "n", strict=False)
    (tmp_path / "e.csv").write_text("src,dst\n" + "a,b\n" * 50 + "src,dst\n")
    with pytest.raises(ValueError, match="e.csv repeats its header in data row 51"):
        read_edges(open_table(tmp_path / "e.csv"), COLUMNS, pa.array(["a", "b"]), "n", strict=False)


@pytest.mark.parametrize(
    ("nodes", "ends", "refused"),
    [
        ([0, 1, 2], [1, 2, 3], True),
        ([1, 2, 3], [0, 1, 2], True),
        ([0, 1, 2], [0, 1, 3], False),  # 0 has an edge, so 3 is simply unknown
        ([0, 1, 2], [1, 2, 4], False),
        ([0, 2, 5], [1, 2, 6], False),  # gaps: nothing can be said
    ],
)
def test_ids_off_by_one_are_refused_and_mere_unknowns_are_not(nodes, ends, refused, folder):
    pairs = [(u, v) for u in ends for v in ends]
    file = table(folder, {"src": [p[0] for p in pairs], "dst": [p[1] for p in pairs]})
    if refused:
        with pytest.raises(ValueError, match="it looks as if one counts from"):
            read_edges(file, COLUMNS, pa.array(nodes), "n", strict=False)
        assert read_edges(file, COLUMNS, pa.array(nodes), "n", strict=False, whole=False).unknown > 0
    else:
        assert read_edges(file, COLUMNS, pa.array(nodes), "n", strict=False).unknown > 0


@pytest.mark.parametrize("type", [pa.int32(), pa.uint64(), pa.string()])
def test_ids_of_edges_are_all_there_and_sorted(type, folder):
    numbers = np.random.default_rng(0).integers(0, 60, (2, 100))
    ends = {n: pa.array([*numbers[i].tolist(), None]).cast(type) for i, n in enumerate(("src", "dst"))}
    wanted = np.unique(numbers).tolist()
    if type == pa.string():
        wanted = sorted(str(i) for i in wanted)
    assert ids_in_edges(table(folder, ends), COLUMNS).to_pylist() == wanted


def test_edges_in_csv_name_their_nodes_too(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\n10,9\n9,\n2,10\n")
    assert ids_in_edges(open_table(tmp_path / "e.csv"), COLUMNS).to_pylist() == [2, 9, 10]
    (tmp_path / "e.csv").write_text("src,dst\n10,x\n9,\n2,10\n")
    assert ids_in_edges(open_table(tmp_path / "e.csv"), COLUMNS).to_pylist() == ["10", "2", "9", "x"]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"src": [0.5], "dst": [1]}, "column 'src' must hold whole numbers or text, but has type double"),
        ({"src": [0], "dst": [[1]]}, "column 'dst' must hold whole numbers or text, but has type list"),
        ({"src": [0], "dst": [1], "w": ["1"]}, "column 'w' must hold numbers, but has type string"),
        ({"src": [0]}, r"must have one column 'dst' \(target=\)"),
    ],
)
def test_columns_of_the_wrong_kind_are_refused_at_the_door(columns, said, folder):
    weight = "w" if "w" in columns else None
    with pytest.raises(ValueError, match=said):
        edge_columns(table(folder, columns), weight=weight)


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        (["x", "dst", "src"], ("src", "dst")),
        (["Source", "Target", "Weight"], ("Source", "Target")),
        (["kind", "FROM", "to"], ("FROM", "to")),
        (["u", "v", "from", "to"], ("from", "to")),
        (["payer", "paid"], ("payer", "paid")),
        (["payer", "w", "paid"], ("payer", "paid")),
    ],
)
def test_usual_names_are_found(names, ends, folder):
    weight = "w" if "w" in names else None
    assert edge_columns(table(folder, {name: [1] for name in names}), weight=weight)[:2] == ends


@pytest.mark.parametrize("names", [["payer", "paid", "when"], ["u", "U", "v"], ["from", "target", "x"]])
def test_nothing_is_guessed_among_unusual_names(names, folder):
    with pytest.raises(ValueError, match=r"must have one column 'src' \(source=\)"):
        edge_columns(table(folder, {name: [1] for name in names}))


def test_the_first_edge_of_a_file_without_a_header_is_not_taken_for_names(tmp_path):
    (tmp_path / "e.csv").write_text("ann,bob\nbob,cleo\n")
    with pytest.raises(ValueError, match="must have one column 'src'"):
        edge_columns(open_table(tmp_path / "e.csv"))
    assert edge_columns(open_table(tmp_path / "e.csv"), "ann", "bob") == ("ann", "bob", None)
