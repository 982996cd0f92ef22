"""The stack that GCN, GraphSAGE and GAT share, with a convolution that can be written by hand."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn.functional import layer_norm
from torch.testing import assert_close

from unifilter.models._stack import Shape, Stack

X = torch.randn(9, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
A = torch.randn(9, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


class Product(nn.Module):
    def __init__(self, d: int, out: int) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(d, out))

    def forward(self, H, A):
        return A @ H @ self.W


def build(**options) -> Stack:
    torch.manual_seed(0)
    shape = Shape(**{"hidden": 6, "dropout": 0.5, "layers": 3} | options)
    return Stack(shape, 4, 6, 2, lambda d, out, last: Product(d, out), torch.relu).double()


def test_the_last_convolution_gives_the_logits_without_activation():
    stack = build().eval()
    W = [c.W for c in stack.convolutions]
    wanted = A @ torch.relu(A @ torch.relu(A @ X @ W[0]) @ W[1]) @ W[2]
    assert_close(stack(X, A), wanted)
    assert (wanted < 0).any()


def test_the_classic_form_is_convolution_plus_linear_map_then_norm_then_relu_and_a_head():
    stack = build(layers=2, norm="layer", residual=True, head=True).eval()
    H = X
    for c, r in zip(stack.convolutions, stack.residuals, strict=True):
        H = torch.relu(layer_norm(A @ H @ c.W + H @ r.weight.T + r.bias, (6,)))
    assert_close(stack(X, A), H @ stack.head.weight.T + stack.head.bias)


def test_an_embedding_comes_before_the_convolutions():
    stack = build(layers=1, embed=True).eval()
    wanted = A @ (X @ stack.embed.weight.T + stack.embed.bias) @ stack.convolutions[0].W
    assert_close(stack(X, A), wanted)


def test_batch_norm_sees_all_nodes():
    stack = build(layers=2, norm="batch", dropout=0.0).train()
    Y = A @ X @ stack.convolutions[0].W
    H = torch.relu((Y - Y.mean(0)) / torch.sqrt(Y.var(0, unbiased=False) + 1e-5))
    assert_close(stack(X, A), A @ H @ stack.convolutions[1].W)


def test_dropout_at_rate_one_leaves_nothing_of_the_features():
    stack = build(input_dropout=1.0).train()
    assert_close(stack(X, A), torch.zeros(9, 2, dtype=torch.float64))


def test_dropout_is_for_training_only():
    stack = build()
    assert not torch.equal(stack.train()(X, A), stack(X, A))
    assert torch.equal(stack.eval()(X, A), stack(X, A))


@pytest.mark.parametrize(("options", "said"), [({"layers": 0}, "at least 1"), ({"norm": "x"}, "'batch'")])
def test_a_wrong_option_is_named_with_what_there_is(options, said):
    with pytest.raises(ValueError, match=said):
        build(**options)
