"""Three formats behind one door."""

import gzip
import os

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from unifilter.data import files, read_tables
from unifilter.data.files import open_table


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_a_csv_file_has_names_but_no_types(write):
    file = open_table(write("a.csv", '\ufeffid,"x, y",z\n1,2,3\n'))
    assert file.names == ("id", "x, y", "z")
    assert file.types is None


def test_types_are_guessed_but_for_ids_and_text(write):
    path = write("a.csv", "id,x,day,label,town\n007,1,2020-01-01,01,NA\n008,NA,,02,Rome\nNA,3,,,\n")
    table = open_table(path).read(["id", "x", "day", "label", "town"], ids="id", text=["label"])
    assert table["id"].to_pylist() == ["007", "008", "NA"]
    assert table["x"].to_pylist() == [1, None, 3]
    assert pa.types.is_date(table["day"].type)
    assert table["label"].to_pylist() == ["01", "02", None]
    assert table["town"].to_pylist() == [None, "Rome", None]


def test_a_type_that_changes_late_is_guessed_from_the_whole_file(write, monkeypatch):
    monkeypatch.setattr(files, "BLOCK_BYTES", 64)
    path = write("a.csv", "x\n" + "1\n" * 200 + "1.5\n")
    assert open_table(path).read(["x"])["x"].type == pa.float64()


def test_quoted_fields_may_hold_delimiters_and_line_breaks(write):
    table = open_table(write("a.csv", 'id,t\n1,"a, b\nc"\n')).read(["t"])
    assert table["t"].to_pylist() == ["a, b\nc"]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "CSV", "parquet", "feather"])
@pytest.mark.parametrize("rows", [1, 10, 1000])
def test_a_stream_has_every_row_once_and_in_order(ending, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "BLOCK_ROWS", rows)
    monkeypatch.setattr(files, "BLOCK_BYTES", 256)
    table = pa.table({"left": ["x"] * 300, "a": list(range(300)), "b": [str(i) for i in range(300)]})
    path = tmp_path / f"t.{ending}"
    if ending == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=7)
    elif ending == "feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=7)
    else:
        text = "left,a,b\n" + "".join(f"x,{i},{i}\n" for i in range(300))
        path.write_bytes(gzip.compress(text.encode()) if ending == "csv.gz" else text.encode())
    batches = list(open_table(path).stream({"b": pa.large_string(), "a": pa.int64()}))
    assert [i for batch in batches for i in batch["a"].to_pylist()] == list(range(300))
    assert all(batch.schema.names == ["b", "a"] for batch in batches)
    assert {str(batch["b"].type) for batch in batches} == {"large_string"}
    assert all(batch.num_rows >= rows for batch in batches[:-1])


def test_text_as_views_is_read_as_text(tmp_path):
    table = pa.table({"t": pa.array(["a", "b"], pa.string_view())})
    pyarrow.feather.write_feather(table, str(tmp_path / "t.feather"), compression="uncompressed")
    assert open_table(tmp_path / "t.feather").read(["t"])["t"].type == pa.large_string()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.xlsx", "x", r"a.xlsx must end in one of .csv, .csv.gz, .tsv, .tsv.gz, .parquet, .feather"),
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", "x,y\n\n  \n", "a.csv is empty"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), "a.csv.gz is empty"),
        ("a.csv.gz", "x,y\n1,2\n", "a.csv.gz ends in .gz but is not gzip"),
        ("a.parquet", "x,y\n1,2\n", "a.parquet is not a parquet file: .*Was it written to the end"),
        ("a.feather", "x,y\n1,2\n", "a.feather is not a feather file"),
        ("a.csv", b"x\xff,y\n1,2\n", "the header of a.csv is not UTF-8 text: .* iconv -f latin1"),
        ("a.csv", "\ufeffx,y\n1,2\n".encode("utf-16-le"), "not UTF-8 text: .* iconv -f utf-16 "),
        ("a.csv", "\ufeffx,y\n1,2\n".encode("utf-16-be"), "not UTF-8 text: .* iconv -f utf-16 "),
    ],
)
def test_what_is_no_table_is_refused_at_the_door(name, text, said, write):
    with pytest.raises(ValueError, match=said):
        open_table(write(name, text))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_table_without_rows_is_empty_in_every_format(ending, tmp_path):
    table, path = pa.table({"x": pa.array([], pa.int64())}), tmp_path / f"t.{ending}"
    if ending == "parquet":
        pyarrow.parquet.write_table(table, path)
    else:
        pyarrow.feather.write_feather(table, str(path))
    with pytest.raises(ValueError, match=f"t.{ending} is empty"):
        open_table(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "e.csv")
    with pytest.raises(ValueError, match="tables are read twice, so .* must be a file, but is a pipe"):
        open_table(tmp_path / "e.csv")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder, and a table is one file: name a file in it"):
        open_table(tmp_path / "t.csv")


def test_a_file_that_breaks_off_is_refused_while_it_is_read(write):
    whole = gzip.compress(b"x,y\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(20_000)))
    file = open_table(write("a.csv.gz", whole[: len(whole) // 2]))
    with pytest.raises(ValueError, match="a.csv.gz cannot be read: .*Mend that place"):
        list(file.stream({"x": pa.int64()}))


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("a;b|c\n1;2|3\n", r"If its fields are separated by ';', pass delimiter=';'"),
        ("a\tb|c\n1\t2|3\n", r"pass delimiter='\\t'"),
        ("a b\n1 2\n", r"pass delimiter=' '"),
        ("a , b\n1 , 2\n", r"Name a column that it has with source=\.\.\."),
        ("1,2\n3,4\n", "Its first line looks like data"),
        ("a,b\n3,4\n", r"Name a column that it has with source=\.\.\."),
    ],
)
def test_a_missing_column_comes_with_a_way_out(text, way_out, write):
    with pytest.raises(ValueError, match=rf"must have one column 'x' \(source=\).*{way_out}"):
        open_table(write("e.csv", text)).require(source="x")


@pytest.mark.parametrize(
    ("name", "separator"), [("e.csv", ";"), ("e.csv", "\t"), ("e.csv", "|"), ("e.tsv", ","), ("e.tsv", ";")]
)
def test_what_separates_fields_is_found_where_the_header_leaves_no_doubt(name, separator, write):
    file = open_table(write(name, "a,b\n1,2\n".replace(",", separator)))
    assert file.read(["b"])["b"].to_pylist() == [2]
    whole = open_table(write(name, "a,b\n1,2\n".replace(",", separator)), delimiter="^")
    assert whole.names == (f"a{separator}b",)  # whoever names one means it


def test_a_header_of_several_columns_is_read_as_it_is(write):
    assert open_table(write("e.csv", "a,b;c\n1,2\n")).names == ("a", "b;c")
    assert open_table(write("e.csv", '"a;b"\n1\n"2;3"\n'), delimiter=",").names == ("a;b",)


def test_the_delimiter_can_be_named(write):
    file = open_table(write("e.csv", "a;b\n1;2\n"), delimiter=";")
    file.require(source="a", weight=None)
    assert file.read(["b"])["b"].to_pylist() == [2]


def test_a_quotation_mark_that_is_never_closed_is_refused(tmp_path):
    """The rest of the file would be one field, and its nodes gone."""
    rows = [f"{i},{i % 3},text {i},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "e.csv").write_text("src,dst\n" + "".join(f"{i},{i + 1}\n" for i in range(39)))
    nodes = tmp_path / "n.csv"
    nodes.write_text("\n".join(["id,x,word,label", *rows[:20], '20,1,text,"a', *rows[21:]]) + "\n")
    with pytest.raises(ValueError, match="never closed") as caught:
        read_tables(tmp_path / "e.csv", nodes)
    assert len(str(caught.value)) < 400
    nodes.write_text("\n".join(["id,x,word,label", *rows[:-1], '39,0,"two\nlines",b']) + "\n")
    assert read_tables(tmp_path / "e.csv", nodes).n == 40
    nodes.write_text("\n".join(["id,x,word,label", *rows[:20], '20,1,a 5" pipe,a', *rows[21:]]) + "\n")
    assert read_tables(tmp_path / "e.csv", nodes).n == 40


@pytest.mark.parametrize("delimiter", ["||", '"', "\n", "→"])
def test_a_delimiter_that_is_none_is_refused(delimiter, write):
    with pytest.raises(ValueError, match="delimiter must be one character"):
        open_table(write("a.csv", "x||y\n1||2\n"), delimiter)


def test_a_tab_may_be_written_as_a_shell_can(write):
    assert open_table(write("a.csv", "x\ty\n1\t2\n"), r"\t").names == ("x", "y")


def test_line_ends_of_old_macs_are_named(write):
    with pytest.raises(ValueError, match="the lines of a.csv end as on old Macs"):
        open_table(write("a.csv", "x,y\r1,2\r3,4\r"))
