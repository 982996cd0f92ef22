"""Which setting a job trains: a published one, or the winner of a search."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from unifilter.models._registry import configure
from unifilter.presets import NAMES, preset, read_preset, settings_of
from unifilter.reproduce.part import Searched
from unifilter.reproduce.protocols import parse
from unifilter.train.entries import Entry
from unifilter.train.trial import Trial, options_of, plain, read_journal, setting_of, training_of

# Where a protocol or a graph has no settings of its own, those of its nearest relative.
RELATIVES = {
    "quota": ("quota", "fixed"),
    "quota48": ("fixed", "quota"),
    "fixed": ("fixed", "quota"),
    "random": ("random", "quota", "fixed"),
}
SEARCHED_ON = {"quota48": "fixed"}  # a search that serves both readings of Table 3
ORIGINALS = {"chameleon-filtered": "chameleon", "squirrel-filtered": "squirrel"}


def published(model: str, dataset: str, protocol: str, configs: Path) -> Entry | None:
    """The published setting for a graph and kind of split, or of the nearest kind; None if nobody has one.

    Examples
    --------
    >>> published("sgc", "a graph of mine", "quota:10", Path("nowhere")) is None
    True
    """
    file, graph = configs / f"{model}.toml", whose(model, dataset, configs)
    tables = settings_of(file).get(graph, {}) if file.is_file() else {}
    for kind in RELATIVES.get(parse(protocol)[0], ()):
        if kind in tables:
            found = read_preset(file, graph, kind)
            grid = tables[kind].get("grid", {})
            return Entry(model, found.preprocess, found.options, found.training, grid)
    return None


def whose(model: str, dataset: str, configs: Path) -> str:
    """The graph whose settings serve: without duplicated nodes few have their own.

    Examples
    --------
    >>> whose("sgc", "cora", Path("nowhere")), whose("sgc", "squirrel-filtered", Path("nowhere"))
    ('cora', 'squirrel')
    """
    file = configs / f"{model}.toml"
    known = settings_of(file) if file.is_file() else {}
    return dataset if dataset in known else ORIGINALS.get(dataset, dataset)


def released(dataset: str, basis: str = "released") -> Entry | None:
    """UniFilter with the authors' setting for one of the six graphs; None elsewhere.

    Examples
    --------
    >>> released("cora").options["tau"]
    1.0
    """
    graph = ORIGINALS.get(dataset, dataset)
    if graph not in NAMES:
        return None
    found = preset(graph, basis)
    return Entry("unifilter", found.preprocess, found.options, found.training)


def unseen(dataset: str, configs: Path) -> tuple[dict[str, Any], ...] | None:
    """Auto's portfolio as the other graphs choose it; None for graphs that took no part anyway.

    Examples
    --------
    >>> unseen("a graph of mine", Path("nowhere")) is None
    True
    """
    file = configs / "unseen.json"
    known = json.loads(file.read_text()) if file.is_file() else {}
    return tuple(known[dataset]) if dataset in known else None


def searched_on(protocol: str) -> str:
    """The splits on which the settings of a job are searched.

    Examples
    --------
    >>> searched_on("quota:10"), searched_on("quota48:10")
    ('quota:10', 'fixed:10')
    """
    kind, count = parse(protocol)
    return f"{SEARCHED_ON.get(kind, kind)}:{count}"


def journal(folder: Path, how: Searched, dataset: str, protocol: str) -> Path:
    """Where a search writes its trials.

    Examples
    --------
    >>> journal(Path("out"), Searched("gcn", 30), "cora", "fixed:10").name
    'gcn_cora_fixed.jsonl'
    """
    safe = "".join(c if c.isalnum() or c in "-=.," else "_" for c in dataset)
    name = f"{how.model}-whole" if how.whole else how.model
    return folder / "journals" / f"{name}_{safe}_{parse(searched_on(protocol))[0]}.jsonl"


def known_settings(model: str, configs: Path) -> tuple[dict[str, Any], ...]:
    """What was published of a model for any of the six graphs, once each: where its search begins.

    Those of UniFilter were published for the released basis; they serve the exact one for want of others.

    Examples
    --------
    >>> len(known_settings("unifilter", Path("nowhere"))), known_settings("gcn", Path("nowhere"))
    (6, ())
    """
    file = configs / f"{model}.toml"
    return _known_settings(model, configs, file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=256)
def _known_settings(model: str, configs: Path, written: int) -> tuple[dict[str, Any], ...]:
    """Kept while the file is as it was: every cell of a table asks for its model's; nobody changes them."""
    if model == "unifilter":
        entries = [e for graph in NAMES if (e := released(graph, "unibasis")) is not None]
    else:
        found = (published(model, graph, f"{kind}:1", configs) for graph in NAMES for kind in RELATIVES)
        entries = [e for e in found if e is not None]
    settings = [setting_of(p.preprocess, p.options, p.training) for e in entries for p in e.points()[:1]]
    return tuple({plain(setting): setting for setting in settings}.values())


def own_settings(configs: Path) -> tuple[dict[str, Any], ...]:
    """What long searches of UniFilter here found for the six graphs, see `experiments/best_settings.py`.

    Examples
    --------
    >>> own_settings(Path("nowhere"))
    ()
    """
    return tuple(_own(configs).values())


def own_setting(dataset: str, protocol: str, configs: Path) -> dict[str, Any] | None:
    """The one that they found for a graph and kind of split; None where they did not look.

    Examples
    --------
    >>> own_setting("cora", "fixed:10", Path("nowhere")) is None
    True
    """
    return _own(configs).get(f"{dataset}.{parse(protocol)[0]}")


def _own(configs: Path) -> dict[str, dict[str, Any]]:
    file = configs / "unifilter.json"
    found: dict[str, dict[str, Any]] = json.loads(file.read_text()) if file.is_file() else {}
    return found


def tried(folder: Path, dataset: str, protocol: str, how: Searched) -> tuple[list[Trial], bool]:
    """The trials among which the winner is, and whether they are all that the search should try.

    A longer search continues the same journal, so that the winner among the first ones stays what it was.
    Journals from before searches began with known settings, or trained these to their end, serve until then.
    """
    trials = read_journal(journal(folder, how, dataset, protocol))
    wanted = [plain(setting) for setting in how.first]
    known = list({t.number: t for t in trials if t.number < 0 and plain(t.setting) in wanted}.values())
    drawn = [t for t in trials if t.number >= 0]
    few = max(0, how.settings - len(wanted))
    if len(known) < len(wanted) or len(drawn) < few:
        return drawn[: how.settings], False
    return known + drawn[:few], all(t.finished for t in known)


def winner(folder: Path, dataset: str, protocol: str, how: Searched) -> Entry | None:
    """The best of a search's settings by mean validation accuracy; None while there are too few."""
    trials, whole = tried(folder, dataset, protocol, how)
    if not whole and len(trials) < how.settings:
        return None
    best = max(trials, key=lambda t: (t.finished, t.accuracy, -t.loss))
    options = options_of(best.setting) | dict(how.changes)
    configure(how.model, options)
    return Entry(how.model, best.preprocess, options, training_of(best.setting, seed=0))
