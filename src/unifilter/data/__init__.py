"""Files to Dataset: named graphs, your own tables, splits."""

from unifilter.data import splits
from unifilter.data.benchmarks import load
from unifilter.data.dataset import Dataset
from unifilter.data.signals import with_signals
from unifilter.data.tables import read_tables

__all__ = ["Dataset", "load", "read_tables", "splits", "with_signals"]
