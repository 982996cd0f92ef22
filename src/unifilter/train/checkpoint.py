"""The state of a training run on disk: safetensors and JSON, renamed into place. No pickle."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from unifilter.record import write_atomically

if TYPE_CHECKING:
    from unifilter.train.loop import State


def save(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: State) -> None:
    """Write everything that a resumed run needs to go on as if nothing had happened.

    The tensors go first, under a name of their own; the JSON that names them is renamed last. So whenever a
    process dies, the JSON and the tensors it names belong together.
    """
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {f"model.{k}": v for k, v in model.state_dict().items()}
    tensors |= {f"best.{k}": v for k, v in state.best.items()}
    packed = optimizer.state_dict()
    for index, values in packed["state"].items():
        tensors |= {f"optimizer.{index}.{k}": torch.as_tensor(v) for k, v in values.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    file = f"state-{state.epoch}.safetensors"
    save_tensors(folder / file, tensors)
    plain = {f.name: getattr(state, f.name) for f in fields(state) if f.name != "best"}
    write_atomically(folder / "state.json", json.dumps({"tensors": file, "state": plain}))
    for old in folder.glob("state-*.safetensors"):
        if old.name != file:
            old.unlink(missing_ok=True)


def restore(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, state: State) -> bool:
    """Continue from what ``save`` wrote; whether there was anything."""
    file = folder / "state.json"
    if not file.exists():
        return False
    from safetensors.torch import load_file

    found = json.loads(file.read_text(encoding="utf-8"))
    for name, value in found["state"].items():
        setattr(state, name, value)
    tensors = load_file(folder / found["tensors"])
    device = next(model.parameters()).device
    part = {
        name: {k.removeprefix(f"{name}."): v for k, v in tensors.items() if k.startswith(f"{name}.")}
        for name in ("model", "best", "optimizer")
    }
    model.load_state_dict(part["model"])
    state.best = {k: v.to(device) for k, v in part["best"].items()}
    packed = optimizer.state_dict()
    packed["state"] = {}
    for key, value in part["optimizer"].items():
        index, name = key.split(".", 1)
        packed["state"].setdefault(int(index), {})[name] = value
    optimizer.load_state_dict(packed)
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return True


def save_tensors(file: Path, tensors: dict[str, Tensor], metadata: dict[str, str] | None = None) -> None:
    """A safetensors file, whole or not at all."""
    from safetensors.torch import save_file

    part = file.with_name(f".{file.name}.part")
    file.parent.mkdir(parents=True, exist_ok=True)
    # Shared memory would be an error: the best weights may be the current ones.
    save_file({k: v.detach().cpu().clone().contiguous() for k, v in tensors.items()}, part, metadata)
    os.chmod(part, 0o644)  # safetensors writes for its owner alone
    os.replace(part, file)
