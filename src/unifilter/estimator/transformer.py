"""UniBasis as features, for any model on top."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.base import TransformerMixin
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from unifilter import bases
from unifilter._checks import check_count, check_share
from unifilter._types import FloatArray
from unifilter.estimator.graphs import OnGraph, dense
from unifilter.estimator.targets import encode_labels
from unifilter.graph import propagation
from unifilter.graph.homophily import edge_homophily
from unifilter.krylov import lanczos, mix
from unifilter.models._basis import Basis


class UniBasisTransformer(TransformerMixin, OnGraph):  # type: ignore[misc]
    """The mixed basis as features, so that any model can sit on top.

    Row i of the result holds tau P^k x + (1 - tau) u_k of node i for every hop k and column.

    Parameters
    ----------
    K : int
        Hops.
    tau : float
        Share of the homophily basis.
    h : float or None
        Homophily; None estimates it from y where y is given, and else takes 1/2.
    neighbors : int
        As in :class:`UniFilterClassifier`.

    Examples
    --------
    >>> from unifilter import load
    >>> data = load("sbm:n=100,d=8")
    >>> UniBasisTransformer(K=3).fit_transform(data.X, data.y, graph=data.graph).shape
    (100, 32)
    """

    def __init__(self, K: int = 10, tau: float = 0.5, h: float | None = None, neighbors: int = 10) -> None:
        self.K = K
        self.tau = tau
        self.h = h
        self.neighbors = neighbors

    def fit(self, X: Any, y: Any = None, graph: Any = None) -> UniBasisTransformer:
        """Factorise: the only propagation."""
        X = validate_data(self, dense(X), dtype=np.float64, ensure_min_samples=2)
        tau, K = check_share(self.tau, "tau"), check_count(self.K, "K")
        self.graph_ = self._graph(X, graph)
        P = propagation(self.graph_, dtype=torch.float64)
        V, T, norm = lanczos(P, torch.from_numpy(X), K)
        self.h_ = self._homophily(y)
        self._inputs = Basis(V, T, norm, bases.monomial(T, norm * T.e1, K))
        self._C = bases.unibasis(T, norm, tau, self.h_, K, "signal")
        self._X = X
        return self

    def transform(self, X: Any) -> FloatArray:
        """The basis of the training nodes, or of new ones, which look at their nearest training nodes."""
        check_is_fitted(self, "graph_")
        X = validate_data(self, dense(X), reset=False, dtype=np.float64)
        inputs = self._inputs
        if X.shape != self._X.shape or not (X == self._X).all():
            if not hasattr(self, "neighbors_"):
                raise ValueError(
                    "the basis of new rows is known only where the graph was built from X; with a graph of "
                    "your own, call fit_transform on the grown one."
                )
            inputs = self._inputs_of(X, X, inputs, self.graph_.degrees)
        U = mix(inputs.V, self._C)
        return U.permute(1, 0, 2).reshape(X.shape[0], -1).numpy()

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Hop and column, as the results stand: u0_x0, u0_x1, ..., u1_x0, ...

        Examples
        --------
        >>> fitted = UniBasisTransformer(K=1, neighbors=1).fit([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
        >>> list(fitted.get_feature_names_out())
        ['u0_x0', 'u0_x1', 'u1_x0', 'u1_x1']
        """
        check_is_fitted(self, "graph_")
        names = _check_feature_names_in(self, input_features)
        return np.array([f"u{k}_{name}" for k in range(self.K + 1) for name in names], dtype=object)

    def _homophily(self, y: Any) -> float:
        if self.h is not None:
            return check_share(self.h, "h")
        if y is None:
            return 0.5
        known, codes, _ = encode_labels(y)
        try:
            return edge_homophily(self.graph_, codes, known)
        except ValueError:
            return 0.5

    def fit_transform(self, X: Any, y: Any = None, graph: Any = None) -> FloatArray:
        """Fit, and the basis of the same rows."""
        return self.fit(X, y, graph).transform(X)
