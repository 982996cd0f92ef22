"""The training loop: knows no model, reads no test node."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unifilter.train import checkpoint
from unifilter.train.config import Training
from unifilter.train.memory import ROWS, rows_that_fit
from unifilter.train.threads import threads_for

# Between two checkpoints of a run that has a folder for them.
CHECKPOINT_SECONDS = float(os.environ.get("UNIFILTER_CHECKPOINT_SECONDS", "10"))
OPTIMIZERS: dict[str, Any] = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during training; ``outcome`` is the best so far."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("training was interrupted")
        self.outcome = outcome


@dataclass
class State:
    """All that changes during training, so that a checkpoint of it is a checkpoint of the run."""

    epoch: int = 0
    best_epoch: int = -1
    best_accuracy: float = -1.0
    best_loss: float = float("inf")
    waited: int = 0
    seconds: float = 0.0
    history: list[dict[str, float]] = field(default_factory=list)
    best: dict[str, Tensor] = field(default_factory=dict)
    batch: int | None = None  # training rows a step, if not all: chosen once, so that a resumed run keeps it


@dataclass(frozen=True)
class Outcome:
    """A trained model with its best weights restored, and how it got there."""

    model: nn.Module
    history: list[dict[str, float]]
    best_epoch: int
    accuracy: float
    loss: float
    seconds: float
    finished: bool
    batch: int | None = None  # training rows a step, if they were not all


@dataclass(frozen=True)
class Part:
    """Inputs and labels of the nodes of one mask.

    ``index`` says which rows of the inputs they are; without it the inputs hold these rows and no others.
    """

    inputs: Any
    y: Tensor
    index: Tensor | None = None

    def gathered(self) -> Part:
        """With a copy of its rows."""
        return self if self.index is None else Part(self.inputs.rows(self.index), self.y)

    def batches(self, size: int | None) -> Iterator[Part]:
        """All rows at once, or random batches of them."""
        if size is None or size >= self.y.numel():
            yield self.gathered()
            return
        # As even as can be: a last batch of one row has no variance to be normalised by.
        count = -(-self.y.numel() // size)
        for some in torch.tensor_split(torch.randperm(self.y.numel()).to(self.y.device), count):
            rows = some if self.index is None else self.index[some]
            yield Part(self.inputs.rows(rows), self.y[some])


def fit(
    model: nn.Module,
    train: Part,
    val: Part,
    training: Training,
    *,
    weights: Tensor | None = None,
    on_epoch: Callable[[dict[str, float], State], bool | None] | None = None,
    folder: Path | None = None,
) -> Outcome:
    """Train a model until its validation score has not improved for ``patience`` epochs.

    Parameters
    ----------
    model : nn.Module
        Takes inputs, gives logits; has ``groups()``, or ``solve(train, val)`` in place of all training.
    train, val : Part
        Inputs and labels; on the device of the model.
    training : Training
    weights : Tensor, optional
        Of the classes, in the loss and in the validation scores.
    on_epoch : function of (scores, state), optional
        Called after every epoch; a true answer ends training, as if patience had run out.
    folder : Path, optional
        Where the state is kept while training, and continued from if it is there.

    Notes
    -----
    Without ``training.batch`` a step goes over all training rows if that fits in memory, else over batches of
    :data:`unifilter.train.memory.ROWS` or fewer. Parts with an ``index`` are copied only in the first case.

    The caller seeds; ``run`` does. The best weights are restored at the end, also after Ctrl-C, which raises
    :class:`Interrupted` with the outcome so far.
    """
    if hasattr(model, "solve"):
        return _solved(model, train.gathered(), val.gathered())
    copied = sum(part.y.numel() for part in (train, val) if part.index is not None)
    batch = training.batch or rows_that_fit(model, train.inputs, train.y.numel(), copied)
    # What training cannot improve is where it began: without a finite loss no epoch is the best.
    state = State(best=_copied(model), batch=None if batch is None or batch >= train.y.numel() else batch)
    optimizer = OPTIMIZERS[training.optimizer](
        [{"params": p, **training.group(name)} for name, p in groups_of(model).items() if p], lr=training.lr
    )
    if folder is not None:
        checkpoint.restore(folder, model, optimizer, state)
    if state.batch is None:
        train = train.gathered()
    if state.batch is None or val.y.numel() <= ROWS:
        val = val.gathered()
    interrupted = False
    size = sum(p.numel() for p in model.parameters())
    try:
        with threads_for(train.y.numel() * size):
            _epochs(model, train, val, training, optimizer, state, weights, on_epoch, folder)
    except KeyboardInterrupt:
        interrupted = True  # amid an epoch: what was saved last is whole, what is here is not
    scores = state.best_epoch, state.best_accuracy, state.best_loss
    if training.keep == "last" and state.history:
        last = state.history[-1]
        scores = int(last["epoch"]), last["val_accuracy"], last["val_loss"]
    else:
        model.load_state_dict(state.best)
    model.eval()
    done = not interrupted
    outcome = Outcome(model, state.history, *scores, state.seconds, done, state.batch)
    if interrupted:
        raise Interrupted(outcome)
    return outcome


def _epochs(
    model: nn.Module,
    train: Part,
    val: Part,
    training: Training,
    optimizer: torch.optim.Optimizer,
    state: State,
    weights: Tensor | None,
    on_epoch: Callable[[dict[str, float], State], bool | None] | None,
    folder: Path | None,
) -> None:
    saved = time.monotonic()
    while state.epoch < training.epochs and state.waited < training.patience:
        start = time.perf_counter()
        loss = _step(model, train.batches(state.batch), training, optimizer, weights)
        scores = {"train_loss": loss} | evaluate(model, val, weights)
        _note(state, scores, model, training)
        state.seconds += time.perf_counter() - start
        if on_epoch is not None and on_epoch(scores, state):
            break
        if folder is not None and time.monotonic() - saved > CHECKPOINT_SECONDS:
            checkpoint.save(folder, model, optimizer, state)
            saved = time.monotonic()


def _solved(model: nn.Module, train: Part, val: Part) -> Outcome:
    """A model that finds its own optimum, or has nothing to learn."""
    start = time.perf_counter()
    model.solve(train, val)  # type: ignore[operator]
    model.eval()
    scores = evaluate(model, val)
    seconds = time.perf_counter() - start
    history = [{"epoch": 0, **scores}]
    return Outcome(model, history, 0, scores["val_accuracy"], scores["val_loss"], seconds, True)


def evaluate(model: nn.Module, part: Part, weights: Tensor | None = None) -> dict[str, float]:
    """Loss and accuracy without dropout, of classes that weigh so much; 0 nodes have neither."""
    if not part.y.numel():
        return {"val_loss": float("nan"), "val_accuracy": float("nan")}
    logits = predict_logits(model, part.inputs, part.index, ROWS)
    loss = cross_entropy(logits, part.y, weights)
    right = (logits.argmax(dim=1) == part.y).double()
    share = torch.ones_like(right) if weights is None else weights[part.y].double()
    accuracy = (right * share).sum() / share.sum()
    return {"val_loss": float(loss), "val_accuracy": float(accuracy)}


def predict_logits(model: nn.Module, inputs: Any, index: Tensor | None = None, batch: int = ROWS) -> Tensor:
    """Logits of every row, or of those of an index, in batches of bounded memory where rows allow it."""
    model.eval()
    with torch.no_grad():
        count = inputs.n if index is None else index.numel()
        if count <= batch or not inputs.independent_rows:
            return model(inputs if index is None else inputs.rows(index)).float()  # type: ignore[no-any-return]
        parts = torch.split(torch.arange(inputs.n) if index is None else index, batch)
        return torch.cat([model(inputs.rows(part)).float() for part in parts])


def _step(
    model: nn.Module, batches: Iterable[Part], training: Training, optimizer: Any, weights: Tensor | None
) -> float:
    """One pass over the training rows; the mean loss."""
    model.train()
    total, count = torch.zeros(()), 0
    for part in batches:
        kind = part.y.device.type
        # Models that filter what they learn multiply by a P in float32.
        mixed = training.mixed_precision and part.inputs.independent_rows and gains_by_half(kind)
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(kind, torch.bfloat16) if mixed else nullcontext():
            loss = cross_entropy(model(part.inputs).float(), part.y, weights)
        torch.autograd.backward(loss)
        optimizer.step()
        total, count = total + loss.detach() * part.y.numel(), count + part.y.numel()
    return float(total / count)


def gains_by_half(device: str) -> bool:
    """Whether products in bfloat16 are faster: on a GPU, and on processors with instructions for them."""
    if device == "cuda":
        return True
    known = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return device == "cpu" and bool(known())


def _note(state: State, scores: dict[str, float], model: nn.Module, training: Training) -> None:
    """Keep the best, and see whether it is time to stop."""
    accuracy, loss = scores["val_accuracy"], scores["val_loss"]
    if training.monitor == "accuracy":
        equal = training.ties == "latest" or loss < state.best_loss
        better = accuracy > state.best_accuracy or (accuracy == state.best_accuracy and equal)
    else:
        better = loss < state.best_loss
    better &= math.isfinite(loss)  # weights that are no numbers name the first class, which may be large
    if accuracy != accuracy:  # no validation nodes: the last epoch is the best there is
        better = True
    watched: dict[str, float] = getattr(model, "learned", dict)()
    state.history.append({"epoch": state.epoch, **scores, **watched})
    state.waited += 1
    if better:
        state.best_epoch, state.best_accuracy, state.best_loss = state.epoch, accuracy, loss
        state.best = _copied(model)
        state.waited = 0
    if training.stop == "window":
        before = [epoch["val_loss"] for epoch in state.history[-1 - training.patience : -1]]
        over = state.epoch > training.patience and loss > sum(before) / len(before)
        state.waited = training.patience if over else 0
    state.epoch += 1


def _copied(model: nn.Module) -> dict[str, Tensor]:
    return {k: v.detach().clone() for k, v in model.state_dict().items()}


def groups_of(model: nn.Module) -> dict[str, list[nn.Parameter]]:
    """A model's parameters by the names of its groups; one group if it has none."""
    groups: dict[str, list[nn.Parameter]] = getattr(model, "groups", dict)()
    return groups or {"all": list(model.parameters())}
