"""Makes folders that `veil bench --data` takes from the research data of LATENTVEIL_DATA.

    python -m benchmarks.prepare_real runs/data [--sets lsa64 wlasl100 wlasl100+peta …]

Each set becomes a folder with `raw.store` and `labels.csv` (and `segments.csv` where there is something to locate). Two
sets joined by + become one folder whose labels have a column `set`: an adapter learns from one, the other grades it.
A set of `_videos` has its videos, too, and features that our own encoder makes of them, so that they can be rewritten.
The data are of real people: the folder must be one that git ignores.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.data import LABELS, SEGMENTS, STORE
from latentveil.bench.videos import VIDEOS
from latentveil.datasets import urfd
from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.joined_labels import merge_labels
from latentveil.labels import Labels, write_segments
from latentveil.progress import Progress, shown
from latentveil.store.import_features import ImportSettings, write_imported
from latentveil.types import Sampling

VARIABLE = "LATENTVEIL_DATA"


@dataclass(frozen=True)
class RealSet:
    """A set of the research data: who made its features, and the frame rate where it is known."""

    name: str
    encoder: str = "i3d"
    fps: float | None = None


SETS = {
    found.name: found
    for found in (
        RealSet("lsa64", fps=30.0),
        RealSet("wlasl100"),
        RealSet("thetis", encoder="inception_v3"),
        RealSet("peta"),
        RealSet("urfd", fps=urfd.FRAME_RATE),
    )
}
# Sets with their videos, and how these are encoded: as small as the actors of the tables, so that a row takes minutes.
FILMED = {"lsa64_videos": "lsa64"}
FRAME_SIZE, SAMPLING = 112, Sampling(clips=2, static_clips=2)
# Sets of the same encoder and frame size: the first has actions to learn from, the second pictures of strangers.
PAIRS = ("wlasl100+peta", "lsa64+utkface")


def research_data() -> Path:
    """The folder that LATENTVEIL_DATA names."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise InputError(f"{VARIABLE} must name the folder of the research data, got nothing. Set it.")
    return Path(folder)


def prepare(name: str, output: Path, *, data: Path) -> Path:
    """The folder ``output``/``name`` with features and labels of sets under ``data``; what is there is kept."""
    if name in FILMED:
        return _prepare_filmed(data / FILMED[name], output / name)
    parts, folder = name.split("+"), output / name
    files = [data / "features" / f"{part}.npz" for part in parts]
    missing = [path.name for path in files if not path.is_file()]
    if missing:
        raise InputError(f"{VARIABLE} must hold features/{missing[0]}, got none in {data}.")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / STORE / "manifest.json").exists():
        chosen = SETS[parts[0]]
        settings = ImportSettings(encoder=chosen.encoder, fps=chosen.fps if len(parts) == 1 else None)
        write_imported(files, folder / STORE, settings=settings)
    if name == "urfd":
        labels, segments = urfd.read_urfd(data / name / "frames.csv", seed=0)
        labels.write(folder / LABELS)
        write_segments(folder / SEGMENTS, segments)
    elif len(parts) > 1:
        merge_labels({part: Labels.read(data / part / LABELS) for part in parts}).write(folder / LABELS)
    else:
        shutil.copyfile(data / name / LABELS, folder / LABELS)
    return folder


def _prepare_filmed(filmed: Path, folder: Path) -> Path:
    """``folder`` with the videos of ``filmed``, which stay where they are, and with our own features of them."""
    if not (filmed / LABELS).is_file():
        raise InputError(f"{VARIABLE} must hold {filmed.name}/{LABELS}, got none in {filmed.parent}.")
    folder.mkdir(parents=True, exist_ok=True)
    videos = folder / VIDEOS
    if not videos.is_dir():
        videos.symlink_to(filmed.resolve(), target_is_directory=True)
    with shown() as on_progress:
        report = run_extraction(
            [videos],
            folder / STORE,
            encoder=EncoderChoice("i3d", size=FRAME_SIZE),
            sampling=SAMPLING,
            options=ExtractOptions(shard_videos=16),
            on_progress=lambda state: on_progress(Progress("encoding", state.num_done, state.num_videos)),
        )
    for failure in report.failures:
        raise InputError(f"every video must be readable. {failure.reason}")
    shutil.copyfile(filmed / LABELS, folder / LABELS)
    return folder


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [*SETS, *PAIRS, *FILMED]
    parser.add_argument("output", type=Path, help="folder for the sets, such as runs/data")
    parser.add_argument("--sets", nargs="+", choices=names, default=names, metavar="NAME")
    options = parser.parse_args(arguments)
    data = research_data()
    for name in options.sets:
        print(prepare(name, options.output, data=data), file=sys.stderr)


if __name__ == "__main__":
    main()
