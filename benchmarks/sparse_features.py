"""An epoch of models that learn from features which are mostly 0, on a CPU: with and without those zeros.

Graphs and features have the size of known ones, and as many features that are not 0. An epoch is a step on
60% of the nodes and a look at 20%; both ways take turns of five, on one thread.

python benchmarks/sparse_features.py
python benchmarks/sparse_features.py --repetitions 5 --graphs cora --models gcn,gprgnn
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from _common import alternating, arguments, median, shaped, write

from unifilter.models import create
from unifilter.models._bag import Bag
from unifilter.train import Training, fit
from unifilter.train.loop import Part

DENSITY = {
    "cora": 0.0127,
    "citeseer": 0.0085,
    "pubmed": 0.1002,
    "actor": 0.0058,
    "chameleon": 0.0055,
    "squirrel": 0.0086,
}
MODELS = "gcn,gcnii,mixhop,h2gcn,linkx,acmgcn,gprgnn,bernnet,chebnetii,jacobiconv"
CLASSES, EPOCHS = 5, 5


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--graphs", default="cora,pubmed,squirrel")
    parser.add_argument("--models", default=MODELS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, dict[str, Any]] = {}
    for name in args.graphs.split(","):
        found[name] = {}
        graph, X = shaped(name)
        X *= torch.rand(X.shape, generator=torch.Generator().manual_seed(1)) < DENSITY[name]
        for model in args.models.split(","):
            net = create(model, d=X.shape[1], classes=CLASSES, nodes=graph.n)
            inputs = net.prepare(graph, X, net.config)
            jobs = {"without": epochs(net, replace(inputs, X=Bag.of(X))), "with": epochs(net, inputs)}
            turns = alternating(jobs, max(3, args.repetitions))
            seconds = {who: [turn / EPOCHS for turn in some] for who, some in turns.items()}
            times = median(seconds["with"]) / median(seconds["without"])
            found[name][model] = {"seconds": seconds, "times_faster": times}
            print(
                f"{name:9s} {model:10s} {1e3 * median(seconds['without']):7.1f} ms an epoch without zeros, "
                f"{1e3 * median(seconds['with']):7.1f} ms with them: {times:.1f}x",
                flush=True,
            )
        write("sparse_features", {"density": DENSITY, "graphs": found})


def epochs(net: torch.nn.Module, inputs: Any) -> Callable[[], Any]:
    """Steps, and looks at the validation nodes."""
    order = torch.randperm(inputs.n, generator=torch.Generator().manual_seed(0))
    y = order % CLASSES
    train, val = order[: int(0.6 * inputs.n)], order[int(0.6 * inputs.n) : int(0.8 * inputs.n)]
    parts = Part(inputs, y[train], train), Part(inputs, y[val], val)
    return lambda: fit(net, *parts, Training(epochs=EPOCHS))


if __name__ == "__main__":
    main()
