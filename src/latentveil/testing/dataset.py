"""The contract of data sets."""

from __future__ import annotations

import tempfile
from os.path import normpath
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from latentveil.datasets import DATA_SETS, DataSet, Prepared
from latentveil.datasets.prepare import LABELS, SEGMENTS, prepare
from latentveil.extraction.inputs import collect_videos
from latentveil.labels import SPLITS, Labels, read_segments


def check_dataset(data_set: DataSet | str, root: str | Path, **settings: Any) -> None:
    """Raise AssertionError unless a data set keeps what every one promises; ``root`` holds a small copy of it.

    All files of the copy must be there.
    """
    data_set = DATA_SETS.get(data_set)
    for fact in ("name", "task", "about", "people", "size", "licence", "source", "layout"):
        assert getattr(data_set, fact), f"{data_set.name} must say its {fact}, got nothing"
    prepared = data_set.read(root, **settings)
    _check_labels(prepared)
    _check_files(prepared, Path(root))
    _check_order(prepared, data_set.read(root, **settings))
    findings = [found for found in data_set.check(root, **settings).findings if found.kind != "wrong count"]
    assert not findings, f"check must find nothing wrong with a whole copy, got {findings[0].text}"
    _check_written(data_set, prepared, root, settings)


def _check_labels(prepared: Prepared) -> None:
    videos, splits = prepared.labels.video.tolist(), prepared.labels.split.tolist()
    assert videos, "there must be at least one video, got none"
    assert len(set(videos)) == len(videos), "every video must have a key of its own, got one twice"
    assert set(splits) <= set(SPLITS), f"splits must be among {SPLITS}, got {sorted(set(splits))}"
    for name, values in prepared.labels.columns.items():
        assert values.dtype.kind == "U", f"column {name} must be text, got {values.dtype}"
    unknown = set(prepared.segments) - set(videos)
    assert not unknown, f"segments must be of videos that have labels, got {sorted(unknown)[0]!r}"
    for video, segments in prepared.segments.items():
        for segment in segments:
            assert 0 <= segment.start_seconds < segment.end_seconds, f"{video!r} has a segment {segment}"


def _check_files(prepared: Prepared, root: Path) -> None:
    videos = prepared.labels.video.tolist()
    assert list(prepared.files) == videos, "files must be those of the labels, in their order"
    paths = list(prepared.files.values())
    assert len(set(paths)) == len(paths), "every video must have a file of its own, got one twice"
    for video, path in prepared.files.items():
        assert path == PurePosixPath(path).as_posix(), (
            f"the path of {video!r} must have slashes, got {path!r}"
        )
        assert (root / path).is_file(), f"{video!r} must have its file in the copy, got none at {path!r}"


def _check_order(first: Prepared, second: Prepared) -> None:
    assert first.files == second.files, "reading twice must give the same files"
    for name in ("video", "split"):
        same = np.array_equal(first.labels.column(name), second.labels.column(name))
        assert same, f"reading twice must give the same {name}, in the same order"


def _check_written(data_set: DataSet, prepared: Prepared, root: str | Path, settings: dict[str, Any]) -> None:
    """What is written reads back: labels, segments, and the same keys and files for `veil extract`."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "prepared"
        prepare(data_set, root, written, val_share=0, **settings)
        labels = Labels.read(written / LABELS)
        for name in ("video", "split", *prepared.labels.columns):
            same = np.array_equal(labels.column(name), prepared.labels.column(name))
            assert same, f"{name} must read back as it was written"
        segments = read_segments(written / SEGMENTS) if prepared.segments else {}
        assert set(segments) == set(prepared.segments), "segments must read back for the same videos"
        # Both folders without links, so that ".." in a path means what it says.
        found = {video.video: normpath(str(video.path)) for video in collect_videos([written.resolve()])}
        top = Path(root).resolve()
        expected = {video: normpath(top / path) for video, path in prepared.files.items()}
        assert found == expected, "the list of videos must give the keys and files of the labels"
