"""Makes folders that `veil bench --data` takes from the research data of LATENTVEIL_DATA.

    python -m benchmarks.prepare_real runs/data [--sets lsa64 wlasl100 …]

Each set becomes a folder with `raw.store` and `labels.csv` (and `segments.csv` where there is something to locate). The
data are of real people: the folder must be one that git ignores.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.data import LABELS, STORE
from latentveil.datasets import urfd
from latentveil.errors import InputError
from latentveil.labels import write_segments
from latentveil.store.import_features import ImportSettings, write_imported

VARIABLE = "LATENTVEIL_DATA"
SEGMENTS = "segments.csv"


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


def research_data() -> Path:
    """The folder that LATENTVEIL_DATA names."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise InputError(f"{VARIABLE} must name the folder of the research data, got nothing. Set it.")
    return Path(folder)


def prepare(name: str, output: Path, *, data: Path) -> Path:
    """The folder ``output``/``name`` with features and labels of a set under ``data``; what is there is kept."""
    chosen, folder = SETS[name], output / name
    features = data / "features" / f"{name}.npz"
    if not features.is_file():
        raise InputError(f"{VARIABLE} must hold features/{name}.npz, got none in {data}.")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / STORE / "manifest.json").exists():
        settings = ImportSettings(encoder=chosen.encoder, fps=chosen.fps)
        write_imported([features], folder / STORE, settings=settings)
    if name == "urfd":
        labels, segments = urfd.read_urfd(data / name / "frames.csv", seed=0)
        labels.write(folder / LABELS)
        write_segments(folder / SEGMENTS, segments)
    else:
        shutil.copyfile(data / name / LABELS, folder / LABELS)
    return folder


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="folder for the sets, such as runs/data")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME")
    options = parser.parse_args(arguments)
    data = research_data()
    for name in options.sets:
        print(prepare(name, options.output, data=data), file=sys.stderr)


if __name__ == "__main__":
    main()
