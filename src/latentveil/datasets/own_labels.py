"""Folders with a labels.csv in this project's own form: how they are read."""

from __future__ import annotations

from dataclasses import replace

from latentveil.datasets.base import Prepared
from latentveil.datasets.root import Root
from latentveil.errors import InputError
from latentveil.labels import Labels, read_segments
from latentveil.video.frames import IMAGE_EXTENSIONS, VIDEO_EXTENSIONS


def read_own_labels(root: Root, *, folder: str = "", ending: str = ".mp4") -> Prepared:
    """labels.csv, segments.csv where there is one, and each video's file: by a column ``path``, else by its key.

    Paths are relative to labels.csv; without a file, ``folder`` and ``ending`` say where it should be.
    """
    path, events = root.need("labels.csv"), root.find("segments.csv")
    if path is None:
        return Prepared.from_rows([])
    labels = Labels.read(path)
    videos = labels.video.tolist()
    if "path" in labels.columns:
        above = path.parent.relative_to(root.path)
        files = {video: (above / file).as_posix() for video, file in zip(videos, labels.columns["path"])}
        labels = replace(labels, columns={n: v for n, v in labels.columns.items() if n != "path"})
    else:
        files = {video: _file(root, video, folder=folder, ending=ending) for video in videos}
    segments = {} if events is None else read_segments(events)
    unknown = sorted(set(segments) - set(files))
    if unknown:
        raise InputError(f"{events} must be about videos of {path}, got {unknown[0]!r}.")
    return Prepared(labels, files, segments)


def _file(root: Root, video: str, *, folder: str, ending: str) -> str:
    if root.has(folder + video):
        return folder + video
    extensions = VIDEO_EXTENSIONS | IMAGE_EXTENSIONS
    return root.video(folder + video, ending=ending, anywhere=False, extensions=extensions)
