"""What is searched of each model, as data: published ranges, or values around those that were published.

A name that is not lr, weight_decay, optimizer or preprocess is an option of the model's Config; ``group.lr``
and ``group.weight_decay`` belong to one of its groups. Repositories are named where a range is theirs.
"""

from __future__ import annotations

from typing import Any

Ranges = dict[str, list[Any]]

BOTH = [False, True]
FEATURES: Ranges = {"preprocess": ["row", "none"]}
# For models whose authors published no range.
COMMON: Ranges = FEATURES | {
    "lr": [0.001, 0.005, 0.01, 0.05],
    "weight_decay": [0.0, 5e-5, 5e-4, 5e-3],
    "dropout": [0.0, 0.2, 0.5, 0.7, 0.9],
}

# An MLP of 64 and a filter of its logits. jianhao2016/GPRGNN, README: lr, weight_decay, alpha; nothing on w.
# The second dropout's values are those that GPR-GNN, EvenNet, ChebNetII and BernNet were published with.
_DECOUPLED: Ranges = FEATURES | {
    "hidden": [64],
    "lr": [0.002, 0.01, 0.05],
    "weight_decay": [0.0, 5e-4],
    "dropout": [0.1, 0.3, 0.5, 0.7],
    "filter_dropout": [0.0, 0.3, 0.5, 0.7, 0.9],
    "filter.lr": [0.002, 0.01, 0.05],
    "filter.weight_decay": [0.0],
}
# Linear, filter, linear. yuziGuo/FarOptBasis, scripts/: the values that were chosen there.
_BETWEEN: Ranges = FEATURES | {
    "hidden": [64],
    "K": [2, 4, 8, 12, 16, 20],
    "lr": [0.001, 0.005, 0.01, 0.05],
    "weight_decay": [1e-7, 1e-5, 1e-4, 1e-3],
    "dropout": [0.0, 0.2, 0.5, 0.7],
    "filter_dropout": [0.0, 0.5, 0.7, 0.9],
    "filter.lr": [0.005, 0.01, 0.03],
    "filter.weight_decay": [1e-6, 1e-3],
}
# LUOyk1999/tunedGNN, medium_graph: width, depth, dropout, norm, residual, a linear map before and behind.
# The plain two layers of GCN, GraphSAGE and GAT are among them.
_CLASSIC: Ranges = FEATURES | {
    "hidden": [64, 256],
    "layers": [2, 3, 5, 8],
    "dropout": [0.2, 0.3, 0.5, 0.7],
    "input_dropout": [0.0, 0.5],
    "norm": ["none", "batch", "layer"],
    "residual": BOTH,
    "embed": BOTH,
    "head": BOTH,
    "lr": [0.001, 0.005, 0.01],
    "weight_decay": [0.0, 5e-5, 5e-4],
}
# zhumeiqiBUPT/GNN-LF-HF has one setting for three graphs: alpha 0.1, mu = beta = 0.9, decay 5e-3.
_UNIFIED: Ranges = FEATURES | {
    "hidden": [64],
    "K": [10],
    "alpha": [0.05, 0.1, 0.2, 0.5],
    "lr": [0.005, 0.01, 0.05],
    "dropout": [0.2, 0.5, 0.8],
    "weight_decay": [0.0],
    "first.weight_decay": [0.0, 5e-4, 5e-3],
}

FILTERS: dict[str, Ranges] = {
    # Tiiiger/SGC, tuning.py: decay from 1e-10 to 1e-4 at lr 0.2, K = 2.
    "sgc": FEATURES
    | {
        "K": [1, 2, 3, 4],
        "lr": [0.01, 0.05, 0.2],
        "weight_decay": [0.0, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4],
    },
    # schariya/adaptive-simple-convolution: K and R; the penalty is 1 there, on features that are not scaled.
    "asgc": FEATURES
    | {"K": [1, 2, 4, 8], "R": [1e-4, 1e-3, 1e-2, 1e-1, 1.0], "penalty": [1.0, 0.1, 0.01, 0.001]},
    "sign": COMMON
    | {
        "K": [2, 3, 5],
        "mixing": ["released", "paper"],
        "hidden": [64, 256],
        "layers": [2, 3],
        "batch_norm": BOTH,
    },
    # ivam-he/ChebNetII, README: K 2 with 32 columns, K 10 with 16; ivam-he/BernNet: K 1 with 32.
    "chebnet": COMMON | {"K": [1, 2, 3, 10], "hidden": [16, 32, 64]},
    "gprgnn": _DECOUPLED | {"alpha": [0.0, 0.1, 0.2, 0.5, 0.9, 1.0]},
    "evennet": _DECOUPLED | {"alpha": [0.1, 0.2, 0.5, 0.9]},
    "chebnetii": _DECOUPLED | {"filter.weight_decay": [0.0, 5e-4]},
    "bernnet": _DECOUPLED,
    # GraphPKU/JacobiConv: from the ranges of their search, thinned out.
    "jacobiconv": FEATURES
    | {
        "a": [-1.0, 0.0, 0.5, 1.0, 2.0],
        "b": [-0.5, 0.0, 0.5, 1.0],
        "alpha": [0.5, 1.0, 2.0],
        "recurrence": ["released", "jacobi"],
        "dropout": [0.0, 0.3, 0.6, 0.9],
        "filter_dropout": [0.1, 0.5, 0.7],
        "lr": [0.01, 0.05],
        "weight_decay": [0.0, 5e-5, 5e-4],
        "factors.lr": [0.01, 0.05],
        "factors.weight_decay": [1e-4],
        "filter.lr": [0.01, 0.05],
        "filter.weight_decay": [0.0, 5e-4],
    },
    "optbasis": _BETWEEN,
    "favard": _BETWEEN | {"recurrence.lr": [0.001, 0.005, 0.05], "recurrence.weight_decay": [1e-6]},
    # DSL-Lab/Specformer, Node/config.yaml: the values that were chosen there.
    "specformer": FEATURES
    | {
        "layers": [2],
        "heads": [1, 2, 4],
        "hidden": [32],
        "lr": [2e-4, 1e-3, 5e-3],
        "weight_decay": [1e-4, 5e-4, 1e-3],
        "transformer_dropout": [0.0, 0.2, 0.5],
        "feature_dropout": [0.4, 0.6, 0.8],
        "layer_dropout": [0.2, 0.5],
    },
    "gnnlf": _UNIFIED | {"mu": [0.5, 0.7, 0.9, 1.0]},
    "gnnhf": _UNIFIED | {"beta": [0.1, 0.5, 0.9, 2.0]},
    # sunilkmaurya/FSGNN, the scripts: the values that were chosen there.
    "fsgnn": FEATURES
    | {
        "K": [3, 8],
        "hops": ["all", "loops", "plain"],
        "hidden": [64],
        "hop_norm": BOTH,
        "dropout": [0.5, 0.6, 0.7],
        "lr": [0.005, 0.01],
        "weight_decay": [0.0],
        "first.weight_decay": [0.0, 1e-4, 1e-3],
        "second.weight_decay": [0.0, 1e-4, 1e-3],
        "gates.lr": [0.01, 0.02],
        "gates.weight_decay": [1e-4, 1e-2, 1e-1],
    },
}

NETWORKS: dict[str, Ranges] = {
    "gcn": _CLASSIC,
    "graphsage": _CLASSIC,
    # Eight heads: 64 and 256 columns, like the others.
    "gat": _CLASSIC | {"hidden": [8, 32], "heads": [8], "attention_dropout": [0.0, 0.5]},
    # chennnM/GCNII and Yujun-Yan/Heterophily_and_oversmoothing: the values that were chosen there.
    "gcnii": FEATURES
    | {
        "hidden": [16, 64],
        "layers": [2, 4, 8, 16, 32, 64],
        "alpha": [0.1, 0.2, 0.5],
        "lam": [0.5, 1.0, 1.5],
        "star": ["no", "code"],
        "dropout": [0.0, 0.5, 0.6],
        "lr": [0.01],
        "weight_decay": [5e-6, 1e-4, 5e-4, 1e-3],
    },
    # GemsLab/H2GCN: width and dropouts for MixHop, and for H2GCN all but lr and two of the dropouts.
    "mixhop": FEATURES
    | {
        "hidden": [64, 192],
        "input_dropout": [0.0, 0.5, 0.7],
        "dropout": [0.0, 0.5, 0.9],
        "binary": BOTH,
        "lr": [0.005, 0.01, 0.05],
        "weight_decay": [0.0, 1e-4, 1e-3, 1e-2],
        "shift.weight_decay": [0.0],
        "average.weight_decay": [6.67e-4],
    },
    "h2gcn": FEATURES
    | {
        "K": [1, 2],
        "hidden": [64],
        "relu": BOTH,
        "dropout": [0.0, 0.3, 0.5, 0.7],
        "lr": [0.005, 0.01, 0.05],
        "weight_decay": [2e-5, 1e-4, 1e-3],
    },
    # CUAI/Non-Homophily-Large-Scale, experiments/linkx_tuning.sh; only features are scaled otherwise.
    "linkx": FEATURES
    | {
        "hidden": [64, 128, 256, 512],
        "A_layers": [1, 2],
        "X_layers": [1, 2],
        "layers": [1, 2, 3, 4],
        "dropout": [0.0, 0.5],
        "self_loops": [True],
        "lr": [0.002, 0.01, 0.05],
        "weight_decay": [1e-3],
        "optimizer": ["adamw"],
    },
    # Relations are found anew for every number of levels, so there are two; 10 is the authors' bound.
    "wrgat": COMMON | {"hidden": [32, 128], "levels": [2, 10], "edge_weight": [0.5, 1.0]},
    # SitaoLuan/ACM-GNN: lr, weight_decay, dropout.
    "acmgcn": FEATURES
    | {
        "hidden": [64],
        "variant": ["acm", "acmii"],
        "lr": [0.01, 0.05, 0.1],
        "weight_decay": [0.0, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4, 1e-3, 5e-3, 1e-2],
        "dropout": [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    },
    # RecklessRonan/GloGNN, the script for small graphs: around the values that were chosen there.
    "glognn": FEATURES
    | {
        "hidden": [64],
        "layers": [1, 2, 3],
        "K": [2, 3, 4],
        "alpha": [0.0, 1.0],
        "beta": [1.0, 100.0, 1000.0, 10000.0],
        "gamma": [0.0, 0.2, 0.5, 0.8],
        "delta": [0.0, 0.5, 0.9, 1.0],
        "dropout": [0.0, 0.4, 0.6, 0.8],
        "lr": [0.01],
        "weight_decay": [0.0, 1e-5, 1e-4, 1e-3],
    },
    # LUMIA-Group/OrderedGNN, best_params: the values that were chosen there.
    "orderedgnn": FEATURES
    | {
        "hidden": [256],
        "layers": [8],
        "chunks": [64],
        "input_layers": [1, 2, 3],
        "one_gate": BOTH,
        "identity": BOTH,
        "dropout": [0.0, 0.1, 0.3, 0.4],
        "layer_dropout": [0.0, 0.1, 0.2],
        "lr": [0.001, 0.005, 0.01],
        "weight_decay": [5e-6, 5e-4, 5e-2],
        "linear.weight_decay": [5e-8, 5e-6, 5e-4, 5e-2],
    },
    # emalgorithm/directed-graph-neural-network: around the values that were chosen there.
    "dirgnn": FEATURES
    | {
        "layers": [2, 3, 4, 5],
        "hidden": [64, 128, 256],
        "alpha": [0.0, 0.5, 1.0],
        "jump": ["max", "cat", "none"],
        "normalize": BOTH,
        "dropout": [0.0, 0.2, 0.5, 0.8],
        "lr": [0.001, 0.005, 0.01],
        "weight_decay": [0.0, 5e-4],
    },
}

FLOORS: dict[str, Ranges] = {
    "mlp": COMMON | {"hidden": [64, 256, 512], "layers": [2, 3], "batch_norm": BOTH},
    "logistic": FEATURES,
    "labelpropagation": {
        "alpha": [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99],
        "K": [1, 2, 3, 5, 10, 50],
        "clamp": BOTH,
        "normalization": ["symmetric", "row", "column"],
    },
    "correctandsmooth": COMMON
    | {
        "hidden": [64, 256],
        "layers": [2, 3],
        "batch_norm": BOTH,
        "correct": [0.1, 0.5, 0.8, 0.9, 0.98],
        "smooth": [0.1, 0.5, 0.8, 0.9],
        "correct_by": ["symmetric", "row"],
        "smooth_by": ["symmetric", "column"],
    },
    "boosting": FEATURES
    | {
        "K": [2, 4, 6, 10],
        "components": [32, 64, 128],
        "rounds": [200],
        "learning_rate": [0.03, 0.1],
        "l2": [0.0, 1.0, 10.0],
        "leaves": [7, 15, 31],
        "least": [5, 20],
    },
}
