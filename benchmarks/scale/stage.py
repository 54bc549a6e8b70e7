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
CHEAP_ATTACKS = ("linear", "lda", "neighbours")


def _verify(folder: Path) -> None:
    problems = find_problems(folder / "raw")
    assert not problems, problems


def _fit(method: str, tasks: list[str], *, release: bool = False) -> Callable[[Path], None]:
    def stage(folder: Path) -> None:
        output = folder / f"adapter-{method}"
        shutil.rmtree(output, ignore_errors=True)
        if release:
            lv.fit(
                folder / "raw", folder / "labels.csv", output, release=True, groups="person", progress=False
            )
        else:
            lv.fit(folder / "raw", folder / "labels.csv", output, method=method, tasks=tasks, progress=False)

    return stage


def _apply(folder: Path) -> None:
    shutil.rmtree(folder / "safe", ignore_errors=True)
    lv.apply(folder / "adapter-codebook", folder / "raw", folder / "safe", progress=False)


def _audit(folder: Path) -> None:
    lv.audit(
        folder / "raw",
        folder / "safe",
        folder / "labels.csv",
        secrets=["gender"],
        attacks=CHEAP_ATTACKS,
        progress=False,
    )


def _export(folder: Path) -> None:
    for name in (CLIPS_FILE, STILLS_FILE):
        (folder / name).unlink(missing_ok=True)
    lv.export_features(folder / "raw", h5=folder / CLIPS_FILE)


def _import(folder: Path) -> None:
    shutil.rmtree(folder / "imported", ignore_errors=True)
    lv.import_features(folder / CLIPS_FILE, folder / "imported", stills=folder / STILLS_FILE, progress=False)


STAGES: dict[str, Callable[[Path], None]] = {
    "verify": _verify,
    "fit codebook": _fit("codebook", ["action"]),
    "fit discriminant": _fit("discriminant", ["action"]),
    "fit motion": _fit("motion", ["motion"]),
    "fit subspace": _fit("subspace", ["action"]),
    "fit leace": _fit("leace", ["action"]),
    "fit transport": _fit("transport", [], release=True),
    "apply": _apply,
    "audit": _audit,
    "export": _export,
    "import": _import,
}


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
