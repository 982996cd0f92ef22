"""Six polynomial filters of degree 10 learn four responses: what each of them can and cannot draw."""

import importlib.util
import math
import sys
import tempfile
from pathlib import Path

import torch

from unifilter import load
from unifilter.models import create

lam = torch.linspace(0, 2, 201, dtype=torch.float64)  # frequencies, from smooth to alternating
TARGETS = {
    "low-pass": torch.exp(-10 * lam**2),
    "high-pass": 1 - torch.exp(-10 * lam**2),
    "band-pass": torch.exp(-10 * (lam - 1) ** 2),
    "comb": torch.sin(math.pi * lam).abs(),
}
MODELS = ["gprgnn", "evennet", "chebnetii", "bernnet", "jacobiconv", "unifilter"]
data = load("sbm:n=200,h=0.5,d=1")  # UniFilter's basis belongs to a graph and a signal
uni = create("unifilter", d=1, classes=1, K=10)
INPUTS = {"unifilter": [uni.prepare(data.graph, data.features().double(), uni.config)]}


def learn(name: str, target: torch.Tensor) -> torch.Tensor:
    """The response of a model's filter after its own parameters were fitted to the target."""
    model = create(name, d=1, classes=1, K=10).double()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        error = (model.response(lam, *INPUTS.get(name, [])).reshape(-1) - target).square().mean()
        error.backward()
        return error

    optimizer.step(loss)
    return model.response(lam, *INPUTS.get(name, [])).detach().reshape(-1)


learned = {what: {name: learn(name, target) for name in MODELS} for what, target in TARGETS.items()}
grid = " ".join(f"{x:6.2f}" for x in lam[::25])
for what, target in TARGETS.items():
    print(f"\n{what}: g(lambda), and the error of each filter\n{'lambda':>12} {grid}")
    for name, g in {"target": target, **learned[what]}.items():
        print(f"{name:>12}", *(f"{x:6.2f}" for x in g[::25]), f"  {(g - target).norm() / target.norm():.1%}")

if importlib.util.find_spec("plotly"):
    from plotly.subplots import make_subplots

    figure = make_subplots(cols=len(TARGETS), subplot_titles=list(TARGETS), x_title="lambda", y_title="g")
    for column, (what, target) in enumerate(TARGETS.items(), start=1):
        for name, g in {"target": target, **learned[what]}.items():
            line = {"dash": "dot", "color": "black"} if name == "target" else {}
            label = f"{name}, {what}"
            figure.add_scatter(x=lam.numpy(), y=g.numpy(), name=label, line=line, row=1, col=column)
    file = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir()) / "learned_filters.html"
    figure.write_html(file)
    print(f"\nDrawn in {file}")
