"""Probabilities that mean what they say."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy


def temperature(logits: Tensor, y: Tensor) -> float:
    r"""The temperature that makes validation nodes most likely (Guo et al. 2017).

    .. math:: \min_{t > 0} \; -\sum_i \sum_c q_{ic} \log \mathrm{softmax}(z_i / t)_c, \qquad
              q_{i y_i} = \frac{n + 1}{n + 2}

    with the rest of q shared by the other classes: Platt's targets (1999), which keep a handful of right
    answers from making the model sure of everything, and which n outgrows. The loss is convex in 1/t, so
    bisection on its slope finds the minimum. No prediction changes. Kept in [1e-2, 1e4].

    Examples
    --------
    >>> z = torch.tensor([[4.0, 0.0]]).expand(400, 2)
    >>> t = temperature(z, torch.arange(400) % 4 // 3)  # three of four right: confidence should be 3/4
    >>> round(float(torch.softmax(z[0] / t, dim=0)[0]), 2)
    0.75
    """
    if not y.numel():
        return 1.0
    z, (n, classes) = logits.detach().double(), logits.shape
    smoothing = min(1.0, classes / (max(1, classes - 1) * (n + 2)))  # torch's share falls on all classes
    low, high = torch.tensor(1e-4, dtype=torch.float64), torch.tensor(100.0, dtype=torch.float64)
    for _ in range(60):
        middle = ((low + high) / 2).requires_grad_()  # of 1/t
        (slope,) = torch.autograd.grad(cross_entropy(z * middle, y, label_smoothing=smoothing), middle)
        low, high = (middle.detach(), high) if slope < 0 else (low, middle.detach())
    return float(2 / (low + high))
