"""The labels CSV (one row per video), or a table of the same columns."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.errors import InputError
from latentveil.files.csv_files import read_rows, shortened
from latentveil.names import did_you_mean
from latentveil.segments import Segment as Segment
from latentveil.segments import SegmentsLike as SegmentsLike
from latentveil.segments import as_segments as as_segments
from latentveil.segments import read_segments as read_segments
from latentveil.segments import write_segments as write_segments

SPLITS = ("train", "val", "test")
SECRET_PREFIX = "secret_"
IDENTITY = "identity"


@dataclass(frozen=True, eq=False)
class Labels:
    """What is known of each video; all arrays are (V,) and in one order.

    ``columns`` holds every other column as text, secrets with their ``secret_`` prefix. ``recording`` names the place
    and day of each video. A blank person or recording is one that is not known.
    """

    video: np.ndarray
    split: np.ndarray
    person: np.ndarray | None = None
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    recording: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name, values in self._table().items():
            if len(values) != len(self.video):
                raise InputError(f"{name} must have {len(self.video)} values like video, got {len(values)}.")
        taken = {"video", "split", "person", IDENTITY, "recording", *self.columns}
        for secret in self.secrets:
            if secret in taken:
                raise InputError(
                    f"{SECRET_PREFIX}{secret} must not share its name with another column, got {secret!r} as well. "
                    f"Call it {SECRET_PREFIX}… something else: the other column would be taken for it."
                )

    @classmethod
    def read(cls, path: str | Path) -> Labels:
        """Read a labels CSV with the columns video, split, person and recording (both optional) and one per label."""
        rows = read_rows(path, required=("video", "split"))
        table = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return cls._of_columns(table, said=f"{path}: ")

    @classmethod
    def from_table(cls, table: Mapping[str, Any] | Any) -> Labels:
        """Labels from a dictionary of columns or a table with named columns (pandas, polars, pyarrow).

        ``video`` may be left out where each row is a video: they are then named by their number from 0. Without
        ``split``, people (or videos, where nobody is named) are dealt out: a fifth tests, a fifth validates, the others
        train. Missing values become blanks.
        """
        columns = table if isinstance(table, Mapping) else _columns_of(table)
        texts = {str(name): _as_text(values, name=str(name)) for name, values in columns.items()}
        if not texts or not len(next(iter(texts.values()))):
            raise InputError("labels must have at least one column with values, got none.")
        length = len(next(iter(texts.values())))
        texts.setdefault("video", np.arange(length).astype(str))
        for name, values in texts.items():
            if len(values) != len(texts["video"]):
                raise InputError(
                    f"{name} must have {len(texts['video'])} values like video, got {len(values)}."
                )
        if "split" not in texts:
            unsplit = cls(texts["video"], np.full(length, "train"), texts.get("person"))
            texts["split"] = deal_splits(unsplit.groups)
        return cls._of_columns(texts, said="")

    @classmethod
    def _of_columns(cls, table: dict[str, np.ndarray], *, said: str) -> Labels:
        """The labels with these columns, or an error that begins with ``said``."""
        table = dict(table)
        video, split = table.pop("video"), table.pop("split")
        person, recording = table.pop("person", None), table.pop("recording", None)
        names, counts = np.unique(video, return_counts=True)
        if counts.max() > 1:
            raise InputError(f"{said}video must be unique, got {str(names[counts.argmax()])!r} twice.")
        wrong = sorted(set(split.tolist()) - set(SPLITS))
        if wrong:
            raise InputError(f"{said}split must be one of {', '.join(SPLITS)}, got {shortened(wrong[0])!r}.")
        return cls(video=video, split=split, person=person, columns=table, recording=recording)

    def write(self, path: str | Path) -> None:
        """Write the CSV that ``read`` reads."""
        table = self._table()
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(table)
            writer.writerows(zip(*table.values()))

    @property
    def groups(self) -> np.ndarray:
        """What is one piece when videos are split or resampled (V,): the person, or the video where nobody is named."""
        if self.person is None:
            return self.video
        return np.where(self.person == "", np.char.add("video ", self.video), self.person)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.videos(split))} {split}" for split in SPLITS)
        return f"Labels({len(self.video)} videos: {counts}; columns {', '.join(self._known) or 'none'})"

    @property
    def _known(self) -> list[str]:
        """The columns that are there, but for video and split."""
        people = {"person": self.person, "recording": self.recording}
        return [*(name for name, values in people.items() if values is not None), *self.columns]

    @property
    def secrets(self) -> list[str]:
        """The names of the private attributes, without prefix; `identity` (the person) is not among them."""
        return [name.removeprefix(SECRET_PREFIX) for name in self.columns if name.startswith(SECRET_PREFIX)]

    def videos(self, split: str) -> list[str]:
        """The videos of one split, in the order of the file."""
        if split not in SPLITS:
            raise InputError(f"split must be one of {', '.join(SPLITS)}, got {split!r}.")
        return self.video[self.split == split].tolist()

    def column(self, name: str) -> np.ndarray:
        """The values (V,) of ``video``, ``split``, ``person``, ``recording`` or a label column, as text."""
        if name in ("video", "split"):
            return getattr(self, name)
        if name in ("person", IDENTITY):
            if self.person is None:
                raise InputError(
                    "labels must have a column 'person', got none. Add it or drop the identity secret."
                )
            return self.person
        if name == "recording":
            if self.recording is None:
                raise InputError(
                    "labels must have a column 'recording', got none. Add the place and day of each video."
                )
            return self.recording
        for key in (name, SECRET_PREFIX + name):
            if key in self.columns:
                return self.columns[key]
        near = did_you_mean(name, [*self.secrets, *self._known])
        raise InputError(f"labels must have a column {name!r}, got {', '.join(self._known) or 'none'}.{near}")

    def lookup(self, name: str, videos: Sequence[str] | np.ndarray) -> np.ndarray:
        """The values of column ``name`` for each of ``videos`` (N,), in their order."""
        return self.column(name)[self.places(videos)]

    def places(self, videos: Sequence[str] | np.ndarray) -> list[int]:
        """The row of each of ``videos``, in their order."""
        place = {video: index for index, video in enumerate(self.video)}
        missing = [video for video in videos if video not in place]
        if missing:
            raise InputError(
                f"labels must cover every video, got none for {str(missing[0])!r} ({len(missing)} missing)."
            )
        return [place[video] for video in videos]

    def only(self, videos: Iterable[str]) -> Labels:
        """The rows of the given videos."""
        keep = np.isin(self.video, np.array(list(videos), dtype=str))
        return Labels(
            video=self.video[keep],
            split=self.split[keep],
            person=None if self.person is None else self.person[keep],
            columns={name: values[keep] for name, values in self.columns.items()},
            recording=None if self.recording is None else self.recording[keep],
        )

    def without_secrets(self) -> Labels:
        """The labels without the columns of private attributes."""
        columns = {
            name: values for name, values in self.columns.items() if not name.startswith(SECRET_PREFIX)
        }
        return replace(self, columns=columns)

    def _table(self) -> dict[str, np.ndarray]:
        """Every column of the file, in its order."""
        optional = {"person": self.person, "recording": self.recording}
        known = {name: values for name, values in optional.items() if values is not None}
        return {"video": self.video, "split": self.split} | known | self.columns


LabelsLike = Labels | str | Path | Mapping[str, Any] | Any


def as_labels(given: LabelsLike) -> Labels:
    """Labels as they are, read from a CSV file, or made from a table or a dictionary of columns."""
    if isinstance(given, Labels):
        return given
    return Labels.read(given) if isinstance(given, str | Path) else Labels.from_table(given)


def deal_splits(groups: np.ndarray) -> np.ndarray:
    """A split (V,) for videos of ``groups`` (V,), none of which is in two; the same names get the same splits."""
    names, group_of_video = np.unique(groups, return_inverse=True)
    if len(names) < len(SPLITS):
        raise InputError(
            f"split must be given for fewer than {len(SPLITS)} people (or videos), got {len(names)} and no split. "
            "Add a column split with train, val and test."
        )
    order = np.argsort([sha256(str(name).encode()).digest() for name in names], kind="stable")
    held = max(1, len(names) // 5)
    split_of_group = np.full(len(names), "train")
    split_of_group[order[:held]] = "test"
    split_of_group[order[held : 2 * held]] = "val"
    return split_of_group[group_of_video]


def _columns_of(table: Any) -> dict[str, Any]:
    """The columns of a table of another library."""
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None or not hasattr(table, "__getitem__"):
        raise InputError(
            f"labels must be a CSV file, a table or a dictionary of columns, got {type(table).__name__}."
        )
    return {str(name): table[name] for name in names}


def _as_text(values: Any, *, name: str) -> np.ndarray:
    """A column as text (V,): whole numbers without a decimal point, missing values blank."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    found = np.asarray(values)
    if found.ndim != 1:
        raise InputError(f"{name} must be a column of single values, got shape {found.shape}.")
    texts = []
    for value in found.tolist():
        if _is_missing(value):
            texts.append("")
        elif isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
            texts.append(str(int(value)))
        else:
            texts.append(value.decode() if isinstance(value, bytes) else str(value))
    return np.array(texts, dtype=str)


def _is_missing(value: object) -> bool:
    """Whether a value is None, NaN, NaT or the NA of pandas, which refuses to say whether it differs from itself."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True
