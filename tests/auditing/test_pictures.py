"""Inversion from stores and video files: the right frames for every clip, and an audit that shows them."""

import shutil

import numpy as np
import pytest

from latentveil.auditing import pictures
from latentveil.auditing.pictures import decode_pictures
from latentveil.auditing.result import load_audit
from latentveil.auditing.run import audit
from latentveil.errors import InputError
from latentveil.store import Manifest, StoreWriter
from latentveil.types import EncoderInfo, Sampling
from latentveil.video.write import write_video

CLIP_FRAMES, NUM_FRAMES = 16, 32


def grey(video):
    """Each video has a grey level of its own; its second half is darker by 20."""
    person, repetition = int(video[1:3]), int(video[-1])
    return 60 + 40 * person + 10 * repetition


@pytest.fixture(scope="module")
def footage(toy, tmp_path_factory):
    """Two clips and stills of each of 16 videos of 4 people: features, labels, stores and files."""
    folder = tmp_path_factory.mktemp("footage")
    names = [f"p{person:02}_a0_r{repetition}" for person in range(4) for repetition in range(4)]
    features = toy.features.of_videos(names)
    features = features.select(features.start_frame < 20)
    for name in names:
        frames = np.full((NUM_FRAMES, 64, 64, 3), grey(name), dtype=np.uint8)
        frames[CLIP_FRAMES:] -= 20
        (folder / "videos").mkdir(exist_ok=True)
        write_video(folder / "videos" / f"{name}.mp4", frames)
    encoder = EncoderInfo("toy", "0" * 64, features.dim, CLIP_FRAMES, 64, (0.5,) * 3, (0.5,) * 3, "none")
    for store, values in (("raw", features), ("safe", features.with_feature(0 * features.feature))):
        manifest = Manifest(encoder=encoder, sampling=Sampling(clips=2, static_clips=1))
        with StoreWriter(folder / store, manifest) as writer:
            writer.write_shard(values)
            writer.finish()
    toy.labels.only(names).write(folder / "labels.csv")
    return folder, features


def run_audit(folder, output, videos):
    plan = {
        "secrets": ["gender"],
        "kinds": ["temporal"],
        "attacks": ["lda"],
        "tasks": None,
        "recipient": None,
    }
    return audit(
        folder / "raw", folder / "safe", folder / "labels.csv", output, videos=videos, progress=False, **plan
    )


def test_every_clip_gets_the_frames_it_was_made_of(footage):
    folder, features = footage
    files = {video: folder / "videos" / f"{video}.mp4" for video in features.videos}
    frames = decode_pictures(features, files, clip_frames=CLIP_FRAMES)
    expected = [
        grey(video) - 20 * (start >= 16) for video, start in zip(features.video, features.start_frame)
    ]
    np.testing.assert_allclose(frames.mean(axis=(1, 2, 3)), expected, atol=4)


def test_the_audit_tells_and_shows_what_comes_back(footage, tmp_path):
    folder, _ = footage
    result = run_audit(folder, tmp_path, folder / "videos")
    psnr = result.inversion.psnr
    assert psnr["adaptive"].value == psnr["mean_frame"].value
    assert result.inversion.attribute.secret == "gender"
    assert load_audit(tmp_path).inversion == result.inversion
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 1
    assert "what comes back: from raw features" in page
    assert "people in them can be recognised" in page
    assert "## Pictures from features" in (tmp_path / "audit.md").read_text()


def test_without_videos_there_is_no_such_part(footage, tmp_path):
    folder, _ = footage
    assert run_audit(folder, tmp_path, None).inversion is None
    assert "Pictures from features" not in (tmp_path / "report.html").read_text()


def test_videos_that_are_gone_are_done_without(footage, tmp_path, monkeypatch):
    folder, _ = footage
    shutil.copytree(folder / "videos", tmp_path / "fewer")
    (tmp_path / "fewer" / "p00_a0_r3.mp4").unlink()
    used = []

    def spy(raw, *_, clips, **options):
        used.append(set(raw.video[clips.rows].tolist()))
        raise InterruptedError

    monkeypatch.setattr(pictures, "measure_inversion", spy)
    for videos in (folder / "videos", tmp_path / "fewer"):
        with pytest.raises(InterruptedError):
            run_audit(folder, tmp_path / "audit", videos)
    assert "p00_a0_r3" in used[0]
    assert "p00_a0_r3" not in used[1]


def test_videos_of_another_store_are_refused_before_anything_is_measured(footage, tmp_path):
    folder, _ = footage
    (tmp_path / "others").mkdir()
    shutil.copy(folder / "videos" / "p00_a0_r0.mp4", tmp_path / "others" / "somebody.mp4")
    with pytest.raises(InputError, match="such as 'p00_a0_r0', got others, such as 'somebody'"):
        run_audit(folder, tmp_path / "audit", tmp_path / "others")
    assert not (tmp_path / "audit").exists()
