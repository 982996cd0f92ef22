"""What models need of a dataset, made once for all settings that it does not depend on."""

from __future__ import annotations

import time
from typing import Any

import torch

from unifilter.data.dataset import Dataset
from unifilter.train.run import prepare


class Prepared:
    """Inputs of models for one dataset, kept.

    A search changes learning rates and dropouts more often than what is propagated. Which options a model's
    ``prepare`` reads is watched, and inputs are shared by all settings that agree on those.

    Examples
    --------
    >>> from unifilter.data import load
    >>> from unifilter.models._registry import configure
    >>> prepared = Prepared(load("sbm:n=60,d=4"), torch.device("cpu"))
    >>> one, other = (configure("sgc", {"K": 2}), configure("sgc", {"K": 3}))
    >>> prepared("sgc", "none", one) is prepared("sgc", "none", one)
    True
    >>> prepared("sgc", "none", one) is prepared("sgc", "none", other)
    False
    """

    def __init__(self, dataset: Dataset, device: torch.device) -> None:
        self.dataset, self.device = dataset, device
        self._data: dict[str, Dataset] = {"none": dataset}
        self._made: list[tuple[str, str, dict[str, Any], Any, float]] = []

    def data(self, preprocess: str) -> Dataset:
        """The dataset with its features scaled."""
        if preprocess not in self._data:
            self._data[preprocess] = self.dataset.preprocess(preprocess)
        return self._data[preprocess]

    def __call__(self, model: str, preprocess: str, config: Any) -> Any:
        """Inputs for a setting."""
        return self.timed(model, preprocess, config)[0]

    def timed(self, model: str, preprocess: str, config: Any) -> tuple[Any, float]:
        """Inputs for a setting, and the seconds that making them took."""
        for name, scaling, read, inputs, seconds in self._made:
            alike = (name, scaling) == (model, preprocess)
            if alike and all(getattr(config, option) == value for option, value in read.items()):
                return inputs, seconds
        start = time.perf_counter()
        watched = _Watched(config)
        inputs = prepare(self.data(preprocess), model, watched, self.device)
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        seconds = time.perf_counter() - start
        self._made.append((model, preprocess, watched.read, inputs, seconds))
        return inputs, seconds


class _Watched:
    """A Config that remembers which of its options were read."""

    def __init__(self, config: Any) -> None:
        self._config, self.read = config, dict[str, Any]()

    def __getattr__(self, option: str) -> Any:
        value = getattr(self._config, option)
        self.read[option] = value
        return value
