import pytest

from unifilter.train.config import Training


def test_a_group_takes_what_it_names_and_the_rest_from_all():
    training = Training(lr=0.1, weight_decay=0.01, groups={"filter": {"lr": 0.5}})
    assert training.group("filter") == {"lr": 0.5, "weight_decay": 0.01}
    assert training.group("mlp") == {"lr": 0.1, "weight_decay": 0.01}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("epochs", 0),
        ("patience", 0),
        ("lr", -1.0),
        ("weight_decay", float("nan")),
        ("monitor", "f1"),
        ("ties", "first"),
        ("stop", "never"),
        ("keep", "both"),
        ("optimizer", "lion"),
    ],
)
def test_values_out_of_range_are_named(option, value):
    with pytest.raises(ValueError, match=option):
        Training(**{option: value})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"batch": 0}, "batch must be at least 1, and whole, but is 0"),
        ({"epochs": 2.5}, "epochs must be at least 1, and whole, but is 2.5"),
        ({"patience": "x"}, "patience must be at least 1, and whole, but is 'x'"),
        ({"lr": float("inf")}, "lr must be finite and not negative, but is inf"),
        ({"optimizer": "lion"}, 'optimizer must be "adam", "adamw" or "sgd", but is \'lion\''),
        ({"groups": {"filter": {"lrr": 0.1}}}, "'filter' names 'lrr'"),
        ({"groups": {"filter": {"lr": -0.1}}}, "lr of filter must be finite and not negative"),
    ],
)
def test_what_is_no_rate_or_count_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Training(**options)
