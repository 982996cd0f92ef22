"""A trial's setting goes where its names say, and its journal survives a kill."""

from unifilter.train.config import Training
from unifilter.train.trial import Trial, options_of, read_journal, setting_of, training_of, write_journal

SETTING = {"options.K": 3, "training.lr": 0.5, "groups.filter.lr": 0.25, "preprocess": "row"}


def test_names_say_where_values_go():
    assert options_of(SETTING) == {"K": 3}
    training = training_of(SETTING, seed=4, epochs=9, patience=2)
    assert (training.lr, training.seed, training.epochs, training.patience) == (0.5, 4, 9, 2)
    assert training.group("filter")["lr"] == 0.25
    trial = Trial(0, SETTING, 0.5, 1.0, 9, True, "gprgnn")
    assert (trial.preprocess, trial.config.K) == ("row", 3)


def test_a_journal_gives_back_what_was_written(tmp_path):
    file = tmp_path / "deep" / "journal.jsonl"
    assert read_journal(None) == read_journal(file) == []
    trials = [Trial(i, SETTING, 0.5, 1.0, 9, True, "gprgnn") for i in range(2)]
    write_journal(file, trials[:1])
    write_journal(file, trials[1:])
    with file.open("a") as stream:
        stream.write('{"number": 2, "sett')
    assert read_journal(file) == trials


def test_what_follows_a_line_that_was_cut_short_is_read(tmp_path):
    file = tmp_path / "journal.jsonl"
    trials = [Trial(i, SETTING, 0.5, 1.0, 9, True, "gprgnn") for i in range(3)]
    for one, cut in zip(
        trials, ('{"number": 1, "sett', '{"number": 2, "setting": {"options.K": 3}', ""), strict=True
    ):
        write_journal(file, [one])
        with file.open("a") as stream:
            stream.write(cut)
    assert read_journal(file) == trials
    assert len(file.read_text().splitlines()) == 5, "what was cut short ends, and nothing else is between"


def test_journals_from_before_other_models_are_unifilters(tmp_path):
    file = tmp_path / "journal.jsonl"
    file.write_text(
        '{"number": 0, "setting": {}, "accuracy": 0.5, "loss": 1.0, "epochs": 1, "finished": true}\n'
    )
    assert read_journal(file)[0].model == "unifilter"


def test_a_setting_trains_what_it_was_made_of():
    training = Training(
        epochs=7, patience=3, seed=5, lr=0.3, monitor="loss", stop="window", groups={"filter": {"lr": 0.1}}
    )
    setting = setting_of("row", {"K": 4}, training)
    back = training_of(setting, seed=0)
    assert options_of(setting) == {"K": 4}
    assert (back.lr, back.monitor, back.groups) == (0.3, "loss", {"filter": {"lr": 0.1}})
    assert (back.epochs, back.patience, back.seed, back.stop) == (1000, 200, 0, "patience")
