"""Checking a store: every value against its checksum, every count against the rows."""

from __future__ import annotations

import pyarrow as pa

from latentveil.errors import InputError
from latentveil.files.places import Place, PlaceLike, as_place
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store.footer import Footer
from latentveil.store.manifest import Counts, Manifest, read_manifest
from latentveil.store.shard import SHARD_PATTERN, schema
from latentveil.store.shard_file import OpenShard, UnreadableShardError, refusal


def find_problems(path: PlaceLike, *, on_progress: OnProgress = silent) -> list[str]:
    """One sentence for each thing that is wrong with the store at ``path``; an intact store gives none.

    Reads every row, with one row group in memory. ``on_progress`` is told of the clips of each shard after it was read.
    """
    folder = as_place(path)
    manifest = read_manifest(folder)
    problems = [] if manifest.complete else ["the store is incomplete: run again to finish it"]
    home: dict[str, str] = {}
    counts, rows = Counts(), 0
    for name, entry in manifest.shards.items():
        footer = _footer_or_error(folder / name, manifest)
        if isinstance(footer, InputError):
            problems.append(f"{name}: {footer}")
            continue
        counts = _add(counts, footer)
        for video in footer.videos:
            if video.video in home:
                problems.append(f"{name}: video {video.video!r} is also in {home[video.video]}")
            home[video.video] = name
        rows += entry.rows
        on_progress(Progress("checking clips", rows, manifest.counts.clips))
    if not problems and counts != manifest.counts:
        problems.append(f"the manifest counts {manifest.counts}, the shards hold {counts}")
    unlisted = sorted({found.name for found in folder.glob(SHARD_PATTERN)} - set(manifest.shards))
    if manifest.complete:
        problems += [
            f"{name}: not in the manifest; an interrupted run left it, run again to finish"
            for name in unlisted
        ]
    return problems


def find_damaged(folder: Place, manifest: Manifest) -> dict[str, str]:
    """{name: what is wrong with it} of the shards that are missing or not what the manifest says.

    One that the system does not let us read is refused: whether it is damaged cannot be told.
    """
    found = {name: _footer_or_error(folder / name, manifest) for name in manifest.shards}
    errors = {name: error for name, error in found.items() if isinstance(error, InputError)}
    for error in errors.values():
        if isinstance(error, UnreadableShardError):
            raise error
    return {name: str(error) for name, error in errors.items()}


def _footer_or_error(path: Place, manifest: Manifest) -> Footer | InputError:
    """The footer of an intact shard, or what is wrong with it."""
    try:
        return _check_shard(path, manifest)
    except InputError as error:
        return error
    except (pa.ArrowException, OSError) as error:
        return refusal(path, error)


def _check_shard(path: Place, manifest: Manifest) -> Footer:
    """The footer of a shard whose rows, checksum, size and settings are what the manifest says."""
    entry = manifest.shards[path.name]
    layout = schema(manifest.dtype, manifest.dim)
    with OpenShard(path, memory_map=False) as shard:
        footer = shard.read_footer()
        if not shard.layout.equals(layout):
            raise InputError(f"columns must be {_one_line(layout)}, got {_one_line(shard.layout)}")
        rows = shard.read_rows(dtype=manifest.dtype, dim=manifest.dim)
        checksum = shard.content_sha256()
    expected = {
        "size in bytes": (entry.num_bytes, path.stat().st_size),
        "rows": (entry.rows, rows.index.num_rows),
        "settings": (manifest.settings_sha256, footer.settings_sha256),
        "checksum in the footer": (entry.sha256, footer.sha256),
        "checksum of the footer": (entry.footer_sha256 or footer.fingerprint, footer.fingerprint),
        "checksum of the rows": (entry.sha256, checksum),
        "number of videos": (entry.videos, len(rows.videos)),
        "name": (rows.name, path.name),
    }
    for what, (wanted, got) in expected.items():
        if wanted != got:
            raise InputError(f"{what} must be {wanted}, got {got}")
    if rows.videos != footer.videos:
        raise InputError("the videos listed in the footer must be those of the rows, got others")
    return footer


def _one_line(layout: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in layout)


def _add(counts: Counts, footer: Footer) -> Counts:
    static = sum(video.static for video in footer.videos)
    return Counts(
        videos=counts.videos + len(footer.videos),
        clips=counts.clips + footer.rows,
        temporal=counts.temporal + footer.rows - static,
        static=counts.static + static,
    )
