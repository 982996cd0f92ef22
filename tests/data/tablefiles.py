"""Tables on disk, for the tests that read them."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

NODES = {"id": ["a", "b", "c", "d"], "x": [1.0, 2.0, 3.0, 4.0], "label": ["cat", "dog", None, "cat"]}
EDGES = {"src": ["a", "b", "c"], "dst": ["b", "c", "d"]}


def write(path: Path, columns: dict) -> Path:
    """Columns in the format that the ending names."""
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, str(path), chunksize=2)
    else:
        delimiter = "\t" if ".tsv" in path.name else ","
        options = pyarrow.csv.WriteOptions(delimiter=delimiter)
        with gzip.open(path, "wb") if path.suffix == ".gz" else path.open("wb") as file:
            pyarrow.csv.write_csv(table, file, options)
    return path
