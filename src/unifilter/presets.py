"""The paper's published settings for its six graphs, and settings read from a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from unifilter.models._registry import configure
from unifilter.train.config import Training

# hidden, layers, lr of MLP and of w, their decays, dropout on the basis and in the MLP, tau, norm, scaling
_RELEASED: dict[str, tuple[int, int, float, float, float, float, float, float, float, bool, str]] = {
    "cora": (256, 3, 0.15, 0.005, 5e-4, 0.0, 0.3, 0.4, 1.0, False, "row"),
    "citeseer": (128, 4, 0.01, 0.05, 5e-5, 1e-4, 0.9, 0.8, 0.9, False, "row"),
    "pubmed": (128, 4, 0.1, 0.05, 5e-4, 1e-4, 0.4, 0.0, 0.8, False, "row"),
    "actor": (256, 4, 0.05, 0.005, 5e-4, 5e-4, 0.2, 0.0, 0.1, False, "row"),
    "chameleon": (256, 4, 0.01, 0.005, 0.0, 5e-4, 0.0, 0.7, 0.7, False, "row"),
    "squirrel": (256, 3, 0.01, 0.05, 5e-6, 5e-4, 0.0, 0.6, 0.7, True, "none"),
}
NAMES = tuple(_RELEASED)


@dataclass(frozen=True)
class Preset:
    """How features are scaled, the model's options, and its training."""

    preprocess: str
    options: dict[str, Any]
    training: Training


def preset(dataset: str, basis: str = "released") -> Preset:
    """UniFilter's published setting for one of the six graphs.

    Parameters
    ----------
    dataset : str
        cora, citeseer, pubmed, actor, chameleon or squirrel.
    basis : {"released", "unibasis"}
        What the authors' code computes, or the paper's basis, exactly.

    Examples
    --------
    >>> preset("cora").options["tau"], preset("squirrel").preprocess
    (1.0, 'none')
    """
    if dataset not in _RELEASED:
        raise ValueError(f"there are settings for {', '.join(NAMES)}, but not for {dataset!r}.")
    if basis not in ("released", "unibasis"):
        raise ValueError(f'basis must be "released" or "unibasis", but is {basis!r}.')
    hidden, layers, lr, lr_w, decay, decay_w, drop_basis, drop, tau, norm, scaling = _RELEASED[dataset]
    options = {
        "K": 10,
        "tau": tau,
        "h": "estimate",
        "basis": basis,
        "scale": "paper",
        "hidden": hidden,
        "layers": layers,
        "dropout": drop,
        "basis_dropout": drop_basis,
        "batch_norm": norm,
        "residual": True,
    }
    groups = {"filter": {"lr": lr_w, "weight_decay": decay_w}}
    return Preset(scaling, options, Training(epochs=1000, lr=lr, weight_decay=decay, groups=groups))


def settings_of(file: str | Path) -> dict[str, Any]:
    """All that a TOML file as those of `experiments/configs` says: its source, and tables by graph and split.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "sgc.toml"
    >>> _ = file.write_text("cora.public.options.K = 2")
    >>> settings_of(file)
    {'cora': {'public': {'options': {'K': 2}}}}
    """
    try:
        return _parsed(Path(file).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is no TOML file: {error}.") from None


@lru_cache(maxsize=256)
def _parsed(text: str) -> dict[str, Any]:
    """Kept, since a table of results asks for the same few files thousands of times; nobody changes it."""
    try:
        import tomllib
    except ImportError:  # Python 3.10
        import tomli as tomllib  # type: ignore[no-redef, import-not-found]
    return tomllib.loads(text)


def read_preset(file: str | Path, dataset: str, protocol: str) -> Preset:
    """A setting from a TOML file as those of `experiments/configs`, whose name is the model's."""
    file = Path(file)
    found = settings_of(file).get(dataset, {}).get(protocol)
    if found is None:
        raise ValueError(f"{file} has no setting [{dataset}.{protocol}].")
    options = dict(found.get("options", {}))
    configure(file.stem, options)
    return Preset(found.get("preprocess", "none"), options, Training(**found.get("training", {})))
