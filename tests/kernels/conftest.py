"""Triton's kernels run on a GPU where there is one, and through Triton's interpreter elsewhere."""

from __future__ import annotations

import os

import pytest
import torch

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")


@pytest.fixture(scope="session")
def device() -> str:
    pytest.importorskip("triton", reason="Triton is not installed")
    return "cuda" if torch.cuda.is_available() else "cpu"
