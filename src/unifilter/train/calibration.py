"""Probabilities that mean what they say."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


def temperature(logits: Tensor, y: Tensor) -> float:
    r"""The temperature that makes validation nodes most likely (Guo et al. 2017).

    .. math:: \min_{t > 0} \; -\sum_i \log \mathrm{softmax}(z_i / t)_{y_i} + \tfrac12 (\log t)^2

    The last term matters where validation nodes are few: without it a handful of right answers would make the
    model sure of everything. Bisection on the slope in log t; no prediction changes. Kept in [0.05, 20].

    Examples
    --------
    >>> z = torch.tensor([[4.0, 0.0]]).expand(400, 2)
    >>> t = temperature(z, torch.arange(400) % 4 // 3)  # three of four right: confidence should be 3/4
    >>> round(float(torch.softmax(z[0] / t, dim=0)[0]), 2)
    0.75
    """
    if not y.numel():
        return 1.0
    z = logits.detach().double()
    low, high = -math.log(20.0), math.log(20.0)
    for _ in range(60):
        middle = torch.tensor((low + high) / 2, dtype=torch.float64, requires_grad=True)  # of log 1/t
        total = cross_entropy(z * middle.exp(), y, reduction="sum") + middle**2 / 2
        (slope,) = torch.autograd.grad(total, middle)
        low, high = (float(middle.detach()), high) if slope < 0 else (low, float(middle.detach()))
    return math.exp(-(low + high) / 2)
