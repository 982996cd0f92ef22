import pytest

from unifilter.train.samplers import PAPER_SPACE, Optuna, Random, Space

SPACE = Space({"options.dropout": [0.0, 0.3, 0.6, 0.9], "training.lr": [0.001, 0.01, 0.1]})


def test_the_size_of_a_space_is_a_product():
    assert SPACE.size == 12
    assert PAPER_SPACE.size > 10_000


def test_the_same_seed_proposes_the_same():
    assert Random(SPACE, 1).ask(5) == Random(SPACE, 1).ask(5)
    assert Random(SPACE, 1).ask(9) != Random(SPACE, 2).ask(9)


def test_a_study_in_a_file_is_continued(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    first = Optuna(SPACE, "s", url)
    for setting in first.ask(4):
        first.tell(setting, setting["options.dropout"])
    again = Optuna(SPACE, "s", url)
    assert len(again.finished) == 4
    assert all(value == setting["options.dropout"] for setting, value in again.finished)


def test_optuna_learns_where_it_is_good():
    pytest.importorskip("optuna")
    sampler = Optuna(SPACE, seed=0)
    for _ in range(15):
        for setting in sampler.ask(4):
            sampler.tell(setting, setting["options.dropout"])
    late = [s["options.dropout"] for s in sampler.ask(20)]
    assert sum(late) / 20 > 0.6
