import pytest

from unifilter.train.samplers import PAPER_SPACE, Optuna, Random, Space
from unifilter.train.trial import Trial

SPACE = Space({"options.dropout": [0.0, 0.3, 0.6, 0.9], "training.lr": [0.001, 0.01, 0.1]})


def test_the_size_of_a_space_is_a_product():
    assert SPACE.size == 12
    assert PAPER_SPACE.size > 10_000


def test_the_same_seed_proposes_the_same():
    assert Random(SPACE, 1).ask(5) == Random(SPACE, 1).ask(5)
    assert Random(SPACE, 1).ask(9) != Random(SPACE, 2).ask(9)


def trial(number, setting):
    return Trial(number, setting, setting["options.dropout"], 1.0, 40, True, "gcn", [0.5])


def test_numbers_go_on_from_question_to_question():
    sampler = Random(SPACE, 1)
    assert [n for n, _ in sampler.ask(2) + sampler.ask(0) + sampler.ask(2)] == [0, 1, 2, 3]


def test_a_study_in_a_file_is_continued(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    first = Optuna(SPACE, "s", url)
    told = [trial(*numbered) for numbered in first.ask(4)]
    for one in told:
        first.tell(one)
    again = Optuna(SPACE, "s", url)
    assert again.found() == told
    assert [n for n, _ in again.ask(1)] == [4]


def test_what_others_have_under_way_is_left_to_them_until_it_is_stale(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path / 'study.db'}"
    killed = Optuna(SPACE, "s", url)
    lost = [setting for _, setting in killed.ask(3)]
    assert killed.underway() == 0
    assert Optuna(SPACE, "s", url).underway() == 3
    later = Optuna(SPACE, "s", url, stale=0.0)
    assert later.underway() == 0
    assert [setting for _, setting in later.ask(3)] == lost


def test_optuna_learns_where_it_is_good():
    pytest.importorskip("optuna")
    sampler = Optuna(SPACE, seed=0)
    for _ in range(15):
        for numbered in sampler.ask(4):
            sampler.tell(trial(*numbered))
    late = [s["options.dropout"] for _, s in sampler.ask(20)]
    assert sum(late) / 20 > 0.6
