"""``python -m unifilter.reproduce``: what `unifilter reproduce` runs, where only numpy, scipy and torch are.

python -m unifilter.reproduce table2 tau --device cuda --processes 4 --seconds 500
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from unifilter.reproduce.catalog import full, parts, quick
from unifilter.reproduce.executor import execute, results_of
from unifilter.reproduce.part import Job
from unifilter.reproduce.protocols import parse
from unifilter.train.pool import Progress

FOLDER = Path("experiments/results/reproduce")
FORMS = ("published", "searched", "auto")


def main(words: list[str] | None = None) -> int:
    """Run; 1 if something failed or a claim of a quick run does not hold."""
    given = _parser().parse_args(words)
    scale = quick() if given.quick else full(given.settings, given.splits, given.epochs)
    scale = replace(scale, configs=given.configs)
    if given.graphs:
        scale = replace(scale, graphs=tuple(given.graphs.split(",")))
    folder = given.out or (FOLDER.with_name("reproduce-quick") if given.quick else FOLDER)
    chosen = parts(given.parts)
    options = {"device": given.device, "processes": given.processes, "seconds": given.seconds}
    wanted = only(given.models, given.how, given.protocols)
    tally = execute(chosen, scale, folder, wanted=wanted, tell=_say, **options)
    print(f"{tally.done} done, {len(tally.failed)} failed, {len(tally.left)} left", flush=True)
    broken = False
    results = results_of(folder, scale)
    for claim in (c for part in chosen for c in part.check(results, scale)):
        print(f"{'holds' if claim.holds else 'DOES NOT HOLD'}: {claim.sentence} ({claim.evidence})")
        broken |= not claim.holds
    return int(bool(tally.failed) or (given.quick and broken and not tally.left))


def only(models: str | None = None, how: str | None = None, protocols: str | None = None) -> Wanted:
    """Which jobs are run: of these models, kinds of settings and of splits; names with commas."""
    return Wanted(*(frozenset((names or "").split(",")) - {""} for names in (models, how, protocols)))


class Wanted:
    """A test of jobs; nothing given wants all."""

    def __init__(self, models: frozenset[str], how: frozenset[str], protocols: frozenset[str]) -> None:
        for name in how - set(FORMS):
            raise ValueError(f"settings are {', '.join(FORMS)}, but {name!r} came.")
        self.models, self.how, self.protocols = models, how, protocols

    def __call__(self, job: Job) -> bool:
        """Whether a job is run."""
        asked = (
            (job.model, self.models),
            (type(job.how).__name__.lower(), self.how),
            (parse(job.protocol)[0], self.protocols),
        )
        return all(not names or name in names for name, names in asked)


def _say(progress: Progress) -> None:
    said = progress.problem or "done"
    after = f"{progress.waiting} wait, {progress.left / 60:.1f} min left"
    print(f"{progress.task.name}: {said}, {progress.seconds:.0f} s; {after}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m unifilter.reproduce", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["all"], help="names, or all")
    parser.add_argument("--quick", action="store_true", help="two splits of small graphs")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, help=f"{FOLDER} by default")
    parser.add_argument("--processes", type=int, default=1, help="jobs side by side")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which nothing begins")
    parser.add_argument("--settings", type=int, default=100, help="of every search")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--epochs", type=int, help="at most")
    parser.add_argument("--graphs", help="instead of the six; names with commas")
    parser.add_argument("--models", help="only these; names with commas")
    parser.add_argument("--how", help=f"only these of {', '.join(FORMS)}")
    parser.add_argument("--protocols", help="only these of quota, quota48, fixed, stratified")
    parser.add_argument("--configs", type=Path, default=Path("experiments/configs"))
    parser.add_argument("--no-draw", action="store_true", help="accepted: nothing is drawn here")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
