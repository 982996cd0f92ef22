"""The portfolio of auto, from the journals of `search_six_graphs.py`: greedy, on validation accuracies only.

    python experiments/choose_portfolio.py

All graphs were searched with the same draws, so a setting has one number everywhere. The next setting is
always the one that brings the best of those chosen closest to the best of all, summed over the graphs; it
ends when nothing is gained. `unifilter.train.portfolio` holds the result, and a test compares the two.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

JOURNALS = Path(__file__).parent / "results" / "journals"


def read(folder: Path = JOURNALS) -> tuple[dict[int, dict[str, Any]], dict[str, dict[int, float]]]:
    """Settings by number, and for each graph their validation accuracies."""
    settings: dict[int, dict[str, Any]] = {}
    accuracy: dict[str, dict[int, float]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            trial = json.loads(line)
            settings[trial["number"]] = trial["setting"]
            accuracy.setdefault(file.stem, {})[trial["number"]] = trial["accuracy"]
    return settings, accuracy


def choose(accuracy: dict[str, dict[int, float]]) -> list[int]:
    """Numbers of the settings, best guess first."""
    best = {g: max(found.values()) for g, found in accuracy.items()}
    gap = dict.fromkeys(accuracy, 1.0)
    numbers = sorted({n for found in accuracy.values() for n in found})
    chosen: list[int] = []
    while True:
        gaps = {
            n: {g: min(gap[g], best[g] - found.get(n, -1.0)) for g, found in accuracy.items()}
            for n in numbers
        }
        closest = min(numbers, key=lambda n, gaps=gaps: sum(gaps[n].values()))
        if sum(gaps[closest].values()) >= sum(gap.values()):
            return chosen
        chosen.append(closest)
        gap = gaps[closest]


def main() -> None:
    settings, accuracy = read()
    for number in choose(accuracy):
        print(number, json.dumps(settings[number]))


if __name__ == "__main__":
    main()
