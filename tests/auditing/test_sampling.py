"""Samples are as large as stated, the same for a seed, spread over videos or of whole people, and said."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing import arena, measure
from latentveil.auditing.measure import AuditPlan, audit_features
from latentveil.auditing.sampling import sample_clips, sample_people


def test_one_clip_of_every_video_comes_before_a_second_of_any():
    video = np.repeat(["a", "b", "c", "d"], [1, 50, 3, 20])
    rows = sample_clips(video, 10, seed=0)
    assert len(np.unique(rows)) == 10
    assert dict(zip(*np.unique(video[rows], return_counts=True))) == {"a": 1, "b": 3, "c": 3, "d": 3}
    np.testing.assert_array_equal(rows, sample_clips(video, 10, seed=0))
    assert not np.array_equal(rows, sample_clips(video, 10, seed=1))
    np.testing.assert_array_equal(sample_clips(video, 74, seed=0), np.arange(74))


def test_whole_people_are_drawn_and_that_is_said(toy):
    chosen, [flag] = sample_people(toy.labels, limit=40, seed=0)
    assert len(chosen.video) == 40
    counts = np.unique(chosen.person, return_counts=True)[1]
    assert sorted(counts.tolist()) == [4, 12, 12, 12]  # the last one in part
    assert "40 of 96 videos, of 4 of 8 people, drawn with seed 0" in flag.why
    assert sample_people(toy.labels, limit=96, seed=0) == (toy.labels, [])
    assert sample_people(replace(toy.labels, person=None), limit=4, seed=0)[1] == []


def test_an_audit_of_too_many_clips_learns_from_so_many_and_says_so(toy, monkeypatch):
    seen = []
    for module in (arena, measure):
        monkeypatch.setattr(module, "MAX_TRAINING_CLIPS", 60)
    build = arena.AttackerKnowledge
    monkeypatch.setattr(
        arena, "AttackerKnowledge", lambda **parts: seen.append(len(parts["train"])) or build(**parts)
    )
    plan = AuditPlan(secrets=["gender"], kinds=["temporal"], attacks=["lda"], tasks=None)
    found = audit_features(toy.features, toy.features, toy.labels, plan)
    assert set(seen) == {60}
    [flag] = [flag for flag in found.flags if flag.flag == "attacks_on_a_sample"]
    assert "gender in temporal clips learned from" in flag.why
    assert found.secrets["gender"].num_videos == pytest.approx(24)  # every video is answered for
