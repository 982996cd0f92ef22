"""Graphs by name: from the cache, from a mirror folder, or from their source."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from unifilter.data import embedded, readers
from unifilter.data.catalog import ALIASES, CATALOG, Entry, checksums
from unifilter.data.dataset import Dataset
from unifilter.data.store import checksum


class MissingDataError(FileNotFoundError):
    """Raw files of a named graph are neither in the cache nor in a mirror, and could not be downloaded."""


def load(name: str, preprocessing: str = "none") -> Dataset:
    """Load a graph by its name.

    Parameters
    ----------
    name : str
        One of ``unifilter datasets``, or an embedded one that needs no download: "digits", or
        "sbm:h=0.15,n=2000" for a block model with these arguments.
    preprocessing : {"none", "row", "standard", "log1p"}
        See :meth:`Dataset.preprocess`.

    Notes
    -----
    The second load maps arrays from the cache: ``UNIFILTER_CACHE``, or else the platform's cache folder. The
    first takes raw files from the folder in ``UNIFILTER_MIRROR`` if it has them, or else downloads them. Raw
    files whose SHA-256 is known are verified before they are opened.

    Examples
    --------
    >>> load("sbm:h=0.2,n=500")
    Dataset(sbm:h=0.2,n=500: n=500, m=2500, d=16, classes=5)
    """
    name = ALIASES.get(name, name)
    if name not in CATALOG and not embedded.is_embedded(name):
        raise ValueError(_unknown(name))
    folder = cached(name)
    if not (folder / "meta.json").is_file():
        _fill(name, folder)
    dataset = Dataset.load(folder)
    return dataset if preprocessing == "none" else dataset.preprocess(preprocessing)


def cache() -> Path:
    """Where datasets are kept once they were loaded."""
    if os.environ.get("UNIFILTER_CACHE"):
        return Path(os.environ["UNIFILTER_CACHE"])
    import platformdirs

    return Path(platformdirs.user_cache_dir("unifilter"))


def cached(name: str) -> Path:
    """The folder of a dataset in the cache, whether it is there or not."""
    safe = "".join(c if c.isalnum() or c in "-=.," else "_" for c in name)
    return cache() / "datasets" / safe


def mirror() -> Path | None:
    """The folder of raw files, if one is set."""
    value = os.environ.get("UNIFILTER_MIRROR")
    return Path(value) if value else None


def _fill(name: str, folder: Path) -> None:
    """Build a dataset and put it into the cache; of two processes that want it, one builds and one waits."""
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(str(folder) + ".lock"):
        if (folder / "meta.json").is_file():
            return
        if name in CATALOG:
            with _staged(CATALOG[name]) as stage:
                dataset = _read(CATALOG[name], stage)
        else:
            dataset = embedded.build(name)
        replace(dataset, about=dataset.about | {"checksum": checksum(dataset)}).save(folder)


@contextlib.contextmanager
def _staged(entry: Entry) -> Iterator[Path]:
    """A folder with what the mirror has of the entry's raw files; downloads go there too, and it vanishes."""
    cache().mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f"staging-{entry.name}-", dir=cache()))
    try:
        for relative in entry.folders:
            source = (mirror() or Path(os.devnull)) / relative
            if source.is_dir():
                shutil.copytree(source, stage / relative, ignore=lambda _, names: _foreign(entry, names))
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _foreign(entry: Entry, names: list[str]) -> list[str]:
    """Files of other graphs that share the folder: only filtered ones do."""
    return [n for n in names if entry.reader == "filtered" and not n.startswith(entry.argument)]


def _read(entry: Entry, stage: Path) -> Dataset:
    known = {path: digest for path, digest in checksums().items() if path.startswith(entry.folders)}

    def verify() -> None:
        for path, digest in known.items():
            file = stage / path
            if file.exists() and _sha256(file) != digest:
                raise ValueError(
                    f"{path} is not the file that {entry.name} is made of: its SHA-256 is not {digest}. "
                    f"It was not opened. Get it again from {entry.family.source}."
                )

    verify()
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # PyTorch Geometric says what it is doing
            dataset: Dataset = getattr(readers, entry.reader)(entry, stage, verify)
    except (OSError, RuntimeError) as error:  # what urllib, fsspec and the loaders raise without a network
        raise MissingDataError(_missing(entry, stage, known, error)) from error
    _check(entry, dataset)
    family = entry.family
    about = {"source": family.source, "licence": family.licence, "citation": family.citation}
    return replace(dataset, name=entry.name, about=about | ({"note": family.note} if family.note else {}))


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(2**20):
            digest.update(block)
    return digest.hexdigest()


def _missing(entry: Entry, stage: Path, known: dict[str, str], error: Exception) -> str:
    absent = [path for path in known if not (stage / path).exists()]
    what = absent[0] if absent else f"{entry.folders[0]}/..."
    more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
    where = mirror() or "a folder named in UNIFILTER_MIRROR"
    return (
        f"{entry.name} could not be loaded: {what}{more} is not in the cache or a mirror, and downloading "
        f"failed ({type(error).__name__}: {error}). Get it from {entry.family.source} and put it at "
        f"{where}/{what}."
    )


def _check(entry: Entry, dataset: Dataset) -> None:
    """The figures that the name promises."""
    found = {
        "nodes": dataset.n,
        "features": dataset.d,
        "classes": int(dataset.y.max(initial=-1)) + 1,
    }
    if entry.counted:
        found["edges"] = dataset.graph.m
    wrong = {k: v for k, v in found.items() if v != getattr(entry, k)}
    if wrong:
        said = ", ".join(f"{v} {k} where {getattr(entry, k)} belong" for k, v in wrong.items())
        source = entry.family.source
        raise ValueError(f"{entry.name} as read has {said}. Its raw files are not those of {source}.")


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, [*CATALOG, *embedded.NAMES], n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"there is no dataset named {name!r}.{hint} `unifilter datasets` lists them all."
