"""The method for known tasks: what a class looks like stays, how a person differs from it goes."""

import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.errors import InputError
from latentveil.methods import codebook
from latentveil.methods.base import TrainingData
from latentveil.methods.plan import load_config
from latentveil.tasks.action import ActionTask
from latentveil.tasks.build import build_tasks


def fit(toy, *changes):
    tasks = {"action": ActionTask(toy.features, toy.labels)}
    data = TrainingData(toy.features.of_videos(toy.labels.videos("train")), tasks)
    return codebook.fit(data, load_config("veil", changes).settings)


def test_actions_stay_and_people_go(toy, read_accuracy):
    safe = anonymize(fit(toy), toy.features, seed=0)
    assert read_accuracy(toy, toy.features, "person") > 0.95
    assert read_accuracy(toy, safe, "person") < 0.5
    assert read_accuracy(toy, safe, "action") > 0.9


def test_a_softer_codebook_keeps_more_of_the_person(toy, read_accuracy):
    """Without noise, so that only the codebook hides."""
    sharp, soft = (
        anonymize(fit(toy, "erasure.noise=0", f"erasure.softness={softness}"), toy.features, seed=0)
        for softness in (0.01, 1)
    )
    assert read_accuracy(toy, sharp, "person") < read_accuracy(toy, soft, "person")


def test_every_task_has_directions_and_prototypes_of_its_own(mixed):
    train = mixed.features.of_videos(mixed.labels.videos("train"))
    for names in (("action",), ("action", "detection"), ("action", "detection", "anomaly")):
        tasks = build_tasks(names, mixed.features, mixed.labels, segments=mixed.segments)
        config = load_config("veil", ("erasure.keep=2", "erasure.prototypes=5", "erasure.window=1")).settings
        adapter = codebook.fit(TrainingData(train, tasks), config)
        assert adapter.config["prototypes"] == 5 * len(names)
        assert adapter.config["directions"] == 2 * len(names)


def test_the_numbers_fit_into_few_dimensions(toy):
    """24 dimensions hold 3 phases of 8 directions at most, whatever is asked for."""
    adapter = fit(toy, "erasure.keep=200")
    assert adapter.config["directions"] <= 8
    assert fit(toy, "erasure.window=1").noise_factor.shape[1] == adapter.config["directions"]


def test_noise_is_measured_in_the_spread_of_the_codes_within_a_class(toy):
    assert fit(toy, "erasure.noise=0").noise_factor.abs().max() == 0
    adapter = fit(toy, "erasure.noise=2")
    task = ActionTask(toy.features, toy.labels)
    found = {}
    for stretch, label in task.examples():
        described = adapter.network.describe(stretch[None], torch.ones(1, len(stretch), dtype=torch.bool))
        found.setdefault(label, []).append(described[0].mean(dim=0))
    residuals = torch.cat([torch.stack(rows) - torch.stack(rows).mean(dim=0) for rows in found.values()])
    gram = adapter.noise_factor.T @ adapter.noise_factor
    unit = float(residuals.square().mean())
    torch.testing.assert_close(gram, 4 * unit * torch.eye(len(gram)), atol=1e-3 * unit, rtol=0)


def test_there_are_never_more_prototypes_than_different_clips():
    places = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    centres = codebook.cluster_centres(places, 48, seed=0)
    assert sorted(centres.tolist()) == [[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]]


def test_without_a_task_there_is_nothing_to_keep(toy):
    with pytest.raises(InputError, match="tasks must be given"):
        codebook.fit(TrainingData(toy.features), load_config("veil").settings)
