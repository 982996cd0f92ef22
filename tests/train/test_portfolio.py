import pytest

from unifilter.models.unifilter import Config
from unifilter.train.portfolio import FEW, FEWER, PORTFOLIO, portfolio_for
from unifilter.train.trial import options_of, training_of


@pytest.mark.parametrize("setting", [*PORTFOLIO, *FEW])
def test_every_setting_is_one(setting):
    config = Config(**options_of(setting))
    assert config.tau == config.h == "learn"
    training = training_of(setting, seed=3, epochs=10, patience=5)
    assert training.group("filter")["lr"] == setting["groups.filter.lr"]
    assert training.seed == 3


@pytest.mark.parametrize("portfolio", [PORTFOLIO, FEW])
def test_no_setting_stands_twice(portfolio):
    assert len({repr(s) for s in portfolio}) == len(portfolio)


def test_few_labels_have_a_portfolio_of_their_own():
    assert portfolio_for(FEWER - 1) is FEW
    assert portfolio_for(FEWER) is PORTFOLIO
