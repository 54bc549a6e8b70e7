"""P-HVU: the videos of HVU that have tags of actions, objects and scenes; the last two count as private.

The split of the paper was never published; this one is rebuilt: videos with a tag of each of the three, and the
tags that occur in validation.
"""

from __future__ import annotations

from latentveil.datasets.base import DataSet, DataSetSettings, Prepared, Row
from latentveil.datasets.root import Root
from latentveil.errors import InputError

KINDS = ("action", "object", "scene")
COLUMNS = ("Tags", "youtube_id", "time_start", "time_end")
SPLIT_OF_PART = {"Train": "train", "Val": "test"}

Tags = dict[str, list[str]]


def _read(root: Root, _: DataSetSettings) -> Prepared:
    kind_of_tag = {
        row["Tag"]: row["Category"].lower()
        for row in root.rows("HVU_Tags_Categories_V1.0.csv", columns=("Tag", "Category"))
    }
    parts = {part: _part(root, part, kind_of_tag) for part in SPLIT_OF_PART}
    vocabulary = {tag for tags in parts["Val"].values() for kind in KINDS for tag in tags[kind]}
    rows = []
    for part, videos in parts.items():
        for video, tags in videos.items():
            known = {kind: [tag for tag in tags[kind] if tag in vocabulary] for kind in KINDS}
            if all(known.values()):
                labels = {kind: "|".join(known[kind]) for kind in KINDS}
                rows.append(Row(video, root.video(video, ending=".mp4"), SPLIT_OF_PART[part], labels=labels))
    return Prepared.from_rows(rows)


def _part(root: Root, part: str, kind_of_tag: dict[str, str]) -> dict[str, Tags]:
    """The tags of each clip (``id_000010_000020``), by kind; HVU writes them between bars."""
    found = {}
    for row in root.rows(f"HVU_{part}_V1.0.csv", columns=COLUMNS):
        try:
            video = f"{row['youtube_id']}_{int(row['time_start']):06d}_{int(row['time_end']):06d}"
        except ValueError as error:
            raise InputError(f"HVU_{part}_V1.0.csv: times must be whole seconds, got {row}.") from error
        tags = sorted(tag.strip() for tag in row["Tags"].split("|"))
        found[video] = {kind: [tag for tag in tags if kind_of_tag.get(tag) == kind] for kind in KINDS}
    return found


data_set = DataSet(
    name="p_hvu",
    task="action, with objects and scenes as what is private",
    about="P-HVU: videos of HVU with tags of actions, objects and scenes, several of each, divided by bars.",
    people="not named",
    size="245,212 videos to train on and 16,012 to test on in SPAct, whose list was never published",
    licence="annotations for research; the videos stay their uploaders'",
    source="github.com/holistic-video-understanding/HVU-Dataset",
    layout=(
        "HVU_Train_V1.0.csv, HVU_Val_V1.0.csv: Tags, youtube_id, time_start, time_end",
        "HVU_Tags_Categories_V1.0.csv: Tag, Category",
        "YOUTUBEID_000010_000020.mp4 …, in any folder",
    ),
    reader=_read,
    unverified=(
        "licence",
        "the published list of videos was never released: this one is rebuilt",
    ),
)
