"""Specformer. Bo et al.: Specformer: Spectral Graph Neural Networks Meet Transformers, ICLR 2023.

Filters H by M learned functions of the whole spectrum: a transformer reads all n eigenvalues of L = I - P as
one sequence and writes M new ones for each, and every layer mixes H with U diag(new) U^T H. No self-loops are
added.

What it costs: a full eigendecomposition of a dense n x n matrix, 8 n^2 bytes and on the order of 10 n^3
operations in ``prepare``; then attention over n x n pairs and (M + 1) dense products with U at every step.
Beyond what ``max_nodes`` allows it refuses; a polynomial filter does its work there.

This is the authors' code for node classification, which departs from their paper: one linear decoder after
the whole block, no activation; bases are combined channel by channel without weight matrix, activation or
residual.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unifilter._types import IntArray
from unifilter.graph import Graph
from unifilter.models._layers import dropout
from unifilter.models._registry import Card, register
from unifilter.models._whole import Whole


@dataclass(frozen=True)
class Config:
    """Options of Specformer.

    Parameters
    ----------
    layers : int
        Spectral layers; all share the M new spectra.
    heads : int
        M: heads of the attention, and new spectra.
    hidden : int
        Width of the encoding of an eigenvalue and of the MLP; even, a multiple of ``heads``.
    feature_dropout : float
        On X, and on the MLP's logits.
    transformer_dropout, layer_dropout : float
        In the transformer block, and on the bases of a layer.
    data_loops : bool
        Keep the self-loops that the data came with, as the authors do.
    max_nodes : int
        Refuse larger graphs; off the CPU, those of more than twice as many. At 10,000 nodes, U takes 0.4 GB;
        to find it takes a CPU minutes and some 3 GB.
    """

    layers: int = 2
    heads: int = 2
    hidden: int = 32
    feature_dropout: float = 0.5
    transformer_dropout: float = 0.2
    layer_dropout: float = 0.2
    data_loops: bool = False
    max_nodes: int = 10_000

    def __post_init__(self) -> None:
        if self.heads < 1 or self.hidden % 2 or self.hidden % self.heads:
            raise ValueError(
                f"hidden must be even and a multiple of heads, but is {self.hidden} with {self.heads} heads."
            )


CARD = Card(
    "Specformer",
    "Bo et al.: Specformer: Spectral Graph Neural Networks Meet Transformers, ICLR",
    2023,
    "spectral",
    "H, by dense products with all eigenvectors",
    "n d h + n^2 (h + L c)",
)


@register("specformer", Config, CARD)
class Specformer(nn.Module):
    """An MLP, its logits filtered by functions that a transformer draws over the spectrum."""

    takes_bags = True
    uses_arcs = True
    unbundled = "vmap has no batched form of torch's fused attention"

    def __init__(self, config: Config, d: int, classes: int) -> None:
        super().__init__()
        self.config = config
        self.first = nn.Linear(d, config.hidden)
        self.second = nn.Linear(config.hidden, classes)
        self.spectrum = Spectrum(config.hidden, config.heads, config.transformer_dropout)
        self.w = nn.Parameter(torch.ones(config.layers, config.heads + 1, classes))
        for module in self.modules():
            if isinstance(module, nn.Linear):  # the authors' start: new spectra near 0
                nn.init.normal_(module.weight, std=0.01)
                nn.init.zeros_(module.bias)

    @staticmethod
    def prepare(graph: Graph, X: Tensor, config: Any, arcs: IntArray | None = None) -> Whole:
        """The eigendecomposition, in float64, on the device that X is on."""
        most = config.max_nodes if X.is_cpu else 2 * config.max_nodes
        if graph.n > most:
            gigabytes = 8 * graph.n**2 / 1e9
            raise ValueError(
                f"Specformer needs all eigenvectors of the graph: for {graph.n} nodes a dense matrix of "
                f"{gigabytes:.1f} GB and about {10 * graph.n**3:.0e} operations, so it stops at "
                f"{most}. Take a polynomial filter (unifilter, optbasis), which needs no "
                "eigenvectors; or raise max_nodes."
            )
        L = torch.from_numpy(laplacian(graph, arcs if config.data_loops else None)).to(X.device)
        lam, U = torch.linalg.eigh(L)
        return Whole(X, {"lam": lam.to(X.dtype), "U": U.to(X.dtype)})

    def forward(self, inputs: Whole) -> Tensor:
        """Logits of the nodes asked for."""
        config, U = self.config, inputs["U"]
        H = torch.relu(self.first(dropout(inputs.X, config.feature_dropout, self.training)))
        H = dropout(self.second(H), config.feature_dropout, self.training)
        new = self.spectrum(inputs["lam"])
        for w in self.w:
            changed = new[:, :, None] * (U.T @ H)[:, None]  # (n, M, c): U is read once for all heads
            bases = torch.cat([H[:, None], (U @ changed.flatten(1)).view_as(changed)], dim=1)
            H = torch.einsum("nmc,mc->nc", dropout(bases, config.layer_dropout, self.training), w)
        return inputs.pick(H)

    def response(self, lam: Tensor) -> Tensor:
        """g(lambda) of every class's column, (n, classes), at all n eigenvalues of a graph's Laplacian.

        Every value depends on the whole spectrum, so ``lam`` must be the whole spectrum; the answer is that
        of evaluation, without dropout.
        """
        mode = self.training
        self.eval()
        new = self.spectrum(lam)
        self.train(mode)
        ones = torch.ones_like(new[:, :1])
        return torch.einsum("qm,lmc->lqc", torch.cat([ones, new], dim=1), self.w).prod(dim=0)


def laplacian(graph: Graph, arcs: IntArray | None = None) -> Any:
    """I - D^-1/2 A D^-1/2, dense, in float64; with the self-loops among the arcs, if there are any."""
    A = graph.to_scipy().toarray()
    if arcs is not None:
        loops = arcs[0][arcs[0] == arcs[1]]
        A[loops, loops] = 1
    d = A.sum(axis=1)
    s = np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0)
    return np.eye(graph.n) - s[:, None] * A * s


class Spectrum(nn.Module):
    """M new eigenvalues for every eigenvalue: encoding, one transformer block, a linear decoder."""

    def __init__(self, hidden: int, heads: int, rate: float) -> None:
        super().__init__()
        self.hidden, self.rate = hidden, rate
        self.encode = nn.Linear(hidden + 1, hidden)
        self.before_attention = nn.LayerNorm(hidden)
        self.attention = nn.MultiheadAttention(hidden, heads, rate, batch_first=True)
        self.before_feedforward = nn.LayerNorm(hidden)
        self.feedforward = nn.Sequential(nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, hidden))
        self.decode = nn.Linear(hidden, heads)

    def waves(self, lam: Tensor) -> Tensor:
        """An eigenvalue, and sines and cosines of 100 times it at falling frequencies: (n, hidden + 1)."""
        t = torch.arange(0, self.hidden, 2, dtype=lam.dtype, device=lam.device)
        angle = 100 * lam[:, None] * torch.exp(-t * math.log(10_000) / self.hidden)
        return torch.cat([lam[:, None], torch.sin(angle), torch.cos(angle)], dim=1)

    def forward(self, lam: Tensor) -> Tensor:
        """(n,) to (n, M)."""
        E = self.encode(self.waves(lam))
        normed = self.before_attention(E)[None]
        attended, _ = self.attention(normed, normed, normed, need_weights=False)
        E = E + dropout(attended[0], self.rate, self.training)
        E = E + dropout(self.feedforward(self.before_feedforward(E)), self.rate, self.training)
        new: Tensor = self.decode(E)
        return new
