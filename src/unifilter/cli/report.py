"""What the report of a training shows, gathered from its result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from unifilter._types import FloatArray
from unifilter.analysis import analyze
from unifilter.bases import orthonormal, response
from unifilter.data import Dataset
from unifilter.data.splits import Split
from unifilter.graph import propagation
from unifilter.krylov import Krylov, complete, frequency
from unifilter.models._basis import Basis
from unifilter.models.committee import Committee
from unifilter.models.unifilter import UniFilter
from unifilter.train import Result
from unifilter.train.floor import verdict
from unifilter.viz import FitReport, Response


def fit_report(
    dataset: Dataset,
    split: Split,
    result: Result,
    scaled: Dataset | None = None,
    beside: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
) -> FitReport:
    """Plain data for :func:`unifilter.viz.write_report`; the analysis is of the scaled features."""
    doubts = dataset.ingestion.doubts if dataset.ingestion else []
    weights = frequencies = shape = None
    # Of a committee, the filter of its first member, which did best on validation nodes.
    filter_ = result.model.members[0] if isinstance(result.model, Committee) else result.model
    if isinstance(filter_, UniFilter) and isinstance(result.inputs, Basis):
        weights = filter_.w.detach().double().mean(dim=1).cpu().numpy()
        inputs = result.inputs.first(filter_.config.K)  # members of a committee share the longest
        frequencies = basis_frequencies(dataset, filter_, inputs)
        shape = filter_response(filter_, inputs)
    return FitReport(
        analysis=analyze(scaled or dataset),
        record=result.record,
        history=result.history,
        classes=dataset.classes,
        ids=None if dataset.ids is None else dataset.ids.to_pylist(),
        y=dataset.y,
        p=result.p,
        masks={"train": split.train, "val": split.val, "test": split.test},
        temperature=result.temperature,
        weights=weights,
        frequencies=frequencies,
        response=shape,
        baselines=beside,
        verdict=verdict(beside) if beside else "",
        voters=len(result.model.members) if isinstance(result.model, Committee) else 1,
        notes=[*doubts, *notes],
        ingestion=None if dataset.ingestion is None else str(dataset.ingestion),
    )


def basis_frequencies(dataset: Dataset, model: UniFilter, inputs: Basis) -> FloatArray:
    """Mean frequency of each basis vector over the columns, weighed by their energy: the paper's spectrum."""
    P = propagation(dataset.graph, dtype=inputs.norm.dtype, device=inputs.norm.device)
    T = complete(P, Krylov(inputs.V.to(inputs.norm.dtype), inputs.T, inputs.norm))
    with torch.no_grad():
        C = model.basis(inputs)
        energy = (C * C).sum(dim=1).double()
        found = torch.nan_to_num(frequency(T, C).double())
        mean = (found * energy).sum(dim=1) / energy.sum(dim=1).clamp_min(1e-300)
    spectrum: FloatArray = mean.cpu().numpy()
    return spectrum


def filter_response(model: UniFilter, inputs: Basis, points: int = 201) -> Response:
    """g(lambda) of the columns: median, 10% and 90% quantiles. A few that nearly ended would rule a mean."""
    lam = torch.linspace(0, 2, points, dtype=torch.float64)
    with torch.no_grad():
        c = model.coefficients(inputs).sum(dim=0).double().cpu()
    T, norm = inputs.T.to("cpu"), inputs.norm.double().cpu()
    live = norm > 0
    g: Any = response(c, lam, orthonormal(T, norm))[:, live].numpy()
    if not g.shape[1]:
        g = np.zeros((points, 1))
    low, middle, high = np.quantile(g, [0.1, 0.5, 0.9], axis=1)
    return Response(lam.numpy(), middle, low, high)
