"""Batches of an epoch: every source is passed at least once, short ones start again, seeds decide all."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.errors import InputError, Notice
from latentveil.methods.feed import Feed, _cycle_together
from latentveil.tasks.action import ActionTask
from latentveil.types import STATIC, UNKNOWN_FRAME, concatenate


def test_sources_cycle_until_the_longest_has_ended():
    sources = [lambda _: iter("abcde"), lambda turn: iter([turn, turn + 10])]
    long, short = zip(*_cycle_together(sources))
    assert "".join(long) == "abcde"
    assert short == (0, 10, 1, 11, 2)


def test_an_epoch_holds_every_training_video_once(toy):
    feed = Feed(toy.features, {})
    steps = list(feed.epoch(10, seed=0, epoch=0))
    names = [video for step in steps for video in step.privacy.videos]
    assert sorted(names) == toy.features.videos


def test_stills_are_two_different_ones_of_the_same_video(toy):
    feed = Feed(toy.features, {})
    (step,) = list(feed.epoch(1000, seed=0, epoch=3))
    batch = step.privacy
    for row, video in enumerate(batch.videos):
        stills = torch.as_tensor(feed.stills[video].feature)
        found = [int((stills == view[row]).all(dim=1).nonzero()) for view in (batch.first, batch.second)]
        assert found[0] != found[1]
        np.testing.assert_array_equal(batch.clips[row, batch.mask[row]].numpy(), feed.clips[video][0])


def test_epochs_repeat_with_their_seed_and_differ_from_each_other(toy):
    feed = Feed(toy.features, {})
    one, again, other = (next(feed.epoch(8, seed=1, epoch=epoch)).privacy for epoch in (4, 4, 5))
    assert one.videos == again.videos
    assert torch.equal(one.first, again.first)
    assert one.videos != other.videos


@pytest.mark.parametrize(
    ("batch_size", "sizes"), [(64, [48, 48]), (96, [96]), (70, [48, 48]), (95, [48, 48])]
)
def test_no_batch_exceeds_its_size(toy, batch_size, sizes):
    """96 videos in batches of 70 were one batch of 96."""
    feed = Feed(toy.features, {})
    steps = list(feed.epoch(batch_size, seed=0, epoch=0))
    assert [len(step.privacy.videos) for step in steps] == sizes
    assert feed.num_steps(batch_size) == len(sizes)


def test_a_video_left_over_waits_for_the_next_epoch(toy):
    three = Feed(toy.features.of_videos(toy.features.videos[:3]), {})
    assert [len(step.privacy.videos) for step in three.epoch(2, seed=0, epoch=0)] == [2]
    assert three.num_steps(2) == 1


def test_a_pair_of_stills_is_never_one_frame_twice(toy):
    """Two views of a frame were taken for two stills."""
    flipped = toy.features.of_kind(STATIC)
    flipped = replace(flipped, view=np.full(len(flipped), "flip"), feature=-flipped.feature)
    for known in (True, False):
        both = concatenate([toy.features, flipped])
        both = both if known else replace(both, start_frame=np.full(len(both), UNKNOWN_FRAME))
        feed = Feed(both, {})
        stills = feed.stills[feed.videos[0]]
        assert len(stills.feature) == 6
        for seed in range(30):
            pair = stills.draw_pair(np.random.default_rng(seed))
            frames = [stills.frame[(stills.feature == still).all(axis=1)].item() for still in pair]
            assert frames[0] != frames[1]


def test_videos_with_one_still_are_left_out_aloud(toy):
    first, *others = toy.features.videos
    one = (toy.features.kind == STATIC) & (toy.features.video == first) & (toy.features.clip > 0)
    with pytest.warns(
        Notice, match=rf"leaves out 1 of 96 videos \('{first}' with stills of one frame only\)"
    ):
        feed = Feed(toy.features.select(~one), {})
    assert feed.videos == others
    none = (toy.features.kind == STATIC) & (toy.features.clip > 0)
    with pytest.raises(
        InputError, match=r"got 0 such videos \('p00_a0_r0' and 95 more with stills of one frame"
    ):
        Feed(toy.features.select(~none), {})


def test_an_epoch_of_the_public_code_ends_with_its_shortest_source(toy):
    action = ActionTask(toy.features, toy.labels, batch_size=12)
    feed = Feed(toy.features, {"action": action})
    assert len(list(feed.epoch(96, seed=0, epoch=0, ends="longest"))) == 4 == feed.num_steps(96)
    assert len(list(feed.epoch(96, seed=0, epoch=0, ends="shortest"))) == 1
    assert feed.num_steps(96, ends="shortest") == 1
