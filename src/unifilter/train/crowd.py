"""Any models side by side: what a population is for UniFilter, for models that cannot be stacked.

A small graph has some hundred small kernels an epoch; launching them takes longer than running them. So on a
GPU every training's epoch (step, validation, keeping the best) is recorded once and replayed, each on one of
a few streams: the GPU works on many of them at once, and the host only asks now and then who is out of
patience. Elsewhere they are trained in turn. Each has its own random numbers, so that it is trained as it
would be alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from unifilter.train.config import Training
from unifilter.train.loop import OPTIMIZERS, Outcome, Part, gains_by_half, groups_of
from unifilter.train.population import Score
from unifilter.train.recording import recorded

STREAMS = 16  # trainings that the GPU works on at once
ASK = 20  # epochs after which those out of patience leave
WARM = 2  # epochs before one is recorded: kernels are compiled and memory is in place


class Lane:
    """One training, whose state lives where its model does: an epoch asks the host for nothing.

    Parameters
    ----------
    model, train, val, training, weights
        As :func:`unifilter.train.fit` takes them; ``training.batch`` is not heard.
    random : Tensor, optional
        State of the CPU's generator to start from; a GPU's starts from the seed.
    """

    def __init__(
        self,
        model: nn.Module,
        train: Part,
        val: Part,
        training: Training,
        weights: Tensor | None = None,
        random: Tensor | None = None,
    ) -> None:
        self.model, self.train, self.val, self.training, self.weights = model, train, val, training, weights
        device = train.y.device
        fast = {"fused": True, "capturable": True} if device.type == "cuda" else {}
        self.optimizer = OPTIMIZERS[training.optimizer](
            [{"params": p, **training.group(name)} for name, p in groups_of(model).items() if p],
            lr=training.lr,
            **fast,
        )
        self.best = {name: value.detach().clone() for name, value in model.state_dict().items()}
        self.accuracy, self.loss = (torch.full((), v, device=device) for v in (-1.0, float("inf")))
        self.time, self.waited, self.epochs = (
            torch.zeros((), dtype=torch.long, device=device) for _ in range(3)
        )
        self.best_epoch = torch.full((), -1, dtype=torch.long, device=device)
        self.trace = torch.zeros(training.epochs, 3, device=device)
        self.left = training.epochs  # what the host knows without asking
        self.random = _random_state(device, training.seed, random)
        self.recording: Any = None
        # Why an epoch is launched kernel by kernel: the model says so, or recording it failed.
        self.unrecorded: str | None = getattr(model, "unrecordable", None)
        self.todo = 0

    def epoch(self) -> None:
        """Step, look at the validation nodes, keep the best."""
        self._step()
        with torch.no_grad():
            self._note()

    def _step(self) -> None:
        self.model.train()
        kind = self.train.y.device.type
        mixed = self.training.mixed_precision and gains_by_half(kind)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(kind, torch.bfloat16) if mixed else contextlib.nullcontext():
            loss = cross_entropy(self.model(self.train.inputs).float(), self.train.y, self.weights)
        torch.autograd.backward(loss)
        self.optimizer.step()
        self._lost = loss.detach()

    def _note(self) -> None:
        self.model.eval()
        active = self.waited < self.training.patience
        if self.val.y.numel():
            logits = self.model(self.val.inputs).float()
            loss = cross_entropy(logits, self.val.y)
            accuracy = (logits.argmax(dim=1) == self.val.y).float().mean()
            better = loss < self.loss
            if self.training.monitor == "accuracy":
                better = (accuracy > self.accuracy) | ((accuracy == self.accuracy) & better)
        else:  # no validation nodes: the last epoch is the best there is
            loss = accuracy = torch.full_like(self.loss, float("nan"))
            better = torch.ones_like(active)
        better = better & active
        now = torch.stack([self._lost, loss, accuracy])
        self.trace.index_copy_(0, self.time.view(1), now.view(1, 3))
        state = self.model.state_dict()
        for name, kept in self.best.items():
            kept.copy_(torch.where(better, state[name], kept))
        self.accuracy.copy_(torch.where(better, accuracy, self.accuracy))
        self.loss.copy_(torch.where(better, loss, self.loss))
        self.best_epoch.copy_(torch.where(better, self.time, self.best_epoch))
        self.waited.copy_(torch.where(better, 0, self.waited + 1))
        self.epochs += active
        self.time += 1

    def go(self) -> None:
        """One epoch of what was warmed up."""
        if self.recording is not None:
            self.recording.replay()
        else:
            with self._own_random():
                self.epoch()

    def warm_up(self, epochs: int) -> int:
        """On a GPU, the epochs before recording, and the recording; how many of the epochs were run."""
        done = min(epochs, WARM)
        with self._own_random():
            for _ in range(done):
                self.epoch()
            if done < epochs and self.unrecorded is None:
                self._record()
        return done

    def _record(self) -> None:
        """What cannot be recorded is run as it is."""
        try:
            self.recording = recorded(self.epoch)
        except RuntimeError as error:
            if isinstance(error, torch.cuda.OutOfMemoryError):
                raise
            self.unrecorded = str(error).splitlines()[0]

    @contextlib.contextmanager
    def _own_random(self) -> Iterator[None]:
        """A recording draws from the state that was in place when it was made."""
        generator = torch.cuda.default_generators[self.train.y.device.index or 0]
        before = generator.graphsafe_get_state()
        generator.graphsafe_set_state(self.random)
        try:
            yield
        finally:
            generator.graphsafe_set_state(before)

    def outcome(self, seconds: float) -> Outcome:
        """The model with its best weights, as :func:`unifilter.train.fit` gives it."""
        self.model.load_state_dict(self.best)
        self.model.eval()
        epochs = int(self.epochs)
        names = "train_loss", "val_loss", "val_accuracy"
        history = [
            {"epoch": e, **dict(zip(names, row, strict=True))}
            for e, row in enumerate(self.trace[:epochs].tolist())
        ]
        best, accuracy, loss = int(self.best_epoch), float(self.accuracy), float(self.loss)
        return Outcome(self.model, history, best, accuracy, loss, seconds, True)


class Crowd:
    """Trainings side by side, with a population's verbs.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> from unifilter.train.run import begin
    >>> data = load("sbm:n=200,h=0.9,d=8")
    >>> starts = [begin(data, splits.stratified(data.y, seed=s), "gcn", training=Training()) for s in (0, 1)]
    >>> crowd = Crowd([Lane(s.net, s.train, s.val, s.training) for s in starts])
    >>> crowd.advance(20)
    >>> [score.epochs for score in crowd.scores()]
    [20, 20]
    """

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lanes = list(lanes)
        self.alive = list(range(len(self.lanes)))
        self.epoch = 0
        device = self.lanes[0].train.y.device
        self.streams: list[Any] = []
        if device.type == "cuda":
            torch.cuda.synchronize(device)  # what the streams will read is there
            count = min(STREAMS, len(self.lanes))
            self.streams = [torch.cuda.Stream(device) for _ in range(count)]  # type: ignore[no-untyped-call]

    def advance(self, epochs: int) -> None:
        """Train everyone on for so many epochs, or until all are out of patience."""
        while epochs > 0 and self.alive:
            some = min(epochs, ASK)
            if self.streams:
                self._replay(some)
            else:
                self._in_turn(some)
            self.epoch += some
            epochs -= some
            self._retire()

    def keep(self, members: Sequence[int]) -> None:
        """Go on with these only; the others stay where they are."""
        wanted = set(members)
        self._let_go([i for i in self.alive if i not in wanted])

    def scores(self) -> list[Score]:
        """Of every training, in the order in which they were given."""
        found = torch.stack(
            [
                torch.stack([t.double() for t in (x.accuracy, x.loss, x.best_epoch, x.epochs)])
                for x in self.lanes
            ]
        ).tolist()
        return [Score(accuracy, loss, int(best), int(epochs)) for accuracy, loss, best, epochs in found]

    def _replay(self, epochs: int) -> None:
        for place, i in enumerate(self.alive):
            lane = self.lanes[i]
            lane.todo = min(epochs, lane.left)
            lane.left -= lane.todo
            if lane.recording is None:
                with torch.cuda.stream(self.streams[place % len(self.streams)]):
                    lane.todo -= lane.warm_up(lane.todo)
        for turn in range(epochs):
            for place, i in enumerate(self.alive):
                lane = self.lanes[i]
                if turn < lane.todo:
                    with torch.cuda.stream(self.streams[place % len(self.streams)]):
                        lane.go()
        torch.cuda.synchronize()

    def _in_turn(self, epochs: int) -> None:
        for i in self.alive:
            lane = self.lanes[i]
            with torch.random.fork_rng(devices=[]):
                torch.random.set_rng_state(lane.random)
                for _ in range(min(epochs, lane.left)):
                    lane.epoch()
                    lane.left -= 1
                lane.random = torch.random.get_rng_state()

    def _retire(self) -> None:
        waited = torch.stack([self.lanes[i].waited for i in self.alive]).tolist()
        self._let_go(
            [
                i
                for i, w in zip(self.alive, waited, strict=True)
                if w >= self.lanes[i].training.patience or not self.lanes[i].left
            ]
        )

    def _let_go(self, leaving: Sequence[int]) -> None:
        for i in leaving:
            self.lanes[i].recording = None  # and with it the memory of its epoch
        self.alive = [i for i in self.alive if i not in set(leaving)]


def _random_state(device: torch.device, seed: int, random: Tensor | None) -> Any:
    """Random numbers of one training, from its seed; on a GPU a state that recordings can hold."""
    if device.type == "cuda":
        state = torch.cuda.default_generators[device.index or 0].clone_state()
        state.manual_seed(seed)
        return state
    return torch.Generator().manual_seed(seed).get_state() if random is None else random
