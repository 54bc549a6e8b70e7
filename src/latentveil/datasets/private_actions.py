"""What VP-HMDB51 and VP-UCF101 share: five private attributes for each video of a set of actions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from latentveil.datasets.base import Prepared, Row
from latentveil.datasets.binary_labels import read_binary_labels
from latentveil.datasets.root import Root

ATTRIBUTES = ("face", "skin_color", "gender", "nudity", "relationship")


def read_private_actions(
    root: Root, name: str, splits: dict[str, str], *, labels_of: Callable[[str], dict[str, str]]
) -> Prepared:
    """The annotated videos that a split of the actions' set has; ``labels_of`` gives what a key says.

    Names end in .mp4 in the annotations and in .avi on the disk; keys are without ending.
    """
    patterns = [f"{name}.{form}" for form in ("csv", "pickle", "pkl")]
    found = read_binary_labels(root, *patterns, attributes=ATTRIBUTES)
    rows = []
    for file, secrets in found.items():
        video = PurePosixPath(file).with_suffix("").as_posix()
        if video in splits:
            path = root.video(video, ending=".avi")
            rows.append(Row(video, path, splits[video], labels=labels_of(video) | secrets))
    return Prepared.from_rows(rows)
