"""Attention without messages: a layer of GAT, there and back, against that of PyTorch Geometric.

Equal parameters, eight heads of 64 columns, graphs with the size of known ones. Both take turns, on a thread
of a CPU or on a GPU; peak memory is that of a process of its own, or of the GPU.

python benchmarks/attention.py
python benchmarks/attention.py --repetitions 20 --graphs cora,squirrel --device cuda
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from _common import alternating, arguments, median, peak_memory, shaped, write
from torch_geometric.nn import GATConv

from unifilter.graph.pattern import Pattern
from unifilter.models._operators import edge_index
from unifilter.models.gat import Attention

D, COLUMNS, HEADS = 64, 64, 8


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--graphs", default="cora,pubmed,squirrel")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, Any] = {}
    for name in args.graphs.split(","):
        jobs = {who: step(name, who, args.device) for who in ("ours", "theirs")}
        check(*(job() for job in jobs.values()))
        seconds = alternating(jobs, max(5, args.repetitions))
        memory = {who: peak(name, who, args.device) for who in jobs}
        times = median(seconds["theirs"]) / median(seconds["ours"])
        found[name] = {"seconds": seconds, "times_faster": times, "bytes": memory}
        said = (f"{who} {1e3 * median(seconds[who]):.1f} ms, {memory[who] / 1e6:.0f} MB" for who in jobs)
        print(f"{name:9s} {', '.join(said)}: {times:.1f}x", flush=True)
    kind = torch.device(args.device).type
    write(f"attention_{kind}", {"device": args.device, "columns": COLUMNS, "heads": HEADS, "graphs": found})


def step(name: str, who: str, device: str) -> Callable[[], list[torch.Tensor]]:
    """The layer's output and the gradients of its input and parameters; the same for both."""
    graph, _ = shaped(name)
    j, i = edge_index(graph, torch.empty(0))
    torch.manual_seed(0)
    theirs = GATConv(D, COLUMNS, HEADS, add_self_loops=False).to(device)
    ours = Attention(D, COLUMNS, HEADS, concat=True, bias=True, dropout=0.0).to(device)
    ours.load_state_dict(theirs.state_dict())
    X = torch.randn(graph.n, D).to(device).requires_grad_()
    if who == "ours":
        layer, where = ours, Pattern.of(i.numpy(), j.numpy(), graph.n).to(device)
    else:
        layer, where = theirs, torch.stack([j, i]).to(device)
    wanted = [X, *dict(sorted(layer.named_parameters())).values()]

    def there_and_back() -> list[torch.Tensor]:
        out = layer(X, where)
        found = [out.detach(), *torch.autograd.grad(out.square().sum(), wanted)]
        if out.is_cuda:
            torch.cuda.synchronize()
        return found

    return there_and_back


def check(ours: list[torch.Tensor], theirs: list[torch.Tensor]) -> None:
    """What is not the same cannot be compared."""
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3 * float(b.abs().max()))


def peak(name: str, who: str, device: str) -> int:
    if torch.device(device).type == "cpu":
        return peak_memory(_prepared, name, who)
    job = step(name, who, device)
    job()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    job()
    return torch.cuda.max_memory_allocated() - before


def _prepared(name: str, who: str) -> Callable[[], Any]:
    """Warm, and ready to be measured."""
    torch.set_num_threads(1)
    job = step(name, who, "cpu")
    if who == "ours":
        job()  # compiles; torch's own would keep its memory
    return job


if __name__ == "__main__":
    main()
