from pathlib import Path

import pytest

from unifilter.models._registry import configure
from unifilter.presets import NAMES
from unifilter.reproduce import rows
from unifilter.reproduce.part import Searched
from unifilter.reproduce.settings import journal, known_settings, published, released, tried, winner
from unifilter.train.samplers import Random
from unifilter.train.spaces import space_of
from unifilter.train.trial import Trial, options_of, read_journal, training_of, write_journal

CONFIGS = Path(__file__).parents[2] / "experiments/configs"


@pytest.fixture
def configs(tmp_path):
    (tmp_path / "sgc.toml").write_text(
        "[chameleon.fixed]\npreprocess = 'row'\noptions = {K = 3}\ngrid = {K = [1, 2]}\n"
        "[cora.quota]\noptions = {K = 5}\n"
    )
    return tmp_path


@pytest.mark.parametrize("protocol", ["fixed:10", "quota48:10", "quota:10"])
def test_a_kind_of_split_without_settings_takes_those_of_its_relative(configs, protocol):
    entry = published("sgc", "chameleon", protocol, configs)
    assert (entry.preprocess, entry.options, entry.grid) == ("row", {"K": 3}, {"K": [1, 2]})


def test_random_splits_come_before_their_relatives_and_serve_nobody_else(configs):
    file = configs / "sgc.toml"
    assert published("sgc", "cora", "random:10", configs).options == {"K": 5}
    file.write_text(
        file.read_text() + "[cora.random]\noptions = {K = 7}\n[pubmed.random]\noptions = {K = 9}\n"
    )
    assert published("sgc", "cora", "random:10", configs).options == {"K": 7}
    for kind in ("quota", "quota48", "fixed"):
        assert published("sgc", "cora", f"{kind}:10", configs).options == {"K": 5}
        assert published("sgc", "pubmed", f"{kind}:10", configs) is None


def test_a_graph_without_duplicates_takes_the_settings_of_the_original(configs):
    assert published("sgc", "chameleon-filtered", "fixed:10", configs).options == {"K": 3}
    assert released("squirrel-filtered") == released("squirrel")


def test_the_first_point_of_a_grid_is_where_a_search_begins(configs):
    (configs / "gcn.toml").write_text(
        "[cora.fixed]\ngrid = {hidden = [8, 16], 'training.lr' = [0.5, 0.1], preprocess = ['row', 'none']}\n"
    )
    wanted = {"preprocess": "row", "options.hidden": 8, "training.lr": 0.5}
    assert known_settings("gcn", configs) == (wanted,)


def test_what_nobody_published_is_not_there(configs):
    assert published("sgc", "pubmed", "quota:10", configs) is None
    assert published("gcn", "cora", "quota:10", configs) is None
    assert released("digits") is None


@pytest.mark.parametrize("graph", NAMES)
def test_the_settings_of_the_repository_serve_all_rows_of_table_2(graph):
    assert published("sgc", graph, "quota:10", CONFIGS) is not None
    assert released(graph).options["basis"] == "released"


def trial(number, accuracy, finished=True, K=1):
    return Trial(number, {"options.K": K, "training.lr": 0.1}, accuracy, 1.0, 40, finished, "sgc")


def test_the_winner_has_the_best_validation_accuracy_of_those_that_were_trained_to_the_end(tmp_path):
    trials = [trial(0, 0.7, K=1), trial(1, 0.8, K=2), trial(2, 0.99, False, K=3)]
    write_journal(journal(tmp_path, Searched("sgc", 3), "cora", "quota:10"), trials)
    entry = winner(tmp_path, "cora", "quota:10", Searched("sgc", 3))
    assert (entry.options, entry.training.lr) == ({"K": 2}, 0.1)


def test_a_search_that_has_not_tried_its_settings_has_no_winner_and_a_longer_one_changes_no_shorter(tmp_path):
    file = journal(tmp_path, Searched("sgc", 3), "cora", "quota:10")
    write_journal(file, [trial(0, 0.7, K=1), trial(1, 0.8, K=2)])
    assert winner(tmp_path, "cora", "quota:10", Searched("sgc", 3)) is None
    write_journal(file, [trial(2, 0.9, K=3)])
    assert winner(tmp_path, "cora", "quota:10", Searched("sgc", 2)).options == {"K": 2}
    assert winner(tmp_path, "cora", "quota:10", Searched("sgc", 3)).options == {"K": 3}


def test_changes_go_on_top_of_the_winner(tmp_path):
    write_journal(journal(tmp_path, Searched("sgc", 3), "cora", "fixed:10"), [trial(0, 0.7, K=1)])
    entry = winner(tmp_path, "cora", "fixed:10", Searched("sgc", 1, {"K": 4}))
    assert entry.options == {"K": 4}


def test_a_search_begins_with_what_was_published_and_older_journals_serve_until_then(tmp_path):
    file = journal(tmp_path, Searched("sgc", 3), "cora", "quota:10")
    known = {"options.K": 7, "training.lr": 0.1}
    how = Searched("sgc", 2, first=(known,))
    write_journal(file, [trial(0, 0.7, K=1), trial(1, 0.8, K=2)])
    assert winner(tmp_path, "cora", "quota:10", how).options == {"K": 2}
    assert not tried(tmp_path, "cora", "quota:10", how)[1]
    write_journal(file, [trial(-1, 0.75, K=7)])
    trials, whole = tried(tmp_path, "cora", "quota:10", how)
    assert ([t.number for t in trials], whole) == (
        [-1, 0],
        True,
    )  # two in all: the second draw is one too many
    assert winner(tmp_path, "cora", "quota:10", how).options == {"K": 7}


def test_a_published_setting_that_was_cut_off_makes_a_search_unfinished(tmp_path):
    file = journal(tmp_path, Searched("sgc", 3), "cora", "quota:10")
    how = Searched("sgc", 2, first=({"options.K": 7, "training.lr": 0.1},))
    write_journal(file, [trial(-1, 0.3, False, K=7), trial(0, 0.7, K=1)])
    assert not tried(tmp_path, "cora", "quota:10", how)[1]
    assert winner(tmp_path, "cora", "quota:10", how).options == {"K": 1}, "until then the others serve"
    write_journal(file, [trial(-1, 0.8, K=7)])
    trials, whole = tried(tmp_path, "cora", "quota:10", how)
    assert ([t.number for t in trials], whole) == ([-1, 0], True)
    assert winner(tmp_path, "cora", "quota:10", how).options == {"K": 7}


def test_what_was_published_once_and_is_no_longer_does_not_win(tmp_path):
    file = journal(tmp_path, Searched("sgc", 3), "cora", "quota:10")
    write_journal(file, [trial(-1, 0.9, K=9), trial(-2, 0.75, K=7), trial(0, 0.7, K=1)])
    how = Searched("sgc", 2, first=({"options.K": 7, "training.lr": 0.1},))
    assert [t.number for t in tried(tmp_path, "cora", "quota:10", how)[0]] == [-2, 0]
    assert winner(tmp_path, "cora", "quota:10", how).options == {"K": 7}


def test_a_search_that_lacks_both_has_no_winner(tmp_path):
    how = Searched("sgc", 3, first=({"options.K": 7},))
    write_journal(journal(tmp_path, Searched("sgc", 3), "cora", "quota:10"), [trial(0, 0.7), trial(1, 0.8)])
    assert winner(tmp_path, "cora", "quota:10", how) is None


def test_every_row_of_both_tables_has_known_settings():
    for model in {*rows.models("table2"), *rows.models("table3")}:
        found = known_settings(model, CONFIGS)
        assert 0 < len(found) <= 10
        for setting in found:
            configure(model, options_of(setting))
            training_of(setting, seed=0)


def test_settings_of_a_filtered_graph_come_before_those_of_its_original():
    own = published("gcn", "chameleon-filtered", "fixed:10", CONFIGS)
    assert own != published("gcn", "chameleon", "fixed:10", CONFIGS)
    other = published("mixhop", "chameleon-filtered", "fixed:10", CONFIGS)
    assert other == published("mixhop", "chameleon", "fixed:10", CONFIGS)


def test_the_searches_of_the_repository_are_draws_of_its_spaces():
    """Also in their order: a search that is continued would else try other settings."""
    for file in (CONFIGS.parent / "results/reproduce/journals").glob("*.jsonl"):
        drawn = {t.number: t.setting for t in read_journal(file) if t.number >= 0}
        model, _, whole = file.stem.split("_")[0].partition("-")
        proposed = dict(Random(space_of(model, bool(whole))).ask(max(drawn, default=-1) + 1))
        assert all(proposed[number] == setting for number, setting in drawn.items()), file.name


def test_a_search_of_the_whole_space_keeps_its_own_journal(tmp_path):
    write_journal(journal(tmp_path, Searched("unifilter", 1), "cora", "quota:10"), [trial(0, 0.9, K=2)])
    assert winner(tmp_path, "cora", "quota:10", Searched("unifilter", 1)).options == {"K": 2}
    assert winner(tmp_path, "cora", "quota:10", Searched("unifilter", 1, whole=True)) is None
