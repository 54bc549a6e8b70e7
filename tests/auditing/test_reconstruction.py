"""Inversion in an audit: held-out people, one kind of clip, and numbers that say what the decoder saw."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing import reconstruction
from latentveil.auditing.reconstruction import choose_clips, measure_inversion, visible_secret
from latentveil.labels import Labels

KINDS = ("raw", "adaptive", "non_adaptive", "mean_frame")


@pytest.fixture(autouse=True)
def few_clips(monkeypatch):
    monkeypatch.setattr(reconstruction, "MAX_CLIPS", {"train": 60, "validation": 20, "test": 12})


def stripes(feature):
    """Frames that the features determine: four grey stripes, one per dimension."""
    levels = np.clip(128 + 30 * feature[:, :4], 0, 255)  # (N, 4)
    columns = levels.repeat(16, axis=1)[:, :, None, None]
    return np.broadcast_to(columns, (len(feature), 64, 64, 3)).astype(np.uint8)


def measure(toy, change):
    clips = choose_clips(toy.features, toy.labels, "gender", seed=0)
    return measure_inversion(
        toy.features,
        toy.features.with_feature(change(toy.features.feature)),
        clips=clips,
        frames=stripes(toy.features.feature[clips.rows]),
        labels=toy.labels,
        secret="gender",
        seed=0,
    )


def test_zeros_give_the_mean_frame_and_raw_features_the_picture(toy):
    found, result = measure(toy, np.zeros_like)
    assert found.kind == "temporal"
    assert len(result.originals) == found.clips["test"]
    assert set(found.psnr) == set(found.ssim) == set(KINDS)
    assert found.psnr["adaptive"] == found.psnr["mean_frame"]
    assert found.psnr["raw"].value > found.psnr["mean_frame"].value + 3
    named = found.attribute.named
    assert found.attribute.secret == "gender"
    assert named["original"].value == named["raw"].value == 1  # gender is the first stripe
    assert named["adaptive"].value == found.attribute.chance == 0.5
    for kind in KINDS:
        psnr = found.psnr[kind]
        assert psnr.low <= psnr.value <= psnr.high
        assert psnr.value == pytest.approx(result.psnr[kind].mean())


@pytest.mark.parametrize("secret", ["gender", "identity"])
def test_decoders_never_see_a_person_they_are_graded_on_unless_that_is_the_secret(toy, secret):
    clips = choose_clips(toy.features, toy.labels, secret, seed=0)
    videos = [toy.features.video[rows] for rows in (clips.train, clips.validation, clips.test)]
    people = [toy.labels.lookup("person", part) for part in videos]
    for parts, disjoint in ((people, secret == "gender"), (videos, True)):
        train, validation, test = (set(part.tolist()) for part in parts)
        assert bool(train & validation or train & test or validation & test) is not disjoint


@pytest.mark.parametrize("seed", range(4))
def test_few_people_still_make_a_test_part_with_both_classes(toy, seed):
    """Of 8 people 5 are of one class: some of the folds hold two of that class and nobody else."""
    gender = np.where(toy.labels.person < "05", "0", "1")
    labels = Labels(toy.labels.video, toy.labels.split, toy.labels.person, {"secret_gender": gender})
    clips = choose_clips(toy.features, labels, "gender", seed=seed)
    assert set(labels.lookup("gender", toy.features.video[clips.test])) == {"0", "1"}


def test_videos_whose_secret_is_unknown_are_left_out(toy):
    known = toy.labels.column("gender").copy()
    known[::3] = ""
    columns = toy.labels.columns | {"secret_gender": known}
    labels = Labels(toy.labels.video, toy.labels.split, toy.labels.person, columns)
    clips = choose_clips(toy.features, labels, "gender", seed=0)
    assert "" not in labels.lookup("gender", toy.features.video[clips.rows])


def test_chosen_clips_are_of_one_kind_and_view_and_spread_over_the_videos(toy):
    features = toy.features
    clips = choose_clips(features, toy.labels, "gender", seed=0)
    assert set(features.kind[clips.rows]) == {"temporal"}
    assert [len(part) for part in (clips.train, clips.validation, clips.test)] == [60, 20, 12]
    people = set(toy.labels.lookup("person", features.video[clips.train]))
    assert set(features.video[clips.train]) == set(
        toy.labels.video[np.isin(toy.labels.person, sorted(people))]
    )

    stills = features.of_kind("static")
    assert len(choose_clips(stills, toy.labels, "gender", seed=0).rows) == 60 + 20 + 12

    mixed = replace(features, view=np.where(features.clip == 0, "training-0", "validation"))
    assert set(mixed.view[choose_clips(mixed, toy.labels, "gender", seed=0).rows]) == {"validation"}


def test_the_secret_to_look_for_allows_held_out_people():
    assert visible_secret(["identity", "skin", "gender"]) == "skin"
    assert visible_secret(["identity"]) == "identity"
