"""Edge tables in many batches: what is counted, what is refused, and where."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unifilter.data import files
from unifilter.data.edges import EdgeColumns, edge_columns, ids_in_edges, open_edges, read_edges
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
            read_edges([table(folder, ends)], COLUMNS, pa.array(known), "n", strict=False)
        return
    edges = read_edges([table(folder, ends)], COLUMNS, pa.array(known), "n", strict=False)
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
        read_edges([file], COLUMNS, pa.array([0, 1, 2]), "n", strict=True)
    with pytest.raises(ValueError, match=r"column 'w' must hold finite weights .* data row 9 is -2.0"):
        read_edges([file], COLUMNS._replace(weight="w"), pa.array([0, 1, 2]), "n", strict=False)


def test_bad_fields_and_headers_are_found_in_late_batches(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\n" + "0,1\n" * 50 + "0,one\n")
    with pytest.raises(ValueError, match="column 'dst' must hold whole numbers, .* data row 51 says 'one'"):
        read_edges([open_table(tmp_path / "e.csv")], COLUMNS, pa.array([0, 1]), "n", strict=False)
    (tmp_path / "e.csv").write_text("src,dst\n" + "a,b\n" * 50 + "src,dst\n")
    with pytest.raises(ValueError, match="e.csv repeats its header in data row 51"):
        read_edges([open_table(tmp_path / "e.csv")], COLUMNS, pa.array(["a", "b"]), "n", strict=False)


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
            read_edges([file], COLUMNS, pa.array(nodes), "n", strict=False)
        assert read_edges([file], COLUMNS, pa.array(nodes), "n", strict=False, whole=False).unknown > 0
    else:
        assert read_edges([file], COLUMNS, pa.array(nodes), "n", strict=False).unknown > 0


@pytest.mark.parametrize("type", [pa.int32(), pa.uint64(), pa.string()])
def test_ids_of_edges_are_all_there_and_sorted(type, folder):
    numbers = np.random.default_rng(0).integers(0, 60, (2, 100))
    ends = {n: pa.array([*numbers[i].tolist(), None]).cast(type) for i, n in enumerate(("src", "dst"))}
    wanted = np.unique(numbers).tolist()
    if type == pa.string():
        wanted = sorted(str(i) for i in wanted)
    assert ids_in_edges([table(folder, ends)], COLUMNS).to_pylist() == wanted


def test_edges_in_csv_name_their_nodes_too(tmp_path):
    (tmp_path / "e.csv").write_text("src,dst\n10,9\n9,\n2,10\n")
    assert ids_in_edges([open_table(tmp_path / "e.csv")], COLUMNS).to_pylist() == [2, 9, 10]
    (tmp_path / "e.csv").write_text("src,dst\n10,x\n9,\n2,10\n")
    assert ids_in_edges([open_table(tmp_path / "e.csv")], COLUMNS).to_pylist() == ["10", "2", "9", "x"]


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


@pytest.fixture
def halves(tmp_path):
    """An edge list in two files of different formats and orders of columns."""
    (tmp_path / "a.csv").write_text("src,dst,w\n" + "0,1,2\n" * 4 + "1,9,1\n")
    pyarrow.parquet.write_table(pa.table({"w": [3, 4], "dst": [2, 8], "src": [1, 1]}), tmp_path / "b.parquet")
    return [tmp_path / "a.csv", tmp_path / "b.parquet"]


def test_several_tables_are_read_as_one(halves):
    files, columns = open_edges(halves, weight="w")
    edges = read_edges(files, columns, pa.array([0, 1, 2]), "n", strict=False)
    assert edges.arcs.T.tolist() == [[0, 1]] * 4 + [[1, 2]]
    assert edges.weights.tolist() == [2, 2, 2, 2, 3]
    assert (edges.rows, edges.each, edges.unknown) == (7, (5, 2), 2)
    assert edges.first_unknown == "a.csv, data row 5: 1 -> 9"
    assert ids_in_edges(files, columns).to_pylist() == [0, 1, 2, 8, 9]
    with pytest.raises(ValueError, match=r"1 of 5 in a.csv do not \(first: data row 5"):
        read_edges(files, columns, pa.array([0, 1, 2]), "n", strict=True)
    with pytest.raises(ValueError, match=r"2 of 2 in b.parquet do not .* written alike"):
        read_edges(files, columns, pa.array([0, 1]), "n", strict=False)


def test_ids_that_are_off_by_one_are_told_from_all_tables_together(tmp_path):
    (tmp_path / "a.csv").write_text("src,dst\n1,2\n")
    (tmp_path / "b.csv").write_text("src,dst\n2,3\n1,2\n")
    files, columns = open_edges([tmp_path / "a.csv", tmp_path / "b.csv"])
    with pytest.raises(ValueError, match="the ids in a.csv and b.csv run from 1 to 3"):
        read_edges(files, columns, pa.array([0, 1, 2]), "n", strict=False)
    (tmp_path / "a.csv").write_text("src,dst\n0,2\n")
    read_edges(files, columns, pa.array([0, 1, 2]), "n", strict=False)


def test_all_tables_have_the_columns_of_the_first(halves, tmp_path):
    (tmp_path / "c.csv").write_text("from,to\n0,1\n")
    with pytest.raises(ValueError, match=r"c.csv must have one column 'src' \(source=\)"):
        open_edges([*halves, tmp_path / "c.csv"])
    with pytest.raises(ValueError, match="the list is empty"):
        open_edges([])


@pytest.mark.parametrize(
    ("nodes", "ends", "cause"),
    [
        (["007", "008", "9"], ["7", "8", "9"], "leading zeros"),
        (["a", "b", "c "], [" a", "b", "c"], "blanks"),
        (["A1", "B2", "c"], ["a1", "b2", "c"], "capital letters"),
        (["07", "8", "9"], ["7 ", "8", "9"], "leading zeros"),
        (["a", "b", "c"], ["x", "y", "c"], ""),
        (["a", "b", "c"], [None, "b", "c"], ""),
        ([0, 1, 2], [7, 1, 2], ""),
    ],
)
def test_blanks_zeros_and_capitals_are_found_to_be_why_ends_are_unknown(nodes, ends, cause, folder):
    file = table(folder, {"src": ends, "dst": [nodes[-1] if ends[-1] != nodes[-1] else ends[-1]] * 3})
    assert read_edges([file], COLUMNS, pa.array(nodes), "n", strict=False).cause == cause


def test_why_nothing_is_left_is_said(folder):
    file = table(folder, {"src": ["1", "2"], "dst": ["2", "3"]})
    with pytest.raises(ValueError, match="These ends are nodes but for leading zeros. Ids must be written"):
        read_edges([file], COLUMNS, pa.array(["01", "02", "03"]), "n", strict=False)
