"""The verbs `import_features` and `export_features`: between stores and the files that other tools read and write."""

from __future__ import annotations

from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from latentveil.arguments import argument
from latentveil.errors import InputError, UsageError
from latentveil.files.places import Place, PlaceLike, RemotePath, as_place, local_path
from latentveil.progress import OnProgress, shown
from latentveil.store.export_features import export_h5, export_npy, export_npz
from latentveil.store.export_store import export_store
from latentveil.store.import_features import ImportSettings, write_imported
from latentveil.store.read import FeatureStore
from latentveil.store.renaming import read_or_draw_names, require_names_elsewhere

Places = PlaceLike | Sequence[PlaceLike]


def import_features(
    files: Places,
    output: PlaceLike,
    *,
    stills: Places = (),
    encoder: str = "unknown",
    fps: float | None = None,
    stride_frames: int = 16,
    dtype: str = "float32",
    progress: bool | OnProgress = True,
) -> FeatureStore:
    """A store at ``output`` from features that are already there, opened.

    ``files`` are .npy, .npz, .h5 or .safetensors files, folders of them, or patterns such as "features/*.npy": one file
    per video (T, D), one array per video, or one table with the arrays video, kind, start_frame, feature. ``stills``
    are files of static clips; in a folder, what lies under static/ is taken as such. ``fps`` is the frame rate, without
    which times are unknown; ``stride_frames`` the frames from one clip to the next where the files do not say.
    """
    settings = ImportSettings(encoder, fps=fps, stride_frames=stride_frames, dtype=dtype)
    with shown(progress) as on_progress:
        write_imported(
            _expand(files), output, static_files=_expand(stills), settings=settings, on_progress=on_progress
        )
    return FeatureStore(output)


def export_features(
    store: PlaceLike | FeatureStore,
    *,
    npy: str | Path | None = None,
    h5: str | Path | None = None,
    npz: str | Path | None = None,
    as_store: PlaceLike | None = None,
    view: str | None = None,
    rename: str | Path | None = None,
    progress: bool | OnProgress = True,
) -> list[Place]:
    """Write a store in one form to hand on, and give what was written.

    ``npy`` is a folder with one file (T, D) per video, ``h5`` a file with one array per video, ``npz`` a file with one
    array per column, which loses nothing. ``view`` says which one, where clips have several. ``rename`` is a CSV file
    with the columns video and name, by which videos are called otherwise; where it is not there, random numbers are
    drawn and written to it. Names often tell who is in a video: keep this file at home.

    ``as_store`` is a folder for a store again, under the names of ``rename``: neither the order of its rows nor its
    shards follow the old names. `audit` takes the same ``rename`` for it. ``progress`` is told of its clips.
    """
    forms = {"npy": npy, "h5": h5, "npz": npz, "as_store": as_store}
    chosen = [name for name, target in forms.items() if target is not None]
    if len(chosen) != 1:
        raise UsageError(f"exactly one of npy, h5, npz and as_store must be given, got {len(chosen)}.")
    for name, path in {"npy": npy, "h5": h5, "npz": npz, "rename": rename}.items():
        if path is not None:
            local_path(path, name=name)
    if as_store is not None:
        _require_other_names(rename, view)
    for folder in (npy, as_store):
        if folder is not None and rename is not None:
            require_names_elsewhere(rename, folder)
    opened = store if isinstance(store, FeatureStore) else FeatureStore(store)
    names = None if rename is None else read_or_draw_names(rename, opened.videos)
    if as_store is not None and names is not None:
        with shown(progress) as on_progress:
            return [export_store(opened, as_store, names=names, on_progress=on_progress)]
    exports = {export_npy: npy, export_h5: h5, export_npz: npz}
    export, target = next((export, target) for export, target in exports.items() if target is not None)
    return [*export(opened, target, view=view, names=names)]


def _require_other_names(rename: str | Path | None, view: str | None) -> None:
    """Refuse what is not for a store that is written as a store."""
    if rename is None:
        raise UsageError(
            f"{argument('as_store')} must come with a file of names, got none. Add "
            f"{argument('rename', 'names.csv')}, or copy the folder to hand it on under the names it has."
        )
    if view is not None:
        raise UsageError(f"{argument('view')} must be left out for a store, which holds all, got {view!r}.")


def _expand(places: Places) -> list[Place]:
    """Every file and folder that ``places`` name, patterns written out."""
    found: list[Place] = []
    for given in [places] if isinstance(places, PlaceLike) else places:
        place = as_place(given)
        if isinstance(place, RemotePath) or not has_magic(str(place)) or place.exists():
            found.append(place)
            continue
        matches = sorted(glob(str(place), recursive=True))
        if not matches:
            raise InputError(f"{place} must match some files, got none. Check the folder and the ending.")
        found += map(Path, matches)
    return found
