"""Small graphs on which the truth is known, in float64."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from unifilter import Graph, propagation
from unifilter.graph.synthetic import block_model

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

if not torch.cuda.is_available():
    os.environ.setdefault("TRITON_INTERPRET", "1")  # Triton's kernels run interpreted where there is no GPU

try:
    import hypothesis
except ImportError:  # `make gpu` runs where only what the kernels need is installed
    pass
else:  # the first call of a kernel compiles it, hence no deadline
    hypothesis.settings.register_profile("unifilter", deadline=None, derandomize=True)
    hypothesis.settings.load_profile("unifilter")


@pytest.fixture(scope="session")
def device() -> str:
    """Where Triton's kernels are tested."""
    pytest.importorskip("triton", reason="Triton is not installed")
    return "cuda" if torch.cuda.is_available() else "cpu"


def ring(n: int = 12) -> Graph:
    return Graph.from_edges(np.stack([np.arange(n), (np.arange(n) + 1) % n]))


def path(n: int = 15) -> Graph:
    return Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)]))


def star(n: int = 20) -> Graph:
    return Graph.from_edges(np.stack([np.zeros(n - 1, int), np.arange(1, n)]))


def block() -> Graph:
    return block_model(80, 0.3, classes=3, degree=6, generator=np.random.default_rng(0)).graph


def isolated() -> Graph:
    edges = np.random.default_rng(1).integers(0, 30, (2, 70))
    return Graph.from_edges(edges, n=33)


def weighted() -> Graph:
    rng = np.random.default_rng(2)
    return Graph.from_edges(rng.integers(0, 40, (2, 120)), n=40, weights=rng.random(120))


GRAPHS = {
    "ring": ring,
    "path": path,
    "star": star,
    "block": block,
    "isolated": isolated,
    "weighted": weighted,
}


@pytest.fixture(params=GRAPHS, scope="session")
def graph(request) -> Graph:
    """Each small graph in turn."""
    return GRAPHS[request.param]()


@pytest.fixture(scope="session")
def P(graph):
    return propagation(graph, dtype=torch.float64)


@pytest.fixture(scope="session")
def X(graph):
    """20 random columns (more than one tile), one of them 0."""
    X = torch.randn(graph.n, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    X[:, 7] = 0
    return X


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture(scope="session")
def mirror(tmp_path_factory):
    """Real graphs: the raw files in UNIFILTER_MIRROR, and a cache of their own for the session."""
    folder = os.environ.get("UNIFILTER_MIRROR")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs the raw files of the paper's graphs: set UNIFILTER_MIRROR to their folder")
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNIFILTER_CACHE", str(cache))
        yield Path(folder)


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium with its own driver; nothing is downloaded to get one."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="needs selenium: pip install 'unifilter[test]'"
    )
    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("needs Chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


@pytest.fixture(scope="session", autouse=True)
def _no_cache_of_the_users(tmp_path_factory):
    """Tests never read or write the user's own cache, nor do the fixtures that serve several of them."""
    with pytest.MonkeyPatch.context() as patch:
        if "UNIFILTER_CACHE" not in os.environ:
            patch.setenv("UNIFILTER_CACHE", str(tmp_path_factory.getbasetemp() / "unifilter-cache"))
        yield
