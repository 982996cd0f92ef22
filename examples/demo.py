"""The main job from end to end: tables in, predictions and a report out, checked against hidden labels.

Scanned digits, each joined to those that look like it; one in twenty has a label. All that is written lies in
the folder demo.
"""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unifilter import load

FOLDER = Path("demo")
# Epochs instead of seconds, so that the same machine always ends with the same figures.
LIMITS = ["--budget", "none", "--epochs", "200"]
NAMES = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])


def main() -> None:
    data = load("digits")
    ids = [f"scan-{i:04d}" for i in range(data.n)]
    later = np.arange(data.n) >= data.n - 40  # digits that arrive after training
    shown = ~later & (np.random.default_rng(0).random(data.n) < 1 / 20)
    write_tables(data, ids, shown, later)

    tables = ["--edges", FOLDER / "edges.csv", "--nodes", FOLDER / "nodes.csv", "--label", "digit"]
    step("What kind of graph is it?")
    unifilter("analyze", *tables, "--html", FOLDER / "analysis.html")
    step(f"Train on {shown.sum()} labels, a fifth of them for validation, and predict all nodes.")
    unifilter("fit", *tables, "--split", "stratified:0.8/0.2", *LIMITS, "--out", FOLDER / "run")
    step("40 digits arrive after training, with their edges.")
    new = ["--nodes", FOLDER / "new_nodes.csv", "--edges", FOLDER / "new_edges.csv"]
    unifilter("predict", FOLDER / "run", *new)

    step("Now the labels that were hidden.")
    truth, hidden = NAMES[data.y], ~shown & ~later
    write("hidden.csv", [("id", "label"), *((ids[i], truth[i]) for i in np.flatnonzero(hidden))])
    unifilter("evaluate", FOLDER / "run", "--labels", FOLDER / "hidden.csv")

    step("Share of right answers, beside models that see no graph:")
    print(f"{'':40}  hidden    new")
    ours = predictions("predictions") | predictions("new_predictions")
    compare("unifilter, on graph and features", np.array([ours[i] for i in ids]), truth, hidden, later)
    rivals = {
        "MLP, on features": MLPClassifier((128,), max_iter=1000, random_state=0),
        "logistic regression, on features": LogisticRegression(max_iter=1000),
    }
    for name, model in rivals.items():
        model = make_pipeline(StandardScaler(), model).fit(data.X[shown], truth[shown])
        compare(name, model.predict(data.X), truth, hidden, later)
    print(f"\nOpen {FOLDER / 'run' / 'report.html'} in a browser: every figure of this run, in one file.")


def write_tables(data, ids: list[str], shown: np.ndarray, later: np.ndarray) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    header = ["id", *(f"pixel_{i // 8}_{i % 8}" for i in range(data.d)), "digit"]
    rows = [[ids[i], *data.X[i], NAMES[data.y[i]] if shown[i] else ""] for i in range(data.n)]
    edges = list(zip(*data.graph.edges(), strict=True))
    for name, mask in (("", ~later), ("new_", later)):
        write(f"{name}nodes.csv", [header, *(row for row, wanted in zip(rows, mask, strict=True) if wanted)])
        some = [(ids[u], ids[v]) for u, v in edges if (later[u] or later[v]) == bool(name)]
        write(f"{name}edges.csv", [("src", "dst"), *some])


def write(name: str, rows: list) -> None:
    with (FOLDER / name).open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def unifilter(*words: object) -> None:
    """Run the command line, as it would be typed."""
    print("$ unifilter", *words, flush=True)
    subprocess.run([sys.executable, "-m", "unifilter.cli.app", *map(str, words)], check=True)


def predictions(name: str) -> dict[str, str]:
    from pyarrow import parquet

    table = parquet.read_table(FOLDER / "run" / f"{name}.parquet")
    return dict(zip(table["id"].to_pylist(), table["class"].to_pylist(), strict=True))


def compare(name: str, found: np.ndarray, truth: np.ndarray, *parts: np.ndarray) -> None:
    print(f"{name:40}", *(f"{(found == truth)[part].mean():7.1%}" for part in parts))


def step(words: str) -> None:
    print(f"\n\033[1m{words}\033[0m" if sys.stdout.isatty() else f"\n{words}", flush=True)


if __name__ == "__main__":
    main()
