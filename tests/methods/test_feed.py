"""Batches of an epoch: every source is passed at least once, short ones start again, seeds decide all."""

import numpy as np
import torch

from latentveil.methods.feed import Feed, _cycle_together


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
