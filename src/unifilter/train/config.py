"""How a model is trained."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Literal

WORDS: dict[str, tuple[str, ...]] = {
    "monitor": ("accuracy", "loss"),
    "ties": ("loss", "latest"),
    "stop": ("patience", "window"),
    "keep": ("best", "last"),
    "optimizer": ("adam", "adamw", "sgd"),
}


@dataclass(frozen=True)
class Training:
    """Options of the loop.

    Parameters
    ----------
    epochs, patience : int
        At most so many, and so many without a better validation score.
    lr, weight_decay : float
        Of every parameter group that ``groups`` does not name. Decay is added to the gradient, but for adamw.
    groups : dict
        By the model's group names, what differs: ``{"filter": {"lr": 0.05, "weight_decay": 0.0}}``.
    monitor : {"accuracy", "loss"}
        What validation nodes are asked.
    ties : {"loss", "latest"}
        Of equal accuracies the one with the lower loss is better, or the later one, which renews patience.
    stop : {"patience", "window"}
        After ``patience`` epochs without a better score, or once the validation loss is above the mean of the
        ``patience`` losses before it.
    keep : {"best", "last"}
        Whose weights are the result: the best epoch's, or the last one's, as some authors have it.
    optimizer : {"adam", "adamw", "sgd"}
        Adam, Adam with decay decoupled from the gradient, or plain gradient descent.
    batch : int, optional
        Training rows a step. If not given, all at once; models that filter X, whose rows are independent,
        take as many as fit in half of the free memory, and the record notes it if that is not all.
    class_weights : bool
        Weigh classes by their inverse frequencies among training nodes, in the loss and in the validation
        scores by which epochs, settings and voters are chosen.
    seed : int
        Of parameters, dropout and batches.
    mixed_precision : bool
        Products in bfloat16, of models that filter X, where the device gains by it (CUDA, CPUs with AVX-512
        BF16); ignored elsewhere.

    Examples
    --------
    >>> Training(lr=0.05).group("mlp")
    {'lr': 0.05, 'weight_decay': 0.0005}
    """

    epochs: int = 1000
    patience: int = 200
    lr: float = 0.01
    weight_decay: float = 5e-4
    groups: dict[str, dict[str, float]] = field(default_factory=dict)
    monitor: Literal["accuracy", "loss"] = "accuracy"
    ties: Literal["loss", "latest"] = "loss"
    stop: Literal["patience", "window"] = "patience"
    keep: Literal["best", "last"] = "best"
    optimizer: Literal["adam", "adamw", "sgd"] = "adam"
    batch: int | None = None
    class_weights: bool = False
    seed: int = 0
    mixed_precision: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "batch"):
            value = getattr(self, name)
            number = isinstance(value, Real)  # NumPy's too
            if value is not None and not (number and value >= 1 and value == int(value)):
                raise ValueError(f"{name} must be at least 1, and whole, but is {value!r}.")
        rates = {"lr": self.lr, "weight_decay": self.weight_decay}
        for group, given in self.groups.items():
            for name, value in given.items():
                if name not in rates:
                    raise ValueError(f"a group has lr and weight_decay, but {group!r} names {name!r}.")
                rates |= {f"{name} of {group}": value}
        for name, value in rates.items():
            if not 0 <= value < float("inf"):
                raise ValueError(f"{name} must be finite and not negative, but is {value}.")
        for name, words in WORDS.items():
            if getattr(self, name) not in words:
                listed = ", ".join(f'"{word}"' for word in words[:-1])
                raise ValueError(f'{name} must be {listed} or "{words[-1]}", but is {getattr(self, name)!r}.')

    def group(self, name: str) -> dict[str, float]:
        """Learning rate and decay of one of the model's groups."""
        return {"lr": self.lr, "weight_decay": self.weight_decay} | self.groups.get(name, {})
