"""Any models side by side: what a population is for UniFilter, for models that cannot be stacked so well.

A small graph has some hundred small kernels an epoch; launching them takes longer than running them. So
trainings that differ in nothing but split and seed are bundled, and on a GPU every bundle's epoch (step,
validation, keeping the best) is recorded once and replayed, each on one of a few streams: the GPU works on
many of them at once, and the host only asks now and then who is out of patience. Elsewhere bundles go in
turn. Without dropout each member is trained as it would be alone; with it, from other random numbers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from unifilter.train.bundle import Bundle, Target
from unifilter.train.config import Training
from unifilter.train.loop import OPTIMIZERS, Outcome, gains_by_half
from unifilter.train.population import Score
from unifilter.train.recording import recorded

STREAMS = 16  # trainings that the GPU works on at once
ASK = 20  # epochs after which those out of patience leave
WARM = 2  # epochs before one is recorded: kernels are compiled and memory is in place


class Lane:
    """Trainings of one bundle, whose state lives where its nets do: an epoch asks the host for nothing.

    Parameters
    ----------
    bundle : Bundle
    train, val : Target
    training : Training
        Of all members; ``batch`` is not heard.
    random : Tensor, optional
        State of the CPU's generator to start from; a GPU's starts from the seed.
    """

    def __init__(
        self, bundle: Bundle, train: Target, val: Target, training: Training, random: Tensor | None = None
    ) -> None:
        self.bundle, self.train, self.val, self.training = bundle, train, val, training
        device, members = train.y.device, len(bundle.nets)
        stateful = training.optimizer != "sgd"
        fast = {"fused": True, "capturable": True} if device.type == "cuda" and stateful else {}
        self.optimizer = OPTIMIZERS[training.optimizer](
            [{"params": p, **training.group(name)} for name, p in bundle.groups().items() if p],
            lr=training.lr,
            **fast,
        )
        self.best = {name: value.detach().clone() for name, value in bundle.state.items()}
        self.accuracy, self.loss = (torch.full((members,), v, device=device) for v in (-1.0, float("inf")))
        self.blind = ~val.valid.any(dim=1)  # no validation nodes: the last epoch is the best there is
        self.waited, self.epochs = (torch.zeros(members, dtype=torch.long, device=device) for _ in range(2))
        self.best_epoch = torch.full((members,), -1, dtype=torch.long, device=device)
        self.time = torch.zeros((), dtype=torch.long, device=device)
        windowed = training.stop == "window"
        self.window = torch.zeros(training.patience if windowed else 0, members, device=device)
        self.trace = torch.zeros(training.epochs, 3, members, device=device)
        self.left = training.epochs  # what the host knows without asking
        self.random = _random_state(device, training.seed, random)
        self.recording: Any = None
        # Why an epoch is launched kernel by kernel: the model says so, or recording it failed.
        self.unrecorded: str | None = getattr(bundle.nets[0], "unrecordable", None)
        self.todo = 0

    def epoch(self) -> None:
        """Step, look at the validation nodes, keep the best."""
        self._step()
        with torch.no_grad():
            self._note()

    def _step(self) -> None:
        self.bundle.train(True)
        kind = self.train.y.device.type
        alone = self.train.inputs.independent_rows  # products with P know no autocast
        mixed = self.training.mixed_precision and alone and gains_by_half(kind)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(kind, torch.bfloat16) if mixed else contextlib.nullcontext():
            loss = self.train.loss(self.bundle(self.train.inputs).float())
        torch.autograd.backward(loss.sum())
        self.optimizer.step()
        self._lost = loss.detach()

    def _note(self) -> None:
        self.bundle.train(False)
        active = self.waited < self.training.patience
        if self.val.y.numel():
            logits = self.bundle(self.val.inputs).float()
            loss, accuracy = self.val.loss(logits), self.val.accuracy(logits)
            better = loss < self.loss
            if self.training.monitor == "accuracy":
                decided = torch.ones_like(better) if self.training.ties == "latest" else better
                better = (accuracy > self.accuracy) | ((accuracy == self.accuracy) & decided)
        else:
            loss = accuracy = torch.full_like(self.loss, float("nan"))
            better = torch.zeros_like(active)
        better = ((better & loss.isfinite()) | self.blind) & active
        self.trace.index_copy_(0, self.time.view(1), torch.stack([self._lost, loss, accuracy])[None])
        state = self.bundle.state
        for name, kept in self.best.items():
            who = (better if self.training.keep == "best" else active).view(-1, *[1] * (kept.dim() - 1))
            kept.copy_(torch.where(who, state[name], kept))
        self.accuracy.copy_(torch.where(better, accuracy, self.accuracy))
        self.loss.copy_(torch.where(better, loss, self.loss))
        self.best_epoch.copy_(torch.where(better, self.time, self.best_epoch))
        waited = torch.where(better, 0, self.waited + 1)
        if len(self.window):
            over = (loss > self.window.mean(dim=0)) & (self.time > self.training.patience)
            self.window.index_copy_(0, (self.time % len(self.window)).view(1), loss[None])
            waited = torch.where(active & ~over, 0, self.training.patience)
        self.waited.copy_(waited)
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

    def outcomes(self, epoch_seconds: float) -> list[Outcome]:
        """Every member with its best weights, as :func:`unifilter.train.fit` gives it."""
        names = "train_loss", "val_loss", "val_accuracy"
        parts = (self.epochs, self.best_epoch, self.accuracy, self.loss)
        found, trace = [], self.trace.cpu()
        for i, (epochs, best, accuracy, loss) in enumerate(zip(*(t.tolist() for t in parts), strict=True)):
            rows = trace[:epochs, :, i].tolist()
            history = [{"epoch": e, **dict(zip(names, row, strict=True))} for e, row in enumerate(rows)]
            if self.training.keep == "last" and rows:
                best, (_, loss, accuracy) = epochs - 1, rows[-1]
            net = self.bundle.restore(i, self.best)
            found.append(Outcome(net, history, best, accuracy, loss, epoch_seconds * epochs, True))
        return found


class Crowd:
    """Trainings side by side, with a population's verbs.

    Examples
    --------
    >>> from unifilter.data import load, splits
    >>> from unifilter.train.beside import Job, lanes_of
    >>> from unifilter.train.prepared import Prepared
    >>> data = load("sbm:n=200,h=0.9,d=8")
    >>> jobs = [Job(splits.stratified(data.y, seed=s), {}, Training(seed=s)) for s in (0, 1)]
    >>> crowd = Crowd(lanes_of(Prepared(data, torch.device("cpu")), "gcn", jobs)[1])
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
        if self.streams and not self.alive:
            torch.cuda.empty_cache()  # a recording's memory serves nobody else, here or in other processes

    def keep(self, members: Sequence[int]) -> None:
        """Go on with these, and with those bundled with them; the others stay where they are."""
        wanted, first = set(members), 0
        leaving = []
        for i, lane in enumerate(self.lanes):
            own = set(range(first, first + len(lane.bundle.nets)))
            first += len(own)
            if i in self.alive and not own & wanted:
                leaving.append(i)
        self._let_go(leaving)

    def scores(self) -> list[Score]:
        """Of every training, in the order in which they were given."""
        found = torch.cat(
            [
                torch.stack([t.double() for t in (x.accuracy, x.loss, x.best_epoch, x.epochs)], dim=1)
                for x in self.lanes
            ]
        ).tolist()
        return [Score(accuracy, loss, int(best), int(epochs)) for accuracy, loss, best, epochs in found]

    def _replay(self, epochs: int) -> None:
        for i in self.alive:
            lane = self.lanes[i]
            lane.todo = min(epochs, lane.left)
            lane.left -= lane.todo
            if lane.recording is None:
                with self._stream_of(i):
                    lane.todo -= lane.warm_up(lane.todo)
        for turn in range(epochs):
            for i in self.alive:
                lane = self.lanes[i]
                if turn < lane.todo:
                    with self._stream_of(i):
                        lane.go()
        torch.cuda.synchronize()

    def _stream_of(self, i: int) -> Any:
        """Always the one that a lane was recorded on, whoever has left.

        What is recorded on one stream shares cuBLAS's workspace, and must not run at the same time.
        """
        return torch.cuda.stream(self.streams[i % len(self.streams)])

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
        waited = torch.stack([self.lanes[i].waited.min() for i in self.alive]).tolist()
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
