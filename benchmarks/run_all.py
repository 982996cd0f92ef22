"""All benchmarks that this machine can run; one JSON and one page with bars against the peers.

python benchmarks/run_all.py              run, then write results/all.json and results/all.html
python benchmarks/run_all.py --only-page  from the results that are there
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from _common import RESULTS, median

from unifilter.record import write_atomically
from unifilter.viz.page import chart, page, section, write
from unifilter.viz.style import figure, plotly

HERE = Path(__file__).parent
CPU = [
    "unibasis_needs_one_chain",
    "cost_is_linear",
    "cpu_kernels",
    "training_step",
    "sparse_features",
    "attention",
    "time_to_accuracy",
    "population",
    "ingest",
]
GPU = ["spmm_roofline", "lanczos_roofline", "reordering", "population", "side_by_side", "attention"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only-page", action="store_true")
    args = parser.parse_args()
    failed = []
    if not args.only_page:
        for name in GPU if torch.cuda.is_available() else CPU:
            print(f"== {name}", flush=True)
            done = subprocess.run([sys.executable, HERE / f"{name}.py"], check=False)
            if done.returncode:
                failed.append(name)
                print(f"{name} failed with exit code {done.returncode}; the others go on", flush=True)
    found = {p.stem: json.loads(p.read_text()) for p in sorted(RESULTS.glob("*.json")) if p.stem != "all"}
    write_atomically(RESULTS / "all.json", json.dumps(found, indent=1))
    sections = [s for name, record in found.items() if (s := drawn(name, record))]
    write(
        RESULTS / "all.html",
        page("unifilter's speed", "measured, with the machine it was measured on", sections),
    )
    print(f"written to {RESULTS / 'all.html'}")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def drawn(name: str, record: dict[str, Any]) -> str:
    """A benchmark's bars, or nothing where there are no peers to draw."""
    bars = BARS.get(name)
    if bars is None:
        return ""
    device = record["results"].get("device", record["machine"]["processor"])
    device = device["gpu"] if isinstance(device, dict) else device
    figures = [
        chart(bar_chart(groups, unit), title, caption)
        for title, caption, unit, groups in bars(record["results"])
    ]
    return section(name.replace("_", " "), *figures, words=f"Measured on {device}.")


def bar_chart(groups: dict[str, dict[str, float]], unit: str) -> Any:
    """Bars of each contender, for each case."""
    contenders = list(dict.fromkeys(c for case in groups.values() for c in case))
    traces = [
        plotly().Bar(name=c, x=list(groups), y=[case.get(c) for case in groups.values()]) for c in contenders
    ]
    return figure(traces, "", unit)


def _kernels(r: dict[str, Any]) -> Any:
    cases = {
        row["graph"]: {
            who: median(row["seconds"]["unifilter"]) / median(s) for who, s in row["seconds"].items()
        }
        for row in r["rows"]
    }
    yield "A product with P on a CPU", "Speed relative to ours; higher is faster.", "relative speed", cases


def _spmm(r: dict[str, Any]) -> Any:
    cases = {
        f"{row['graph']} {row['dtype']}": {
            "unifilter": row["share_of_bound"],
            "cuSPARSE": row["cusparse_share"],
        }
        for row in r["rows"]
    }
    yield (
        "Share of the memory bound",
        "Entries x columns x bytes at the speed of a copy is 1.",
        "share",
        cases,
    )


def _lanczos(r: dict[str, Any]) -> Any:
    peers = {
        "ours": "unifilter",
        "csr": "Algorithm 1, CSR",
        "coo": "Algorithm 1, COO",
        "sign": "SIGN (powers only)",
    }
    cases = {row["graph"]: {label: median(row[who]) for who, label in peers.items()} for row in r["rows"]}
    yield "The whole UniBasis, K = 10", "Seconds; lower is faster.", "seconds", cases


def _population(r: dict[str, Any]) -> Any:
    cases = {p: r[p] for p in ("float32", "bfloat16") if p in r}
    cases = cases or {"together bfloat16, alone float32": r}  # as it was measured once
    rates = {f"Cora's size, {p}": case["trainings_a_minute"] for p, case in cases.items()}
    bars = {name: {w: median(s) for w, s in found.items()} for name, found in rates.items()}
    yield "Trainings a minute", "Higher is faster.", "trainings", bars


def _beside(r: dict[str, Any]) -> Any:
    rates = {
        f"{row['model']}, {row['shape']}": {w: median(s) for w, s in row["trainings_a_minute"].items()}
        for row in r["rows"]
    }
    yield "Other models: trainings a minute", "Ten splits; higher is faster.", "trainings", rates


def _accuracy(r: dict[str, Any]) -> Any:
    cases = {row["graph"]: {who: s[0] for who, s in row["seconds"].items()} for row in r["rows"]}
    yield "Ten splits from data to accuracy", "Seconds; lower is faster.", "seconds", cases


def _step(r: dict[str, Any]) -> Any:
    pieces = {name: part for name, part in r.items() if isinstance(part, dict) and "times_faster" in part}
    cases = {
        name: {"ours": 1.0, "the usual way": 1 / part["times_faster"]}
        for name, part in pieces.items()
        if name != "epoch"
    }
    yield (
        "A training step, piece by piece",
        "Speed relative to ours; higher is faster.",
        "relative speed",
        cases,
    )


def _sparse(r: dict[str, Any]) -> Any:
    for graph, models in r["graphs"].items():
        yield (
            f"An epoch on features like those of {graph}",
            "Milliseconds; lower is faster.",
            "milliseconds",
            {
                model: {f"{who} zeros": 1e3 * median(s) for who, s in row["seconds"].items()}
                for model, row in models.items()
            },
        )


def _chain(r: dict[str, Any]) -> Any:
    cases = {name: {who: median(s) for who, s in row["seconds"].items()} for name, row in r["inputs"].items()}
    yield (
        "UniBasis on a CPU",
        "Seconds; the sweep is 11 x 11 values of tau and h from one V.",
        "seconds",
        cases,
    )


def _ingest(r: dict[str, Any]) -> Any:
    yield (
        "Ten million edges",
        "Seconds; lower is faster.",
        "seconds",
        {"text ids, Parquet": {who: median(row["seconds"]) for who, row in r["rows"].items()}},
    )


BARS = {
    "cpu_kernels": _kernels,
    "spmm_roofline": _spmm,
    "lanczos_roofline": _lanczos,
    "population_gpu": _population,
    "population_cpu": _population,
    "side_by_side_gpu": _beside,
    "side_by_side_cpu": _beside,
    "time_to_accuracy": _accuracy,
    "training_step": _step,
    "sparse_features": _sparse,
    "unibasis_needs_one_chain": _chain,
    "ingest": _ingest,
}


if __name__ == "__main__":
    main()
