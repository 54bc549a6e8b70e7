from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from latentveil.types import STATIC, TEMPORAL, Sampling
from latentveil.video.decode import open_video
from latentveil.video.reading import ClipFormat, read_clips
from latentveil.video.views import validation_view


def read(path, sampling, *, clip_frames=16, size=32):
    clip_format = ClipFormat(sampling, clip_frames=clip_frames, frame_size=size)
    return list(read_clips(open_video(path), "video", clip_format=clip_format))


def places(clips, kind):
    return [(clip.place.clip, clip.place.start_frame) for clip in clips if clip.place.kind == kind]


@pytest.fixture
def numbers(number_of):
    return lambda clip, clip_frames=16: [number_of(frame) for frame in clip.stacked(clip_frames)]


def test_all_clips_hold_consecutive_frames_and_the_rest_is_dropped(write_numbered, numbers):
    clips = read(write_numbered(num_frames=40), Sampling())
    assert places(clips, TEMPORAL) == [(0, 0), (1, 16)]
    assert numbers(clips[0]) == list(range(16))
    assert numbers(clips[1]) == list(range(16, 32))
    assert clips[1].place.time == pytest.approx(16 / 25)
    assert {clip.place.view for clip in clips} == {"validation"}


def test_overlapping_clips_share_frames(write_numbered, numbers):
    clips = read(write_numbered(num_frames=26), Sampling(stride_frames=4), clip_frames=16)
    assert places(clips, TEMPORAL) == [(0, 0), (1, 4), (2, 8)]
    assert numbers(clips[2]) == list(range(8, 24))
    assert clips[0].frames[8] is clips[2].frames[0]  # resized once


def test_evenly_spaced_clips_and_stills(write_numbered, numbers):
    clips = read(write_numbered(num_frames=61), Sampling(clips=3, static_clips=4))
    assert places(clips, TEMPORAL) == [(0, 0), (1, 22), (2, 45)]
    assert places(clips, STATIC) == [(0, 0), (1, 20), (2, 40), (3, 60)]
    for clip in clips:
        start = clip.place.start_frame
        expected = list(range(start, start + 16)) if clip.place.kind == TEMPORAL else [start] * 16
        assert numbers(clip) == expected


def test_stills_alone(write_numbered, numbers):
    clips = read(write_numbered(num_frames=30), Sampling(clips=0, static_clips=2))
    assert [numbers(clip) for clip in clips] == [[0] * 16, [29] * 16]


@pytest.mark.parametrize("clips", ["all", 5])
def test_a_short_video_repeats_its_last_frame(write_numbered, numbers, clips):
    (clip,) = read(write_numbered(num_frames=5), Sampling(clips=clips))
    assert numbers(clip) == [0, 1, 2, 3] + [4] * 12


def test_frames_are_seen_through_the_validation_view(write_numbered):
    path = write_numbered(num_frames=16, size=(96, 128))
    (clip,) = read(path, Sampling(), size=48)
    expected = [validation_view(frame.rgb, 48) for frame in open_video(path).frames()]
    np.testing.assert_array_equal(clip.stacked(16), np.stack(expected))


def test_training_views_crop_all_frames_of_a_clip_alike_and_clips_differently(tmp_path):
    from latentveil.video.write import write_video

    rng = np.random.default_rng(0)
    still = rng.integers(0, 256, (6, 8, 3), dtype=np.uint8).repeat(16, axis=0).repeat(16, axis=1)
    path = tmp_path / "still.mp4"
    write_video(path, [still] * 32)
    sampling = Sampling(view="training", num_views=2, static_clips=1)
    clips = read(path, sampling)
    assert len(clips) == 2 * 2 + 2
    assert {clip.place.view for clip in clips} == {"training-0", "training-1"}
    means = []
    for clip in clips:
        frames = clip.stacked(16).astype(int)
        assert np.abs(frames - frames[:1]).mean() < 4  # one crop: what is left is the codec's noise
        means.append(frames.mean(axis=(0, 1, 2)))
    assert len({tuple(mean.round(3)) for mean in means}) == len(clips)

    again = read(path, sampling)
    np.testing.assert_array_equal(clips[0].stacked(16), again[0].stacked(16))
    other = read(path, replace(sampling, seed=1))
    assert np.abs(clips[0].stacked(16).astype(int) - other[0].stacked(16)).mean() > 4


def test_an_image_gives_one_static_clip_whatever_is_asked(tmp_path):
    path = tmp_path / "picture.png"
    Image.fromarray(np.full((50, 40, 3), 77, dtype=np.uint8)).save(path)
    for sampling in (Sampling(), Sampling(clips=5, static_clips=10)):
        (clip,) = read(path, sampling)
        assert clip.place == type(clip.place)(STATIC, 0, 0, 0.0, "validation")
        assert (clip.stacked(16) == 77).all()


def test_real_videos_give_the_places_of_the_reference_features(data_folder):
    reference = np.load(data_folder / "features" / "lsa64.npz")
    video = sorted(set(reference["video"].tolist()))[0]
    clips = read(data_folder / "lsa64" / f"{video}.mp4", Sampling(clips=3, static_clips=4))
    for kind in (TEMPORAL, STATIC):
        rows = (reference["video"] == video) & (reference["kind"] == kind)
        assert [start for _, start in places(clips, kind)] == reference["start_frame"][rows].tolist()
