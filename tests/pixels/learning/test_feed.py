"""Clips and pairs are cut as asked, and the same numbers give the same steps."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.errors import InputError, UsageError
from latentveil.pixels.fit import training_videos
from latentveil.pixels.learning.feed import Pairs, make_feed
from latentveil.pixels.learning.minimax import turns

from .conftest import settings_of


@pytest.mark.parametrize(
    ("low", "high", "num_frames", "allowed"),
    [
        (1, None, 20, range(1, 20)),
        (65, None, 100, range(65, 100)),
        (65, None, 20, [19]),  # the widest that a short video has
        (1, 7, 100, range(1, 8)),
        (4, 4, 100, [4]),
        (1, None, 1, [0]),
    ],
)
def test_the_frames_of_a_pair_are_as_far_apart_as_asked(training, low, high, num_frames, allowed):
    feed = make_feed(training, settings_of("spact").clips, pairs=Pairs(low, high))
    random = np.random.default_rng(0)
    pairs = [feed.frame_pair(num_frames, random) for _ in range(300)]
    assert {abs(first - second) for first, second in pairs} <= set(allowed)
    assert all(0 <= place < num_frames for pair in pairs for place in pair)


def test_the_same_epoch_gives_the_same_steps(training):
    settings = settings_of("tedspad")
    feed = make_feed(training, settings.clips, pairs=Pairs(), moments=True, secrets=True)
    first, again, other = (list(feed.epoch(settings.train, part=0, epoch=epoch)) for epoch in (3, 3, 4))
    assert len(first) == 2
    for one, two in zip(first, again):
        assert all(torch.equal(value, getattr(two, name)) for name, value in vars(one).items())
    assert not torch.equal(first[0].clips, other[0].clips)


def test_a_step_has_what_its_docstring_says(training):
    settings = settings_of("tedspad", "clips.crop=1", "clips.flip=false", "clips.jitter=0", "clips.erase=0")
    feed = make_feed(training, settings.clips, pairs=Pairs(), moments=True, secrets=True)
    step = next(iter(feed.epoch(settings.train, part=0, epoch=0)))
    assert step.clips.shape == (4, 4, 3, 32, 32)
    assert step.first.shape == step.second.shape == (4, 1, 3, 32, 32)
    assert torch.equal(step.clips, step.same_time)  # without variation two views of a moment are equal
    assert not torch.equal(step.clips, step.other_time)
    assert step.secrets.shape == (4, 1)
    background = (step.first[:, 0, 0, 31, 31] > 0.5).long()
    assert torch.equal(background, step.secrets[:, 0])


def test_clips_for_a_spatio_temporal_branch(training):
    settings = settings_of("spact")
    feed = make_feed(training, settings.clips, pairs=Pairs(clips=True))
    assert next(iter(feed.epoch(settings.train, part=0, epoch=0))).first.shape == (4, 4, 3, 32, 32)


def test_turns_go_to_the_anonymizer_and_then_to_the_others():
    assert [(one, others) for one, others in turns(range(6), 1)] == [(0, [1]), (2, [3]), (4, [5])]
    assert list(turns(range(5), 2)) == [(0, [1, 2]), (3, [4, 0])]
    assert list(turns(range(1), 2)) == [(0, [0, 0])]


def test_actions_are_needed(little_videos):
    with pytest.raises(InputError, match="labels must be given"):
        make_feed(
            training_videos(little_videos, None, tasks=("action",)), settings_of("spact").clips, pairs=Pairs()
        )


@pytest.mark.parametrize("tasks", [("detection",), ("action", "anomaly"), ()])
def test_tasks_that_nobody_would_learn_are_refused(training, tasks):
    """The card of the anonymizer named them as kept."""
    with pytest.raises(
        UsageError, match="tasks must be action for this method, whose f_T tells actions apart"
    ):
        make_feed(replace(training, tasks=tasks), settings_of("spact").clips, pairs=Pairs())


def test_secrets_are_not_handed_to_a_method_that_is_no_oracle(little_videos):
    data = training_videos(little_videos, little_videos / "labels.csv", tasks=("action",))
    with pytest.raises(InputError, match="secret"):
        make_feed(data, settings_of("vita").clips, pairs=Pairs(), secrets=True)


@pytest.mark.parametrize("column", ["action", "secret_background"])
def test_a_video_whose_label_is_blank_is_left_out(training, column):
    columns = {**training.labels.columns, column: training.labels.columns[column].copy()}
    columns[column][2] = ""
    some = replace(training, labels=replace(training.labels, columns=columns))
    feed = make_feed(some, settings_of("vita").clips, pairs=Pairs(), secrets=True)
    assert feed.videos == [f"v{number}" for number in range(8) if number != 2]
    assert (feed.num_actions, feed.secret_classes) == (2, [2])


def test_a_blank_secret_does_not_matter_to_a_method_that_reads_none(training):
    blank = {**training.labels.columns, "secret_background": np.array([""] * 8)}
    some = replace(training, labels=replace(training.labels, columns=blank))
    assert len(make_feed(some, settings_of("spact").clips, pairs=Pairs()).videos) == 8
