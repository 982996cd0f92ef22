"""Models, one file each; the file's name is the registered name."""

from unifilter.models._registry import create, model_class, names

__all__ = ["create", "model_class", "names"]
