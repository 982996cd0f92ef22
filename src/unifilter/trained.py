"""A trained model with all that it needs to predict: on disk as safetensors and JSON, no pickle."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, issparse, triu, vstack

from unifilter._checks import check_edges, check_features, check_weights
from unifilter._types import FloatArray, IntArray
from unifilter.data.dataset import Dataset
from unifilter.data.preprocess import preprocess
from unifilter.graph import Graph
from unifilter.krylov import Tridiagonal
from unifilter.models._basis import Basis
from unifilter.models._layers import blank
from unifilter.models._registry import configure, model_class
from unifilter.record import write_atomically
from unifilter.train.checkpoint import save_tensors
from unifilter.train.loop import predict_logits
from unifilter.train.result import Result

VERSION = 1


@dataclass(frozen=True, eq=False)
class Trained:
    """A model, the data it was trained on, and the temperature of its probabilities.

    Parameters
    ----------
    net : nn.Module
    inputs
        What ``prepare`` made of the data.
    dataset : Dataset
        With features as they came.
    preprocessing : str
        What was done to them before training.
    temperature : float
    labels : Tensor, optional
        Training labels, for models that propagate them.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> from unifilter.train import Training, run
    >>> data = load("sbm:n=200,h=0.9,d=8")
    >>> result = run(data, splits.stratified(data.y), options={"K": 3}, training=Training(epochs=5))
    >>> trained = Trained.of(result, data)
    >>> trained.predict_new(np.zeros((1, 8)), [[200], [0]]).shape
    (1, 5)
    """

    net: Any
    inputs: Any
    dataset: Dataset
    preprocessing: str
    temperature: float
    labels: torch.Tensor | None = None

    @staticmethod
    def of(result: Result, dataset: Dataset, labels: torch.Tensor | None = None) -> Trained:
        """From a training on ``dataset``; its record says how the features were scaled."""
        how = result.record.dataset["preprocessing"]
        how = "none" if how == dataset.preprocessing else how
        return Trained(result.model, result.inputs, dataset, how, result.temperature, labels)

    def predict_proba(self) -> FloatArray:
        """Probabilities (n, classes) of the nodes it was trained on."""
        return self._probabilities(self.inputs)

    def predict_new(self, X: Any, edges: Any, weights: Any = None) -> FloatArray:
        """Probabilities (q, classes) of q nodes that arrived after training.

        Parameters
        ----------
        X : array of shape (q, d)
            Their features, as they came.
        edges : array of shape (2, e)
            Between newcomers n ... n+q-1 and old nodes 0 ... n-1, or among newcomers.
        weights : array of shape (e,), optional

        Notes
        -----
        For models on a Krylov basis the trained polynomials are frozen (alpha, beta and norm as they were),
        and only the neighbourhood within K hops of the newcomers is propagated. Other models see the grown
        graph.
        """
        X = np.asarray(_array(X), np.float32)
        if X.ndim != 2 or X.shape[1] != self.dataset.d:
            raise ValueError(
                f"new nodes have features of shape (q, {self.dataset.d}), but came as {X.shape}."
            )
        n, q = self.dataset.n, X.shape[0]
        check_features(X, q)
        if not q:
            return np.empty((0, len(self.dataset.classes)))
        grown = grow(self.dataset.graph, q, edges, weights)
        nodes = np.arange(n, n + q)
        if isinstance(self.inputs, Basis):
            old = self.dataset.features() if self.preprocessing == "none" else self._scaled_old()
            new = np.asarray(_array(preprocess(X, self.preprocessing, like=self.dataset.X)), np.float32)
            whole = torch.cat([old, torch.from_numpy(new)])
            inputs = self.inputs.of_newcomers(grown, whole, nodes)
            return self._probabilities(inputs)
        arcs = self.dataset.arcs
        if arcs is not None:  # the directions of old edges stay; those of new ones are as they came
            arcs = np.concatenate([arcs, np.stack(check_edges(edges))], axis=1)
        return self._grown(grown, X, nodes, arcs)

    def save(self, folder: str | Path) -> None:
        """Write the model; in a folder that is there it replaces the one before. `model.json` comes last."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.json").unlink(missing_ok=True)
        for stale in folder.glob("*.safetensors"):  # of another kind of model
            stale.unlink()
        save_tensors(folder / "weights.safetensors", dict(self.net.state_dict()))
        if isinstance(self.inputs, Basis):
            T = self.inputs.T
            save_tensors(
                folder / "polynomials.safetensors",
                {"alpha": T.alpha, "beta": T.beta, "norm": self.inputs.norm, "powers": self.inputs.powers},
            )
        if self.labels is not None:
            save_tensors(folder / "labels.safetensors", {"labels": self.labels})
        self.dataset.save(folder / "data")
        about = {
            "format": VERSION,
            "model": self.net.name,
            "config": asdict(self.net.config),
            "preprocessing": self.preprocessing,
            "temperature": self.temperature,
            "classes": list(self.dataset.classes),
        }
        write_atomically(folder / "model.json", json.dumps(about, indent=1))

    @staticmethod
    def load(folder: str | Path) -> Trained:
        """Read what :meth:`save` wrote."""
        folder = Path(folder)
        if not (folder / "model.json").exists():
            raise FileNotFoundError(f"{folder} holds no trained model: model.json is missing.")
        try:
            about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise ValueError(f"{folder / 'model.json'} is damaged: {error}") from error
        if about["format"] > VERSION:
            raise ValueError(f"{folder} has format {about['format']}; this unifilter reads up to {VERSION}.")
        dataset = Dataset.load(folder / "data")
        cls = model_class(about["model"])
        options = {k: tuple(v) if isinstance(v, list) else v for k, v in about["config"].items()}
        config = configure(about["model"], options)
        labels = _tensors(folder / "labels.safetensors")["labels"] if cls_uses(cls, "labels") else None
        extra: dict[str, Any] = {"h": 0.5} if cls_uses(cls, "homophily") else {}
        if labels is not None:
            extra["labels"] = labels
        if cls_uses(cls, "nodes"):
            extra["nodes"] = dataset.n
        net = blank(cls, config, dataset.d, len(about["classes"]), **extra)
        net.load_state_dict(_tensors(folder / "weights.safetensors"))
        trained = Trained(net.eval(), None, dataset, about["preprocessing"], about["temperature"], labels)
        return Trained(
            net, trained._inputs(folder), dataset, about["preprocessing"], about["temperature"], labels
        )

    def _inputs(self, folder: Path) -> Any:
        """V of the old nodes is not stored: the same factorisation gives it again."""
        if not (folder / "polynomials.safetensors").exists():
            return self._prepared(self.dataset.graph, self._scaled_old(), self.dataset.arcs)
        frozen = _tensors(folder / "polynomials.safetensors")
        T = Tridiagonal(frozen["alpha"], frozen["beta"])
        V = Basis.of(self.dataset.graph, self._scaled_old(), T.K).V
        return Basis(V, T, frozen["norm"], frozen["powers"])

    def _scaled_old(self) -> torch.Tensor:
        data = self.dataset
        return (data if self.preprocessing == "none" else data.preprocess(self.preprocessing)).features()

    def _prepared(self, graph: Graph, X: torch.Tensor, arcs: IntArray | None) -> Any:
        known = {"arcs": arcs} if cls_uses(self.net, "arcs") else {}
        return type(self.net).prepare(graph, X, self.net.config, **known)

    def _grown(self, graph: Graph, X: Any, nodes: IntArray, arcs: IntArray | None) -> FloatArray:
        """Models without a Krylov basis: prepared again, on the grown graph."""
        if getattr(self.net, "node_parameters", ()):
            raise ValueError(
                f"{self.net.card.title} has a weight for every node it was trained on, so it cannot predict "
                "new ones. UniFilter, GCN and others can."
            )
        old, q = self.dataset.X, X.shape[0]
        both = vstack([old, csr_array(X)], "csr") if issparse(old) else np.concatenate([old, X])
        scaled = _array(preprocess(both, self.preprocessing, like=old))
        net = self.net
        where = next((t.device for t in net.state_dict().values()), torch.device("cpu"))
        features = torch.from_numpy(np.asarray(scaled, np.float32)).to(where)
        if self.labels is not None:
            labels = torch.cat([self.labels, torch.full((q,), -1)])
            net = blank(type(net), net.config, X.shape[1], len(self.dataset.classes), labels=labels)
            own = net.state_dict()
            kept = getattr(self.net, "node_buffers", ())
            net.load_state_dict({k: own[k] if k in kept else v for k, v in self.net.state_dict().items()})
            net.to(where)
        inputs = self._prepared(graph, features, arcs).rows(torch.from_numpy(nodes).to(where))
        return self._probabilities(inputs, net)

    def _probabilities(self, inputs: Any, net: Any = None) -> FloatArray:
        logits = predict_logits(net or self.net, inputs)
        p: FloatArray = torch.softmax(logits.double() / self.temperature, dim=1).cpu().numpy()
        return p


def grow(graph: Graph, q: int, edges: Any, weights: Any = None) -> Graph:
    """The graph with q nodes more and their edges; both directions of an edge count as one.

    Examples
    --------
    >>> grow(Graph.from_edges([[0], [1]]), 1, [[2, 2], [0, 1]]).m
    3
    """
    new = np.stack(check_edges(edges))
    n = graph.n
    if new.size and (new.min() < 0 or new.max() >= n + q):
        raise ValueError(
            f"edges of {q} new nodes join nodes 0 ... {n + q - 1} (old ones up to {n - 1}), but one names "
            f"{new.max() if new.max() >= n + q else new.min()}."
        )
    frozen = np.flatnonzero((new < n).all(axis=0))
    if frozen.size:
        u, v = new[:, frozen[0]]
        raise ValueError(
            f"edge {u} - {v} joins two nodes that were there at training time: the trained graph is frozen. "
            "Leave such edges out, or train again."
        )
    if graph.weights is not None and weights is None and new.size:
        raise ValueError(
            f"edges of the trained graph have weights, {np.mean(graph.weights):g} on average, so new ones "
            "need them too: pass weights, one for each edge."
        )
    upper = triu(graph.to_scipy(), format="coo")
    both = np.concatenate([np.stack([upper.row, upper.col]), new], axis=1)
    if graph.weights is None and weights is None:
        return Graph.from_edges(both, n=n + q)
    before = np.asarray(upper.data, np.float64)
    after = np.ones(new.shape[1]) if weights is None else check_weights(weights, new.shape[1])
    return Graph.from_edges(both, n=n + q, weights=np.concatenate([before, after]))


def cls_uses(model: Any, what: str) -> bool:
    """Whether a model asks for "homophily", "labels" or "arcs"."""
    return bool(getattr(model, f"uses_{what}", False))


def _array(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else X


def _tensors(file: Path) -> dict[str, torch.Tensor]:
    """The tensors of a file; a damaged one is named."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(file)
    except SafetensorError as error:
        raise ValueError(f"{file} is damaged: {error}. Train the model again, or copy it anew.") from error
