import pytest

from unifilter.models.unifilter import Config
from unifilter.train.portfolio import PORTFOLIO
from unifilter.train.trial import options_of, training_of


@pytest.mark.parametrize("setting", PORTFOLIO, ids=range(len(PORTFOLIO)))
def test_every_setting_is_one(setting):
    config = Config(**options_of(setting))
    assert config.tau == config.h == "learn"
    training = training_of(setting, seed=3, epochs=10, patience=5)
    assert training.group("filter")["lr"] == setting["groups.filter.lr"]
    assert training.seed == 3


def test_no_setting_stands_twice():
    assert len({repr(s) for s in PORTFOLIO}) == len(PORTFOLIO)
