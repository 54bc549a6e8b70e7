"""The written data set: files that decode to what was rendered, labels that read back, and an untouched rerun."""

from __future__ import annotations

import json

import av
import numpy as np
import pytest
from PIL import Image

from latentveil.actors.rendering.renderer import render
from latentveil.actors.sets.tasks import describe
from latentveil.actors.sets.write import write_dataset
from latentveil.errors import InputError
from latentveil.labels import Labels, read_segments
from latentveil.video.write import write_video


def decode(path) -> tuple[np.ndarray, float]:
    with av.open(str(path)) as container:
        frames = np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])
        return frames, float(container.streams.video[0].average_rate)


def test_videos_decode_to_what_was_rendered(tmp_path):
    folder = write_dataset(tmp_path / "data", num_videos=4, size=64, seed=5)
    videos = describe("action", num_videos=4, seed=5)
    assert sorted(path.stem for path in (folder / "videos").iterdir()) == sorted(
        video.name for video in videos
    )
    for video in videos:
        frames, fps = decode(folder / "videos" / f"{video.name}.mp4")
        assert fps == video.fps
        assert len(frames) == video.num_frames
        assert np.abs(frames.astype(int) - render(video, 64)).mean() < 8


def test_labels_read_back(tmp_path):
    folder = write_dataset(tmp_path, num_videos=4, size=32, seed=5)
    labels = Labels.read(folder / "labels.csv")
    videos = describe("action", num_videos=4, seed=5)
    assert labels.video.tolist() == [video.name for video in videos]
    assert labels.column("person").tolist() == [video.person for video in videos]
    assert labels.column("action").tolist() == [video.labels["action"] for video in videos]
    assert labels.secrets == [
        "gender",
        "skin",
        "hair",
        "glasses",
        "hat",
        "upper",
        "lower",
        "bare_legs",
        "scene",
    ]
    assert not (folder / "segments.csv").exists()
    assert np.asarray(Image.open(folder / "contact_sheet.png")).std() > 20


def test_segments_read_back(tmp_path, monkeypatch):
    monkeypatch.setattr("latentveil.actors.sets.write._run", lambda *_, **__: None)
    folder = write_dataset(tmp_path, task="detection", num_videos=3, size=32)
    segments = read_segments(folder / "segments.csv")
    for video in describe("detection", num_videos=3):
        assert [segment.label for segment in segments[video.name]] == [
            segment.label for segment in video.segments
        ]
        assert segments[video.name][-1].end_seconds <= video.num_frames / video.fps


def test_bias_writes_one_labels_file_per_setting(tmp_path, monkeypatch):
    monkeypatch.setattr("latentveil.actors.sets.write._run", lambda *_, **__: None)
    folder = write_dataset(tmp_path, task="bias", num_videos=48, size=32)
    everything = Labels.read(folder / "labels.csv")
    for setting in ("bias_f", "bias_m"):
        labels = Labels.read(folder / f"labels_{setting}.csv")
        assert labels.videos("test") == everything.videos("test")
        assert 0 < len(labels.videos("train")) < len(everything.videos("train"))
        assert set(labels.column(setting)) == {"1"}


def test_images_are_png_files_without_loss(tmp_path):
    folder = write_dataset(tmp_path, task="images", num_videos=4, size=32)
    video = describe("images", num_videos=4)[2]
    picture = np.asarray(Image.open(folder / "images" / f"{video.name}.png"))
    np.testing.assert_array_equal(picture, render(video, 32)[0])


def test_a_second_run_keeps_finished_files_and_makes_up_for_missing_ones(tmp_path):
    folder = write_dataset(tmp_path, task="images", num_videos=4, size=32)
    files = sorted((folder / "images").iterdir())
    content = {path.name: path.read_bytes() for path in files}
    files[1].unlink()
    kept = files[0].stat().st_mtime_ns
    write_dataset(tmp_path, task="images", num_videos=4, size=32)
    assert {path.name: path.read_bytes() for path in (folder / "images").iterdir()} == content
    assert files[0].stat().st_mtime_ns == kept


def test_another_data_set_in_the_folder_is_refused(tmp_path):
    write_dataset(tmp_path / "a", task="images", num_videos=3, size=32)
    assert json.loads((tmp_path / "a" / "actors.json").read_text())["size"] == 32
    with pytest.raises(InputError, match="must hold the same data set"):
        write_dataset(tmp_path / "a", task="images", num_videos=3, size=48)
    (tmp_path / "b" / "videos").mkdir(parents=True)
    with pytest.raises(InputError, match="must be a new folder"):
        write_dataset(tmp_path / "b", num_videos=3, size=32)


def test_several_processes_write_the_same_files(tmp_path):
    one = write_dataset(tmp_path / "one", num_videos=3, size=32)
    two = write_dataset(tmp_path / "two", num_videos=3, size=32, workers=2)
    for path in (one / "videos").iterdir():
        assert path.read_bytes() == (two / "videos" / path.name).read_bytes()


def test_wrong_sizes_are_refused(tmp_path):
    with pytest.raises(InputError, match="size must be an even number from 16 to 2048, got 33"):
        write_dataset(tmp_path, size=33)
    with pytest.raises(InputError, match="workers must be at least 1"):
        write_dataset(tmp_path, workers=0)
    assert not any(tmp_path.iterdir())


def test_frame_rates_that_are_no_integer_survive(tmp_path):
    write_video(tmp_path / "slow.mp4", np.zeros((5, 32, 32, 3), dtype=np.uint8), fps=12.5)
    frames, fps = decode(tmp_path / "slow.mp4")
    assert (len(frames), fps) == (5, 12.5)


def test_only_what_differs_is_told(tmp_path):
    few = {"num_videos": 3, "size": 32}
    write_dataset(tmp_path, **few)
    with pytest.raises(InputError) as refused:
        write_dataset(tmp_path, **few, more_test=2)
    assert "the same data set: more_test is 0 there, got 2. Choose another folder" in str(refused.value)
    with pytest.raises(InputError, match=r"data set: seed is 0 there, got 1; size is 32 there, got 48\."):
        write_dataset(tmp_path, num_videos=3, size=48, seed=1)
    (tmp_path / "actors.json").write_text("[]")
    with pytest.raises(InputError, match="must be a record of actors"):
        write_dataset(tmp_path, **few)
