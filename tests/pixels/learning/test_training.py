"""Whole trainings at the smallest size: they run, save, load, apply, and go on after a kill bit for bit."""

import json
from types import SimpleNamespace

import pytest
import torch

import latentveil as lv
from latentveil.errors import CollapsedTrainingError, InputError, Notice
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.learning import minimax
from latentveil.pixels.learning.settings import HealthSection
from latentveil.pixels.learning.steps import anonymizer_step, set_rates
from latentveil.pixels.learning.watch import Watch, refuse_blank
from latentveil.pixels.networks.base import ANONYMIZER_NETWORKS, count_parameters
from latentveil.store.one_run import one_run_in

from .conftest import CLIPS, SMALLEST, TRAIN, settings_of

LEARNED = sorted(SMALLEST)


class Killed(Exception):
    pass


def kill_in_epoch(number, stage="fitting"):
    def on_progress(progress):
        if progress.stage == stage and progress.done == number:
            raise Killed

    return on_progress


def equal_weights(first, second):
    return all(torch.equal(value, second.state_dict()[name]) for name, value in first.state_dict().items())


def test_every_learned_system_is_here():
    assert sorted(method.name for method in PIXEL_METHODS.all() if method.learned) == LEARNED
    assert {method.name for method in PIXEL_METHODS.all() if method.oracle} >= {"vita", "stprivacy"}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        *((name, ()) for name in LEARNED),
        ("spact", ("train.schedule=linear",)),
        ("spact", ("train.average=0.5",)),
    ],
)
def test_a_run_that_was_killed_gives_the_same_anonymizer(training, tmp_path, name, changes, monkeypatch):
    method, settings = PIXEL_METHODS.get(name), settings_of(name, *changes)
    whole = method.fit(training, settings, folder=tmp_path / "whole")
    monkeypatch.setattr("latentveil.files.run_folder.time", SimpleNamespace(monotonic=_hours_apart()))
    with pytest.raises(Killed):
        method.fit(training, settings, folder=tmp_path / "killed", on_progress=kill_in_epoch(1))
    assert (tmp_path / "killed" / "checkpoint.pt").exists()
    resumed = method.fit(training, settings, folder=tmp_path / "killed")
    assert equal_weights(whole, resumed)
    logs = [(tmp_path / folder / "log.jsonl").read_text() for folder in ("whole", "killed")]
    assert logs[0] == logs[1]


@pytest.mark.parametrize("name", ["spact", "vita", "stprivacy"])
@pytest.mark.parametrize(("stage", "done"), [("reconstructing", 3), ("starting f_T and f_B", 2)])
def test_a_run_that_was_killed_while_it_began_goes_on_there(
    training, tmp_path, name, stage, done, monkeypatch
):
    """Two rounds of each part; the last one is under way. At the papers' sizes the start takes hours."""
    method = PIXEL_METHODS.get(name)
    settings = settings_of(name, "start.reconstruct_steps=4", "start.players_epochs=2", "train.epochs=1")
    whole = method.fit(training, settings, folder=tmp_path / "whole")
    monkeypatch.setattr("latentveil.files.run_folder.time", SimpleNamespace(monotonic=_hours_apart()))
    with pytest.raises(Killed):
        method.fit(training, settings, folder=tmp_path / "killed", on_progress=kill_in_epoch(done, stage))
    told = []
    resumed = method.fit(training, settings, folder=tmp_path / "killed", on_progress=told.append)
    assert (told[0].stage, told[0].done) == (stage, done)
    assert equal_weights(whole, resumed)
    logs = [(tmp_path / folder / "log.jsonl").read_text() for folder in ("whole", "killed")]
    assert logs[0] == logs[1]


def test_a_reconstruction_that_is_near_enough_is_not_taken_up_again(training, tmp_path, monkeypatch):
    settings = settings_of("spact", "start.threshold=1", "start.players_epochs=2", "train.epochs=1")
    method = PIXEL_METHODS.get("spact")
    monkeypatch.setattr("latentveil.files.run_folder.time", SimpleNamespace(monotonic=_hours_apart()))
    with pytest.raises(Killed):
        method.fit(training, settings, folder=tmp_path, on_progress=kill_in_epoch(1, "starting f_T and f_B"))
    told = []
    method.fit(training, settings, folder=tmp_path, on_progress=told.append)
    assert "reconstructing" not in {progress.stage for progress in told}


def _hours_apart():
    """A clock that goes on by hours, so that every epoch is worth a checkpoint."""
    now = [0.0]

    def monotonic():
        now[0] += 3600.0
        return now[0]

    return monotonic


def test_a_falling_rate_falls_from_step_to_step_to_nothing(training, monkeypatch):
    seen = []
    monkeypatch.setattr(minimax, "set_rates", lambda _, rates: seen.append(rates["anonymizer"]))
    settings = settings_of("spact", "train.schedule=linear", "train.epochs=3", "train.batch_size=2")
    PIXEL_METHODS.get("spact").fit(training, settings)
    full, steps = settings.train.anonymizer_rate, 3 * 2  # four batches are two turns
    assert seen == pytest.approx([full * (1 - step / steps) for step in range(steps)])


def test_an_average_is_of_all_steps_and_leaves_the_training_as_it_is(training, monkeypatch):
    """Batch norm's statistics are averaged, too; by hand: a step keeps a quarter of what was before."""
    seen, method = [], PIXEL_METHODS.get("spact")

    def step(players, *given):
        told = anonymizer_step(players, *given)
        seen.append({name: value.clone() for name, value in players.anonymizer.state_dict().items()})
        return told

    monkeypatch.setattr(minimax, "anonymizer_step", step)
    made = method.fit(training, settings_of("spact", "train.batch_size=2", "train.average=0.25")).state_dict()
    last = method.fit(training, settings_of("spact", "train.batch_size=2")).state_dict()
    averaged, *later = seen[: len(seen) // 2]
    for weights in later:
        averaged = {name: 0.25 * averaged[name] + 0.75 * value for name, value in weights.items()}
    floating = [name for name, value in last.items() if value.is_floating_point()]
    assert any("running_var" in name for name in floating)
    for name in floating:
        torch.testing.assert_close(made[name], averaged[name])
        assert torch.equal(last[name], later[-1][name])
    assert not all(torch.allclose(made[name], last[name]) for name in floating)


def test_what_collapsed_is_told_by_the_average(training, monkeypatch):
    """What results is looked at, not the weights of the last step."""
    looked_at = []
    monkeypatch.setattr(
        minimax, "refuse_blank", lambda before, after, **_: looked_at.append(after.clone()) or 1.0
    )
    changes = ("train.batch_size=2", "train.epochs=1")
    for average in ("train.average=0.25", "train.average=0"):
        PIXEL_METHODS.get("spact").fit(training, settings_of("spact", *changes, average))
    assert not torch.allclose(*looked_at)


def test_rates_are_those_of_the_players():
    players = {name: torch.optim.Adam([torch.zeros(1)], lr=9.0) for name in ("anonymizer", "budget")}
    set_rates(players, {"anonymizer": 1.0, "task": 2.0, "budget": 3.0})
    assert {name: optimizer.param_groups[0]["lr"] for name, optimizer in players.items()} == {
        "anonymizer": 1.0,
        "budget": 3.0,
    }


def test_a_falling_rate_does_not_go_on_from_a_shorter_training(training, tmp_path):
    method = PIXEL_METHODS.get("spact")
    changes = ("train.schedule=linear", "train.epochs=1")
    method.fit(training, settings_of("spact", *changes), folder=tmp_path)
    with pytest.raises(InputError, match="checkpoint of other ones"):
        method.fit(training, settings_of("spact", changes[0], "train.epochs=2"), folder=tmp_path)


def test_fit_saves_what_loads_and_rewrites_videos_of_any_size(little_videos, tmp_path):
    changes = [*CLIPS, *TRAIN, *SMALLEST["spact"]]
    made = lv.fit(
        little_videos,
        little_videos / "labels.csv",
        tmp_path / "f_a",
        method="spact",
        settings=changes,
        progress=False,
    )
    log = [
        json.loads(line) for line in (tmp_path / "f_a" / "training" / "log.jsonl").read_text().splitlines()
    ]
    assert {"task", "budget", "accuracy", "contrast", "player_task", "player_budget"} <= set(log[-1])
    loaded = PixelAnonymizer.from_pretrained(str(tmp_path / "f_a"))
    clips = torch.rand(1, 3, 3, 48, 40)
    with torch.no_grad():
        assert torch.equal(made(clips), loaded(clips))
    assert made(clips).shape == clips.shape
    assert loaded.config["recipe"]["method"] == "spact"


def test_two_fits_cannot_write_one_folder(little_videos, tmp_path):
    with one_run_in(tmp_path / "f_a"), pytest.raises(InputError, match="must have one writing run at a time"):
        lv.fit(little_videos, little_videos / "labels.csv", tmp_path / "f_a", method="spact", progress=False)


def test_a_hinge_that_never_acts_is_refused_and_may_be_accepted_without_training_again(training, tmp_path):
    method = PIXEL_METHODS.get("penalty")
    loose = ("penalty.bound=5", "train.epochs=1")
    with pytest.raises(CollapsedTrainingError, match="the penalty must act"):
        method.fit(training, settings_of("penalty", *loose, "penalty.idle=stop"), folder=tmp_path)
    epochs = []
    with pytest.warns(Notice, match="the penalty must act"):
        method.fit(
            training,
            settings_of("penalty", *loose, "penalty.idle=tell"),
            folder=tmp_path,
            on_progress=lambda progress: epochs.append(progress.stage),
        )
    assert epochs == []  # the checkpoint had all of it
    assert "hinge_active" in (tmp_path / "log.jsonl").read_text()


def test_a_hinge_that_always_acts_is_refused(training):
    with pytest.raises(CollapsedTrainingError, match="leave some clips alone"):
        PIXEL_METHODS.get("penalty").fit(
            training, settings_of("penalty", "penalty.bound=0", "train.epochs=1", "penalty.idle=stop")
        )


def test_training_stops_with_the_budget_at_its_ceiling(training, tmp_path):
    settings = settings_of("spact", "train.epochs=5", "stop.budget=0.01")
    made = PIXEL_METHODS.get("spact").fit(training, settings, folder=tmp_path)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 1
    again = PIXEL_METHODS.get("spact").fit(training, settings, folder=tmp_path)  # killed before it was saved
    assert equal_weights(made, again)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 1


def test_an_f_t_at_chance_is_refused(training):
    settings = settings_of(
        "spact", "health.chance=2", "health.patience=2"
    )  # twice chance of two classes is all
    with pytest.raises(CollapsedTrainingError, match="f_T must tell actions apart"):
        PIXEL_METHODS.get("spact").fit(training, settings)


def test_one_good_epoch_ends_the_count():
    watch, limits = Watch(), HealthSection(patience=2)
    for accuracy in (0.1, 0.9, 0.1):
        watch.see_accuracy(accuracy, num_actions=10, limits=limits)
    with pytest.raises(CollapsedTrainingError):
        watch.see_accuracy(0.1, num_actions=10, limits=limits)


def test_blank_pictures_are_refused():
    raw = torch.rand(4, 2, 3, 8, 8)
    assert refuse_blank(raw, raw, limits=HealthSection(), epoch=0) == pytest.approx(1)
    with pytest.raises(CollapsedTrainingError, match="blank"):
        refuse_blank(raw, raw[:1].expand(4, -1, -1, -1, -1), limits=HealthSection(), epoch=0)
    with pytest.raises(CollapsedTrainingError, match="finite"):
        refuse_blank(raw, raw * torch.nan, limits=HealthSection(), epoch=0)


@pytest.mark.parametrize("name", LEARNED)
def test_presets_name_settings_that_are_there(name):
    from latentveil.pixels.fit import choose_settings

    method = PIXEL_METHODS.get(name)
    assert {name, "tiny", "short", "settled", "averaged"} == set(method.presets)
    tiny, paper = (choose_settings(method, preset, []) for preset in ("tiny", name))
    assert tiny.clips.size == 64
    assert paper == method.Settings()
    short, settled = (choose_settings(method, preset, []) for preset in ("short", "settled"))
    faster = settled.train.anonymizer_rate > short.train.anonymizer_rate
    assert faster == (name != "stprivacy"), "the transformer has one rate for both"
    assert settled.train.epochs > short.train.epochs
    assert settled.clips == short.clips
    averaged = choose_settings(method, "averaged", [])
    assert averaged.train == settled.train.model_copy(update={"average": averaged.train.average})
    assert settled.train.average == paper.train.average == 0 < averaged.train.average
    small = ANONYMIZER_NETWORKS.get(tiny.anonymizer.architecture).make(tiny.anonymizer.options)
    assert count_parameters(small) < 1e6, "a change of architecture forgets the options before it"
