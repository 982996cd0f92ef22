"""Trainings a minute of models that are not UniFilter: one after the other against ten splits side by side.

Both train the same splits and seeds for the same number of epochs without early stopping. Alone:
`unifilter.train.run`'s loop. Side by side: bundled, recorded as CUDA graphs on a GPU, and replayed.

python benchmarks/side_by_side.py --models gcn,gprgnn,gat
"""

from __future__ import annotations

import time
from dataclasses import replace

import torch
from _common import arguments, median, shaped, write

from unifilter.data import Dataset, splits
from unifilter.models import model_class
from unifilter.train.beside import Job, lanes_of
from unifilter.train.config import Training
from unifilter.train.crowd import Crowd
from unifilter.train.loop import fit
from unifilter.train.prepared import Prepared
from unifilter.train.run import begin

MODELS = "sgc,gcn,gprgnn,chebnetii,bernnet,jacobiconv,gcnii,gat,h2gcn,mixhop,acmgcn,glognn"
SPLITS = 10


def main() -> None:
    parser = arguments(__doc__)
    cuda = torch.cuda.is_available()
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--shapes", default="cora,squirrel")
    parser.add_argument("--epochs", type=int, default=100 if cuda else 5)
    args = parser.parse_args()
    where = torch.device("cuda" if cuda else "cpu")
    torch.set_float32_matmul_precision("high")
    rows = []
    for shape in args.shapes.split(","):
        graph, X = shaped(shape)
        y = torch.randint(5, (graph.n,), generator=torch.Generator().manual_seed(0)).numpy()
        prepared = Prepared(Dataset(graph, X.numpy(), y), where)
        for model in args.models.split(","):
            training = Training(epochs=args.epochs, patience=args.epochs)
            jobs = [Job(splits.stratified(y, seed=s), {}, replace(training, seed=s)) for s in range(SPLITS)]
            rates: dict[str, list[float]] = {"alone": [], "side by side": []}
            for repetition in range(args.repetitions + 1):
                found = {
                    "alone": alone(prepared, model, jobs[0]),
                    "side by side": beside(prepared, model, jobs),
                }
                if repetition:  # the first one compiles
                    for who, rate in found.items():
                        rates[who].append(rate)
            gain = median(rates["side by side"]) / median(rates["alone"])
            rows.append({"shape": shape, "model": model, "trainings_a_minute": rates, "gain": gain})
            print(f"{shape:9s} {model:12s} {gain:6.1f} times more trainings a minute", flush=True)
            device = torch.cuda.get_device_name() if cuda else "cpu"
            name = "side_by_side_gpu" if cuda else "side_by_side_cpu"
            write(name, {"splits": SPLITS, "epochs": args.epochs, "device": device, "rows": rows})


def beside(prepared: Prepared, model: str, jobs: list[Job]) -> float:
    start = time.perf_counter()
    crowd = Crowd(lanes_of(prepared, model, jobs)[1])
    crowd.advance(jobs[0].training.epochs)
    crowd.scores()
    return 60 * len(jobs) / (time.perf_counter() - start)


def alone(prepared: Prepared, model: str, job: Job) -> float:
    inputs = prepared(model, "none", model_class(model).Config())
    start = time.perf_counter()
    begun = begin(prepared.dataset, job.split, model, {}, job.training, inputs=inputs, device=prepared.device)
    fit(begun.net, begun.train, begun.val, job.training)
    return 60 / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
