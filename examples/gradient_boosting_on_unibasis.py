"""Trees on a graph: gradient boosting on the features themselves, and on UniBasis of them."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from unifilter import UniBasisTransformer, load

GRAPHS = {
    "digits, neighbours agree": "digits",
    "block model, neighbours agree": "sbm:n=2000,h=0.8,classes=3,degree=20",
    "block model, neighbours differ": "sbm:n=2000,h=0.05,classes=3,degree=20",
}

print(f"{'share of right answers':34} raw X   UniBasis of X")
for name, graph in GRAPHS.items():
    data = load(graph)
    train = np.random.default_rng(0).random(data.n) < 0.3
    y = np.where(train, data.y, -1)  # -1: not known; homophily is estimated from the labels that are

    U = UniBasisTransformer(K=4).fit_transform(data.X, y, graph=data.graph)
    right = []
    for features in (data.X, U):
        trees = HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=7, random_state=0)
        trees.fit(features[train], data.y[train])
        right.append(trees.score(features[~train], data.y[~train]))
    print(f"{name:34} {right[0]:.1%}   {right[1]:.1%}")
