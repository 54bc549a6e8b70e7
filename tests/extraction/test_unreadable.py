"""What cannot be read or named is listed as failed, and the others are extracted."""

from __future__ import annotations

import os

import pytest

from latentveil.extraction import run_extraction
from latentveil.store import FeatureStore


@pytest.fixture
def folder(videos, tmp_path):
    folder = tmp_path / "mixed"
    (folder / "sub").mkdir(parents=True)
    os.link(videos / "a.mp4", folder / "a.mp4")
    os.link(videos / "b.mp4", folder / "sub" / "b.mp4")
    return folder


def test_a_folder_that_cannot_be_read_fails(folder, tmp_path, forbid_folder):
    forbid_folder("sub")
    report = run_extraction([folder], tmp_path / "store", encoder="tiny")
    (failure,) = report.failures
    assert failure.reason == f"{folder}/sub must be a folder that can be read, got: Permission denied."
    assert FeatureStore(tmp_path / "store").videos == ["a"]


@pytest.mark.parametrize("name", ["line\nbreak.mp4", "bell\x07.mp4"])
def test_a_name_with_a_control_character_fails_and_the_others_are_stored(folder, tmp_path, name):
    os.rename(folder / "sub" / "b.mp4", folder / name)
    report = run_extraction([folder], tmp_path / "store", encoder="tiny")
    (failure,) = report.failures
    assert "must have another name" in failure.reason
    assert failure.reason.isprintable()
    assert FeatureStore(tmp_path / "store").videos == ["a"]


def test_links_to_nothing_and_pipes_fail_and_the_others_are_stored(folder, tmp_path):
    (folder / "link.mp4").symlink_to(tmp_path / "nothing.mp4")
    os.mkfifo(folder / "sub" / "pipe.mp4")
    report = run_extraction([folder], tmp_path / "store", encoder="tiny")
    assert [failure.reason for failure in report.failures] == [
        f"{folder}/link.mp4 must be a video or image file, got a link to nothing.",
        f"{folder}/sub/pipe.mp4 must be a video or image file, got a device or a pipe, which may never end. "
        "Give a regular file.",
    ]
    assert FeatureStore(tmp_path / "store").videos == ["a", "sub/b"]


def test_a_link_to_nothing_that_labels_name_fails_too(folder, tmp_path):
    (folder / "link.mp4").symlink_to(tmp_path / "nothing.mp4")
    (folder / "labels.csv").write_text("video,split\na,train\nlink,train\nelsewhere,train\n")
    report = run_extraction([folder], tmp_path / "store", encoder="tiny")
    assert [failure.video.video for failure in report.failures] == ["link"]
    assert FeatureStore(tmp_path / "store").videos == ["a"]
