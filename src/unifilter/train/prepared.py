"""What models need of a dataset, made once for all settings that it does not depend on."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import torch

from unifilter.data.dataset import Dataset
from unifilter.models._registry import model_class
from unifilter.train.run import of_data, prepare


class Prepared:
    """Inputs of models for one dataset, kept.

    A search changes learning rates and dropouts more often than what is propagated. Which options a model's
    ``prepare`` reads is watched, and inputs are shared by all settings that agree on those.

    Models whose ``prepare`` is ``filtered(factorise(...))`` (SGC, SIGN, ASGC) share more: V is kept too, and
    serves all settings with the same P and no more hops than it has. One with more hops takes its place.

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
        self._made: list[_Made] = []
        self._bases: list[_Made] = []
        self._most = 0

    def data(self, preprocess: str) -> Dataset:
        """The dataset with its features scaled."""
        if preprocess not in self._data:
            self._data[preprocess] = self.dataset.preprocess(preprocess)
        return self._data[preprocess]

    def foresee(self, configs: Iterable[Any]) -> None:
        """Settings to come: the first V is made with the hops of the longest, and serves them all."""
        self._most = max([self._most, *(getattr(config, "K", 0) for config in configs)])

    def __call__(self, model: str, preprocess: str, config: Any) -> Any:
        """Inputs for a setting."""
        return self.timed(model, preprocess, config)[0]

    def timed(self, model: str, preprocess: str, config: Any) -> tuple[Any, float]:
        """Inputs for a setting, and the seconds that making them took, with those of a V that was there."""
        for made in self._made:
            if made.serves(model, preprocess, config):
                return made.what, made.seconds
        watched, start = _Watched(config), time.perf_counter()
        if hasattr(model_class(model), "factorise"):
            basis, earlier = self._basis(model, preprocess, watched)
            inputs = model_class(model).filtered(basis, watched)
        else:
            inputs, earlier = prepare(self.data(preprocess), model, watched, self.device), 0.0
        seconds = earlier + self._since(start)
        self._made.append(_Made(model, preprocess, watched.read, inputs, seconds))
        return inputs, seconds

    def _basis(self, model: str, preprocess: str, config: _Watched) -> tuple[Any, float]:
        """V for a setting, and the seconds that it took if it was there."""
        for made in self._bases:
            if made.what.K >= config.K and made.serves(model, preprocess, config):
                return made.what, made.seconds
        start = time.perf_counter()
        longest = _Watched(replace(config.config, K=max(config.K, self._most)))
        basis = of_data(model_class(model).factorise, self.data(preprocess), model, longest, self.device)
        read = {option: getattr(config, option) for option in longest.read if option != "K"}
        # One V for each P: fewer hops are its beginning, and V is the largest thing here.
        self._bases = [made for made in self._bases if made[:3] != (model, preprocess, read)]
        self._bases.append(_Made(model, preprocess, read, basis, self._since(start)))
        return basis, 0.0

    def _since(self, start: float) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter() - start


class _Made(NamedTuple):
    """Something made, and the options that it depends on."""

    model: str
    preprocess: str
    read: dict[str, Any]
    what: Any
    seconds: float

    def serves(self, model: str, preprocess: str, config: Any) -> bool:
        """Whether a setting agrees on all that was read."""
        alike = (self.model, self.preprocess) == (model, preprocess)
        return alike and all(getattr(config, option) == value for option, value in self.read.items())


class _Watched:
    """A Config that remembers which of its options were read."""

    def __init__(self, config: Any) -> None:
        self.config, self.read = config, dict[str, Any]()

    def __getattr__(self, option: str) -> Any:
        value = getattr(self.config, option)
        self.read[option] = value
        return value
