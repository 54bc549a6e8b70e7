"""What is damaged and what is then run on it: one entry for every kind of file that comes from outside."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.soak.mutate import mutate_bytes, mutate_json
from latentveil.files.run_folder import RunFolder
from latentveil.labels import read_segments

Mutate = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Target:
    """A kind of file: where examples are, how they are damaged, and what reads them.

    ``files`` are patterns below the material. ``folder`` is what is copied with the file where it is not alone.
    ``run`` is a command line, in which {case} stands for the damaged copy and {out} for a new place; or a function.
    """

    name: str
    files: tuple[str, ...]
    run: tuple[tuple[str, ...], ...] | Callable[[Path], object]
    folder: str | None = None
    mutate: Mutate = mutate_bytes


def _extract(place: str) -> tuple[str, ...]:
    return ("extract", place, "-o", "{out}", "--encoder", "tiny", "--workers", "1", "--static", "2")


EXTRACT = _extract("{case}")
READ_STORE = (
    ("verify", "{case}"),
    ("export", "{case}", "--npz", "{out}.npz"),
    ("apply", "{here}/adapter", "{case}", "-o", "{out}"),
)
APPLY = (("apply", "{case}", "{here}/raw", "-o", "{out}"),)
CARD = (("card", "{case}", "--audit", "{here}/audit"),)
FIT = ("fit", "{here}/raw", "-o", "{out}", "--method", "leace")


REWRITE = ("apply", "downsample", "{here}/video.mp4", "-o", "{out}")
COVER = (
    "apply",
    "cover",
    "{here}/video.mp4",
    "-o",
    "{out}",
    "--set",
    "detector=boxes",
    "--set",
    "detector_options.file={here}/boxes.csv",
)


def read_onnx(path: Path) -> object:
    from latentveil.encoders.backends.onnx import load_export

    return load_export(path)


def read_encoder(path: Path) -> object:
    from latentveil.encoders import load_encoder

    return load_encoder("videomae", weights=str(path))


def read_recipe(path: Path) -> object:
    from latentveil.bench.recipe import load_recipe

    return load_recipe(str(path))


def read_checkpoint(path: Path) -> object:
    return RunFolder(path.parent, settings={}, data="").next_epoch()


TARGETS = (
    Target("videos", ("video.*",), (EXTRACT, (*EXTRACT, "--clips", "2"))),
    Target("videos, in the sandbox", ("video.*",), ((*EXTRACT, "--sandbox"),)),
    Target("videos, rewritten", ("video.*",), (("apply", "downsample", "{case}", "-o", "{out}"),)),
    Target("images", ("picture.*",), (EXTRACT,)),
    Target("Parquet shards", ("raw/shard-*",), READ_STORE, folder="raw"),
    Target("manifests", ("raw/manifest.json",), READ_STORE, folder="raw", mutate=mutate_json),
    Target("adapter settings", ("adapter/config.json",), APPLY + CARD, folder="adapter", mutate=mutate_json),
    Target("adapter weights", ("adapter/model.safetensors",), APPLY, folder="adapter"),
    Target("labels", ("labels.csv",), ((*FIT, "--labels", "{case}"),)),
    Target(
        "lists of videos",
        ("listed/videos.*",),
        tuple(_extract(f"{{case}}{end}") for end in ("", "/videos.txt")),
        folder="listed",
    ),
    Target("boxes", ("boxes.csv",), ((*COVER, "--boxes", "{case}"),)),
    Target("spans", ("spans.csv",), ((*REWRITE, "--spans", "{case}"),)),
    Target("recipes", ("recipe.toml",), read_recipe),
    Target("segments", ("segments.csv",), read_segments),
    Target(
        "npy, npz, h5, safetensors",
        ("one.npy", "several.*", "table.npz"),
        (("import", "{case}", "-o", "{out}"),),
    ),
    Target(
        "audit.json",
        ("audit/audit.json",),
        (("report", "{case}", "-o", "{out}/page.html"), ("card", "{here}/adapter", "--audit", "{case}")),
        folder="audit",
        mutate=mutate_json,
    ),
    Target(
        "extras.json", ("audit/extras.json",), (("report", "{case}"),), folder="audit", mutate=mutate_json
    ),
    Target(
        "encoder settings",
        ("videomae/config.json", "videomae/preprocessor_config.json"),
        read_encoder,
        folder="videomae",
        mutate=mutate_json,
    ),
    Target("encoder weights", ("videomae/model.safetensors",), read_encoder, folder="videomae"),
    Target("ONNX caches", ("model.onnx",), read_onnx),
    Target("checkpoints", ("checkpoint.pt",), read_checkpoint),
)
