"""The recipes of the paper and of its public code, step by step: what each preset says is what happens."""

import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.files.run_folder import RunFolder
from latentveil.losses.consistency import latent_consistency
from latentveil.methods import adversarial, splavu
from latentveil.methods.adversarial import scale_gradient, train, update_adapter_and_heads
from latentveil.methods.feed import Feed
from latentveil.methods.material import build_training_data
from latentveil.methods.plan import load_config
from latentveil.methods.players import assemble, scaled_rate
from latentveil.tasks.action import ActionTask
from latentveil.tasks.detection.model import TriDet

SMALL = ("adapter.layers=1", "adapter.heads=4", "adapter.init=exact", "train.batch_size=16")
SMALL_HEADS = ("heads.detection=tridet-small", "heads.anomaly=mgfn-small")


def settings_of(preset, *changes):
    return load_config(preset, (*SMALL, *changes)).settings


def data_of(videos, preset, *changes, tasks=("action",)):
    heads = [change for change in SMALL_HEADS if change.partition(".")[2].partition("=")[0] in tasks]
    plan = load_config(preset, (*SMALL, *heads, *changes))
    segments = getattr(videos, "segments", None)
    data = build_training_data(videos.features, videos.labels, plan, tasks=tasks, segments=segments)
    return Feed(data.features, data.tasks), plan.settings


def take_one_step(feed, settings, *, move=0.0):
    """The players after a step, the batch and the terms; the adapter starts ``move`` away from the identity."""
    objective = splavu.BudgetObjective(settings.loss)
    torch.manual_seed(0)
    players = assemble(feed, objective, settings)
    with torch.no_grad():
        for value in players.adapter.parameters():
            value += move * torch.randn(value.shape)
    before = Adapter(**{name: value for name, value in players.adapter.config.items() if name != "network"})
    before.load_state_dict(players.adapter.state_dict())
    step = next(feed.epoch(16, seed=0, epoch=0))
    terms = update_adapter_and_heads(players, objective, step, feed.tasks, settings)
    return players, before, step, terms


def test_a_gradient_is_scaled_and_the_value_is_not():
    value = torch.tensor([1.5, -2.0], requires_grad=True)
    scaled = scale_gradient(value, 3.0)
    assert torch.equal(scaled, value)
    scaled.sum().backward()
    assert value.grad.tolist() == [3.0, 3.0]


def test_in_the_public_code_the_weights_scale_what_heads_learn_from(toy):
    found = {}
    for mode in ("own", "weighted"):
        changes = (f"train.head_gradients={mode}", "task_weights.action=3", "train.pretrained_heads=")
        feed, settings = data_of(toy, "released", *changes)
        players, *_ = take_one_step(feed, settings)
        found[mode] = [
            players.heads["action"].weight.grad,
            players.adapter.network.blocks[0].attention.project_out.weight.grad,
        ]
    torch.testing.assert_close(found["weighted"][0], 3 * found["own"][0])
    torch.testing.assert_close(found["weighted"][1], found["own"][1])


@pytest.mark.parametrize("tasks", [("action",), ("detection",)])
def test_the_public_code_keeps_action_clips_in_place_or_else_stills(mixed, tasks):
    feed, settings = data_of(mixed, "released", "train.pretrained_heads=", tasks=tasks)
    _, adapter, step, terms = take_one_step(feed, settings, move=0.05)
    with torch.no_grad():
        if "action" in tasks:
            batch = step.tasks["action"]
            pairs = [(batch.features, adapter(batch.features, batch.mask), batch.mask)]
        else:  # either view attends within itself
            views = [view[:, None] for view in (step.privacy.first, step.privacy.second)]
            pairs = [(view, adapter(view), torch.ones_like(view[..., 0], dtype=torch.bool)) for view in views]
        expected = sum(latent_consistency(*pair) for pair in pairs) / len(pairs)
    assert terms["consistency"] == pytest.approx(float(expected), rel=1e-4)
    assert expected > 1e-4


def test_the_paper_keeps_the_clips_of_all_videos_in_place(toy):
    feed, settings = data_of(toy, "paper", "train.pretrained_heads=")
    _, adapter, step, terms = take_one_step(feed, settings, move=0.05)
    privacy = step.privacy
    with torch.no_grad():
        after = adapter(privacy.clips, privacy.mask)
        expected = latent_consistency(privacy.clips, after, privacy.mask, reduction="sum")
    assert terms["consistency"] == pytest.approx(float(expected), rel=1e-4)


def test_videos_to_detect_in_pass_alone_and_all_else_passes_with_its_batch(mixed, monkeypatch):
    feed, settings = data_of(
        mixed, "released", "train.pretrained_heads=", tasks=("action", "detection", "anomaly")
    )
    passes, forward = {}, Adapter.forward

    def spy(adapter, features, mask=None, *, alone=False, **options):
        passes[tuple(features.shape)] = alone
        return forward(adapter, features, mask, alone=alone, **options)

    monkeypatch.setattr(Adapter, "forward", spy)
    _, _, step, _ = take_one_step(feed, settings)
    shapes = {name: tuple(batch.features.shape) for name, batch in step.tasks.items()}
    assert {name: passes[shape] for name, shape in shapes.items()} == {
        "action": False,
        "detection": True,
        "anomaly": False,
    }
    assert passes[(len(step.privacy.first), 1, feed.dim)] is False
    assert shapes["action"][1] == 1  # one clip of each video


def test_eighty_videos_as_one_batch_have_a_sixth_of_the_rate(toy):
    """Linear scaling: 1e-4 is for a batch of 512; the public code does not scale."""
    feed = Feed(toy.features.of_videos(toy.features.videos[:80]), {})
    assert scaled_rate(feed, load_config("paper").settings) == pytest.approx(1.5625e-5)
    assert scaled_rate(feed, load_config("released").settings) == 1e-4
    settings = settings_of("paper")
    players = assemble(feed, splavu.BudgetObjective(settings.loss), settings)
    assert players.learners["adapter"].optimizer.param_groups[0]["lr"] == pytest.approx(1e-4 * 16 / 512)


def test_the_public_code_starts_the_action_head_fresh(toy, monkeypatch):
    feed, settings = data_of(toy, "released")
    monkeypatch.setattr(ActionTask, "fit_head", lambda *_, **__: pytest.fail("must start fresh"))
    players = assemble(feed, splavu.BudgetObjective(settings.loss), settings)
    assert torch.equal(players.heads["action"].weight, feed.tasks["action"].build_head(seed=0).weight)


def test_tridet_keeps_its_recipe_beside_the_adapter(mixed, monkeypatch):
    """It had its optimizer alone, and its normaliser moved twice in a step."""
    updates = []
    monkeypatch.setattr(TriDet, "update_normaliser", lambda head, number: updates.append(number))
    feed, settings = data_of(
        mixed, "paper", "train.pretrained_heads=", "train.epochs=2", tasks=("detection",)
    )
    players, *_ = take_one_step(feed, settings)
    assert len(updates) == 1
    learner = players.learners["detection"]
    assert (learner.gradient_clip, learner.averaged is not learner.head) == (1.0, True)
    steps = 2 * feed.num_steps(16)
    config = feed.tasks["detection"].config
    first = config.learning_rate * config.epochs / (config.warmup_epochs * steps)
    assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(first)


def test_a_trained_tridet_of_the_public_code_goes_on_at_the_end_of_its_schedule(mixed):
    plan = load_config("released", SMALL)
    task = build_training_data(
        mixed.features, mixed.labels, plan, tasks=("detection",), segments=mixed.segments
    ).tasks["detection"]
    head = torch.nn.Conv1d(2, 2, 1)
    for trained, rate in ((True, 1e-8), (False, 0.0)):
        learner = task.make_learner(head, 1e-4, steps=100, trained=trained)
        assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(rate)


class KilledError(Exception):
    pass


def test_the_epoch_is_chosen_on_validation_videos_also_after_a_kill(toy, tmp_path, monkeypatch):
    """The best of the epochs 1, 3 and 4 (every second, and the last) is 1; it was seen before the kill."""
    feed, settings = data_of(toy, "released", "train.epochs=5", "train.learning_rate=0.01")
    seen = []

    def score(adapter, head, task):
        seen.append({name: value.clone() for name, value in adapter.state_dict().items()})
        return -float(len(seen))

    def die(step):
        if step.done == 3:
            raise KilledError

    monkeypatch.setattr(adversarial, "validation_score", score)
    run = RunFolder(tmp_path, settings={}, data="toy", seconds_between_checkpoints=0)
    objective = splavu.BudgetObjective(settings.loss)
    with pytest.raises(KilledError):
        train(lambda _: feed, objective, settings, run=run, on_progress=die)
    adapter = train(lambda _: feed, objective, settings, run=run)
    assert len(seen) == 3
    for name, value in adapter.state_dict().items():
        assert torch.equal(value, seen[0][name])
    assert not torch.equal(
        seen[0]["network.blocks.0.attention.project_out.weight"],
        seen[2]["network.blocks.0.attention.project_out.weight"],
    )


def test_what_is_chosen_by_is_the_accuracy_on_anonymized_validation_videos(toy, tmp_path):
    feed, settings = data_of(toy, "released", "train.epochs=2", "train.pretrained_heads=action")
    run = RunFolder(tmp_path, settings={}, data="toy")
    train(lambda _: feed, splavu.BudgetObjective(settings.loss), settings, run=run)
    log = (tmp_path / "log.jsonl").read_text().splitlines()
    assert "validation_action" not in log[0]
    assert '"validation_action": 1.0' in log[1]


def test_utility_gradients_cross_time_attention(toy):
    """A clip passed alone, so that attention over time never learned from the task."""
    felt = {}
    for context in ("video", "clip"):
        feed, settings = data_of(toy, "paper", f"train.action_context={context}", "train.clips_per_video=1")
        batch = next(feed.tasks["action"].batches(seed=0))
        players = assemble(feed, splavu.BudgetObjective(settings.loss), settings)
        clips = batch.features.requires_grad_()
        with torch.no_grad():
            for value in players.adapter.parameters():
                value += 0.1 * torch.randn(value.shape)
        task, head = feed.tasks["action"], players.heads["action"]
        task.loss(head, players.adapter(clips, batch.mask), batch).backward()
        others = ~batch.answered
        felt[context] = float(clips.grad[others].abs().sum())
        assert batch.answered.sum(dim=1).tolist() == [1] * len(clips)
    assert felt["video"] > 0
    assert felt["clip"] == 0
