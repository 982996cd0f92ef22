"""UniFilter's own settings for the six graphs: where its searches begin, as others begin with published ones.

    python experiments/best_settings.py

Of every graph and kind of splits, the setting with the best mean validation accuracy over ten splits among
all that were trained to their end in the journals of `search_six_graphs.py`, `wide_search.py` and earlier
runs of `unifilter reproduce`. The paper's released settings are for another basis than the one it defines;
these are for that one. Written to `configs/unifilter.json`; a test compares. Test nodes take no part.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unifilter.record import write_atomically
from unifilter.reproduce.part import SIX
from unifilter.train.trial import read_journal

RESULTS = Path(__file__).parent / "results"
FILE = Path(__file__).parent / "configs" / "unifilter.json"
PREFIXES = ("", "unifilter_", "wide_", "rows_", "open_", "near_")


def journals(graph: str, kind: str) -> list[Path]:
    """Where settings were tried on a graph with one kind of splits."""
    some = [RESULTS / "journals" / f"{prefix}{graph}_{kind}.jsonl" for prefix in PREFIXES]
    some.append(RESULTS / "reproduce" / "journals" / f"unifilter-whole_{graph}_{kind}.jsonl")
    return [file for file in some if file.exists()]


def best(graph: str, kind: str) -> dict[str, Any]:
    """The setting."""
    tried = [t for file in journals(graph, kind) for t in read_journal(file) if t.finished and t.number >= 0]
    return max(tried, key=lambda t: (t.accuracy, -t.loss)).setting


def settings() -> dict[str, dict[str, Any]]:
    """By graph and kind of splits."""
    return {f"{graph}.{kind}": best(graph, kind) for graph in SIX for kind in ("quota", "fixed")}


def main() -> None:
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(setting)}" for name, setting in settings().items())
    write_atomically(FILE, f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
