"""`unifilter fit`: from tables to predictions, a trained model and a report."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from unifilter.cli.flags import flags
from unifilter.cli.resume import CONTENTS, alone, begin, forget
from unifilter.cli.show import Display, summary
from unifilter.cli.splits import HELP, check_split, parse_split, split_column
from unifilter.cli.tables import Source, check_labels, check_reach, dressed
from unifilter.data import Dataset
from unifilter.data.splits import Split
from unifilter.models import model_class
from unifilter.models._registry import configure
from unifilter.train import Result, Training, run
from unifilter.train.auto import choose, parse_budget
from unifilter.train.floor import floor
from unifilter.train.result import describe
from unifilter.train.run import check_half, check_weights, needs_features, pick_device, training_labels
from unifilter.trained import Trained, cls_uses

EXAMPLES = """Examples:

unifilter fit --edges edges.parquet --nodes nodes.parquet --label kind --out run

unifilter fit cora --split fixed:0 --out run

unifilter fit cora --model gprgnn --option K=5 --epochs 300 --out run
"""


@flags
def fit(
    data: Source,
    out: Annotated[Path, typer.Option(help="Folder for model, predictions, report and record.")] = Path(
        "run"
    ),
    split: Annotated[str, typer.Option(help=HELP)] = "auto",
    model: Annotated[
        str, typer.Option(help="auto: UniFilter that chooses its settings; or a name of `unifilter models`.")
    ] = "auto",
    option: Annotated[
        list[str] | None, typer.Option(help="Of a named model: NAME=VALUE; may be given several times.")
    ] = None,
    budget: Annotated[
        str, typer.Option(help="Time for choosing settings: 30s, 5m, 1h; none for no limit.")
    ] = "1m",
    epochs: Annotated[int, typer.Option(help="At most.")] = 2000,
    patience: Annotated[int, typer.Option(help="Epochs without a better validation score.")] = 200,
    lr: Annotated[float, typer.Option(help="Learning rate of a named model.")] = 0.01,
    weight_decay: Annotated[float, typer.Option(help="Decay of a named model.")] = 5e-4,
    batch: Annotated[
        int | None, typer.Option(min=1, help="Training rows a step; by default all that fit in memory.")
    ] = None,
    class_weights: Annotated[
        bool,
        typer.Option(
            "--class-weights", help="Rare classes count as much as others, in the loss and in the choice."
        ),
    ] = False,
    half: Annotated[
        bool, typer.Option("--half", help="Train UniFilter on V in bfloat16: half the memory, less to read.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of parameters and dropout.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a run that was cut off in --out.")
    ] = False,
    report: Annotated[bool, typer.Option(help="Write report.html.")] = True,
    as_json: Annotated[
        bool, typer.Option("--json", help="For machines: the record, and how tables were read, on one line.")
    ] = False,
) -> None:
    """Train on the labelled nodes, predict all nodes, and write a report."""
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"--out names a folder, but {out} is a file: choose another --out.")
    trained, cut_off = (out / "model" / "model.json").exists(), (out / "state").exists()
    if trained and not resume:
        raise FileExistsError(
            f"{out} holds a trained model already: choose another --out, or delete it first."
        )
    if cut_off and not resume:
        raise FileExistsError(
            f"{out} holds a run that was cut off or still goes on: say --resume, or choose another --out."
        )
    # Whatever can be wrong is wrong before anything is loaded or written.
    training = Training(
        epochs, patience, lr, weight_decay, batch=batch, class_weights=class_weights, seed=seed
    )
    options = {} if model == "auto" else parse_options(model, option or [])
    if model == "auto" and option:
        raise ValueError("--option belongs to a named --model; auto chooses its settings itself.")
    if model == "auto" and (batch, lr, weight_decay) != (None, 0.01, 5e-4):
        raise ValueError("--batch, --lr and --weight-decay belong to a named --model; auto chooses its own.")
    if model == "auto" and half:
        raise ValueError("--half belongs to --model unifilter; auto trains in float32.")
    if model != "auto":
        check_weights(model, training)
        check_half(model, half)
    seconds = parse_budget(budget)
    pick_device(device)
    raw = data.raw(split_column(split))
    notes = _said([*check_labels(raw), *check_reach(raw)])
    if model == "auto" or needs_features(model):
        raw = dressed(raw)
    parts = parse_split(split, raw)
    notes += _said(check_split(parts, raw))
    chosen = model == "auto" and data.preprocessing == "auto"  # candidates bring their own scaling
    dataset = raw if chosen else data.scaled(raw)
    asked = asdict(data) | asdict(training) | {"split": split, "model": model, "option": options}
    asked |= {"half": True} if half else {}
    asked |= {CONTENTS: describe(raw)["checksum"]}
    with alone(out):
        state = begin(out, asked, resume)
        if trained and not cut_off:
            forget(state)
            _say_complete(out, as_json)
            return
        with Display(quiet=as_json or not sys.stderr.isatty()) as display:
            if model == "auto":
                result = choose(
                    dataset,
                    parts,
                    budget=seconds,
                    seed=seed,
                    device=device,
                    epochs=epochs,
                    patience=patience,
                    class_weights=class_weights,
                    on_progress=display.progress,
                    folder=state,
                )
            else:
                watch = display.epochs(training)
                where: dict[str, Any] = {"device": device, "folder": state, "on_epoch": watch}
                result = run(dataset, parts, model, options, training, half=half, **where)
        scaled = data.scaled(raw)
        beside = [] if result.interrupted else floor(scaled, parts, result)
        report = write(out, raw, parts, result, report, scaled, beside, notes)
        if not result.interrupted:
            forget(state)
        if as_json:
            account: dict[str, Any] = (
                {} if raw.ingestion is None else {"tables": str(raw.ingestion).splitlines()}
            )
            account |= {"beside": beside} if beside else {}
            print(json.dumps(json.loads(result.record.to_json()) | account))
        else:
            summary(raw, result, out, report, beside)
        if result.interrupted:
            print(
                "interrupted: this is the best so far; the same line with --resume goes on.", file=sys.stderr
            )
            raise typer.Exit(130)


def write(
    out: Path,
    dataset: Dataset,
    split: Split,
    result: Result,
    report: bool,
    scaled: Dataset | None = None,
    beside: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
) -> bool:
    """Model, predictions, record, and the report where it is wanted and plotly is there; whether it is."""
    out.mkdir(parents=True, exist_ok=True)
    labels = training_labels(dataset, split) if cls_uses(result.model, "labels") else None
    Trained.of(result, dataset, labels).save(out / "model")
    write_predictions(out / "predictions.parquet", dataset.ids, dataset.classes, result.p, split)
    result.record.append(out / "record.jsonl")
    if report and find_spec("plotly") is None:
        print("no report, since it needs plotly: pip install 'unifilter[viz]'.", file=sys.stderr)
        return False
    if report:
        from unifilter.cli.report import fit_report
        from unifilter.viz import write_report

        write_report(out / "report.html", fit_report(dataset, split, result, scaled, beside, notes))
    return report


def write_predictions(file: Path, ids: Any, classes: Any, p: Any, split: Split | None = None) -> None:
    """A row a node: its id as it came, the class, the probability of every class; Parquet, or CSV by name.

    With a split, also which part of it a node was: train, validation, test, or nothing.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    names = np.array(classes, dtype=object)
    column = pa.array(np.arange(p.shape[0])) if ids is None else ids
    columns = {"id": column, "class": pa.array(names[p.argmax(axis=1)].tolist())}
    columns |= {f"p({name})": pa.array(p[:, i]) for i, name in enumerate(classes)}
    if split is not None:
        part_of = np.full(p.shape[0], None, dtype=object)
        for name, mask in (("train", split.train), ("validation", split.val), ("test", split.test)):
            part_of[mask] = name
        columns["part"] = pa.array(part_of.tolist(), pa.string())
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    (csv.write_csv if is_csv(file) else parquet.write_table)(pa.table(columns), part)
    part.replace(file)


def is_csv(file: Path) -> bool:
    """Whether a file of predictions is CSV by its name; a name that says neither CSV nor Parquet is refused.

    Examples
    --------
    >>> is_csv(Path("new.csv")), is_csv(Path("new.parquet"))
    (True, False)
    """
    if file.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"predictions are written as .parquet or .csv, but {file} ends with neither.")
    return file.suffix.lower() == ".csv"


def parse_options(model: str, given: list[str]) -> dict[str, Any]:
    """NAME=VALUE, the value as JSON where it is, else as text.

    Examples
    --------
    >>> parse_options("unifilter", ["K=5", "tau=learn"])
    {'K': 5, 'tau': 'learn'}
    """
    known = [f.name for f in fields(model_class(model).Config)]
    found: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign:
            raise ValueError(f"--option {text} is not NAME=VALUE. {model} has {', '.join(known)}.")
        try:
            read = json.loads(value.lower() if value in ("True", "False", "None") else value)
        except json.JSONDecodeError:
            read = value
        found[name] = tuple(read) if isinstance(read, list) else read
    configure(model, found)
    return found


def _said(notes: list[str]) -> list[str]:
    """Before training, since whoever reads them may want to mend the tables first."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return notes


def _say_complete(out: Path, as_json: bool) -> None:
    """Nothing is left to do, so that a script may always say --resume."""
    if as_json:
        print((out / "record.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    else:
        print(f"{out} is complete: there is nothing to resume.")
