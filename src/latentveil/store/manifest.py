"""What a store says about itself: manifest.json, and which of its settings two runs must share."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from latentveil import __version__
from latentveil.errors import InputError
from latentveil.files.differences import differences, flatten
from latentveil.files.json_files import parse_json
from latentveil.files.outputs import write_whole
from latentveil.files.places import Place
from latentveil.files.regular_files import read_file
from latentveil.types import ClipTiming, EncoderInfo, Sampling

MANIFEST_NAME = "manifest.json"
SCHEMA_VERSION = 1
# Settings that older versions did not record, with what they then were.
ADDED_SETTINGS = {"seeded": False, "requested_fps": None}


# What a shard may be called: a file of the store's own folder, wherever a manifest comes from.
ShardName = Annotated[str, Field(pattern=r"^shard-[0-9A-Za-z_-]+\.parquet$")]
Count = Annotated[int, Field(ge=0)]
# More numbers than any encoder gives; it keeps an edited manifest from asking for all memory there is.
MOST_DIMENSIONS = 1 << 20


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Derivation(_Record):
    """How an anonymized store came about: the store it was made from, and the adapter that made it.

    ``dim`` is the adapter's output dimension; ``seeded`` tells whether a seed drew the noise, and never which: whoever
    knows it can draw the noise again. ``parent`` is the source's own derivation, if it had one.
    """

    store: str
    adapter: str
    adapter_sha256: str
    dim: Annotated[int, Field(ge=1, le=MOST_DIMENSIONS)]
    seeded: bool = False
    parent: Derivation | None = None

    @property
    def passed(self) -> list[Derivation]:
        """The derivation of each adapter that the features have passed, the first one first."""
        return [*(self.parent.passed if self.parent else []), self]


class ShardEntry(_Record):
    """One shard: its rows and videos, the file's size, the checksum of its content and that of its footer.

    The footer holds the checksum of each row group; older versions recorded neither.
    """

    rows: Count
    videos: Count
    num_bytes: Count
    sha256: str
    footer_sha256: str | None = None


class Counts(_Record):
    """What the whole store holds; ``clips`` = ``temporal`` + ``static`` is the number of rows."""

    videos: Count = 0
    clips: Count = 0
    temporal: Count = 0
    static: Count = 0


class Manifest(_Record):
    """Where the features of a store come from, and what the store holds.

    A writer is given ``encoder``, ``sampling``, ``dtype``, ``backend``, ``derived_from`` and ``requested_fps``, the
    frame rate that an import was told; it fills in the rest when it finishes. ``fps`` is the frame rate that all videos
    share, or None. ``backend`` is recorded and may change between two runs; every other setting may not.
    """

    schema_version: Literal[1] = 1
    latentveil_version: str = __version__
    encoder: EncoderInfo
    sampling: Sampling
    dtype: Annotated[str, Field(pattern="^float(32|16)$")] = "float32"
    backend: str = "torch"
    derived_from: Derivation | None = None
    requested_fps: float | None = None
    fps: float | None = None
    complete: bool = False
    counts: Counts = Counts()
    shards: dict[ShardName, ShardEntry] = {}

    @field_validator("sampling")
    @classmethod
    def _with_stride(cls, sampling: Sampling, info: ValidationInfo) -> Sampling:
        """Write the stride out: the clip length where none is given."""
        if sampling.stride_frames is not None or "encoder" not in info.data:
            return sampling
        return replace(sampling, stride_frames=info.data["encoder"].clip_frames)

    @field_validator("encoder")
    @classmethod
    def _with_dimensions(cls, encoder: EncoderInfo) -> EncoderInfo:
        """Refuse a feature without numbers, or with more than there are."""
        if not 1 <= encoder.dim <= MOST_DIMENSIONS or encoder.clip_frames < 1:
            raise ValueError(f"dim must be from 1 to {MOST_DIMENSIONS} and clip_frames at least 1")
        return encoder

    def require_counts(self, path: Place) -> None:
        """Refuse counts of the store at ``path`` that are not the sums over its shards."""
        counts, shards = self.counts, self.shards.values()
        sums = (sum(shard.videos for shard in shards), sum(shard.rows for shard in shards))
        if sums != (counts.videos, counts.clips) or counts.clips != counts.temporal + counts.static:
            raise InputError(
                f"{path} must count what its {len(self.shards)} shards hold ({sums[0]} videos, {sums[1]} clips), got "
                f"{counts}. The manifest was edited or is of another store: make the store again."
            )

    @property
    def dim(self) -> int:
        """The dimension D of the stored features."""
        return self.encoder.dim if self.derived_from is None else self.derived_from.dim

    @property
    def timing(self) -> ClipTiming:
        """What tasks need to know of the clips' times."""
        return ClipTiming(self.encoder.clip_frames, self.fps)

    def settings(self) -> dict[str, Any]:
        """What all features of one store must share, flat: {"encoder.name": "i3d", "sampling.clips": "all", ...}.

        The path of the source store is left out: a store that was moved is still the same store.
        """
        shared = self.model_dump(
            mode="json",
            include={"schema_version", "encoder", "sampling", "dtype", "derived_from", "requested_fps"},
        )
        return {name: value for name, value in flatten(shared).items() if not name.endswith(".store")}

    @property
    def settings_sha256(self) -> str:
        """The fingerprint of the settings that every shard carries.

        What was not recorded from the start counts only where it was chosen: older shards keep their fingerprint.
        """
        chosen = {
            name: value
            for name, value in self.settings().items()
            if (name.rpartition(".")[2], value) not in ADDED_SETTINGS.items()
        }
        return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()


def require_same_settings(stored: Manifest, requested: Manifest, *, path: Place) -> None:
    """Refuse to continue the store at ``path`` under other settings, naming both values of each."""
    told = differences(stored.settings(), requested.settings())
    if told:
        raise InputError(
            f"settings must equal those of the store {path}: {told}. Use the same settings or another folder."
        )


def read_manifest(folder: Place) -> Manifest:
    """The manifest of the store in ``folder``."""
    path = folder / MANIFEST_NAME
    if not path.exists():
        raise InputError(
            f"{folder} must be a feature store, got no {MANIFEST_NAME} there. "
            "Make one of videos with `veil extract`, of features with `veil import`."
        )
    text = read_file(path, what="a manifest")
    raw = parse_json(text, path=path, what="a manifest")
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{path}: schema_version must be {SCHEMA_VERSION}, got {str(version)[:40]}. "
            "Use the version of latentveil that wrote the store."
        )
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{path} must be a manifest, got at {where[:200]!r}: {first['msg']}.") from error


def write_manifest(folder: Place, manifest: Manifest) -> None:
    """Replace the manifest in ``folder`` in one step."""
    write_whole(folder / MANIFEST_NAME, manifest.model_dump_json(indent=1) + "\n")
