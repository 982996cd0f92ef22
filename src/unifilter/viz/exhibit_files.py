"""Everything of a list of exhibits in one folder: the page, tables, pictures, words."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from unifilter.record import write_atomically
from unifilter.viz import exhibit_image, exhibit_page
from unifilter.viz.exhibit import Exhibit, Plot, Table
from unifilter.viz.exhibit_page import Parts
from unifilter.viz.exhibit_text import latex, markdown, words_markdown


def write_everything(
    exhibits_by_part: Parts, folder: str | Path, title: str, subtitle: str, *, images: bool = True
) -> list[Path]:
    """Write the page, and every exhibit as a file of its own under its name.

    ``reproduction.html``, ``tables/NAME.md`` and ``.tex``, ``figures/NAME.png`` and ``.svg``,
    ``words/NAME.md``. Files of the same exhibits are the same bytes.

    Parameters
    ----------
    exhibits_by_part : dict of lists of exhibits
        By the title of the part.
    folder : str or Path
    title, subtitle : str
        Of the page.
    images : bool
        Whether PNG and SVG are drawn, which needs matplotlib.

    Returns
    -------
    The files.

    Examples
    --------
    >>> import tempfile
    >>> from unifilter.viz.exhibit import Words
    >>> files = write_everything({"Errata": [Words("errata", "Errata")]}, tempfile.mkdtemp(), "T", "a test")
    >>> [file.name for file in files]
    ['reproduction.html', 'errata.md']
    """
    folder = Path(folder)
    exhibits = [e for part in exhibits_by_part.values() for e in part]
    _check_names(exhibits)
    written = [exhibit_page.write(exhibits_by_part, folder, title, subtitle)]
    for exhibit in exhibits:
        written += _write(exhibit, folder, images)
    return written


def _write(exhibit: Exhibit, folder: Path, images: bool) -> list[Path]:
    if isinstance(exhibit, Plot):
        pictures = exhibit_image.images(exhibit) if images else {}
        files = {folder / "figures" / f"{exhibit.name}.{form}": data for form, data in pictures.items()}
        for file, data in files.items():
            _write_bytes(file, data)
        return list(files)
    if isinstance(exhibit, Table):
        texts = {f"tables/{exhibit.name}.md": markdown(exhibit), f"tables/{exhibit.name}.tex": latex(exhibit)}
    else:
        texts = {f"words/{exhibit.name}.md": words_markdown(exhibit)}
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return [folder / name for name in texts]


def _write_bytes(file: Path, data: bytes) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}")
    part.write_bytes(data)
    os.replace(part, file)


def _check_names(exhibits: Sequence[Exhibit]) -> None:
    names = [e.name for e in exhibits]
    for name in names:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
            raise ValueError(
                f"an exhibit's name becomes that of a file: letters, digits, - and _, but it is {name!r}."
            )
        if names.count(name) > 1:
            raise ValueError(f"two exhibits are called {name!r}, so one would overwrite the other.")
