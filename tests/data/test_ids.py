"""Ids of every kind, looked up in each of the three ways: directly, by Arrow, by our hash table."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unifilter.data import ids as module
from unifilter.data.ids import NodeIndex, common_type, node_ids

WHOLE = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9), min_size=1, max_size=40)
TEXT = st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=40)


@pytest.fixture(params=["as it comes", "hashed"])
def way(request, monkeypatch):
    if request.param == "hashed":
        monkeypatch.setattr(module, "FEW", 0)
        monkeypatch.setattr(module, "GAPS", 0)


@pytest.mark.parametrize("few", [0, 1 << 16])
@given(WHOLE | TEXT, st.data())
def test_an_id_gives_its_first_node_and_others_give_none(few, ids, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        other = WHOLE if isinstance(ids[0], int) else TEXT
        asked = data.draw(st.lists(st.sampled_from(ids) | st.none(), max_size=20)) + data.draw(other)
        index = NodeIndex(pa.array(ids))
        got = index.numbers(pa.array(asked, index.type))
    assert got.tolist() == [ids.index(v) if v in ids else -1 for v in asked]
    assert got.dtype == np.int32


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("type", [pa.int64(), pa.uint64(), pa.large_string()], ids=str)
def test_slices_and_missing_values_are_looked_up_as_what_they_are(type):
    ids = pa.array([5, 70000000, 3, 9]).cast(type)
    index = NodeIndex(ids.slice(1))
    values = pa.array([None, 5, 9, None, 3, 70000000]).cast(type)
    assert index.type == type
    assert index.numbers(values).tolist() == [-1, -1, 2, -1, 1, 0]
    assert index.numbers(values.slice(2, 3)).tolist() == [2, -1, 1]
    assert index.numbers(values.slice(0, 0)).tolist() == []


def test_a_missing_value_is_no_node_even_if_bytes_hide_behind_it(monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)
    ids = pa.array(["ab", "c"], pa.large_string())
    _, offsets, data = ids.buffers()
    hidden = pa.Array.from_buffers(pa.large_string(), 2, [pa.py_buffer(b"\x02"), offsets, data])
    assert hidden.to_pylist() == [None, "c"]
    assert NodeIndex(ids).numbers(hidden).tolist() == [-1, 1]


@pytest.mark.usefixtures("way")
def test_repeated_ids_are_found_by_their_first_row():
    assert NodeIndex(pa.array(["a", "b", "a", "b", "c"])).first_rows().tolist() == [0, 1, 0, 1, 4]
    assert NodeIndex(pa.array([7, 7, 1, 7])).first_rows().tolist() == [0, 0, 2, 0]


def test_many_ids_agree_with_arrow(generator):
    """Past FEW, so that the real thresholds are in force."""
    n = module.FEW + 5000
    ids = pa.array(generator.permutation(10 * n)[:n]).cast(pa.large_string())
    asked = pa.array(generator.integers(0, 10 * n, 50_000)).cast(pa.large_string())
    index = NodeIndex(ids)
    wanted = pc.fill_null(pc.index_in(asked, value_set=ids), -1).to_numpy()
    np.testing.assert_array_equal(index.numbers(asked), wanted)
    assert 0 < (wanted >= 0).sum() < wanted.size


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ((pa.int32(), pa.int64(), pa.uint8()), pa.int64()),
        ((pa.uint64(), pa.uint64()), pa.uint64()),
        ((pa.uint64(), pa.int64()), pa.large_string()),
        ((pa.int64(), pa.string()), pa.large_string()),
        ((pa.dictionary(pa.int8(), pa.int16()), pa.int64()), pa.int64()),
    ],
)
def test_ids_compare_as_numbers_only_among_numbers(types, wanted):
    assert common_type(*types) == wanted


def test_gaps_are_seen():
    assert NodeIndex(pa.array([3, 1, 2])).without_gaps
    assert not NodeIndex(pa.array([3, 1, 4])).without_gaps
    assert not NodeIndex(pa.array(["1", "2"])).without_gaps


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            pa.array([1.0, 2.0]),
            r"f, column 'id' must hold whole numbers or text, but has type double\. pandas",
        ),
        (pa.array(["1.0", "2."]), r"column 'id' \(data row 1: 1.0\) must hold whole numbers or text"),
        (pa.array([True]), r"but has type bool\. convert the ids with astype\('str'\)"),
        (pa.array([1, None]), "must name every node, but data row 2 is empty"),
        (pa.array(["a", "", "b"]), "must name every node, but data row 2 is empty"),
    ],
)
def test_ids_that_cannot_be_trusted_are_refused(column, said):
    with pytest.raises(ValueError, match=said):
        node_ids(column, "f, column 'id'", guess=True)


def test_text_in_parquet_stays_text():
    assert node_ids(pa.array(["1", "2"]), "", guess=False).type == pa.string()
    assert node_ids(pa.array(["1.0", "2.0"]), "", guess=False).to_pylist() == ["1.0", "2.0"]
