"""All training rows at once where they fit, else as many as do."""

import weakref

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from unifilter.data import load
from unifilter.models import model_class
from unifilter.models._basis import Basis
from unifilter.models._registry import configure
from unifilter.models._rows import Features
from unifilter.models._whole import Whole
from unifilter.models.unifilter import Config
from unifilter.train import memory
from unifilter.train.memory import (
    COPIES,
    ROWS,
    SHARE,
    activations,
    bytes_of_a_row,
    free_memory,
    in_parts,
    members_that_fit,
    rows_that_fit,
)

OPTIONS = [{}, {"basis_dropout": 0.5, "batch_norm": True, "residual": True, "layers": 4}]
INDEPENDENT = ["fsgnn", "hetfilter", "homfilter", "mlp", "ortfilter", "sgc", "sign", "unifilter"]


@pytest.fixture(scope="module")
def data():
    return load("sbm:n=400,h=0.8,d=64")


@pytest.mark.parametrize(
    ("name", "options"), [(n, {}) for n in INDEPENDENT] + [("unifilter", o) for o in OPTIONS[1:]]
)
def test_what_a_step_keeps_is_within_the_estimate(name, options, data):
    """Half of the estimate is kept for the way back, the other half is for the way itself."""
    cls, config = model_class(name), configure(name, options)
    inputs, y = cls.prepare(data.graph, data.features(), config), torch.from_numpy(data.y.copy())
    net = cls(config, data.d, 5, **({"h": 0.5} if getattr(cls, "uses_homophily", False) else {}))
    tensors = [*vars(inputs).values(), *net.parameters()]
    there = {t.untyped_storage().data_ptr() for t in tensors if isinstance(t, torch.Tensor)}
    kept = {}

    def note(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        cross_entropy(net(inputs), y)
    of_a_row = sum(size for place, size in kept.items() if place not in there) / data.n
    estimate = COPIES * activations(net)
    assert of_a_row < estimate / 2
    assert of_a_row > estimate / 16 or name == "sgc"  # not wildly cautious; SGC keeps its inputs only


def test_a_row_of_the_inputs_is_counted_alone(data):
    basis = Basis.of(data.graph, data.features(), 3)
    assert bytes_of_a_row(basis) == 4 * 64 * 4  # T, norm and powers belong to no row
    assert bytes_of_a_row(Features(torch.zeros(5, 3, 7, dtype=torch.float64))) == 3 * 7 * 8


def test_all_rows_are_taken_until_memory_is_short():
    model, inputs = nn.Linear(10, 6, bias=False), Features(torch.zeros(3, 10))
    needed = 4 * 10 * 7 + 4 * 16 * COPIES * 10**6
    assert rows_that_fit(model, inputs, 10**6, 7, free=round(needed / SHARE)) is None
    assert rows_that_fit(model, inputs, 10**6, 7, free=round(needed / SHARE) - 10) == ROWS
    few = rows_that_fit(model, inputs, 10**6, 7, free=200_000)
    assert few == 256  # of 296 bytes each: 512 would need more than half of it
    assert rows_that_fit(model, inputs, 10**6, 7, free=0) == 1


def test_rows_that_depend_on_others_stay_together():
    assert rows_that_fit(nn.Linear(10, 6), Whole(torch.zeros(3, 10), {}), 10**9, 0, free=1) is None


def test_small_data_fit_on_this_machine():
    assert rows_that_fit(nn.Linear(10, 6), Features(torch.zeros(3, 10)), 1000, 100) is None


def test_the_machine_and_the_container_are_asked(tmp_path):
    cpu, proc, group = torch.device("cpu"), tmp_path / "proc", tmp_path / "sys/fs/cgroup"
    for folder in (proc, group):
        folder.mkdir(parents=True)
    (proc / "meminfo").write_text("MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:  5000 kB\nPages: x\n")
    assert free_memory(cpu, tmp_path) == 5000 * 1024
    (group / "memory.max").write_text("max\n")
    (group / "memory.current").write_text("3000000\n")
    (group / "memory.stat").write_text("anon 2000000\ninactive_file 500000\n")
    assert free_memory(cpu, tmp_path) == 5000 * 1024
    (group / "memory.max").write_text("4000000\n")
    assert free_memory(cpu, tmp_path) == 1_500_000
    (proc / "meminfo").unlink()
    assert free_memory(cpu, tmp_path) == 1_500_000


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU here")
def test_a_gpu_is_asked():
    where = torch.device("cuda")
    before = free_memory(where)
    block = torch.empty(2**28, dtype=torch.uint8, device=where)
    assert before - free_memory(where) >= 2**27
    del block
    assert free_memory(where) >= before - 2**24  # what torch holds in reserve is free


def test_the_larger_a_member_the_fewer_fit():
    inputs = Basis.of(load("sbm:n=50,d=8").graph, torch.ones(50, 8), 2)
    cpu = torch.device("cpu")
    some = members_that_fit(inputs, 10**5, Config(hidden=64), cpu)
    assert some > members_that_fit(inputs, 10**5, Config(hidden=512), cpu) >= 1
    assert members_that_fit(inputs, 10**12, Config(), cpu) == 1


def test_a_cpu_with_little_memory_trains_few_members_at_once(monkeypatch):
    inputs = Basis.of(load("sbm:n=50,d=8").graph, torch.ones(50, 8), 2)

    def fit(free, **options):
        monkeypatch.setattr(memory, "free_memory", lambda device: free)
        return members_that_fit(inputs, 10**4, Config(hidden=64, layers=2, **options), torch.device("cpu"))

    one = 10**4 * (6 * 8 + 12 * 64) * 4  # bytes, nearly
    assert [fit(int(times * one / 0.59)) for times in (0.1, 1, 3)] == [1, 1, 3]
    assert fit(2**30) < fit(2**32) == fit(2**40), "where there is plenty it does not matter how much"


def test_features_beside_the_filtered_ones_are_counted(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda device: 2**30)
    inputs = Basis.of(load("sbm:n=50,d=64").graph, torch.ones(50, 64), 2)
    wide = Basis.of(load("sbm:n=50,d=128").graph, torch.ones(50, 128), 2)
    cpu = torch.device("cpu")
    beside = members_that_fit(inputs, 10**4, Config(hidden=16, ego=True), cpu)
    assert beside == members_that_fit(wide, 10**4, Config(hidden=16), cpu)
    assert beside < members_that_fit(inputs, 10**4, Config(hidden=16), cpu)


def test_rows_that_are_scaled_are_counted(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda device: 2**30)
    inputs = Basis.of(load("sbm:n=50,d=64").graph, torch.ones(50, 64), 2)
    scaled, plain = (
        members_that_fit(inputs, 10**4, Config(hidden=16, row_norm=on), torch.device("cpu"))
        for on in (True, False)
    )
    assert plain / 2 < scaled < plain


class Large:
    """Something that an attempt holds."""


def test_work_is_halved_where_memory_is_too_small_and_nothing_of_the_attempt_stays_alive(monkeypatch):
    references, alive = [], []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: alive.extend(r() for r in references))

    def work(some):
        large = Large()
        references.append(weakref.ref(large))
        if len(some) > 2:
            raise torch.cuda.OutOfMemoryError("too many")
        return list(some)

    assert list(in_parts(range(6), 4, work)) == [[0, 1], [2, 3], [4, 5]]
    assert alive == [None]


def test_an_attempt_that_holds_itself_is_let_go_too(monkeypatch):
    references, alive = [], []
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: alive.extend(r() for r in references))

    def work(some):
        large = Large()
        large.itself = large
        references.append(weakref.ref(large))
        if len(some) > 1:
            raise torch.cuda.OutOfMemoryError("too many")
        return list(some)

    assert list(in_parts([1, 2], 2, work)) == [[1], [2]]
    assert alive == [None]


def test_one_that_is_too_large_is_said(monkeypatch):
    def work(some):
        raise torch.cuda.OutOfMemoryError("too large")

    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    with pytest.raises(torch.cuda.OutOfMemoryError, match="too large"):
        list(in_parts([1, 2], 2, work))
