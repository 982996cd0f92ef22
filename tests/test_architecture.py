"""The house rules as code: who may import whom, a test for every module, small files, a light import."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "unifilter"
OPEN = {"_types", "_checks", "_math"}  # open to every room

# Each row lists all that a room may know of the others.
MAY_IMPORT = {
    "_types": set(),
    "_checks": set(),
    "_math": set(),
    "kernels": set(),
    "graph": {"kernels"},
    "krylov": {"kernels"},
    "bases": set(),
    "data": {"graph"},
    "record": set(),
    "models": {"graph", "krylov", "bases"},
    "train": {"kernels", "graph", "krylov", "bases", "data", "models", "record"},
    "analysis": {"graph", "krylov", "bases", "data"},
    "viz": {"graph", "krylov", "bases", "record", "analysis"},
    "reproduce": {
        "graph",
        "krylov",
        "bases",
        "data",
        "models",
        "train",
        "record",
        "analysis",
        "viz",
        "presets",
    },
    "conv": {"graph", "krylov", "bases", "models"},
    "presets": {"models", "train"},
    "estimator": {"graph", "krylov", "bases", "data", "models", "train", "trained"},
    "trained": {"graph", "krylov", "bases", "data", "models", "train", "record"},
    "cli": {"graph", "krylov", "bases", "data", "models", "train", "record"}
    | {"analysis", "viz", "presets", "trained", "reproduce"},
    # Those of the second line are loaded when one of their names is asked for.
    "__main__": {"cli"},
    "__init__": {"graph", "krylov", "bases", "data"}
    | {"models", "train", "analysis", "conv", "estimator", "trained"},
}
# Third parties that must not be loaded by importing the module: they load on first use.
HEAVY = {"numba", "llvmlite", "triton", "sklearn", "torch_geometric", "pyarrow", "typer", "plotly", "rich"}
HEAVY |= {"matplotlib"}
# The kernels are written in numba and Triton, the command line in typer and rich: loaded on first use.
COMPILED = ("blocks", "cpu", "dropped", "learned", "recurrence", "relabel", "simd", "team", "tiles")
COMPILED += ("gpu", "gpu_drift", "gpu_lanczos", "gpu_learned", "gpu_mix", "gpu_train")
AT_HOME = {"data/lookup.py", "models/_warping.py"} | {f"kernels/{name}.py" for name in COMPILED}

MODULES = sorted(p.relative_to(SOURCE) for p in SOURCE.rglob("*.py"))


def room(module: Path) -> str:
    return module.parts[0].removesuffix(".py")


def imports(module: Path, top_only: bool = False) -> set[str]:
    tree = ast.parse((SOURCE / module).read_text())
    nodes = tree.body if top_only else ast.walk(tree)
    found = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{a.name}" for a in node.names} | {node.module}
        elif isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
    return found


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_point_one_way(module):
    own = room(module)
    for name in imports(module):
        parts = name.split(".")
        if parts[0] == "unifilter" and len(parts) > 1:
            other = parts[1]
            if not (SOURCE / other).exists() and not (SOURCE / f"{other}.py").exists():
                continue  # a name re-exported by the package, as in doctests
            assert other == own or other in OPEN or other in MAY_IMPORT[own], f"{module} imports {name}"


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_heavy_packages_load_on_first_use(module):
    if str(module) in AT_HOME or room(module) in ("cli", "estimator"):
        return
    heavy = {name.split(".")[0] for name in imports(module, top_only=True)} & HEAVY
    assert not heavy, f"{module} loads {heavy} on import"


@pytest.mark.parametrize(
    "module", [m for m in MODULES if m.name not in ("__init__.py", "_types.py")], ids=str
)
def test_every_module_has_its_test(module):
    name = module.name.removeprefix("_")
    assert (ROOT / "tests" / module.parent / f"test_{name}").exists()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_file_holds_one_idea(module):
    assert len((SOURCE / module).read_text().splitlines()) <= 350


def loaded(statements: str) -> set[str]:
    """Top-level modules of a fresh interpreter after these statements."""
    code = f"{statements}; import sys; print(sorted(m for m in sys.modules if '.' not in m))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(ast.literal_eval(out))


def seconds(statement: str) -> float:
    """What a fresh interpreter computes for it (best of three: CI is noisy)."""
    code = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(3)]
    return min(float(run.stdout) for run in runs)


def test_importing_the_package_is_light():
    """It loads nothing but the standard library, and takes milliseconds: less than one room of the latter."""
    assert not (HEAVY | {"torch", "numpy", "scipy"}) & loaded("import unifilter")
    assert seconds("import unifilter") < seconds("import asyncio")


def test_the_core_is_light():
    """Graphs, P, Lanczos and the bases need torch, NumPy and SciPy; the rest comes on first use."""
    assert not HEAVY & loaded(
        "from unifilter import Graph, Dataset, bases, edge_homophily, lanczos, mix, propagation"
    )


def test_public_names_load_on_first_use_and_are_listed():
    import unifilter

    assert set(unifilter.__all__) <= set(dir(unifilter))
    assert unifilter.lanczos is vars(unifilter)["lanczos"]
    with pytest.raises(AttributeError, match="no attribute 'lanzcos'"):
        unifilter.lanzcos  # noqa: B018


def test_rooms_are_there_after_a_plain_import():
    """As they were before names loaded late; ``unifilter.run`` trains, and ``unifilter.train`` is a room."""
    import unifilter

    loaded("import unifilter; assert unifilter.train.run is unifilter.run; unifilter.data.load")
    rooms = [p.name for p in SOURCE.iterdir() if (p / "__init__.py").exists()]
    for room in {*rooms, "conv", "trained"} - {"cli", "reproduce", "viz"}:  # what is done with the library
        assert unifilter.__getattr__(room).__name__ == f"unifilter.{room}"


def test_every_public_name_has_a_docstring_with_an_example():
    import inspect

    import unifilter
    from unifilter import bases

    for package in (unifilter, bases):
        for name in package.__all__:
            thing = getattr(package, name)
            if not inspect.ismodule(thing):
                assert inspect.getdoc(thing), name
                if inspect.isfunction(thing) and name not in ("frequency",):
                    assert ">>>" in inspect.getdoc(thing), name
