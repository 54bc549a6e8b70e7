"""The protocols: timed segments that match the motion, biased training sets, gait sequences, images."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from latentveil.actors.motion.choreography import angles_over_time, perform
from latentveil.actors.sets.anomaly import anomaly_videos
from latentveil.actors.sets.bias import BIASED_ACTION, bias_videos
from latentveil.actors.sets.detection import detection_videos
from latentveil.actors.sets.gait import gait_videos
from latentveil.actors.sets.images import image_videos
from latentveil.actors.sets.tasks import TASKS, WITHOUT_STRANGERS, describe
from latentveil.errors import InputError


def angle_of(video, channel: str, seconds: np.ndarray) -> np.ndarray:
    return angles_over_time(video.actors[0], seconds)[channel]


@pytest.mark.parametrize("task", TASKS)
def test_names_are_unique_and_descriptions_repeat(task):
    videos = describe(task, num_videos=48, seed=3)
    assert len({video.name for video in videos}) == len(videos) == 48
    assert describe(task, num_videos=48, seed=3) == videos
    assert describe(task, num_videos=48, seed=4) != videos
    for video in videos:
        assert {"secret_gender", "secret_skin", "secret_scene", "secret_bare_legs"} <= set(video.labels)
        assert video.labels.keys() == videos[0].labels.keys()


@pytest.mark.parametrize("task", ["detection", "anomaly"])
def test_segments_lie_inside_the_video_and_do_not_overlap(task):
    for video in describe(task, num_videos=40):
        ends = 0.0
        for segment in video.segments:
            assert ends <= segment.start_seconds < segment.end_seconds <= video.num_frames / video.fps + 1e-9
            ends = segment.end_seconds


def test_untrimmed_videos_hold_several_actions_of_different_lengths():
    videos = detection_videos(60)
    lengths = [segment.end_seconds - segment.start_seconds for video in videos for segment in video.segments]
    labels = Counter(segment.label for video in videos for segment in video.segments)
    assert all(len(video.segments) >= 2 for video in videos)
    assert max(lengths) > 2 * min(lengths)
    assert len(labels) == 14
    background = sum(video.num_frames / video.fps for video in videos) - sum(lengths)
    assert 0.2 < background / sum(video.num_frames / video.fps for video in videos) < 0.8


def test_segments_match_the_motion():
    """A bow bends the back in its segment and not before, somebody who sat down has bent knees after it."""
    found = Counter()
    for video in detection_videos(40):
        for segment in video.segments:
            inside = np.linspace(segment.start_seconds, segment.end_seconds, 40)
            before = np.linspace(segment.start_seconds - 0.5, segment.start_seconds - 0.2, 10)
            if segment.label == "bow":
                assert angle_of(video, "lean", inside).max() > 0.8
                assert angle_of(video, "lean", before).max() < 0.5
            elif segment.label == "sit_down":
                assert angle_of(video, "knee_left", inside[-1:])[0] > 1.2
                assert angle_of(video, "knee_left", before).max() < 1.2
            elif segment.label == "jump":
                assert angle_of(video, "lift", inside).max() > 0.15
            else:
                continue
            found[segment.label] += 1
    assert set(found) == {"bow", "sit_down", "jump"}


def test_who_walks_between_the_actions_stays_in_view():
    for video in detection_videos(12):
        actor = video.actors[0]
        pelvis = perform(actor, num_frames=video.num_frames, fps=video.fps).joints["pelvis"]
        assert np.median(np.abs(pelvis[:, 0])) < 1.3


def test_half_of_the_surveillance_videos_are_normal_and_events_are_what_they_say():
    videos = anomaly_videos(60)
    assert sum(video.labels["anomaly"] == "1" for video in videos) == pytest.approx(30, abs=3)
    kinds = Counter(video.labels["anomaly_type"] for video in videos)
    assert set(kinds) == {"none", "fall", "fight", "run"}
    for video in videos:
        assert len(video.actors) >= 2
        assert (video.labels["anomaly"] == "1") == (len(video.segments) == 1)
        assert [segment.label for segment in video.segments] in ([], [video.labels["anomaly_type"]])


def test_events_show_in_the_motion():
    seen = set()
    for video in anomaly_videos(24, seed=1):
        if not video.segments:
            continue
        (segment,) = video.segments
        kind = segment.label
        seen.add(kind)
        first, last = (round(time * video.fps) for time in (segment.start_seconds, segment.end_seconds))
        bodies = [perform(actor, num_frames=video.num_frames, fps=video.fps).joints for actor in video.actors]
        head = bodies[0]["head"][:, 1]
        middle = (first + last) // 2
        speeds = [
            np.linalg.norm(np.diff(body["pelvis"][:, [0, 2]], axis=0), axis=1) * video.fps for body in bodies
        ]
        bystanders = {"fall": speeds[1:], "fight": speeds[2:], "run": []}[kind]
        assert all(np.median(speed[first + 5 : last - 5]) < 0.1 for speed in bystanders), "others stop"
        assert np.abs(bodies[0]["pelvis"][first:last, 0]).max() < 1.6, "the event must be in the picture"
        if kind == "fall":
            assert head[middle] < 0.6
            assert head[: first - 4].min() > 1.0
        if kind == "fight":
            gap = np.linalg.norm(bodies[0]["pelvis"][middle] - bodies[1]["pelvis"][middle])
            assert 0.4 < gap < 1.3
        if kind == "run":
            for speed in speeds:
                assert np.median(speed[first + 5 : last - 5]) > 1.4 * np.median(speed[:first])
    assert seen == {"fall", "fight", "run"}


@pytest.mark.parametrize(("setting", "majority"), [("bias_f", "1"), ("bias_m", "0")])
def test_biased_training_sets_are_95_to_5_by_one_person(setting, majority):
    videos = [video for video in bias_videos() if video.split == "train" and video.labels[setting] == "1"]
    biased = [video for video in videos if video.labels["action"] == BIASED_ACTION]
    others = [video for video in videos if video.labels["action"] != BIASED_ACTION]
    assert np.mean([video.labels["secret_gender"] == majority for video in biased]) == pytest.approx(0.95)
    assert np.mean([video.labels["secret_gender"] == majority for video in others]) == pytest.approx(0.05)
    assert len({video.person for video in biased if video.labels["secret_gender"] != majority}) == 1
    assert len({video.person for video in others if video.labels["secret_gender"] == majority}) == 1


def test_the_settings_mirror_each_other_and_the_test_set_is_balanced():
    videos = bias_videos()
    for video in videos:
        if video.split == "train":
            assert {video.labels["bias_f"], video.labels["bias_m"]} == {"0", "1"}
        else:
            assert video.labels["bias_f"] == video.labels["bias_m"] == "1"
    table = Counter(
        (video.labels["action"], video.labels["secret_gender"]) for video in videos if video.split == "test"
    )
    assert set(table.values()) == {10}
    assert len(table) == 12


def test_gait_follows_casia_b():
    videos = gait_videos(90)
    assert len({video.person for video in videos}) == 3
    assert Counter(video.labels["condition"] for video in videos) == {"nm": 54, "bg": 18, "cl": 18}
    assert all(
        video.labels["gait_set"] == ("gallery" if video.split == "train" else "probe") for video in videos
    )
    gallery = [video for video in videos if video.split == "train"]
    assert {(video.labels["condition"], video.labels["repetition"]) for video in gallery} == {
        ("nm", str(repetition)) for repetition in range(1, 5)
    }
    assert {video.person for video in gallery} == {video.person for video in videos if video.split == "test"}
    assert videos[0].name == "p000-nm-01-036"
    for video in videos:
        outfit = video.actors[0].outfit
        assert (outfit.bag, outfit.coat) == (
            video.labels["condition"] == "bg",
            video.labels["condition"] == "cl",
        )


def test_each_image_shows_another_person_in_one_frame():
    videos = image_videos(50)
    assert len({video.person for video in videos}) == 50
    assert {video.num_frames for video in videos} == {1}


def test_wrong_requests_are_refused():
    with pytest.raises(InputError, match="task must be one of action, detection"):
        describe("dance")
    with pytest.raises(InputError, match="videos must be at least 3"):
        describe("action", num_videos=2)
    with pytest.raises(InputError, match="videos must be at least 48 for the bias task"):
        describe("bias", num_videos=10)
    with pytest.raises(InputError, match="seed must not be negative"):
        describe("action", seed=-1)


@pytest.mark.parametrize("task", [task for task in TASKS if task not in WITHOUT_STRANGERS])
def test_more_test_videos_leave_all_others_as_they_are(task):
    usual = describe(task, num_videos=48, seed=3)
    more = describe(task, num_videos=48, seed=3, more_test=7)
    assert more[: len(usual)] == usual
    added = more[len(usual) :]
    assert len(added) == 7
    assert {video.split for video in added} == {"test"}
    assert not {video.name for video in added} & {video.name for video in usual}
    known = {actor.person.name for video in usual for actor in video.actors}
    assert not known & {actor.person.name for video in added for actor in video.actors}
    # and they are other people, not the same ones under other names
    builds = {actor.person.build for video in usual for actor in video.actors}
    assert not builds & {actor.person.build for video in added for actor in video.actors}


def test_walkers_have_no_strangers():
    with pytest.raises(InputError, match="more_test must be 0 for the task gait"):
        describe("gait", more_test=4)
