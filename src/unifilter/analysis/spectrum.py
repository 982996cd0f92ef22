"""Where the eigenvalues lie, and where on them the features do; nothing is decomposed but small T."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from unifilter._checks import check_count
from unifilter._types import FloatArray
from unifilter.data.dataset import Dataset
from unifilter.graph import Propagation
from unifilter.krylov import Tridiagonal, lanczos, signal_frequency

WORKSPACE = 2**28  # bytes that a block of columns may take


@dataclass(frozen=True, eq=False)
class Density:
    """Where the eigenvalues of L = I - P lie: nodes in [0, 2], weights; (probes, K) both, rows sum to 1."""

    lam: FloatArray
    weight: FloatArray

    def smooth(self, points: int = 201, width: float | None = None) -> tuple[FloatArray, FloatArray]:
        """Frequencies in [0, 2] and the density there, by a Gaussian kernel; its integral is 1.

        Mass that the kernel would carry out of [0, 2] is reflected at the ends. The width defaults to 2 / K,
        about the distance of two nodes.

        Examples
        --------
        >>> lam, density = Density(np.array([[0.5, 1.5]]), np.array([[0.5, 0.5]])).smooth(width=0.1)
        >>> round(float(density.sum() * (lam[1] - lam[0])), 6)
        1.0
        """
        grid = np.linspace(0.0, 2.0, points)
        s = 2 / self.lam.shape[1] if width is None else width
        lam, weight = self.lam.ravel(), self.weight.ravel() / self.lam.shape[0]
        images = np.concatenate([lam, -lam, 4 - lam])
        kernel = np.exp(-0.5 * ((grid[:, None] - images) / s) ** 2) / (s * np.sqrt(2 * np.pi))
        return grid, kernel @ np.tile(weight, 3)


@dataclass(frozen=True, eq=False)
class Features:
    """Frequency f and share of the energy ||x||^2 of every column that is not 0, and the energy's mean f."""

    frequency: FloatArray
    energy: FloatArray
    mean: float
    zero_columns: int


def spectral_density(P: Propagation, K: int, probes: int, generator: np.random.Generator) -> Density:
    r"""Density of the spectrum of L = I - P by Lanczos quadrature.

    .. math:: \frac1n \sum_i \delta(\lambda - \lambda_i) \approx
              \sum_j s_{0j}^2\, \delta\bigl(\lambda - (1 - t_j)\bigr), \qquad T = S\, \mathrm{diag}(t)\, S^T

    with T of a vector of random signs, which sees every eigenvector alike in the mean. For each such vector
    v the K nodes and weights are those of Gauss: v^T p(P) v / n is exact for polynomials of degree < 2K.
    An isolated node has lambda = 1, as its row of P is 0. Where the Krylov space of v has fewer than
    K dimensions, the nodes left over have weight 0.

    Cost: K products with P on (n, probes), in blocks of columns of bounded memory (one column holds
    8 (K+1) n bytes).

    Examples
    --------
    >>> from unifilter import Graph, propagation
    >>> P = propagation(Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]]), dtype=torch.float64)
    >>> found = spectral_density(P, K=3, probes=50, generator=np.random.default_rng(0))
    >>> found.lam.shape, bool(np.allclose(found.weight.sum(axis=1), 1))
    ((50, 3), True)
    """
    for name, value in (("K", K), ("probes", probes)):
        if check_count(value, name) < 1:
            raise ValueError(f"{name} must be at least 1, but is {value}.")
    X = torch.from_numpy(generator.choice([-1.0, 1.0], (P.shape[0], probes)))
    none = torch.empty(0, dtype=torch.int64)
    columns = max(1, WORKSPACE // max(1, (K + 1) * X.shape[0] * X.element_size()))
    T = lanczos(P, X, K, columns=columns, keep_rows=none).T
    # K hops know alpha_0 .. alpha_{K-1}: without the last beta that is the whole T of K rows.
    t, S = torch.linalg.eigh(Tridiagonal(T.alpha, T.beta[:-1]).dense())
    return Density((1 - t).clamp(0, 2).numpy(), (S[:, 0] ** 2).numpy())


def feature_frequencies(P: Propagation, dataset: Dataset) -> Features:
    """Frequency and energy of every feature column. Cost: one product with P on (n, d), in blocks.

    Examples
    --------
    >>> from unifilter import Graph, propagation
    >>> graph = Graph.from_edges([[0, 1, 2, 3], [1, 2, 3, 0]])
    >>> X = np.array([[1, 1, 0], [1, -1, 0], [1, 1, 0], [1, -1, 0]])
    >>> found = feature_frequencies(propagation(graph, dtype=torch.float64), Dataset(graph, X, [0, 1, 0, 1]))
    >>> np.abs(found.frequency.round(6)), round(found.mean, 6), found.zero_columns
    (array([0., 1.]), 0.5, 1)
    """
    d = dataset.d
    block = max(1, WORKSPACE // (32 * dataset.n))  # X, P X and their product, in float64
    f, energy = np.full(d, np.nan), np.zeros(d)
    for at in range(0, d, block):
        X = dataset.features(slice(at, at + block)).double()
        energy[at : at + block] = (X * X).sum(dim=0).numpy()
        f[at : at + block] = signal_frequency(P, X).numpy()
    alive = energy > 0
    f, share = f[alive], energy[alive] / max(energy.sum(), np.finfo(np.float64).tiny)
    return Features(f, share, float(f @ share) if f.size else float("nan"), int(d - f.size))
