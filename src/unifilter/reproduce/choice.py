"""What a user asked for: parts, how much of them, which jobs, and where the Records are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unifilter.models import model_class
from unifilter.reproduce.catalog import full, parts, quick
from unifilter.reproduce.part import Job, Measure, Part, Scale
from unifilter.reproduce.protocols import SHARES, parse

FOLDER = Path("experiments/results/reproduce")
FORMS = ("published", "searched", "auto")


@dataclass(frozen=True)
class Choice:
    """Options of the command; lists are names with commas, and empty ones stand for all.

    ``settings`` are those of every search; without them, as many as the folder's searches were run with.

    Examples
    --------
    >>> choice = Choice(("tau",), models="unifilter", how="published")
    >>> choice.scale.splits, choice.folder.name, all(map(choice.wants, choice.chosen[0].jobs(choice.scale)))
    (10, 'reproduce', True)
    """

    parts: Sequence[str] = ("all",)
    quick: bool = False
    settings: int | None = None
    splits: int = Scale.splits
    epochs: int | None = None
    graphs: str = ""
    models: str = ""
    how: str = ""
    protocols: str = ""
    configs: Path = Scale.configs
    out: Path | None = None

    def __post_init__(self) -> None:
        for name in _names(self.models):
            model_class(name)  # one that does not exist is said before anything is trained
        for given, allowed in ((self.how, FORMS), (self.protocols, tuple(SHARES))):
            for name in _names(given) - set(allowed):
                raise ValueError(f"there are {', '.join(allowed)}, but {name!r} came.")
        if not self.quick and not self.configs.is_dir():
            raise ValueError(
                f"there are no settings in {self.configs}; --configs names the folder of MODEL.toml files, "
                "which the library's repository has under experiments/configs."
            )
        there = dict.fromkeys(thing.dataset for thing in self._things()) if self.graphs else {}
        for name in _names(self.graphs) - set(there):
            raise ValueError(f"these parts train on {', '.join(there) or 'no graph'}; {name!r} is not there.")

    @property
    def scale(self) -> Scale:
        """How much is run."""
        scale = quick() if self.quick else full(self._settings, self.splits, self.epochs)
        return replace(scale, configs=self.configs)

    @property
    def _settings(self) -> int:
        """As asked for, or as the folder's searches were run."""
        file = self.folder / "scale.json"
        if self.settings is None and file.exists():
            return int(json.loads(file.read_text())["settings"])
        return self.settings or Scale.settings

    @property
    def folder(self) -> Path:
        """Where the Records are; a quick run's are apart from those that count."""
        return self.out or (FOLDER.with_name("reproduce-quick") if self.quick else FOLDER)

    @property
    def chosen(self) -> list[Part]:
        """The parts."""
        return parts(list(self.parts))

    def _things(self) -> list[Job | Measure]:
        scale, found = self.scale, list[Job | Measure]()
        for part in self.chosen:
            found += [*part.jobs(scale), *part.measures(scale)]
        return found

    def wants(self, thing: Job | Measure) -> bool:
        """Whether a job is run, or a measure taken; one that names no model is of every model."""
        asked = [(thing.dataset, self.graphs)]
        if isinstance(thing, Measure):
            asked += [(thing.what["model"], self.models)] if "model" in thing.what else []
        else:
            kind, protocol = type(thing.how).__name__.lower(), parse(thing.protocol)[0]
            asked += [(thing.model, self.models), (kind, self.how), (protocol, self.protocols)]
        return all(not given or name in _names(given) for name, given in asked)


def _names(text: str) -> set[str]:
    return {name.strip() for name in text.split(",")} - {""}
