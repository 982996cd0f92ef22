"""From Records to the page and the files: every part that has something to show."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from unifilter.record import Record
from unifilter.reproduce.missing import TITLE as TO_COME
from unifilter.reproduce.missing import still_to_run
from unifilter.reproduce.part import Claim, Part, Scale
from unifilter.reproduce.results import Results
from unifilter.viz.exhibit import Exhibit, Words

TITLE = "An Effective Universal Polynomial Basis for Spectral Graph Neural Networks, reproduced"


def exhibits(parts: Sequence[Part], results: Results, scale: Scale) -> dict[str, list[Exhibit]]:
    """What every part shows, by its title, with the claims that it checks."""
    found = {}
    for part in parts:
        shown = list(part.show(results, scale))
        claims = part.check(results, scale)
        found[part.title] = [*shown, *([held(part.name, claims)] if claims else [])]
    return found


def held(part: str, claims: Sequence[Claim]) -> Words:
    """Claims as a list.

    Examples
    --------
    >>> held("tau", [Claim("1 is less than 2", True, "1 against 2")]).items
    [('1 is less than 2', 'Holds: 1 against 2')]
    """
    items = [(c.sentence, f"{'Holds' if c.holds else 'Does not hold'}: {c.evidence}") for c in claims]
    return Words(f"claims_{part}", "What holds, and what does not", (), items, [c.holds for c in claims])


def begun(parts: Sequence[Part], results: Results, scale: Scale) -> list[Part]:
    """Parts of which anything has been run, and those that run nothing."""
    found = []
    for part in parts:
        measures, jobs = part.measures(scale), part.jobs(scale)
        measured = any(results.record(m) is not None for m in measures)
        if measured or any(results.of(j) for j in jobs) or not (measures or jobs):
            found.append(part)
    return found


def draw(parts: Sequence[Part], results: Results, scale: Scale, folder: Path) -> list[Path]:
    """Write the page, tables, figures and words into a folder; figures for papers where matplotlib is."""
    from unifilter.viz.exhibit_files import write_everything

    shown = exhibits(begun(parts, results, scale), results, scale)
    shown[TO_COME] = [*still_to_run(parts, results, scale)]
    images = find_spec("matplotlib") is not None
    return write_everything(shown, folder, TITLE, subtitle(results.records), images=images)


def subtitle(records: Sequence[Record]) -> str:
    """How many Records, made on what.

    Examples
    --------
    >>> subtitle([])
    'no Records'
    """
    if not records:
        return "no Records"
    devices = sorted({r.device for r in records}, key=lambda name: (name == "cpu", name))
    places = []
    for device in devices:
        torch = _versions("torch", [r for r in records if r.device == device])
        places.append(f"on {_called(device)}" + (f" (torch {torch})" if torch else ""))
    made = f"made with unifilter {_versions('unifilter', records, parts=3)}".rstrip()
    return f"{len(records):,} Records, {made}, {' and '.join(places)}"


def _versions(package: str, records: Sequence[Record], parts: int = 2) -> str:
    """Those of a package, older ones first, of so many numbers each."""
    found = {
        tuple(r.versions[package].split("+")[0].split(".")[:parts]) for r in records if package in r.versions
    }
    return ", ".join(".".join(v) for v in sorted(found, key=lambda v: [(len(part), part) for part in v]))


def _called(device: str) -> str:
    """With its article.

    Examples
    --------
    >>> _called("cpu"), _called("NVIDIA H200"), _called("Tesla T4")
    ('CPUs', 'an NVIDIA H200', 'a Tesla T4')
    """
    if device == "cpu":
        return "CPUs"
    return f"{'an' if device[0] in 'AIN' else 'a'} {device}"
