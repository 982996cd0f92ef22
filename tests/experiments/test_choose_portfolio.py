"""The portfolio in the package is what its command gives from the committed journals."""

import importlib.util
from pathlib import Path

from unifilter.train.portfolio import PORTFOLIO

FILE = Path(__file__).parents[2] / "experiments" / "choose_portfolio.py"
spec = importlib.util.spec_from_file_location("choose_portfolio", FILE)
choose_portfolio = importlib.util.module_from_spec(spec)
spec.loader.exec_module(choose_portfolio)


def test_the_portfolio_comes_from_the_journals():
    settings, accuracy = choose_portfolio.read()
    assert [settings[n] for n in choose_portfolio.choose(accuracy)] == list(PORTFOLIO)


def test_the_next_setting_helps_where_the_others_do_worst():
    accuracy = {"a": {0: 0.9, 1: 0.5, 2: 0.89}, "b": {0: 0.1, 1: 0.8, 2: 0.7}}
    assert choose_portfolio.choose(accuracy) == [2, 1, 0]
