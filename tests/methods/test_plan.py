"""A fit is a method with its own settings: what the method does not read is refused, and a preset is its method."""

import json

import pytest

from latentveil.bench.recipe import RECIPES, load_recipe
from latentveil.config import known_settings
from latentveil.errors import InputError
from latentveil.methods.base import METHODS, Method
from latentveil.methods.plan import PRESETS, load_config
from latentveil.methods.request import plan_for
from latentveil.pixels.base import PIXEL_METHODS


def test_a_preset_is_a_method_with_values():
    assert load_config().method.name == load_config("veil").method.name == "veil"
    paper = load_config("paper", ["train.epochs=7", "loss.bounded=true", "task_weights.action=2.5"])
    assert paper.method.name == "splavu"
    assert (paper.settings.train.epochs, paper.settings.loss.bounded) == (7, True)
    assert paper.settings.task_weights == {"action": 2.5}


def test_the_paper_preset_holds_the_papers_numbers():
    found = load_config("paper").settings
    assert (found.adapter.layers, found.adapter.heads, found.adapter.attends) == (3, 8, "time")
    start = found.adapter.reconstruction()
    assert (start.loss, start.epochs, start.learning_rate) == ("l1", 100, 2e-5)
    assert start.min_steps >= 1000
    assert (found.loss.consistency, found.loss.task, found.loss.static, found.loss.cross) == (100, 1, 1, 0)
    assert (found.train.epochs, found.train.learning_rate, found.train.batch_size) == (100, 1e-4, 512)
    assert (found.train.linear_scaling, found.train.keep) == (True, "last")


def test_the_released_preset_holds_the_public_codes_numbers():
    found = load_config("released").settings
    assert (found.adapter.architecture, found.adapter.layers, found.adapter.heads) == ("released", 3, 8)
    assert found.adapter.attends == "batch"
    start = found.adapter.reconstruction()
    assert (start.loss, start.epochs, start.learning_rate, start.batch_size) == ("mse", 500, 1e-4, 2048)
    assert (found.loss.consistency, found.loss.consistency_reduction) == (100, "mean")
    assert (found.loss.consistency_on, found.loss.symmetric, found.loss.temperature) == ("action", True, 0.1)
    run = found.train
    assert (run.batch_size, run.learning_rate, run.linear_scaling) == (512, 1e-4, False)
    assert (run.pretrained_heads, run.head_gradients) == (("detection", "anomaly"), "weighted")
    assert (run.action_context, run.clips_per_video, run.epoch_ends) == ("clip", 1, "shortest")


def test_what_the_public_code_chooses_on_test_videos_is_marked():
    plan = load_config("released")
    assert plan.settings.train.keep == "best_validation"
    assert any("test videos" in note and "validation" in note for note in plan.to_dict()["notes"])
    assert "notes" not in load_config("paper").to_dict()


def test_an_adapter_that_is_fitted_keeps_the_notes_of_its_preset():
    plan = plan_for("released", None, (), groups=None, release=False, seed=None, device="cpu")
    assert plan.to_dict()["notes"] == load_config("released").to_dict()["notes"]


def test_numbers_of_a_start_that_is_not_trained_are_refused():
    """They were taken without effect."""
    change = "adapter.reconstruct_epochs=5"
    with pytest.raises(InputError, match=r"adapter.reconstruct_epochs must go with .* got 5 with init=exact"):
        load_config(changes=[change], method="splavu")
    with pytest.raises(InputError, match=r"must go with adapter.init=reconstruct"):
        load_config("paper", ["adapter.init=exact", change])
    assert load_config("paper", [change]).settings.adapter.reconstruction().epochs == 5
    assert load_config("paper", ["adapter.init=exact"]).settings.adapter.reconstruction() is None


@pytest.mark.parametrize(
    ("method", "change", "known"),
    [
        ("pca", "erasure.noise=1", "erasure.keep"),
        ("noise", "erasure.keep=3", "erasure.noise"),
        ("codebook", "train.epochs=5", "erasure.softness"),
        ("splavu", "erasure.noise=1", "loss.static"),
        ("splavu", "train.observer_learning_rate=1", "train.epochs"),
        ("supervised", "loss.temperature=1", "train.observer_learning_rate"),
        ("identity", "heads.action=linear", "train.seed"),
    ],
)
def test_a_setting_that_the_method_does_not_read_is_refused(method, change, known):
    name = change.partition("=")[0]
    message = f"must be one that the method {method} has, got '{name}'. It has .*{known}"
    with pytest.raises(InputError, match=message):
        load_config(changes=[change], method=method)


@pytest.mark.parametrize("method", METHODS.names())
def test_every_method_has_a_seed_and_a_device(method):
    found = load_config(changes=["train.seed=5", "train.device=meta"], method=method).settings.train
    assert (found.seed, found.device) == (5, "meta")


def test_a_method_may_be_named_among_the_changes():
    assert load_config("veil", ["method=pca", "erasure.keep=3"]).settings.erasure.keep == 3


def test_a_preset_with_another_method_is_refused():
    for arguments in ({"method": "noise"}, {"changes": ["method=noise"]}):
        with pytest.raises(InputError, match=r"must be splavu, .* got 'noise'\. Leave out the preset, or"):
            load_config("paper", **arguments)
    assert load_config("paper", method="splavu") == load_config("paper")


def test_an_unknown_preset_is_refused():
    with pytest.raises(InputError, match="preset must be one of veil, paper, released, got 'papper'"):
        load_config("papper")


def test_tasks_and_networks_are_checked_by_name():
    for change in ("task_weights.actoin=2", "heads.actoin=linear"):
        with pytest.raises(InputError, match="must be of the tasks action, detection, anomaly"):
            load_config("paper", [change])
    with pytest.raises(InputError, match=r"network must be one of affine, .* got 'magic'"):
        load_config(changes=["adapter.architecture=magic"], method="splavu")
    with pytest.raises(InputError, match=r"heads must be an option of the network mlp \(layers\), got 4"):
        load_config(changes=["adapter.architecture=mlp", "adapter.heads=4"], method="splavu")
    with pytest.raises(InputError, match=r"adapter.attends must be 'time', 'none' or 'batch', got 'space'"):
        load_config("paper", ["adapter.attends=space"])


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_survives_being_written_down(name):
    plan = load_config(name)
    written = json.loads(json.dumps(plan.to_dict()))
    assert written["method"] == plan.method.name
    assert plan.method.Settings.model_validate(written["settings"]) == plan.settings


def test_settings_of_another_kind_are_refused():
    with pytest.raises(InputError, match=r"must derive from latentveil.config.Settings, got dict"):
        Method(name="mine", fit=print, about="", Settings=dict)


def test_no_setting_of_a_shipped_recipe_is_without_effect():
    for path in RECIPES.glob("*.toml"):
        for row in load_recipe(path.stem).rows:
            own = PIXEL_METHODS.get(row.pixels).Settings() if row.pixels else row.config(seed=0).settings
            known = known_settings(own)
            names = {change.partition("=")[0] for change in row.changes} - {"method"}
            assert all(name in known or f"{name.rpartition('.')[0]}.*" in known for name in names)
