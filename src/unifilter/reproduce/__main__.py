"""``python -m unifilter.reproduce``: `unifilter reproduce` where its command line is not installed.

python -m unifilter.reproduce table2 tau --device cuda --seconds 500 --no-draw
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from unifilter.reproduce.adopt import adopt
from unifilter.reproduce.choice import FOLDER, FORMS, Choice
from unifilter.reproduce.draw import draw
from unifilter.reproduce.executor import execute, results_of
from unifilter.reproduce.part import Scale

CHOICE = (
    "parts",
    "quick",
    "settings",
    "splits",
    "epochs",
    "graphs",
    "models",
    "how",
    "protocols",
    "configs",
    "out",
)


def main(words: list[str] | None = None) -> int:
    """Run; 1 if something failed, or if something that must hold in a quick run does not."""
    given = _parser().parse_args(words)
    choice = Choice(**{name: getattr(given, name) for name in CHOICE})
    scale, folder, chosen = choice.scale, choice.folder, choice.chosen
    if given.adopt:
        print(f"{adopt(given.adopt, chosen, scale, folder)} Records adopted", flush=True)
    options = {"device": given.device, "processes": given.processes, "seconds": given.seconds}
    tally = execute(chosen, scale, folder, wanted=choice.wants, tell=partial(print, flush=True), **options)
    results = results_of(folder, scale)
    claims = [claim for part in chosen for claim in part.check(results, scale)]
    for claim in claims:
        print(f"{'holds' if claim.holds else 'DOES NOT HOLD'}: {claim.sentence} ({claim.evidence})")
    for name, why in tally.failed.items():
        print(f"failed: {name}: {why}")
    print(f"{tally.done} done, {len(tally.failed)} failed, {len(tally.left)} left", flush=True)
    if given.draw:
        print(draw(chosen, results, scale, folder)[0])
    broken = choice.quick and not tally.left and not all(claim.holds for claim in claims)
    return int(bool(tally.failed) or broken)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m unifilter.reproduce", description=__doc__)
    parser.add_argument("parts", nargs="*", default=["all"], help="names, or all")
    parser.add_argument("--quick", action="store_true", help="two splits of small graphs")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--out", type=Path, help=f"{FOLDER} by default")
    parser.add_argument("--processes", type=int, default=1, help="jobs side by side")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after which nothing begins")
    parser.add_argument("--settings", type=int, help=f"of every search; {Scale.settings}, or as before")
    parser.add_argument("--splits", type=int, default=Choice.splits)
    parser.add_argument("--epochs", type=int, help="at most")
    parser.add_argument("--graphs", default="", help="only these; names with commas")
    parser.add_argument("--models", default="", help="only these; names with commas")
    parser.add_argument("--how", default="", help=f"only these of {', '.join(FORMS)}")
    parser.add_argument("--protocols", default="", help="only these of quota, quota48, fixed, stratified")
    parser.add_argument("--configs", type=Path, default=Choice.configs)
    parser.add_argument(
        "--adopt", type=Path, nargs="+", default=[], help="Records of other commands to take over"
    )
    parser.add_argument("--no-draw", dest="draw", action="store_false", help="train and measure only")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
