"""Graphs by name: from the cache, from a mirror folder, or from their source."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import io
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from unifilter.data import embedded, readers
from unifilter.data.catalog import ALIASES, CATALOG, Entry, checksums
from unifilter.data.dataset import Dataset
from unifilter.data.store import checksum

# Called with a stage ("copy", "download", "verify", "read", "store"), the bytes done, and all bytes if known.
Progress: TypeAlias = Callable[[str, int, int | None], None]


class MissingDataError(FileNotFoundError):
    """Raw files of a named graph are neither in the cache nor in a mirror, and could not be downloaded."""


def load(name: str, preprocessing: str = "none", on_progress: Progress | None = None) -> Dataset:
    """Load a graph by its name.

    Parameters
    ----------
    name : str
        One of ``unifilter datasets``, or an embedded one that needs no download: "digits", or
        "sbm:h=0.15,n=2000" for a block model with these arguments.
    preprocessing : {"none", "row", "standard", "log1p"}
        See :meth:`Dataset.preprocess`.
    on_progress : function of (stage, done, total), optional
        Told how far a first load is, in bytes; ``total`` is None where it is not known, as of a download.
        Downloads are told of from a second thread.

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
        _fill(name, folder, on_progress or _silent)
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


def _fill(name: str, folder: Path, tell: Progress) -> None:
    """Build a dataset and put it into the cache; of two processes that want it, one builds and one waits."""
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(str(folder) + ".lock"):
        if (folder / "meta.json").is_file():
            return
        if name in CATALOG:
            with _staged(CATALOG[name], tell) as stage:
                dataset = _read(CATALOG[name], stage, tell)
        else:
            dataset = embedded.build(name)
        tell("store", 0, None)
        replace(dataset, about=dataset.about | {"checksum": checksum(dataset)}).save(folder)


@contextlib.contextmanager
def _staged(entry: Entry, tell: Progress) -> Iterator[Path]:
    """A folder with what the mirror has of the entry's raw files; downloads go there too, and it vanishes."""
    cache().mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix=f"staging-{entry.name}-", dir=cache()))
    sources = {folder: (mirror() or Path(os.devnull)) / folder for folder in entry.folders}
    total = sum(_size(source, lambda file: not _foreign(entry, [file.name])) for source in sources.values())

    def copy(source: str, target: str) -> None:
        shutil.copy2(source, target)
        tell("copy", _size(stage), total)

    try:
        for relative, source in sources.items():
            if source.is_dir():
                shutil.copytree(
                    source,
                    stage / relative,
                    ignore=lambda _, names: _foreign(entry, names),
                    copy_function=copy,
                )
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _foreign(entry: Entry, names: list[str]) -> list[str]:
    """Files of other graphs that share the folder: only filtered ones do."""
    return [n for n in names if entry.reader == "filtered" and not n.startswith(entry.argument)]


def _read(entry: Entry, stage: Path, tell: Progress) -> Dataset:
    known = {path: digest for path, digest in checksums().items() if path.startswith(entry.folders)}

    def verify() -> None:
        files = {path: stage / path for path in known if (stage / path).exists()}
        total, done = sum(file.stat().st_size for file in files.values()), 0
        for path, file in files.items():
            if _sha256(file) != known[path]:
                raise ValueError(
                    f"{path} is not the file that {entry.name} is made of: its SHA-256 is not {known[path]}. "
                    f"It was not opened. Get it again from {entry.family.source}."
                )
            done += file.stat().st_size
            tell("verify", done, total)

    verify()
    tell("read", 0, None)
    try:
        # PyTorch Geometric says what it is doing, but not how far it is.
        with contextlib.redirect_stderr(io.StringIO()), _watched(stage, tell):
            dataset: Dataset = getattr(readers, entry.reader)(entry, stage, verify)
    except (OSError, RuntimeError) as error:  # what urllib, fsspec and the loaders raise without a network
        raise MissingDataError(_missing(entry, stage, known, error)) from error
    _check(entry, dataset)
    family = entry.family
    about = {"source": family.source, "licence": family.licence, "citation": family.citation}
    return replace(dataset, name=entry.name, about=about | ({"note": family.note} if family.note else {}))


@contextlib.contextmanager
def _watched(stage: Path, tell: Progress) -> Iterator[None]:
    """Tell of the bytes that arrive in a folder, since the readers that download them do not."""
    start, stop = _size(stage, _raw), threading.Event()

    def watch() -> None:
        while not stop.wait(0.2):
            arrived = _size(stage, _raw) - start
            if arrived > 0:
                tell("download", arrived, None)

    thread = threading.Thread(target=watch, daemon=True)
    if tell is not _silent:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        if thread.is_alive():
            thread.join()


def _silent(stage: str, done: int, total: int | None) -> None:
    """Nobody asked."""


def _raw(file: Path) -> bool:
    """Whether a file came from outside: what PyTorch Geometric made of it is in a folder of that name."""
    return "processed" not in file.parts


def _size(folder: Path, counts: Callable[[Path], bool] = lambda file: True) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # renamed or removed since it was listed
            total += file.stat().st_size if counts(file) and file.is_file() else 0
    return total


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
