"""Every command that writes something, on small material, and what two runs of it that are both right may differ in."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.soak.material import write_material
from latentveil.labels import Labels

_FIT = ("fit", "{here}/raw", "-o", "{out}", "--labels", "{here}/labels.csv")
_TRAINED = ("adapter.layers=1", "adapter.heads=4", "adapter.init=exact", "train.epochs=4", "train.batch_size=16",
            "train.clips_per_video=3")  # fmt: skip
_PIXEL = (
    "clips.size=32", "clips.frames=4", "clips.skip=1", "clips.erase=0.5", "train.epochs=3", "train.batch_size=4",
    "train.privacy_batch_size=4", "start.reconstruct_steps=3", "start.players_epochs=1", "health.patience=50",
    "health.min_contrast=0", "anonymizer.options.width=2", "task.architecture=r3d", "task.options.width=2",
    "budget.options.depth=18", "budget.options.width=2", "budget.hidden=8", "budget.projected=4",
)  # fmt: skip


def _set(changes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for change in changes for word in ("--set", change))


# Every command writes {out}; its arguments name what `write_world` made at {here}.
COMMANDS: dict[str, tuple[str, ...]] = {
    "extract": (
        "extract", "{here}/videos", "-o", "{out}", "--encoder", "tiny", "--workers", "1", "--shard-videos", "2",
    ),
    "extract --sandbox": (
        "extract", "{here}/videos", "-o", "{out}", "--encoder", "tiny", "--workers", "1", "--shard-videos", "2",
        "--sandbox",
    ),
    "import": ("import", "{here}/several.npz", "-o", "{out}"),
    "apply": ("apply", "{here}/adapter", "{here}/raw", "-o", "{out}", "--seed", "7"),
    "apply, videos": ("apply", "downsample", "{here}/videos", "-o", "{out}"),
    "fit, closed form": (*_FIT, "--method", "leace"),
    "fit, trained": (*_FIT, "--preset", "paper", "--tasks", "action", *_set(_TRAINED)),
    "fit, pixel": (
        "fit", "{here}/labelled", "-o", "{out}", "--method", "spact", "--labels", "{here}/videos.csv", *_set(_PIXEL),
    ),
    "fit, release": ("fit", "--release", "{here}/raw", "--groups", "video", "-o", "{out}", "--seed", "3"),
    "tune": (
        "tune", "{here}/raw", "-o", "{out}", "--labels", "{here}/labels.csv", "--method", "subspace",
        "--secrets", "gender", "--attacks", "lda", "--keep", "0.5", "--dial", "erasure.noise=0,0.1,0.2,0.4",
    ),
    "export": ("export", "{here}/raw", "--npy", "{out}"),
    "audit": (
        "audit", "{here}/raw", "{here}/safe", "--labels", "{here}/labels.csv", "-o", "{out}",
        "--attacks", "lda,linear", "--secrets", "gender",
    ),
    "bench": ("bench", "{here}/recipe.toml", "--data", "{here}/bench", "-o", "{out}", "--quick"),
}  # fmt: skip
# Locks and their marks, and what the runs of a bench took, which is a time.
IGNORED = (".lock", ".run", "spent.json")
# What is a time or a day.
TIMES = ("date", "seconds", "core_seconds", "minutes", "made_at", "created")


def write_world(folder: Path) -> None:
    """Everything that the commands read."""
    write_material(folder)
    for name, count in (("videos", 6), ("labelled", 8)):
        (folder / name).mkdir()
        for number in range(count):
            shutil.copy(folder / "video.mp4", folder / name / f"v{number}.mp4")
    rows = [f"v{number},{'val' if number > 5 else 'train'},p{number % 4},{number % 2}" for number in range(8)]
    (folder / "videos.csv").write_text("\n".join(["video,split,person,action", *rows]) + "\n")
    (folder / "bench").mkdir()
    shutil.copytree(folder / "raw", folder / "bench" / "raw.store")
    labels = Labels.read(folder / "labels.csv")
    # Four actions where there were two, as easy to tell.
    actions = np.char.add(labels.column("action"), labels.column("gender"))
    replace(labels, columns=labels.columns | {"action": actions}).write(folder / "bench" / "labels.csv")


def words_of(name: str, *, out: Path, here: Path) -> list[str]:
    return [word.format(out=out, here=here) for word in COMMANDS[name]]


def files_of(folder: Path) -> dict[str, str]:
    """{path in the folder: checksum} of everything that a run leaves, times left out."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(_without_times(path, folder)).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in IGNORED
    }


def _without_times(path: Path, folder: Path) -> bytes:
    content = path.read_bytes()
    if path.suffix not in (".json", ".jsonl"):
        return content.replace(str(folder).encode(), b"OUT")
    lines = [content] if path.suffix == ".json" else content.splitlines()
    return json.dumps([_timeless(json.loads(line)) for line in lines]).replace(str(folder), "OUT").encode()


def _timeless(tree: object) -> object:
    if isinstance(tree, dict):
        return {name: _timeless(value) for name, value in tree.items() if name not in TIMES}
    return [_timeless(value) for value in tree] if isinstance(tree, list) else tree
