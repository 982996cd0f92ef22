"""Independent computations that the library is compared with."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from unifilter import Graph


def dense(graph: Graph, self_loops: bool = False) -> Tensor:
    """P written out with the textbook formula."""
    A = torch.from_numpy(graph.to_scipy().toarray())
    if self_loops:
        A = A + torch.eye(graph.n, dtype=A.dtype)
    d = A.sum(dim=1)
    s = torch.where(d > 0, d.clamp_min(1e-300) ** -0.5, 0)
    return s[:, None] * A * s


class Counting:
    """A matrix that counts how often it multiplies and how many columns at a time."""

    def __init__(self, matrix) -> None:
        self.matrix, self.columns = matrix, []

    def __matmul__(self, x: Tensor) -> Tensor:
        self.columns.append(1 if x.dim() == 1 else x.shape[1])
        return self.matrix @ x


def algorithm_1(P, x: Tensor, K: int, h: float) -> list[Tensor]:
    """Algorithm 1 of the paper, line by line, for one column."""
    theta = (1 - h) * math.pi / 2
    u = [x / torch.linalg.vector_norm(x)]
    v = [u[0]]
    v_before = torch.zeros_like(x)
    s = u[0]
    for k in range(1, K + 1):
        v_k = P @ v[k - 1]
        v_k = v_k - (v_k @ v[k - 1]) * v[k - 1] - (v_k @ v_before) * v_before
        v_k = v_k / torch.linalg.vector_norm(v_k)
        u_k = s / k
        t_k = torch.sqrt((s @ u[k - 1] / (k * math.cos(theta))) ** 2 - ((k - 1) * math.cos(theta) + 1) / k)
        u_k = (u_k + t_k * v_k) / torch.linalg.vector_norm(u_k + t_k * v_k)
        v_before = v[k - 1]
        v.append(v_k)
        u.append(u_k)
        s = s + u_k
    return u


def gram_error(V: Tensor) -> Tensor:
    """max |V^T V - I| per column; a vector that is exactly 0 (past a breakdown) is left out."""
    G = torch.zeros(V.shape[2], len(V), len(V), dtype=torch.float64)
    for some in V.split(64, dim=1):  # so many rows stay in the cache while they are turned around
        columns = some.double().permute(2, 0, 1).contiguous()
        G += columns @ columns.mT
    alive = (V != 0).any(dim=1).T.double()
    return (G - torch.diag_embed(alive)).abs().amax(dim=(1, 2))
