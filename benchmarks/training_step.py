"""A training step on a CPU, piece by piece, beside what it would cost the usual way.

Everything has the size of Cora's training rows, K = 10. Each piece is timed on the way there and back, in
turns with its peer, so that both meet one machine:

mix         the filter without dropout; how much of the speed of a copy its reading and writing reach
half V      the same with V in bfloat16
basis       dropout on the basis that is never written, against torch's dropout over the basis
dropout     of the MLP: a mask by hash, against torch's
products    of the first layer in bfloat16, against float32, where the processor has instructions for them
epoch       UniFilter with dropout on the basis: a step, and a look at the validation rows

Then UniFilter is trained on splits of Cora with V in float32 and in bfloat16: what half precision costs.

python benchmarks/training_step.py
python benchmarks/training_step.py --repetitions 5 --splits 3 --epochs 30
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import torch
from _common import alternating, arguments, median, shaped, write
from torch import Tensor, nn
from torch.nn.functional import dropout as torch_dropout

from unifilter import load, mix, splits
from unifilter.krylov import mix_dropped
from unifilter.krylov.dropout import dropout
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config, UniFilter
from unifilter.train import Training, fit, run
from unifilter.train.loop import Part, gains_by_half

K, RATE, HIDDEN, CLASSES = 10, 0.5, 256, 7
Job = Callable[[], Any]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--splits", type=int, default=10, help="of Cora, for the effect of half precision")
    parser.add_argument("--epochs", type=int, default=100)
    args = parser.parse_args()
    graph, X = shaped("cora")
    inputs = Basis.of(graph, X, K)
    order = torch.randperm(graph.n)[: int(0.8 * graph.n)]
    train, val = (inputs.rows(some) for some in order.split(int(0.6 * graph.n)))
    found: dict[str, Any] = {"rows": train.n, "columns": X.shape[1], "K": K}
    for name, jobs in pieces(train, val).items():
        seconds = alternating(jobs, max(5, args.repetitions))
        found[name] = {"seconds": seconds, "milliseconds": {w: 1e3 * median(s) for w, s in seconds.items()}}
        if name != "mix":
            first, second = jobs
            found[name]["times_faster"] = median(seconds[second]) / median(seconds[first])
        print(
            f"{name}:", {w: round(ms, 2) for w, ms in found[name]["milliseconds"].items()}, "ms", flush=True
        )
    found["mix"]["share_of_copy"] = shares(train.V, found["mix"]["seconds"])
    print("share of the copy's speed", {w: round(s, 2) for w, s in found["mix"]["share_of_copy"].items()})
    found["half V on Cora"] = accuracies(args.splits, args.epochs)
    write("training_step", found)


def pieces(train: Basis, val: Basis) -> dict[str, dict[str, Job]]:
    """Of each piece the contenders, ours first."""
    V, n, d = train.V, train.n, train.V.shape[2]
    half, copy, into = V.bfloat16(), torch.empty_like(V), torch.empty(1, n, d)
    C, w = torch.randn(K + 1, K + 1, d) * torch.ones(K + 1, K + 1).tril()[:, :, None], torch.randn(K + 1, d)
    G, Z, rate = torch.randn(n, d), torch.randn(n, d), torch.tensor([RATE])
    found = {
        "mix": {
            "there": lambda: mix(V, w),
            "there, into memory in use": lambda: mix(V, w[None], out=into),
            "there and back": there_and_back(lambda c: mix(V, c), w, G),
            "copy of V": lambda: copy.copy_(V),
        },
        "half V": {
            "bfloat16": there_and_back(lambda c: mix(half, c), w, G),
            "float32": there_and_back(lambda c: mix(V, c), w, G),
        },
        "basis": {
            "never written": there_and_back(lambda c: mix_dropped(V, c, RATE, 7, lower=True), C, G),
            "torch, written": there_and_back(lambda c: torch_dropout(mix(V, c), RATE).sum(dim=0), C, G),
        },
        "dropout": {
            "hash": there_and_back(lambda x: dropout(x[None], rate, torch.tensor(7))[0], Z, G),
            "torch": there_and_back(lambda x: torch_dropout(x, RATE), Z, G),
        },
        "epoch": {
            "bfloat16 V": epoch(*(replace(part, V=part.V.bfloat16()) for part in (train, val))),
            "float32 V": epoch(train, val),
        },
    }
    if gains_by_half("cpu"):
        layer, H = nn.Linear(d, HIDDEN, bias=False), torch.randn(n, HIDDEN)

        def mixed(x: Tensor) -> Tensor:
            with torch.autocast("cpu", torch.bfloat16):
                return layer(x).float()

        found["products"] = {"bfloat16": there_and_back(mixed, Z, H), "float32": there_and_back(layer, Z, H)}
    return found


def there_and_back(function: Callable[[Tensor], Tensor], x: Tensor, G: Tensor) -> Job:
    x = x.clone().requires_grad_()

    def job() -> None:
        torch.autograd.backward(function(x), G)
        x.grad = None

    return job


def epoch(train: Basis, val: Basis) -> Job:
    """One epoch of the loop; labels do not change what it costs."""
    model = UniFilter(Config(K=K, hidden=HIDDEN, basis_dropout=RATE), train.V.shape[2], CLASSES)
    parts = [Part(part, torch.randint(CLASSES, (part.n,))) for part in (train, val)]
    return lambda: fit(model, *parts, Training(epochs=1))


def shares(V: Tensor, seconds: dict[str, list[float]]) -> dict[str, float]:
    """Bytes a second of the mix over those of the copy: it reads V and writes n x d, and the reverse."""
    one = V[0].nbytes
    moved = dict.fromkeys(seconds, V.nbytes + one)
    moved |= {"there and back": 2 * (V.nbytes + one), "copy of V": 2 * V.nbytes}
    speed = {who: size / median(seconds[who]) for who, size in moved.items()}
    return {who: share / speed["copy of V"] for who, share in speed.items() if who != "copy of V"}


def accuracies(count: int, epochs: int) -> dict[str, Any]:
    """Test accuracy of UniFilter on splits of Cora, V in both precisions, and the mean difference."""
    data = load("cora", "row")
    test: dict[str, list[float]] = {"float32": [], "bfloat16": []}
    seconds: dict[str, list[float]] = {"float32": [], "bfloat16": []}
    config = Config(K=K, hidden=HIDDEN)
    inputs = UniFilter.prepare(data.graph, data.features(), config)
    for seed in splits.SEEDS[:count]:
        for half, who in ((False, "float32"), (True, "bfloat16")):
            split, training = splits.quota(data.y, seed=seed), Training(epochs=epochs, seed=seed)
            given = {"inputs": inputs, "half": half, "device": "cpu"}
            record = run(data, split, options=asdict(config), training=training, **given).record
            test[who].append(100 * record.scores["test"]["accuracy"])
            seconds[who].append(record.seconds["train"])
    differences = np.subtract(test["bfloat16"], test["float32"])
    error = float(differences.std(ddof=1) / np.sqrt(count)) if count > 1 else None
    found = {"mean": {who: float(np.mean(t)) for who, t in test.items()}, "epochs": epochs, "test": test}
    found |= {"difference": float(differences.mean()), "standard_error": error, "seconds": seconds}
    known = "" if error is None else f", standard error {error:.2f}"
    print(f"Cora: {found['mean']}, difference {found['difference']:.2f}{known}")
    return found


if __name__ == "__main__":
    main()
