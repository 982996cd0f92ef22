"""Figures and pages. Nothing here trains: numbers come in as plain data."""

from unifilter.viz.analysis import write_analysis
from unifilter.viz.report import FitReport, Response, write_report

__all__ = ["FitReport", "Response", "write_analysis", "write_report"]
