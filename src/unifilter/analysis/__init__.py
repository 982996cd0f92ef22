"""Look at a graph before training on it: its size, its labels, its spectrum, what they ask of a filter."""

from unifilter.analysis.labels import Label
from unifilter.analysis.regime import Regime
from unifilter.analysis.spectrum import Density, Features
from unifilter.analysis.summary import Analysis, analyze

__all__ = ["Analysis", "Density", "Features", "Label", "Regime", "analyze"]
