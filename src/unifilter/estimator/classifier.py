"""Classifiers that scikit-learn can handle: UniFilter without tuning, and any registered model."""

from __future__ import annotations

import warnings
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from unifilter._types import FloatArray
from unifilter.data.dataset import Dataset
from unifilter.data.preprocess import preprocess
from unifilter.data.splits import Split
from unifilter.estimator.graphs import OnGraph, arcs_of, dense
from unifilter.estimator.targets import as_labels, encode_labels, labelled, validation_split
from unifilter.models._basis import Basis
from unifilter.train import Training, run
from unifilter.train.auto import choose, suits
from unifilter.train.run import training_labels
from unifilter.train.threads import threads_for
from unifilter.trained import Trained, cls_uses

ALONE = (
    "these rows come without edges and are predicted by their features alone. Nodes of the training graph "
    "are in transduction_ and label_distributions_, row by row; new nodes bring their edges: "
    "predict(X, edges)."
)

FEW_STEPS = 64  # of float32 between the least and the largest value of a column


class _Classifier(ClassifierMixin, OnGraph):  # type: ignore[misc]
    """fit, predict and predict_proba of both classifiers."""

    validation: float
    random_state: Any

    def fit(self, X: Any, y: Any, graph: Any = None) -> Any:
        """Train on the labelled nodes, predict all.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array of shape (n,)
            Classes of any kind. -1, NaN or None = unlabelled. (-1 is a class where there would be fewer than
            two without it, as scikit-learn's binary problems with labels -1 and 1 have it.)
        graph : Graph, SciPy matrix of shape (n, n) or edges of shape (2, m), optional
            Without it, every node is joined to its nearest neighbours in X. A matrix and edges keep their
            directions, A[u, v] or (u, v) being u -> v, for the models that use them.
        """
        X, y = self._checked(X, y)
        _, codes, self.classes_ = encode_labels(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs labels of 2 classes at least, but found "
                f"{len(self.classes_)} class."
            )
        if X.shape[0] < 2:
            raise ValueError(f"{type(self).__name__} needs 2 nodes at least, but n_samples = {X.shape[0]}.")
        names = tuple(str(c) for c in self.classes_)
        made, arcs = self._graph(X, graph), arcs_of(graph, X.shape[0])
        dataset = Dataset(made, X.astype(np.float32), codes, classes=names, arcs=arcs)
        seed = self._seed()
        split = validation_split(codes, self.validation, seed)
        with threads_for(256 * X.size):
            result = self._train(dataset, split, seed)
        labels = training_labels(dataset, split) if cls_uses(result.model, "labels") else None
        self.trained_ = Trained.of(result, dataset, labels)
        self.record_, self.history_, self._built = result.record, result.history, graph is None
        attached = self._built and isinstance(result.inputs, Basis)
        self.label_distributions_ = self._attached(X) if attached else result.p
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        return self

    def predict(self, X: Any, edges: Any = None, weights: Any = None) -> Any:
        """Classes of nodes: see :meth:`predict_proba`."""
        p = self.predict_proba(X, edges, weights)
        return self.classes_[p.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the rows that have a label; unlabelled ones, as in :meth:`fit`, do not count."""
        from sklearn.metrics import accuracy_score

        predicted, y = self.predict(X), as_labels(y)
        known = labelled(y, self.classes_)
        if not known.any():
            raise ValueError("a score needs labels, but every row of y is unlabelled.")
        # An array with None is one of objects, which scikit-learn takes for no classes.
        given = np.array(y[known].tolist())
        weight = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(given, predicted[known], sample_weight=weight))

    def predict_proba(self, X: Any, edges: Any = None, weights: Any = None) -> FloatArray:
        """Probabilities of nodes.

        The training matrix itself gives what ``label_distributions_`` holds. Other rows are new nodes, joined
        by ``edges`` of shape (2, e), newcomers being n ... n+q-1; without edges they look at their nearest
        training nodes if the graph was built from X, and else come alone.
        """
        check_is_fitted(self, "trained_")
        X = validate_data(self, dense(X), reset=False, dtype=np.float64)
        if edges is None and self._is_training(X):
            return np.array(self.label_distributions_)
        if edges is None and self._built and isinstance(self.trained_.inputs, Basis):
            return self._attached(X)
        if edges is None:
            edges = np.empty((2, 0), np.int64)
            if not self._built:
                warnings.warn(ALONE, stacklevel=3)
            else:
                near = self.neighbors_.kneighbors_graph(X).tocoo()
                edges = np.stack([near.row + self.trained_.dataset.n, near.col])
        return self.trained_.predict_new(X, edges, weights)

    def _attached(self, X: FloatArray) -> FloatArray:
        """In float64, where a row's answer does not show how many rows were multiplied beside it."""
        trained = self.trained_
        scaled = preprocess(X.astype(np.float32), trained.preprocessing, like=trained.dataset.X)
        degrees = trained.dataset.graph.degrees
        inputs = self._inputs_of(X, np.asarray(scaled, np.float32), trained.inputs, degrees)
        T, wide = inputs.T.to(dtype=torch.float64), (inputs.V, inputs.norm, inputs.powers)
        V, norm, powers = (tensor.double() for tensor in wide)
        return trained._probabilities(Basis(V, T, norm, powers), deepcopy(trained.net).double())

    def _is_training(self, X: FloatArray) -> bool:
        own = self.trained_.dataset.X
        return X.shape == own.shape and bool((X.astype(np.float32) == own).all())

    def _checked(self, X: Any, y: Any) -> tuple[FloatArray, Any]:
        X = validate_data(self, dense(X), dtype=np.float64)
        _warn_of_lost_digits(X)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        y = as_labels(y)
        if y.ndim == 2 and y.shape[1] == 1:
            from sklearn.exceptions import DataConversionWarning

            warnings.warn(
                "A column-vector y was passed when a 1d array was expected.",
                DataConversionWarning,
                stacklevel=3,
            )
            y = y.ravel()
        if y.shape != (X.shape[0],):
            raise ValueError(f"y must have shape ({X.shape[0]},), one label a node, but has shape {y.shape}.")
        return X, y

    def _seed(self) -> int:
        if self.random_state is None:
            return 0
        from sklearn.utils import check_random_state

        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _train(self, dataset: Dataset, split: Split, seed: int) -> Any:
        raise NotImplementedError


def _warn_of_lost_digits(X: FloatArray) -> None:
    """Models compute in float32: of 1e9 + x little is left of an x around 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.spacing(np.abs(X).max(axis=0).astype(np.float32))
        spread = np.ptp(X, axis=0)
        lost = (spread > 0) & (spread < FEW_STEPS * step)
    if lost.any():
        j = int(np.argmax(lost))
        warnings.warn(
            f"X is computed with in float32, which tells few values apart in {np.count_nonzero(lost)} of its "
            f"columns (first: column {j}, from {X[:, j].min():.17g} to {X[:, j].max():.17g}). Subtract what "
            "they share, as StandardScaler does, before fitting and predicting.",
            stacklevel=4,
        )


class UniFilterClassifier(_Classifier):
    """UniFilter that chooses its own settings on validation nodes.

    Parameters
    ----------
    budget : seconds, "30s", "5m", "1h" or None
        Time for the choice; None to let every candidate train to its end, which alone is deterministic.
    K : int
        Hops.
    neighbors : int
        Of every node, where no graph is given.
    validation : float
        Share of the labelled nodes on which settings are chosen and probabilities calibrated.
    epochs, patience : int
        Of every candidate.
    class_weights : bool
        Weigh classes by their inverse frequencies, in the loss and in the choice of settings.
    device : str
        "auto", "cpu", "cuda".
    random_state : int, RandomState or None
        None is 0: the same data give the same model.

    Attributes
    ----------
    classes_, transduction_, label_distributions_
        Classes, and the predicted class and probabilities of every training node.
    trained_ : Trained
        The model; ``trained_.save(folder)`` writes it.
    record_, history_
        What was tried, what came out, how it was learned.

    Examples
    --------
    >>> from unifilter import load
    >>> data = load("sbm:n=300,h=0.9,d=8")
    >>> y = np.where(np.arange(300) % 3 == 0, -1, data.y)
    >>> clf = UniFilterClassifier(budget="2s", K=4).fit(data.X, y, graph=data.graph)
    >>> bool((clf.transduction_[y == -1] == data.y[y == -1]).mean() > 0.5)
    True
    """

    def __init__(
        self,
        budget: Any = "1m",
        K: int = 10,
        neighbors: int = 10,
        validation: float = 0.2,
        epochs: int = 2000,
        patience: int = 200,
        class_weights: bool = False,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.K = K
        self.neighbors = neighbors
        self.validation = validation
        self.epochs = epochs
        self.patience = patience
        self.class_weights = class_weights
        self.device = device
        self.random_state = random_state

    def _train(self, dataset: Dataset, split: Split, seed: int) -> Any:
        return choose(
            dataset,
            split,
            budget=self.budget,
            K=self.K,
            seed=seed,
            device=self.device,
            epochs=self.epochs,
            patience=self.patience,
            class_weights=self.class_weights,
        )


class GraphClassifier(_Classifier):
    """Any registered model behind the same door.

    Parameters
    ----------
    model : str
        See `unifilter models`.
    options : dict, optional
        Of the model's Config.
    training : Training, optional
    preprocessing : {"auto", "none", "row", "standard", "log1p"}
        Of the features. "auto" standardises them, as one of large numbers would drown the others, but leaves
        counts (no negative number, most of them 0) as they are.
    neighbors, validation, device, random_state
        As in :class:`UniFilterClassifier`.

    Examples
    --------
    >>> from unifilter import load
    >>> data = load("sbm:n=300,h=0.9,d=8")
    >>> clf = GraphClassifier("sgc", {"K": 2}, Training(epochs=30)).fit(data.X, data.y, graph=data.graph)
    >>> clf.score(data.X, data.y) > 0.5
    True
    """

    def __init__(
        self,
        model: str = "unifilter",
        options: dict[str, Any] | None = None,
        training: Training | None = None,
        preprocessing: str = "auto",
        neighbors: int = 10,
        validation: float = 0.2,
        device: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.options = options
        self.training = training
        self.preprocessing = preprocessing
        self.neighbors = neighbors
        self.validation = validation
        self.device = device
        self.random_state = random_state

    def _train(self, dataset: Dataset, split: Split, seed: int) -> Any:
        how = self.preprocessing
        if how == "auto":
            how = "standard" if suits(dataset) == ("standard",) else "none"
        data = dataset if how == "none" else dataset.preprocess(how)
        training = replace(self.training or Training(), seed=seed)
        return run(data, split, self.model, self.options, training, device=self.device)
