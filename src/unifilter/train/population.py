"""Many UniFilters at once: one V, the members' parameters stacked, every step a few batched products.

Columns of V are independent, so for the nodes of a split the filtered signals of M members are, for each
column, an (M x K+1) times (K+1 x n) product: V is read once for all of them. Their MLPs are batched matrix
products. Each member has its own optimiser settings, dropout, early stopping and random start, and is trained
as it would be alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from unifilter.kernels import spmm as kernels
from unifilter.models._basis import Basis
from unifilter.models.unifilter import Config
from unifilter.train.config import WORDS, Training
from unifilter.train.recording import recorded
from unifilter.train.rows import Rows
from unifilter.train.run import class_weights
from unifilter.train.stack import Stack
from unifilter.train.threads import threads_for

RETIRE = 20  # epochs after which members out of patience leave the batch
LEAVE = 0.8  # share of the batch that must be left before the others go
ROUND = 16  # columns are padded to a multiple of it, as tensor cores want them
WARM = 2  # epochs before one is recorded: kernels are compiled and memory is in place


_STATE = ("alive", "accuracy", "loss", "best_epoch", "waited", "epochs", "time")
_STACKS = ("parameters", "running", "best", "kept")


@dataclass(frozen=True)
class Member:
    """One training: a model, how it is trained, on which split, from which h."""

    config: Config
    training: Training
    split: int
    h: float = 0.5

    @property
    def shape(self) -> tuple[Any, ...]:
        """Members of one shape can be stacked."""
        c = self.config
        mlp = c.hidden, c.layers, c.batch_norm, c.residual, c.bias
        learned = c.tau == "learn", c.h == "learn"
        return c.K, *mlp, c.per_column, c.ego, c.row_norm, c.basis, c.scale, c.basis_dropout > 0, *learned


def trains(training: Training) -> bool:
    """Whether a population trains so: with Adam on all rows at once, stopping by validation accuracy."""
    return training.batch is None and all(
        getattr(training, name) == words[0] for name, words in WORDS.items()
    )


@dataclass(frozen=True)
class Score:
    """Where a member stands: its best validation accuracy and loss, when, and after how many epochs."""

    accuracy: float
    loss: float
    best_epoch: int
    epochs: int


class Population:
    """Members of one shape, trained together.

    Parameters
    ----------
    inputs : Basis
        All nodes; on the device to train on.
    y : Tensor of shape (n,)
    masks : sequence of (train, val) index tensors, one pair a split
    members : sequence of Member, all of one shape
    classes : int
    traces : bool
        Whether to keep every epoch's losses, see :meth:`history`.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> data = load("sbm:n=300,h=0.8")
    >>> config = Config(K=4, hidden=16)
    >>> inputs, y = Basis.of(data.graph, data.features(), K=4), torch.from_numpy(data.y.copy())
    >>> split = splits.stratified(data.y)
    >>> masks = [tuple(torch.from_numpy(m.nonzero()[0]) for m in split[:2])]
    >>> members = [Member(config, Training(lr=lr), 0) for lr in (0.001, 0.01)]
    >>> population = Population(inputs, y, masks, members, 5)
    >>> population.advance(30)
    >>> [score.epochs for score in population.scores()]
    [30, 30]
    """

    def __init__(
        self,
        inputs: Basis,
        y: Tensor,
        masks: Sequence[tuple[Tensor, Tensor]],
        members: Sequence[Member],
        classes: int,
        traces: bool = False,
    ) -> None:
        if len({m.shape for m in members}) != 1:
            raise ValueError("a population has members of one shape; group them by Member.shape.")
        if not all(trains(m.training) for m in members):
            raise ValueError(
                "a population is trained with Adam on all rows at once and stopped by validation accuracy; "
                "train members with other optimisers, batches or monitors alone."
            )
        self.order = sorted(range(len(members)), key=lambda i: members[i].split)
        self.members = [members[i] for i in self.order]
        inputs = inputs.first(self.members[0].config.K)
        d = inputs.norm.shape[0]
        if d % ROUND:
            inputs = inputs.padded(-d % ROUND)
        self.inputs, self.y = inputs, y
        self.train, self.val = Rows(inputs, y, [m[0] for m in masks]), Rows(inputs, y, [m[1] for m in masks])
        self.stack = Stack(inputs, self.members, d, classes, len(masks))
        self.weights = self._class_weights([y[m[0]] for m in masks], classes)
        self.epoch = 0
        self.time = torch.zeros((), dtype=torch.int64, device=y.device)  # epochs, where a replay counts them
        self.traces, self.trace, self.now = traces, list[Tensor](), torch.empty(0)
        self.recording: Any = None
        self.warm = 0
        device, M = inputs.norm.device, len(members)
        self.alive = torch.arange(M, device=device)
        self.parameters, self.running = self.stack.start()
        self.moments = {n: [torch.zeros_like(p), torch.zeros_like(p)] for n, p in self.parameters.items()}
        self.best = {n: p.clone() for n, p in (self.parameters | self.running).items()}
        self.kept = {n: p.clone() for n, p in self.best.items()}
        self.patience = torch.tensor([m.training.patience for m in self.members], device=device)
        self.accuracy = torch.full((M,), -1.0, device=device)
        self.loss = torch.full((M,), float("inf"), device=device)
        self.best_epoch = torch.full((M,), -1, device=device)
        self.waited, self.epochs = (torch.zeros(M, dtype=torch.long, device=device) for _ in range(2))

    def advance(self, epochs: int) -> None:
        """Train everyone on for so many epochs, or until all are out of patience."""
        with threads_for(self.train.longest * sum(p.numel() for p in self.parameters.values())):
            self._advance(epochs)

    def _advance(self, epochs: int) -> None:
        for _ in range(epochs):
            if not self.alive.numel():
                return
            self._epoch()
            self.epoch += 1
            if self.traces:
                now = torch.full((self.now.shape[0], len(self.members)), float("nan"), device=self.now.device)
                now[:, self.alive] = self.now
                self.trace.append(now)
            if self.epoch % RETIRE == 0:
                self._retire()

    def keep(self, members: Sequence[int]) -> None:
        """Go on with these members only; the others stay where they are."""
        wanted = torch.zeros(len(self.members), dtype=torch.bool, device=self.alive.device)
        place = {original: i for i, original in enumerate(self.order)}
        wanted[[place[m] for m in members]] = True
        self._stay(wanted[self.alive])

    def scores(self) -> list[Score]:
        """Of every member, in the order in which they were given."""
        found = zip(
            *(t.tolist() for t in (self.accuracy, self.loss, self.best_epoch, self.epochs)), strict=True
        )
        by_place = [Score(*row) if row[0] == row[0] else Score(-1.0, math.inf, *row[2:]) for row in found]
        return [by_place[i] for i in _inverse(self.order)]

    @torch.no_grad()
    def predict(self, index: Sequence[Tensor]) -> list[Tensor]:
        """Logits of every member's best weights for the nodes of its split's index."""
        rows = Rows(self.inputs, self.y, index)
        best = {name: value.index_copy(0, self.alive, self.best[name]) for name, value in self.kept.items()}
        everyone = torch.arange(len(self.members), device=self.alive.device)
        found: list[Tensor] = []
        for some in torch.split(everyone, 64):
            state = {name: value[some] for name, value in best.items()}
            logits = self.stack.logits(state, state, rows, some, training=False)
            found += [
                z[: index[self.members[i].split].numel()] for z, i in zip(logits, some.tolist(), strict=True)
            ]
        return [found[i] for i in _inverse(self.order)]

    def state(self, member: int) -> dict[str, Tensor]:
        """The best weights of one member, as its model's ``load_state_dict`` takes them."""
        place = _inverse(self.order)[member]
        where = (self.alive == place).nonzero().flatten()
        found = {n: v[where[0]] for n, v in self.best.items()} if where.numel() else None
        found = found or {name: value[place] for name, value in self.kept.items()}
        return {name: self.stack.unpadded(name, value) for name, value in found.items()}

    def history(self, member: int) -> list[dict[str, float]]:
        """Losses, validation accuracy, tau and h of one member, epoch by epoch."""
        place = _inverse(self.order)[member]
        names, left = ("train_loss", "val_loss", "val_accuracy", "tau", "h"), int(self.epochs[place])
        values = torch.stack(self.trace)[:, :, place].tolist() if self.trace else []
        return [
            {"epoch": epoch, **dict(zip(names, row, strict=True))}
            for epoch, row in enumerate(values)
            if epoch < left  # NaN from then on, or before, if it diverged
        ]

    def tensors(self) -> dict[str, Tensor]:
        """All that changes, by name: what a checkpoint holds."""
        found = {name: getattr(self, name) for name in _STATE} | {"seeds": self.stack.seeds}
        for stack in _STACKS:
            found |= {f"{stack}/{name}": value for name, value in getattr(self, stack).items()}
        for name, pair in self.moments.items():
            found |= {f"moment {i}/{name}": value for i, value in enumerate(pair)}
        return found | ({"trace": torch.stack(self.trace)} if self.trace else {})

    def restore(self, tensors: dict[str, Tensor], epoch: int) -> None:
        """Go on from what :meth:`tensors` held."""
        there = {name: value.to(self.y.device) for name, value in tensors.items()}
        for name in _STATE:
            setattr(self, name, there[name])
        self.stack.seeds = there["seeds"]
        for stack in _STACKS:
            setattr(self, stack, {n: there[f"{stack}/{n}"] for n in getattr(self, stack)})
        self.moments = {n: [there[f"moment {i}/{n}"] for i in range(2)] for n in self.moments}
        self.trace = list(there["trace"]) if "trace" in there else []
        self.epoch, self.recording, self.warm = epoch, None, 0

    def forget(self) -> None:
        """Drop the recorded epoch and what it computed: both live in memory of their own."""
        self.recording, self.warm = None, 0
        self.now, self.train_loss = torch.empty(0), torch.empty(0)

    def _retire(self) -> None:
        """Those out of patience leave once they are many: until then nothing of theirs changes."""
        waiting = self.waited[self.alive] < self.patience[self.alive]
        left = int(waiting.sum())
        if left <= LEAVE * self.alive.numel():
            self._stay(waiting)

    def _epoch(self) -> None:
        """One epoch of everyone; on a GPU recorded once and replayed: launching costs more than computing."""
        if self.recording is not None:
            self.recording.replay()
        elif self.alive.is_cuda and self.warm >= WARM:
            self.recording = recorded(self._step_and_note)
            self.recording.replay()  # recording computes nothing
        else:
            self._step_and_note()
            self.warm += 1

    def _step_and_note(self) -> None:
        self._step()
        self._note()

    def _step(self) -> None:
        self.time += 1
        self.stack.seeds += 1
        p = {name: value.detach().requires_grad_() for name, value in self.parameters.items()}
        logits = self.stack.logits(p, self.running, self.train, self.alive, training=True)
        loss, _ = self._loss(logits, self.train, self.weights)
        self.train_loss = loss.detach()
        grads = torch.autograd.grad(loss.sum(), list(p.values()), allow_unused=True)
        for (name, value), grad in zip(self.parameters.items(), grads, strict=True):
            if grad is not None:
                lr, decay = (r[self.alive] for r in self.stack.rates[name])
                kernels.adam(value, grad, self.moments[name], lr, decay, self.time)

    def _loss(self, logits: Tensor, rows: Rows, weights: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Mean loss and accuracy, weighted by class if asked for, of every member on its split's rows."""
        split = self.stack.split[self.alive]
        y, valid, count = rows.y[split], rows.valid[split], rows.count[split]
        picked = log_softmax(logits.float(), dim=2).gather(2, y[:, :, None])[:, :, 0]
        right = logits.argmax(dim=2) == y
        if weights is None:
            return -(picked * valid).sum(dim=1) / count, (right * valid).sum(dim=1) / count
        share = weights[self.alive].gather(1, y) * valid
        total = share.sum(dim=1)
        return -(picked * share).sum(dim=1) / total, (right * share).sum(dim=1) / total

    def _class_weights(self, y: list[Tensor], classes: int) -> Tensor | None:
        """(M, classes): their split's for members that weigh classes, else 1; None if nobody does."""
        if not any(m.training.class_weights for m in self.members):
            return None
        weights = [class_weights(of_split, classes) for of_split in y]
        same = torch.ones_like(weights[0])
        return torch.stack([weights[m.split] if m.training.class_weights else same for m in self.members])

    @torch.no_grad()
    def _note(self) -> None:
        logits = self.stack.logits(self.parameters, self.running, self.val, self.alive, training=False)
        loss, accuracy = self._loss(logits, self.val, self.weights)
        self.now = torch.stack(
            [self.train_loss, loss, accuracy, *self.stack.shares(self.parameters, self.alive)]
        )
        a = self.alive
        active = self.waited[a] < self.patience[a]
        equal = (accuracy == self.accuracy[a]) & (loss < self.loss[a])
        blind = self.val.count[self.stack.split[a]] == 0  # no validation nodes: the last epoch is the best
        better = active & (((accuracy > self.accuracy[a]) | equal) & loss.isfinite() | blind)
        self.accuracy[a] = torch.where(better, accuracy, self.accuracy[a])
        self.loss[a] = torch.where(better, loss, self.loss[a])
        self.best_epoch[a] = torch.where(better, self.time - 1, self.best_epoch[a])
        self.waited[a] = torch.where(better, 0, self.waited[a] + 1)
        self.epochs[a] += active
        for name, value in (self.parameters | self.running).items():
            kernels.keep(self.best[name], value, better)

    def _stay(self, who: Tensor) -> None:
        """Members that do not stay leave their best behind."""
        if bool(who.all()):
            return
        leaving = self.alive[~who]
        for name, value in self.best.items():
            self.kept[name][leaving] = value[~who]
        self.alive = self.alive[who]
        self.recording, self.warm = None, 0
        for stack in (self.parameters, self.running, self.best):
            for name, value in stack.items():
                stack[name] = value[who]
        self.moments = {name: [m[who] for m in pair] for name, pair in self.moments.items()}


def _inverse(order: Sequence[int]) -> list[int]:
    place = [0] * len(order)
    for i, original in enumerate(order):
        place[original] = i
    return place
