"""One stage on one store in a process of its own, which prints what it took as JSON.

Run: python -m benchmarks.scale.stage STAGE FOLDER
"""

from __future__ import annotations

import json
import resource
import shutil
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import latentveil as lv
from benchmarks.speed.measure import most_megabytes
from latentveil.store import find_problems

CLIPS_FILE, STILLS_FILE = "features.h5", "features_static.h5"
CODEBOOK, SAFE = "adapter-codebook", "safe"
CHEAP_ATTACKS = ("linear", "lda", "neighbours")


def _verify(folder: Path) -> None:
    problems = find_problems(folder / "raw")
    assert not problems, problems


def _fit(method: str, tasks: list[str]) -> Callable[[Path], None]:
    def stage(folder: Path) -> None:
        output = _emptied(folder / f"adapter-{method}")
        lv.fit(folder / "raw", folder / "labels.csv", output, method=method, tasks=tasks, progress=False)

    return stage


def _train(folder: Path) -> None:
    """One epoch from the identity; others take as much time again and no more memory."""
    output, settings = _emptied(folder / "adapter-paper"), {"train.epochs": 1, "adapter.init": "exact"}
    lv.fit(folder / "raw", folder / "labels.csv", output, preset="paper", settings=settings, progress=False)


def _transport(groups: str, *, release: bool = True) -> Callable[[Path], None]:
    def stage(folder: Path) -> None:
        output = _emptied(folder / f"adapter-{groups}-{'release' if release else 'training'}")
        labels = folder / "labels.csv" if groups == "person" else None
        lv.fit(folder / "raw", labels, output, release=release, groups=groups, seed=0, progress=False)

    return stage


def _emptied(folder: Path) -> Path:
    """The folder, without what an earlier run left there."""
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def _apply(folder: Path) -> None:
    lv.apply(folder / CODEBOOK, folder / "raw", _emptied(folder / SAFE), progress=False)


def _audit(*, with_adapter: bool) -> Callable[[Path], None]:
    def stage(folder: Path) -> None:
        lv.audit(
            folder / "raw",
            folder / SAFE,
            folder / "labels.csv",
            adapter=folder / CODEBOOK if with_adapter else None,
            secrets=["gender"],
            attacks=CHEAP_ATTACKS,
            progress=False,
        )

    return stage


def _eval(folder: Path) -> None:
    lv.evaluate("action", folder / "raw", folder / "labels.csv", seeds=1, progress=False)


def _tune(folder: Path) -> None:
    """Two trials of a closed form."""
    output, dials = _emptied(folder / "tuned"), {"erasure.noise": [0.3, 1.0]}
    lv.tune(
        folder / "raw",
        folder / "labels.csv",
        output,
        method="subspace",
        dials=dials,
        secrets=["gender"],
        progress=False,
    )


def _export(folder: Path) -> None:
    for name in (CLIPS_FILE, STILLS_FILE):
        (folder / name).unlink(missing_ok=True)
    lv.export_features(folder / "raw", h5=folder / CLIPS_FILE)


def _import(folder: Path) -> None:
    store = _emptied(folder / "imported")
    lv.import_features(folder / CLIPS_FILE, store, stills=folder / STILLS_FILE, progress=False)


STAGES: dict[str, Callable[[Path], None]] = {
    "verify": _verify,
    "fit codebook": _fit("codebook", ["action"]),
    "fit discriminant": _fit("discriminant", ["action"]),
    "fit motion": _fit("motion", ["motion"]),
    "fit subspace": _fit("subspace", ["action"]),
    "fit leace": _fit("leace", ["action"]),
    "fit paper, one epoch": _train,
    "fit transport, by person": _transport("person"),
    "fit transport, by person, training videos": _transport("person", release=False),
    "fit transport, by stills": _transport("stills"),
    "apply": _apply,
    "eval": _eval,
    "tune": _tune,
    "audit": _audit(with_adapter=False),
    "audit with the adapter": _audit(with_adapter=True),
    "export": _export,
    "import": _import,
}
# What a stage reads besides the store and its labels, and the stage that makes it.
READS: dict[str, tuple[str, ...]] = {
    "apply": (CODEBOOK,),
    "audit": (SAFE,),
    "audit with the adapter": (CODEBOOK, SAFE),
    "import": (CLIPS_FILE, STILLS_FILE),
}
# Stores that are too small for a stage: of 13 people, tuning finds no secret for certain.
LEAST_CLIPS = {"tune": 50_000}
MADE_BY = {CODEBOOK: "fit codebook", SAFE: "apply", CLIPS_FILE: "export", STILLS_FILE: "export"}


def main(stage: str, folder: str) -> None:
    warnings.simplefilter("ignore")
    before = most_megabytes()
    began = time.perf_counter()
    STAGES[stage](Path(folder))
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "seconds": time.perf_counter() - began,
        "core_seconds": used.ru_utime + used.ru_stime,
        "megabytes": most_megabytes(),
        "megabytes_before": before,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
