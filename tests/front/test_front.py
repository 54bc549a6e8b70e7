"""The verbs tell features from videos, by the method and by what an adapter is."""

import numpy as np
import pytest
import torch

import latentveil as lv
from latentveil.adapters.adapter import Adapter
from latentveil.cli import apply as apply_cli
from latentveil.errors import InputError, Notice, UsageError
from latentveil.front.loading import load_either
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import training_videos
from latentveil.testing.scraps import write_scraps


@pytest.fixture(scope="module")
def scraps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scraps")
    labels = write_scraps(folder)
    labels.write(folder / "labels.csv")
    return folder


def test_a_pixel_method_is_fitted_on_videos_and_saved(scraps, tmp_path):
    for method in ("downsample", PIXEL_METHODS.get("downsample")):
        output = tmp_path / str(type(method).__name__)
        made = lv.fit(scraps, method=method, output=output, preset="2x", progress=False)
        assert isinstance(made, lv.PixelAnonymizer)
        loaded = load_either(output)
        assert isinstance(loaded, lv.PixelAnonymizer)
        clips = torch.rand(1, 2, 3, 32, 32)
        assert torch.equal(made(clips), loaded(clips))
        assert loaded.config["recipe"]["settings"]["factor"] == 2
    with pytest.warns(Notice, match="holds this anonymizer already"):
        lv.fit(scraps, method="downsample", output=output, preset="2x", progress=False)
    with pytest.raises(InputError, match=r"got one of others: settings\.factor is 2 there, got 4"):
        lv.fit(scraps, method="downsample", output=output, progress=False)


def test_an_adapter_is_still_an_adapter(tmp_path):
    Adapter(dim=4, architecture="mlp").save(tmp_path)
    assert isinstance(load_either(tmp_path), Adapter)
    given = lv.apply(tmp_path, {"a": np.zeros((3, 4), np.float32)})
    assert given["a"].shape == (3, 4)
    with pytest.raises(UsageError, match="keep_sound must be left out here"):
        lv.apply(tmp_path, {"a": np.zeros((3, 4), np.float32)}, keep_sound=True)


def test_what_belongs_to_the_other_kind_is_refused(scraps, tmp_path):
    anonymizer = load_either("blur")
    with pytest.raises(InputError, match="files, folders or lists for a pixel method, got dict"):
        lv.apply(anonymizer, {"a": np.zeros((3, 4))}, tmp_path / "safe")
    with pytest.raises(UsageError, match="seed must be left out here"):
        lv.apply(anonymizer, scraps, tmp_path / "safe", seed=1)
    with pytest.raises(InputError, match="output must be a folder"):
        lv.apply(anonymizer, scraps)
    with pytest.raises(UsageError, match="segments must be left out for a pixel method"):
        lv.fit(scraps, method="blur", segments={"a": []})
    with pytest.raises(UsageError, match=r"method must be one of .*splavu.*downsample"):
        lv.fit(scraps, method="nothing")
    with pytest.raises(UsageError, match="preset must be one of the method blur"):
        lv.fit(scraps, method="blur", preset="tiny")


def test_no_test_video_and_no_secret_reaches_a_fit(scraps):
    data = training_videos(scraps, scraps / "labels.csv", tasks=["action"])
    assert [one.video for one in data.train] == ["video0", "video1", "video4", "video5"]
    assert [one.video for one in data.val] == ["video2", "video6"]
    assert sorted(data.labels.video) == [f"video{number}" for number in (0, 1, 2, 4, 5, 6)]
    assert data.labels.secrets == []
    assert data.labels.person is None
    oracle = training_videos(scraps, scraps / "labels.csv", tasks=["action"], secrets=True)
    assert oracle.labels.secrets == ["gender"]
    assert oracle.fingerprint() != data.fingerprint()


def test_without_labels_every_video_is_for_training(scraps):
    assert len(training_videos([scraps / "video0.mp4"], None, tasks=["action"]).train) == 1


@pytest.mark.parametrize(
    "options", [{"engine": "ray"}, {"address": "auto"}, {"workers": 2}, {"worker_gpus": 0.5}], ids=str
)
def test_videos_are_not_rewritten_here_where_a_cluster_was_asked_for(scraps, tmp_path, options):
    said = f"{next(iter(options))} must be left out for videos, which are rewritten on this machine"
    with pytest.raises(UsageError, match=said):
        lv.apply("blur", scraps, tmp_path / "safe", **options)
    with pytest.raises(UsageError, match=said):
        apply_cli.command("blur", [scraps], output=tmp_path / "safe", **options)
    assert not (tmp_path / "safe").exists()


def test_what_rewrites_videos_has_no_key_to_forget(scraps, tmp_path):
    with pytest.raises(UsageError, match="forget must be left out here"):
        apply_cli.command("blur", [scraps], output=tmp_path / "safe", forget=True)
    assert not (tmp_path / "safe").exists()
