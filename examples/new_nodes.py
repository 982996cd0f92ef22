"""Nodes that arrive after training: train, save, load elsewhere, predict the newcomers."""

import tempfile

import numpy as np

from unifilter import Dataset, Graph, Trained, Training, load, run, splits

data = load("digits")
u, v = data.graph.edges()
n = data.n - 200  # the last 200 digits come later
early = (u < n) & (v < n)
old = Dataset(Graph.from_edges(np.stack([u, v])[:, early], n=n), data.X[:n], data.y[:n], "early digits")

scaled = old.preprocess("standard")  # newcomers will be scaled by the same means and deviations
result = run(scaled, splits.stratified(old.y), "unifilter", {"K": 5}, Training(epochs=150))
print(f"test accuracy on the early graph: {result.record.scores['test']['accuracy']:.1%}")

with tempfile.TemporaryDirectory() as folder:
    Trained.of(result, old).save(folder)  # safetensors, JSON and plain arrays; nothing to unpickle
    trained = Trained.load(folder)

    # Newcomers have the numbers n, n+1, ...; the filter is frozen, and only what lies within K hops is read.
    p = trained.predict_new(data.X[n:], np.stack([u, v])[:, ~early])
    print(f"of the 200 that came later:       {(p.argmax(axis=1) == data.y[n:]).mean():.1%}")

    # One of them, on its own, with the edges to nodes that were there: as fast as a request should be.
    one = np.stack([u, v])[:, (u < n) & (v == n)]
    print(f"the first of them: {data.y[n]}, found {trained.predict_new(data.X[[n]], one).argmax()}")
