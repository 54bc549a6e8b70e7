import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from PIL import Image

from latentveil.encoders import load_encoder
from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.extraction import shares as shares_module
from latentveil.extraction.run import number_of_workers
from latentveil.store import FeatureStore
from latentveil.types import Sampling
from latentveil.video.decode import open_video
from latentveil.video.views import validation_view


@pytest.fixture(scope="module")
def tiny():
    return load_encoder("tiny")


def rows(store) -> dict:
    """Every row of a store by its place."""
    features = FeatureStore(store).read()
    places = zip(
        features.video, features.kind, features.view, features.clip, features.start_frame, features.time
    )
    found = {tuple(map(str, place)): feature for place, feature in zip(places, features.feature)}
    assert len(found) == len(features)
    return found


def test_features_are_those_of_the_encoder_on_the_clips(videos, tmp_path, tiny):
    report = run_extraction([videos], tmp_path / "store", encoder=tiny, sampling=Sampling(static_clips=2))
    assert (report.num_videos, report.num_skipped, report.failures) == (6, 0, ())
    store = FeatureStore(tmp_path / "store")
    frames = [validation_view(frame.rgb, 64) for frame in open_video(videos / "c.mp4").frames()]
    clips = np.stack([np.stack(frames[:16]), np.stack(frames[16:32])])  # (2, 16, 64, 64, 3)
    torch.testing.assert_close(store.video("c"), tiny.encode(clips))
    stills = np.stack([np.stack([frames[0]] * 16), np.stack([frames[32]] * 16)])
    torch.testing.assert_close(store.video("c", kind="static"), tiny.encode(stills))


def test_the_numbers_of_clips_and_the_manifest(videos, tmp_path, tiny):
    report = run_extraction([videos], tmp_path / "store", encoder=tiny)
    store = FeatureStore(tmp_path / "store")
    expected = {"a": 2, "b": 1, "c": 2, "d": 1, "e": 4, "f": 1}
    assert {name: len(store.video(name)) for name in store.videos} == expected
    assert report.num_clips == sum(expected.values()) == len(store)
    assert store.manifest.encoder == tiny.info
    assert store.manifest.fps == 30
    assert store.manifest.complete


def test_bad_files_are_reported_and_the_good_ones_kept(videos, tmp_path, tiny):
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "text.mp4").write_text("no video")
    (bad / "picture.jpg").write_text("no picture")
    (bad / "list.txt").write_text("missing.mp4\n")
    report = run_extraction([videos, bad, bad / "list.txt"], tmp_path / "store", encoder=tiny)
    assert report.num_videos == 6
    assert [failure.video.video for failure in report.failures] == ["missing", "picture", "text"]
    assert all(str(failure.video.path) in failure.reason for failure in report.failures)
    assert FeatureStore(tmp_path / "store").videos == ["a", "b", "c", "d", "e", "f"]


def test_a_file_that_breaks_the_decoder_in_a_new_way_is_a_failure_too(videos, tmp_path, tiny, monkeypatch):
    def explode(path, **_):
        if path.stem == "b":
            raise ZeroDivisionError("odd")
        return open_video(path)

    monkeypatch.setattr("latentveil.extraction.worker.open_video", explode)
    report = run_extraction([videos], tmp_path / "store", encoder=tiny)
    (failure,) = report.failures
    assert "b.mp4 could not be read: ZeroDivisionError: odd" in failure.reason
    assert report.num_videos == 5


def test_features_that_overflow_the_store_are_a_failure(videos, tmp_path, tiny, monkeypatch):
    original = type(tiny).encode
    monkeypatch.setattr(type(tiny), "encode", lambda self, clips: 1e6 * original(self, clips))
    options = ExtractOptions(dtype="float16")
    report = run_extraction([videos / "a.mp4"], tmp_path / "store", encoder=tiny, options=options)
    assert "finite in float16" in report.failures[0].reason


def test_a_second_run_does_what_is_missing_only(videos, tmp_path, tiny, monkeypatch):
    run_extraction([videos / "a.mp4", videos / "b.mp4"], tmp_path / "store", encoder=tiny)
    opened = []
    monkeypatch.setattr(
        "latentveil.extraction.worker.open_video",
        lambda path, **_: opened.append(path.stem) or open_video(path),
    )
    report = run_extraction([videos], tmp_path / "store", encoder=tiny)
    assert opened == ["c", "d", "e", "f"]
    assert (report.num_videos, report.num_skipped) == (4, 2)
    run_extraction([videos], tmp_path / "whole", encoder=tiny)
    ours, whole = rows(tmp_path / "store"), rows(tmp_path / "whole")
    assert ours.keys() == whole.keys()
    assert all((ours[place] == whole[place]).all() for place in whole)


def test_changed_settings_are_refused_with_both_values(videos, tmp_path, tiny):
    run_extraction([videos / "a.mp4"], tmp_path / "store", encoder=tiny)
    with pytest.raises(InputError, match=r"sampling.clips is 'all' there, got 5"):
        run_extraction([videos], tmp_path / "store", encoder=tiny, sampling=Sampling(clips=5))
    with pytest.raises(InputError, match=r"encoder.frame_size is 64 there, got 32"):
        run_extraction([videos], tmp_path / "store", encoder=EncoderChoice("tiny", size=32))


def test_an_interrupted_run_keeps_the_finished_videos(videos, tmp_path, tiny):
    def interrupt(progress):
        if progress.num_done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_extraction([videos], tmp_path / "store", encoder=tiny, on_progress=interrupt)
    report = run_extraction([videos], tmp_path / "store", encoder=tiny)
    assert (report.num_skipped, report.num_videos) == (3, 3)


@pytest.mark.parametrize(("shard_videos", "shards"), [(1, 6), (4, 2), (32, 1)])
def test_shards_hold_the_asked_number_of_videos(videos, tmp_path, tiny, shard_videos, shards):
    run_extraction(
        [videos], tmp_path / "store", encoder=tiny, options=ExtractOptions(shard_videos=shard_videos)
    )
    assert len(FeatureStore(tmp_path / "store").manifest.shards) == shards


def test_long_videos_close_a_shard_early(videos, tmp_path, tiny, monkeypatch):
    monkeypatch.setattr(shares_module, "MAX_SHARD_CLIPS", 3)
    run_extraction([videos], tmp_path / "store", encoder=tiny)
    assert [entry.rows for entry in FeatureStore(tmp_path / "store").manifest.shards.values()].count(3) >= 1


def test_training_views_repeat_with_the_seed_and_differ_without(videos, tmp_path, tiny):
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        sampling = Sampling(clips=1, static_clips=2, view="training", num_views=2, seed=seed)
        run_extraction([videos], tmp_path / name, encoder=tiny, sampling=sampling)
    one, same, other = rows(tmp_path / "one"), rows(tmp_path / "same"), rows(tmp_path / "other")
    assert {view for _, _, view, *_ in one} == {"training-0", "training-1"}
    assert all((one[place] == same[place]).all() for place in one)
    assert all((one[place] != other[place]).any() for place in one)


def test_images_become_static_clips(tmp_path, tiny):
    Image.fromarray(np.full((40, 40, 3), 90, dtype=np.uint8)).save(tmp_path / "face.png")
    run_extraction([tmp_path / "face.png"], tmp_path / "store", encoder=tiny)
    features = FeatureStore(tmp_path / "store").read()
    assert features.kind.tolist() == ["static"]


def test_progress_counts_to_the_end(videos, tmp_path, tiny):
    seen = []
    run_extraction(
        [videos], tmp_path / "store", encoder=tiny,
        on_progress=lambda now: seen.append((now.num_videos, now.num_done, now.num_encoded)),
    )  # fmt: skip
    assert seen == sorted(seen)
    assert seen[-1] == (6, 6, 11)


def test_a_key_that_the_store_cannot_hold_is_refused_before_any_work(videos, tmp_path, tiny):
    (tmp_path / "list.csv").write_text(f"video,path\n../up,{videos / 'a.mp4'}\n")
    with pytest.raises(InputError, match=r"video must be a name .* got '\.\./up'"):
        run_extraction([tmp_path / "list.csv"], tmp_path / "store", encoder=tiny)
    assert not (tmp_path / "store").exists()


def test_a_file_whose_name_is_not_utf8_fails_and_the_others_are_stored(videos, tmp_path, tiny):
    folder = tmp_path / "mixed"
    folder.mkdir()
    os.link(videos / "a.mp4", folder / "a.mp4")
    os.link(videos / "b.mp4", os.fsencode(folder) + b"/caf\xe9.mp4")
    for num_videos in (1, 0):
        report = run_extraction([folder], tmp_path / "store", encoder=tiny)
        (failure,) = report.failures
        assert failure.reason.startswith(
            rf"{folder}/caf\xe9.mp4 must have another name: video must be a name in UTF-8"
        )
        assert report.num_videos == num_videos
        assert FeatureStore(tmp_path / "store").videos == ["a"]


@pytest.mark.parametrize(
    "wrong", [{"workers": 0}, {"batch_clips": 0}, {"shard_videos": -1}, {"dtype": "int8"}]
)
def test_options_that_cannot_work_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        ExtractOptions(**wrong)


def test_an_encoder_object_cannot_be_sent_to_workers(videos, tmp_path, tiny):
    with pytest.raises(InputError, match="workers must be 1"):
        run_extraction([videos], tmp_path / "store", encoder=tiny, options=ExtractOptions(workers=2))


@pytest.mark.parametrize(
    ("wanted", "num_videos", "threads", "expected"),
    [
        (None, 128, 2, 2),  # one process per core
        (None, 128, 1, 1),
        (None, 8, 2, 1),  # too few videos for a second process
        (None, 10_000, 64, 16),  # each holds an encoder in memory
        (None, 0, 2, 1),
        (3, 128, 2, 3),
        (3, 2, 8, 2),
    ],
)
def test_workers_follow_cores_and_videos_unless_asked_for(monkeypatch, wanted, num_videos, threads, expected):
    monkeypatch.setattr("torch.get_num_threads", lambda: threads)
    assert number_of_workers(wanted, num_videos, EncoderChoice("tiny")) == expected


def test_an_encoder_object_or_a_graphics_card_takes_one_worker(monkeypatch):
    monkeypatch.setattr("torch.get_num_threads", lambda: 8)
    assert number_of_workers(None, 128, None) == 1
    assert number_of_workers(None, 128, EncoderChoice("tiny", device="cuda")) == 1


def test_a_script_without_a_guard_may_use_workers(videos, tmp_path):
    """`lv.extract` is called at the top of scripts; its workers must not run them again."""
    script = tmp_path / "script.py"
    script.write_text(
        "from latentveil.extraction import ExtractOptions, run_extraction\n"
        f"report = run_extraction([{str(videos)!r}], {str(tmp_path / 'store')!r}, encoder='tiny', "
        "options=ExtractOptions(workers=2))\n"
        "print('encoded', report.num_videos)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=300)
    assert done.stdout.count("encoded") == 1, done.stderr
    assert FeatureStore(tmp_path / "store").videos


def test_what_a_killed_run_noted_is_swept_when_all_is_done(videos, tmp_path):
    """A run that was killed after its last video and before it had tidied up."""
    report = run_extraction([videos], tmp_path / "store", encoder="tiny")
    notes = tmp_path / "store" / ".work" / "plan"
    notes.mkdir(parents=True)
    (notes / "share.1").write_text("somebody who is dead")
    half = tmp_path / "store" / ".shard-0123456789abcdef0123.parquet.0123.tmp"
    half.write_bytes(b"half a shard")
    again = run_extraction([videos], tmp_path / "store", encoder="tiny")
    assert again.num_videos == 0
    assert again.num_skipped == report.num_videos
    assert not (tmp_path / "store" / ".work").exists()
    assert not half.exists()


@pytest.mark.parametrize(
    "name",
    [".shard-0123456789abcdef0123.parquet.0123.tmp", ".manifest.json.41f9a69b9b8b4d6d84bb12dc11cdb8d5.tmp"],
)
def test_what_a_killed_run_had_begun_to_write_does_not_stay(videos, tmp_path, name):
    half = tmp_path / "store" / name
    half.parent.mkdir()
    half.write_bytes(b"half a file")
    run_extraction([videos], tmp_path / "store", encoder="tiny")
    assert not half.exists()
