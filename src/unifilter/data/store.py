"""A dataset as one folder: plain arrays that can be mapped, and a JSON. No pickle."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from unifilter.graph import Graph

if TYPE_CHECKING:
    from unifilter.data.dataset import Dataset

FORMAT, VERSION = "unifilter-dataset", 1


def save(dataset: Dataset, folder: Path) -> None:
    """Write to a temporary folder beside the wanted one, then rename."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for name, array in _arrays(dataset).items():
            np.save(part / f"{name}.npy", array, allow_pickle=False)
        if dataset.ids is not None:
            _write_ids(dataset.ids, part / "ids.arrow")
        (part / "meta.json").write_text(json.dumps(_meta(dataset), indent=1) + "\n")
        os.chmod(part, 0o755)  # mkdtemp is private; a cache may be shared
        if folder.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
            os.replace(folder, old / "old")
            os.replace(part, folder)
            shutil.rmtree(old)
        else:
            os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def load(folder: Path) -> Dataset:
    """Map the arrays; refuse what another program or a newer version wrote."""
    from unifilter.data.dataset import Dataset

    file = folder / "meta.json"
    if not file.is_file():
        raise FileNotFoundError(
            f"{folder} is no dataset folder: it has no meta.json. Dataset.save writes one."
        )
    meta = json.loads(file.read_text(encoding="utf-8"))
    if meta.get("format") != FORMAT:
        raise ValueError(f"{file} was not written by Dataset.save.")
    if meta["version"] > VERSION:
        raise ValueError(
            f"{folder} has format version {meta['version']}; this unifilter reads up to {VERSION}."
        )

    def array(name: str) -> Any:
        return np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)

    has = set(meta["arrays"])
    graph = Graph(
        array("indptr"), array("indices"), array("weights") if "weights" in has else None, **meta["graph"]
    )
    X = array("X") if "X" in has else _csr(array, (graph.n, meta["d"]))
    return Dataset(
        graph,
        X,
        array("y"),
        meta["name"],
        tuple(meta["classes"]),
        _read_ids(folder / "ids.arrow") if (folder / "ids.arrow").exists() else None,
        array("arcs") if "arcs" in has else None,
        {name.removeprefix("mask_"): array(name) for name in has if name.startswith("mask_")},
        array("unlabelled"),
        tuple(meta["columns"]),
        meta["preprocessing"],
        meta["about"],
        _ingestion(meta.get("ingestion")),
    )


def checksum(dataset: Dataset) -> str:
    """SHA-256 of graph, features and labels: two datasets with the same one train alike."""
    digest = hashlib.sha256()
    for name, array in sorted(_arrays(dataset).items()):
        if not name.startswith(("mask_", "arcs", "unlabelled")):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays(dataset: Dataset) -> dict[str, Any]:
    graph, X = dataset.graph, dataset.X
    arrays: dict[str, Any] = {"indptr": graph.indptr, "indices": graph.indices}
    if graph.weights is not None:
        arrays["weights"] = graph.weights
    if issparse(X):
        arrays |= {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr}
    else:
        arrays["X"] = X
    arrays |= {"y": dataset.y, "unlabelled": dataset.unlabelled}
    if dataset.arcs is not None:
        arrays["arcs"] = dataset.arcs
    return arrays | {f"mask_{name}": mask for name, mask in dataset.masks.items()}


def _meta(dataset: Dataset) -> dict[str, Any]:
    graph = dataset.graph
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": dataset.name,
        "d": dataset.d,
        "classes": dataset.classes,
        "columns": dataset.columns,
        "preprocessing": dataset.preprocessing,
        "about": dataset.about,
        "arrays": sorted(_arrays(dataset)),
        "graph": {k: getattr(graph, k) for k in ("duplicates", "self_loops", "one_way")},
        "ingestion": None if dataset.ingestion is None else dataset.ingestion.to_json(),
    }


def _csr(array: Any, shape: tuple[int, int]) -> Any:
    X: Any = csr_array(shape, dtype=np.float32)
    # Set, not passed: the constructor would copy what is mapped.
    X.data, X.indices, X.indptr = array("X_data"), array("X_indices"), array("X_indptr")
    return X


def _ingestion(value: Any) -> Any:
    if value is None:
        return None
    from unifilter.data.tables import Ingestion

    return Ingestion.from_json(value)


def _write_ids(ids: Any, file: Path) -> None:
    import pyarrow as pa

    with pa.OSFile(str(file), "wb") as sink:
        table = pa.table({"id": ids})
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)


def _read_ids(file: Path) -> Any:
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(file))).read_all()["id"].combine_chunks()
