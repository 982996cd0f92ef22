"""Probabilities that mean what they say."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


def temperature(logits: Tensor, y: Tensor) -> float:
    r"""The temperature that makes validation nodes most likely (Guo et al. 2017).

    .. math:: \min_{t > 0} \; -\sum_i \log \mathrm{softmax}(z_i / t)_{y_i}

    The loss is convex in 1/t, so bisection on its slope finds the minimum. It changes no prediction. Without
    nodes, or where the classes are separated so well that the best temperature is 0, the result is kept in
    [0.05, 20].

    Examples
    --------
    >>> z = torch.tensor([[4.0, 0.0], [4.0, 0.0], [4.0, 0.0], [4.0, 0.0]])
    >>> t = temperature(z, torch.tensor([0, 0, 0, 1]))  # three of four right: confidence should be 3/4
    >>> round(float(torch.softmax(z[0] / t, dim=0)[0]), 3)
    0.75
    """
    if not y.numel():
        return 1.0
    z = logits.detach().double()
    low, high = torch.tensor(0.05, dtype=torch.float64), torch.tensor(20.0, dtype=torch.float64)
    for _ in range(60):
        middle = ((low + high) / 2).requires_grad_()  # of 1/t
        (slope,) = torch.autograd.grad(cross_entropy(z * middle, y), middle)
        low, high = (middle.detach(), high) if slope < 0 else (low, middle.detach())
    return float(2 / (low + high))
