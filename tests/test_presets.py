from pathlib import Path

import pytest

from unifilter.models._registry import configure
from unifilter.presets import NAMES, preset, read_preset, settings_of

CONFIGS = Path(__file__).parents[1] / "experiments" / "configs"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("basis", ["released", "unibasis"])
def test_every_preset_is_a_setting(name, basis):
    found = preset(name, basis)
    config = configure("unifilter", found.options)
    assert config.K == 10
    assert config.basis == basis
    assert config.h == "estimate"
    assert found.training.patience == 200


def test_the_released_settings_are_those_printed():
    cora = preset("cora")
    assert cora.training.lr == 0.15
    assert cora.training.group("filter") == {"lr": 0.005, "weight_decay": 0.0}
    assert cora.options["basis_dropout"] == 0.3
    assert preset("squirrel").options["batch_norm"]


def test_an_unknown_graph_is_answered_with_the_known():
    with pytest.raises(ValueError, match="chameleon"):
        preset("karate")
    with pytest.raises(ValueError, match="basis"):
        preset("cora", "best")


def test_a_file_s_setting_is_read():
    found = read_preset(CONFIGS / "gprgnn.toml", "cora", "quota")
    assert found.options
    with pytest.raises(ValueError, match="gprgnn"):
        read_preset(CONFIGS / "gprgnn.toml", "cora", "sometimes")


def test_a_file_that_is_no_toml_is_named(tmp_path):
    file = tmp_path / "gcn.toml"
    file.write_text("[cora.fixed")
    with pytest.raises(ValueError, match="gcn.toml is no TOML file"):
        settings_of(file)


def test_a_settings_file_that_was_changed_is_read_anew(tmp_path):
    file = tmp_path / "sgc.toml"
    for K in (2, 3):
        file.write_text(f"cora.public.options.K = {K}")
        assert settings_of(file)["cora"]["public"]["options"] == {"K": K}


def test_the_authors_limit_of_epochs_is_kept():
    assert {(preset(name).training.epochs, preset(name).training.patience) for name in NAMES} == {(1000, 200)}
