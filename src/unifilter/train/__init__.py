"""Prepare once, fit, stop early, record."""

from unifilter.train.config import Training
from unifilter.train.loop import Interrupted, Outcome, fit
from unifilter.train.result import Result
from unifilter.train.run import run

__all__ = ["Interrupted", "Outcome", "Result", "Training", "fit", "run"]
