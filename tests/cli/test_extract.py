import json

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from latentveil.cli import extract as extract_cli
from latentveil.errors import InputError
from latentveil.store import FeatureStore
from latentveil.types import Sampling
from latentveil.video.write import write_video


@pytest.fixture
def veil_extract():
    """Run `veil extract` with the given arguments in this process."""
    app = typer.Typer()
    app.command()(extract_cli.command)
    return lambda *arguments: CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def videos(tmp_path):
    folder = tmp_path / "videos"
    (folder / "run").mkdir(parents=True)
    for name, num_frames in (("walk", 40), ("run/fast", 20)):
        frames = (np.full((48, 64, 3), 5 * number, dtype=np.uint8) for number in range(num_frames))
        write_video(folder / f"{name}.mp4", frames)
    return folder


def test_a_folder_becomes_a_store_and_json_is_all_there_is_on_stdout(videos, tmp_path, veil_extract):
    done = veil_extract(videos, "-o", tmp_path / "store", "--encoder", "tiny", "--static", 2, "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["videos"], report["clips"], report["skipped"], report["failures"]) == (2, 7, 0, [])
    assert "2 videos, 7 clips" in done.stderr
    assert FeatureStore(tmp_path / "store").videos == ["run/fast", "walk"]


def test_failed_files_are_listed_with_reasons_and_end_with_status_3(videos, tmp_path, veil_extract):
    (videos / "broken.mp4").write_text("no video")
    done = veil_extract(videos, "-o", tmp_path / "store", "--encoder", "tiny")
    assert done.exit_code == 3
    assert "1 failed:" in done.stderr
    assert f"{videos / 'broken.mp4'} must be a video file" in done.stderr.replace("\n", " ")
    assert done.stdout == ""
    assert FeatureStore(tmp_path / "store").videos == ["run/fast", "walk"]

    (videos / "broken.mp4").unlink()
    again = veil_extract(videos, "-o", tmp_path / "store", "--encoder", "tiny", "--json")
    assert again.exit_code == 0
    assert json.loads(again.stdout)["skipped"] == 2


def test_every_option_reaches_the_store(videos, tmp_path, veil_extract):
    options = ["--encoder", "tiny", "--size", 48, "--clips", 3, "--static", 1, "--dtype", "float16"]
    options += ["--view", "training", "--views", 2, "--shard-videos", 1]
    done = veil_extract(videos, "-o", tmp_path / "store", *options)
    assert done.exit_code == 0, done.output
    manifest = FeatureStore(tmp_path / "store").manifest
    assert manifest.encoder.frame_size == 48
    assert manifest.sampling == Sampling(
        clips=3, stride_frames=16, static_clips=1, view="training", num_views=2
    )
    assert manifest.dtype == "float16"
    assert len(manifest.shards) == 2


def test_a_stride_makes_clips_overlap_and_a_run_with_another_one_is_refused(videos, tmp_path, veil_extract):
    arguments = [videos, "-o", tmp_path / "store", "--encoder", "tiny"]
    done = veil_extract(*arguments, "--stride-frames", 8)
    assert done.exit_code == 0, done.output
    store = FeatureStore(tmp_path / "store")
    assert store.manifest.sampling.stride_frames == 8
    walk = store.read(videos=["walk"])
    assert walk.start_frame.tolist() == [0, 8, 16, 24]
    np.testing.assert_allclose(walk.time, walk.start_frame / store.manifest.fps, atol=1e-6)
    again = veil_extract(*arguments)
    assert isinstance(again.exception, InputError)
    assert "sampling.stride_frames is 8 there, got 16" in str(again.exception)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--stride-frames", 0], "stride_frames must be at least 1"),
        (["--stride-frames", 8, "--clips", 3], "left out"),
    ],
)
def test_strides_that_mean_nothing_are_refused(videos, tmp_path, veil_extract, options, words):
    done = veil_extract(videos, "-o", tmp_path / "store", "--encoder", "tiny", *options)
    assert isinstance(done.exception, InputError)
    assert words in str(done.exception)
    assert not (tmp_path / "store").exists()


def test_ctrl_c_ends_with_status_130(videos, tmp_path, veil_extract, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("latentveil.extraction.run._account", interrupt)
    done = veil_extract(videos, "-o", tmp_path / "store", "--encoder", "tiny")
    assert done.exit_code == 130


@pytest.mark.parametrize("clips", ["every", "-3", "2.5"])
def test_clips_that_are_no_number_are_refused(videos, tmp_path, veil_extract, clips):
    done = veil_extract(videos, "-o", tmp_path / "store", "--encoder", "tiny", f"--clips={clips}")
    assert isinstance(done.exception, InputError)
    assert f"got {clips!r}" in str(done.exception)
    assert not (tmp_path / "store").exists()
