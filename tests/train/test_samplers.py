import pytest

from unifilter.train.samplers import PAPER_SPACE, Random, Space

SPACE = Space({"options.dropout": [0.0, 0.3, 0.6, 0.9], "training.lr": [0.001, 0.01, 0.1]})


def test_the_size_of_a_space_is_a_product():
    assert SPACE.size == 12
    assert PAPER_SPACE.size > 10_000


def test_the_same_seed_proposes_the_same():
    assert Random(SPACE, 1).ask(5) == Random(SPACE, 1).ask(5)
    assert Random(SPACE, 1).ask(9) != Random(SPACE, 2).ask(9)


def test_numbers_go_on_from_question_to_question():
    sampler = Random(SPACE, 1)
    assert [n for n, _ in sampler.ask(2) + sampler.ask(0) + sampler.ask(2)] == [0, 1, 2, 3]


@pytest.mark.parametrize("values", [3, [], "abc"])
def test_a_space_has_lists_of_values(values):
    with pytest.raises(ValueError, match="'options.K' needs a list of values"):
        Space({"options.K": values})
