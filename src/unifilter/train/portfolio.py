"""Settings that cover the regularisation regimes, best guess first; tau and h are learned by all of them.

Chosen greedily from the journals of `experiments/search_six_graphs.py`: each one is where the mean validation
accuracy over the six graphs, given those before it, gains most. Test nodes took no part.
"""

from __future__ import annotations

from typing import Any


def _setting(
    preprocess: str,
    hidden: int,
    layers: int,
    dropout: float,
    lr: float,
    decay: float,
    filter_lr: float,
    filter_decay: float,
    shares_lr: float,
    paper_init: bool = False,
) -> dict[str, Any]:
    return {
        "preprocess": preprocess,
        "options.hidden": hidden,
        "options.layers": layers,
        "options.batch_norm": False,
        "options.paper_init": paper_init,
        "options.residual": True,
        "options.dropout": dropout,
        "training.lr": lr,
        "training.weight_decay": decay,
        "groups.filter.lr": filter_lr,
        "groups.filter.weight_decay": filter_decay,
        "groups.shares.lr": shares_lr,
        "groups.shares.weight_decay": 0.0,
    }


PORTFOLIO = (
    _setting("row", 256, 2, 0.5, 0.05, 5e-5, 0.01, 1e-4, 0.05, paper_init=True),
    _setting("none", 64, 3, 0.5, 0.05, 2e-2, 0.005, 5e-4, 0.05),
    _setting("none", 256, 3, 0.1, 0.05, 5e-4, 0.01, 5e-4, 0.01),
    _setting("row", 256, 3, 0.5, 0.05, 1e-4, 0.01, 1e-4, 0.05),
    _setting("none", 64, 3, 0.7, 0.01, 5e-3, 0.01, 1e-4, 0.05),
    _setting("row", 256, 2, 0.6, 0.005, 5e-3, 0.005, 5e-4, 0.01, paper_init=True),
    _setting("none", 256, 3, 0.5, 0.05, 5e-3, 0.01, 5e-4, 0.01),
)
