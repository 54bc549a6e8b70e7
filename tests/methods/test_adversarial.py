"""Adversarial training: it does what its losses say, goes on after a kill, and stops when it collapses."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch

from latentveil.errors import CollapsedTrainingError, InputError
from latentveil.files.run_folder import RunFolder
from latentveil.methods import splavu, supervised
from latentveil.methods.adversarial import train
from latentveil.methods.base import TrainingData
from latentveil.methods.feed import Feed
from latentveil.methods.plan import load_config
from latentveil.methods.players import assemble
from latentveil.tasks.action import ActionTask

FAST = (
    "adapter.layers=1",
    "adapter.heads=4",
    "train.epochs=6",
    "train.learning_rate=0.2",
    "train.batch_size=16",
)


def training_data(toy):
    labels = toy.labels
    videos = labels.videos("train")
    tasks = {"action": ActionTask(toy.features, labels, batch_size=16, clips_per_video=0)}
    return TrainingData(toy.features.of_videos(videos), tasks, labels.only(videos))


def fast_config(*changes, preset="paper"):
    return load_config(preset, (*FAST, "adapter.init=exact", *changes)).settings


def budget_of(toy, adapter):
    feed = Feed(toy.features, {})
    (step,) = list(feed.epoch(10_000, seed=0, epoch=0))
    with torch.no_grad():
        stills = [adapter(view[:, None])[:, 0] for view in (step.privacy.first, step.privacy.second)]
        return float(splavu.nt_xent(*stills))


def logged(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_training_raises_the_budget_and_keeps_the_action(toy, tmp_path):
    data = training_data(toy)
    told = []
    config = fast_config("loss.consistency=0.1", "train.epochs=25")
    adapter = splavu.fit(data, config, folder=tmp_path, on_progress=told.append)
    identity = splavu.fit(data, fast_config("train.epochs=1", "loss.static=0", "loss.task=0"))
    assert budget_of(toy, adapter) > budget_of(toy, identity) + 1.0
    assert [(step.stage, step.done, step.total) for step in told] == [
        ("fitting", epoch, 25) for epoch in range(26)
    ]
    assert set(told[1].note.split()[::2]) == {"task_action", "consistency", "static"}
    assert logged(tmp_path)[-1]["task_action"] < 0.3


def test_a_consistency_weight_keeps_features_near_the_raw_ones(toy):
    data = training_data(toy)
    clips = torch.as_tensor(data.features.of_kind("temporal").feature)[:, None]
    moved = []
    for weight in (0.1, 100):
        adapter = splavu.fit(
            data, fast_config(f"loss.consistency={weight}", "loss.consistency_reduction=mean")
        )
        moved.append((adapter(clips) - clips).square().mean().item())
    assert moved[1] < moved[0] / 3


def test_the_cross_budget_drives_clips_from_the_stills_of_their_video(toy, tmp_path):
    data = training_data(toy)
    config = fast_config("loss.static=0", "loss.cross=1", "loss.consistency=0.01", "train.epochs=20")
    splavu.fit(data, config, folder=tmp_path)
    terms = [line["cross"] for line in logged(tmp_path)]
    assert terms[19] > terms[0] + 0.5


def test_a_bounded_budget_is_not_pushed_beyond_guessing(toy, tmp_path):
    data = training_data(toy)
    highest = {}
    for bounded in ("true", "false"):
        config = fast_config(
            f"loss.bounded={bounded}", "loss.consistency=0", "loss.task=0", "train.epochs=40"
        )
        splavu.fit(data, config, folder=tmp_path / bounded)
        highest[bounded] = max(line["static"] for line in logged(tmp_path / bounded))
    guessing = splavu.uniform_level(16)
    assert highest["true"] <= guessing + 1e-4
    assert highest["false"] > guessing + 0.1


def test_a_supervised_observer_is_left_guessing(toy, tmp_path):
    data = training_data(toy)
    changes = (*FAST, "loss.static=3", "loss.consistency=0.01", "train.epochs=40")
    load_config(changes=(*changes, "loss.consistency_reduction=sum"), method="supervised").fit(
        data, folder=tmp_path
    )
    last = logged(tmp_path)[39]
    assert last["observers"] > 0.4  # log 2 = 0.69 is guessing
    assert last["task_action"] < 0.5


def test_observers_do_not_learn_a_blank_as_a_class(toy, monkeypatch):
    data = training_data(toy)
    gender = np.where(data.labels.column("action") == "action0", "", data.labels.column("gender"))
    data = replace(data, labels=replace(data.labels, columns={"secret_gender": gender}))
    monkeypatch.setattr(supervised, "train", lambda feeds, objective, *_, **__: (feeds(0), objective))
    plan = load_config(changes=FAST, method="supervised")
    feed, objective = plan.method.fit(data, plan.settings)
    assert objective.by_secret["gender"][-1].out_features == 2
    unknown = set(data.labels.video[gender == ""].tolist())
    step = next(feed.epoch(10_000, seed=0, epoch=0))
    for videos in (unknown, set(step.privacy.videos)):
        rows = [place for place, video in enumerate(step.privacy.videos) if video in videos]
        tensors = {name: getattr(step.privacy, name)[rows] for name in ("clips", "mask", "first", "second")}
        batch = replace(step.privacy, videos=[step.privacy.videos[row] for row in rows], **tensors)
        loss = objective.observer_loss(lambda clips, mask: clips, batch).item()
        assert loss == 0 if videos == unknown else loss > 0


def test_observers_follow_from_the_seed(toy):
    """They were drawn from whatever the process had drawn before."""
    plan = load_config(changes=(*FAST, "train.epochs=1"), method="supervised")
    one, again = (plan.fit(training_data(toy)).state_dict() for _ in range(2))
    assert all(torch.equal(one[name], again[name]) for name in one)


class KilledError(Exception):
    pass


def test_a_killed_run_goes_on_to_the_very_same_result(toy, tmp_path):
    data = training_data(toy)
    changes = (
        "adapter.architecture=mlp",
        "adapter.init=reconstruct",
        "adapter.reconstruct_epochs=2",
        "adapter.reconstruct_min_steps=0",
    )
    config = load_config(changes=(FAST[0], *FAST[2:], *changes), method="splavu").settings
    feed = Feed(data.features, data.tasks)
    objective = partial(splavu.BudgetObjective, config.loss)

    def folder(name):
        return RunFolder(tmp_path / name, settings={"seed": 0}, data="toy", seconds_between_checkpoints=0)

    whole = train(lambda _: feed, objective(), config, run=folder("whole"))

    def die(step):
        if step.done == 3:
            raise KilledError

    with pytest.raises(KilledError):
        train(lambda _: feed, objective(), config, run=folder("cut"), on_progress=die)
    resumed = train(lambda _: feed, objective(), config, run=folder("cut"))
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name
    assert (tmp_path / "whole" / "log.jsonl").read_text() == (tmp_path / "cut" / "log.jsonl").read_text()
    epochs = [json.loads(line)["epoch"] for line in (tmp_path / "cut" / "log.jsonl").read_text().splitlines()]
    assert epochs == list(range(6))


def test_going_on_repeats_no_preparation(toy, tmp_path, monkeypatch):
    data = training_data(toy)
    start = (
        "adapter.reconstruct_epochs=1",
        "adapter.reconstruct_min_steps=0",
        "adapter.reconstruct_tolerance=9",
    )
    config = fast_config("adapter.init=reconstruct", *start, "train.epochs=2")
    whole = splavu.fit(data, config, folder=tmp_path)  # leaves the checkpoint of its last epoch

    def refuse(*_, **__):
        raise AssertionError("a checkpoint makes this needless")

    monkeypatch.setattr(ActionTask, "fit_head", refuse)
    monkeypatch.setattr("latentveil.methods.players.train_reconstruction", refuse)
    resumed = splavu.fit(data, config, folder=tmp_path)
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_the_task_has_a_say_from_the_start(toy):
    """Actions far apart made a probe so sure that its loss, and what reached the adapter of it, was exactly zero."""
    actions = np.unique(toy.labels.lookup("action", toy.features.video), return_inverse=True)[1]
    shifted = toy.features.feature + 1000 * np.eye(toy.features.dim, dtype=np.float32)[actions]
    apart = replace(toy, features=toy.features.with_feature(shifted))
    data = training_data(apart)
    settings = fast_config()
    feed = Feed(data.features, data.tasks)
    players = assemble(feed, splavu.BudgetObjective(settings.loss), settings)
    batch = next(feed.epoch(16, seed=0, epoch=0)).tasks["action"]
    task, head = data.tasks["action"], players.heads["action"]
    task.loss(head, players.adapter(batch.features, batch.mask), batch).backward()
    felt = [value.grad for value in players.adapter.parameters() if value.grad is not None]
    assert max(float(gradient.abs().max()) for gradient in felt) > 1e-4


def test_reconstruction_runs_where_the_training_runs(toy, monkeypatch):
    """It ran on the CPU, 100 epochs of it, before the adapter went to its device."""
    places = []
    monkeypatch.setattr(
        "latentveil.methods.players.train_reconstruction",
        lambda adapter, *_, **__: places.append(adapter.noise_factor.device.type),
    )
    monkeypatch.setattr(ActionTask, "fit_head", ActionTask.build_head)
    settings = load_config("paper", (*FAST, "train.device=meta")).settings
    data = training_data(toy)
    assemble(Feed(data.features, data.tasks), splavu.BudgetObjective(settings.loss), settings)
    assert places == ["meta"]


def test_a_checkpoint_of_other_settings_is_refused(toy, tmp_path):
    data = training_data(toy)
    splavu.fit(data, fast_config("train.epochs=1"), folder=tmp_path)
    with pytest.raises(InputError, match="must hold a run with these settings"):
        splavu.fit(data, fast_config("train.epochs=1", "loss.static=2"), folder=tmp_path)


@pytest.mark.parametrize("content", [b"", b"nonsense", None])
def test_a_damaged_checkpoint_is_refused_in_a_sentence(tmp_path, content):
    """An empty one stopped the run each time, without a word."""
    run = RunFolder(tmp_path, settings={}, data="")
    if content is None:
        torch.save({"epoch": 3}, run.checkpoint)
    else:
        run.checkpoint.write_bytes(content)
    with pytest.raises(InputError, match=r"checkpoint\.pt must be a whole checkpoint, got: .* Delete it"):
        run.next_epoch()


def test_a_finished_run_goes_on_for_more_epochs_to_the_very_same_result(toy, tmp_path):
    data = training_data(toy)
    whole = splavu.fit(data, fast_config("train.epochs=4"))
    splavu.fit(data, fast_config("train.epochs=3"), folder=tmp_path)
    longer = splavu.fit(data, fast_config("train.epochs=4"), folder=tmp_path)
    for name, value in whole.state_dict().items():
        assert torch.equal(value, longer.state_dict()[name]), name
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 4
    with pytest.raises(InputError, match=r"train.epochs must be at least the 4 of the checkpoint, got 2"):
        splavu.fit(data, fast_config("train.epochs=2"), folder=tmp_path)


def players_of(toy, *changes):
    data, settings = training_data(toy), fast_config(*changes)
    feed = Feed(data.features, data.tasks)
    players = assemble(feed, splavu.BudgetObjective(settings.loss), settings)
    return players, settings.train.epochs * feed.num_steps(16, ends="longest")


def test_a_linear_schedule_brings_adapter_and_heads_to_rest(toy):
    players, steps = players_of(toy, "train.schedule=linear", "train.epochs=2")
    for name in ("adapter", "action"):
        learner = players.learners[name]
        first, rates = learner.optimizer.param_groups[0]["lr"], []
        for _ in range(steps):
            rates.append(learner.optimizer.param_groups[0]["lr"])
            learner.step()
        assert rates == pytest.approx([first * (1 - step / steps) for step in range(steps)])
        assert learner.optimizer.param_groups[0]["lr"] == 0


def test_long_gradients_are_shortened_where_that_is_asked(toy):
    for clip, expected in (("train.gradient_clip=0.5", 0.5), ("train.epochs=6", 10.0)):
        players, _ = players_of(toy, clip)
        weights = list(players.adapter.parameters())
        for weight in weights:
            weight.grad = torch.zeros_like(weight)
        weights[0].grad.view(-1)[0] = 10.0
        players.learners["adapter"].step()
        assert float(weights[0].grad.norm()) == pytest.approx(expected, rel=1e-3)


def test_a_falling_rate_is_not_gone_on_with_for_longer(toy, tmp_path):
    """The rate of every step depends on how many there are: a longer training is another one from its first step."""
    data = training_data(toy)
    splavu.fit(data, fast_config("train.epochs=2", "train.schedule=linear"), folder=tmp_path)
    with pytest.raises(InputError, match="must hold a run with these settings"):
        splavu.fit(data, fast_config("train.epochs=3", "train.schedule=linear"), folder=tmp_path)


def test_collapse_is_an_error_not_a_result(toy):
    data = training_data(toy)
    config = fast_config("train.learning_rate=1e18", "train.epochs=3")
    with pytest.raises(CollapsedTrainingError, match=r"adapter outputs must .* Lower train.learning_rate"):
        splavu.fit(data, config)


def test_without_stills_there_is_nothing_to_train_against(toy):
    with pytest.raises(InputError, match=r"Extract with static=10, or import stills beside the clips\."):
        Feed(toy.features.of_kind("temporal"), {})


def test_a_killed_run_does_not_go_on_with_other_data(toy, tmp_path):
    data = training_data(toy)
    splavu.fit(data, fast_config("train.epochs=1"), folder=tmp_path)
    longer = fast_config("train.epochs=2")
    features = replace(data.features, feature=data.features.feature + 1)
    with pytest.raises(InputError, match="must hold a run on these features"):
        splavu.fit(replace(data, features=features), longer, folder=tmp_path)
    splavu.fit(data, longer, folder=tmp_path)


def test_data_with_other_labels_are_other_data(toy):
    data = training_data(toy)
    assert data.fingerprint() == training_data(toy).fingerprint()
    action = toy.labels.columns["action"]
    swapped = replace(toy.labels, columns=toy.labels.columns | {"action": action[::-1].copy()})
    assert training_data(replace(toy, labels=swapped)).fingerprint() != data.fingerprint()
