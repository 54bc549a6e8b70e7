"""Training from videos: new views every epoch, the same ones for the same seed, and a kill changes nothing."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner

from latentveil.cli import fit as fit_cli
from latentveil.errors import InputError, UsageError
from latentveil.extraction import live_features, run_extraction
from latentveil.extraction.live_features import (
    LiveFeatures,
    VideoSource,
    find_videos,
    load_as_stored,
    require_same_encoder,
)
from latentveil.extraction.worker import encode_videos
from latentveil.files.run_folder import RunFolder
from latentveil.labels import Labels
from latentveil.methods.fit import fit
from latentveil.store import FeatureStore
from latentveil.types import Sampling
from latentveil.video.write import write_video

FAST = ("adapter.init=exact", "adapter.layers=1", "train.epochs=4", "train.learning_rate=0.01")
SPLITS = ("train", "train", "val")


def write_moving_squares(path, *, seed: int, speed: int) -> None:
    """20 frames of a coloured texture that moves sideways."""
    blocks = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    picture = blocks.repeat(8, axis=0).repeat(8, axis=1)  # (48, 64, 3)
    write_video(path, (np.roll(picture, speed * shift, axis=1) for shift in range(20)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Six videos of two actions, their store and their labels."""
    path = tmp_path_factory.mktemp("live")
    (path / "videos").mkdir()
    names = [f"{action}{number}" for action in ("stand", "move") for number in range(3)]
    for seed, name in enumerate(names):
        write_moving_squares(path / "videos" / f"{name}.mp4", seed=seed, speed=4 * name.startswith("move"))
    run_extraction([path / "videos"], path / "store", encoder="tiny", sampling=Sampling(static_clips=3))
    labels = Labels(
        video=np.array(names),
        split=np.array(SPLITS * 2),
        columns={"action": np.array([name[:-1] for name in names])},
    )
    labels.write(path / "labels.csv")
    return path


@pytest.fixture
def source(folder):
    return VideoSource([folder / "videos"])


def live(folder, source, *, seed=0):
    manifest = FeatureStore(folder / "store").manifest
    return LiveFeatures(source, ["move0", "stand1"], manifest=manifest, seed=seed)


def run_fit(folder, output, source, *, settings=FAST, progress=False):
    options = {"preset": "paper", "settings": settings, "videos": source, "progress": progress}
    return fit(folder / "store", folder / "labels.csv", output, **options)


def test_every_epoch_sees_the_stored_clips_in_new_views(folder, source):
    videos = live(folder, source)
    first, second = videos.features(0), videos.features(1)
    stored = FeatureStore(folder / "store").read(videos=["move0", "stand1"])
    for features in (first, second):
        places = zip(features.video, features.kind, features.start_frame)
        assert sorted(places) == sorted(zip(stored.video, stored.kind, stored.start_frame))
        assert set(features.view) == {"training-0"}
    assert (np.abs(first.feature - second.feature).max(axis=1) > 1e-3).all()


def test_an_epoch_repeats_exactly_and_follows_the_seed(folder, source):
    features = live(folder, source).features(3)
    again = live(folder, source)
    again.features(0)
    np.testing.assert_array_equal(again.features(3).feature, features.feature)
    other = live(folder, source, seed=1).features(3)
    assert (np.abs(other.feature - features.feature).max(axis=1) > 1e-3).all()


def test_workers_and_the_order_in_which_they_finish_change_nothing(folder, source, monkeypatch):
    def encode_backwards(videos, choice, *, work, workers):
        assert workers == 2
        return encode_videos(videos[::-1], choice.load(), work=work)

    monkeypatch.setattr(live_features, "encode_in_processes", encode_backwards)
    alone = live(folder, source).features(0)
    shared = live(folder, replace(source, workers=5)).features(0)
    np.testing.assert_array_equal(shared.video, alone.video)
    np.testing.assert_array_equal(shared.feature, alone.feature)


def test_every_video_of_every_epoch_is_reported(folder, source, tmp_path):
    heard = []
    run_fit(folder, tmp_path, source, settings=[*FAST, "train.epochs=2"], progress=heard.append)
    videos = [(step.note, step.done, step.total) for step in heard if step.stage == "encoding videos"]
    assert videos == [(f"of epoch {epoch}", done, 4) for epoch in (1, 2) for done in (1, 2, 3, 4)]
    assert [step.done for step in heard if step.stage == "fitting"] == [0, 1, 2]


class KilledError(Exception):
    pass


def test_a_killed_run_goes_on_to_the_very_same_adapter(folder, source, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "latentveil.methods.splavu.RunFolder", partial(RunFolder, seconds_between_checkpoints=0)
    )
    whole = run_fit(folder, tmp_path / "whole", source)

    def die(step):
        if step.stage == "fitting" and step.done == 2:
            raise KilledError

    with pytest.raises(KilledError):
        run_fit(folder, tmp_path / "cut", source, progress=die)
    heard = []
    resumed = run_fit(folder, tmp_path / "cut", source, progress=heard.append)
    epochs = {step.note for step in heard if step.stage == "encoding videos"}
    assert epochs == {"of epoch 3", "of epoch 4"}  # nothing is encoded that was trained on before
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name
    logs = [(tmp_path / name / "training" / "log.jsonl").read_text() for name in ("whole", "cut")]
    assert logs[0] == logs[1]
    assert resumed.config["recipe"]["trained_on"] == "videos"
    assert not list(tmp_path.rglob("*.parquet"))


def test_the_result_differs_from_training_on_the_store(folder, source, tmp_path):
    augmented = run_fit(folder, tmp_path / "videos", source)
    stored = run_fit(folder, tmp_path / "store", None)
    changed = [
        not torch.equal(value, stored.state_dict()[name])
        for name, value in augmented.state_dict().items()
        if name.endswith("weight")
    ]
    assert all(changed)


def test_another_encoder_is_refused_and_both_are_named(folder, source):
    with pytest.raises(InputError, match=r"store's 'tiny'.* frame_size is 64 there, got 48"):
        live(folder, replace(source, size=48))
    stored = FeatureStore(folder / "store").manifest.encoder
    with pytest.raises(InputError, match=r"store's 'tiny', got 'i3d'.*weights_sha256"):
        require_same_encoder(replace(stored, name="i3d", weights_sha256="1" * 64), stored)


def test_an_encoder_that_only_the_store_names_is_no_wrong_word(folder, source):
    """Words on the command line end with 1; what a store says ends with 2."""
    manifest = FeatureStore(folder / "store").manifest
    stored = replace(manifest.encoder, name="theirs")
    with pytest.raises(
        InputError, match=r"the store must name an encoder that is known here\. encoder must"
    ) as caught:
        load_as_stored(stored, encoder=None, weights=None)
    assert not isinstance(caught.value, UsageError)
    with pytest.raises(UsageError, match="got 'resnet'"):
        load_as_stored(stored, encoder="resnet", weights=None)


def test_methods_that_read_features_once_are_refused(folder, source, tmp_path):
    with pytest.raises(InputError, match=r"method must be splavu .* got 'pca'"):
        fit(folder / "store", folder / "labels.csv", tmp_path, method="pca", videos=source)


def test_missing_and_broken_training_videos_are_named(folder, source, tmp_path):
    with pytest.raises(InputError, match=r"no file for 'nobody' \(1 missing\)"):
        find_videos(source.places, ["move0", "nobody"])
    for name in ("move0", "stand1"):
        (tmp_path / f"{name}.mp4").write_bytes(b"no video")
    with pytest.raises(InputError, match=r"every training video must be readable.*move0\.mp4"):
        live(folder, VideoSource([tmp_path])).features(0)


def test_the_command_line_trains_from_videos(folder, tmp_path):
    app = typer.Typer()
    app.command()(fit_cli.command)
    arguments = [folder / "store", "-o", tmp_path / "adapter", "--labels", folder / "labels.csv"]
    settings = [option for change in FAST for option in ("--set", change)]
    options = ["--preset", "paper", *settings, "--json"]
    done = CliRunner().invoke(app, list(map(str, [*arguments, *options, "--videos", folder / "videos"])))
    assert done.exit_code == 0, done.output
    assert '"task_action"' in done.stdout
    refused = CliRunner().invoke(app, list(map(str, [*arguments, *options, "--encoder", "tiny"])))
    assert isinstance(refused.exception, InputError)
