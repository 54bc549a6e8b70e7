"""Settings are strict: unknown names and wrong values are refused by name."""

import pytest

from latentveil.config import PRESETS, FitConfig, load_config
from latentveil.errors import InputError


def test_changes_are_applied_with_their_type():
    config = load_config("paper", ["train.epochs=7", "loss.bounded=true", "task_weights.action=2.5"])
    assert config.train.epochs == 7
    assert config.loss.bounded is True
    assert config.task_weights == {"action": 2.5}
    for change in ("task_weights.actoin=2", "heads.actoin=linear"):
        with pytest.raises(InputError, match="the tasks are action, detection, anomaly"):
            load_config("paper", [change])
    assert load_config("paper", ["heads.anomaly=sultani"]).heads == {"anomaly": "sultani"}


def test_several_values_are_separated_by_commas():
    assert load_config("veil", ["erasure.secrets=gender, skin"]).erasure.secrets == ("gender", "skin")


def test_the_paper_preset_holds_the_papers_numbers():
    config = PRESETS["paper"]
    assert (config.adapter.layers, config.adapter.heads, config.adapter.reconstruct_epochs) == (3, 8, 100)
    assert config.adapter.reconstruct_learning_rate == 2e-5
    assert (config.loss.consistency, config.loss.task, config.loss.static, config.loss.cross) == (
        100,
        1,
        1,
        0,
    )
    assert (config.train.epochs, config.train.learning_rate, config.train.batch_size) == (100, 1e-4, 512)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("train.epoch=7", "--set must name a known setting, got 'train.epoch'"),
        ("trein.epochs=7", "--set must name a known setting, got 'trein.epochs'"),
        ("train.epochs", "--set must be of the form section.name=value"),
        ("train.epochs=many", "train.epochs must be valid, got 'many'"),
        ("loss.static=-1", "loss.static must be valid, got '-1'"),
        ("adapter.attends=space", "adapter.attends must be valid, got 'space'"),
    ],
)
def test_wrong_changes_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        load_config("paper", [change])


def test_an_unknown_preset_is_refused():
    with pytest.raises(InputError, match="preset must be one of"):
        load_config("papper")


def test_every_preset_survives_being_written_down():
    for preset in PRESETS.values():
        assert FitConfig.model_validate_json(preset.model_dump_json()) == preset
