"""One stage on one store in a process of its own, which prints what it took as JSON.

Run: python -m benchmarks.scale.stage verify|fit|motion|apply FOLDER
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
from latentveil.store import find_problems


def _verify(folder: Path) -> None:
    problems = find_problems(folder / "raw")
    assert not problems, problems


def _fit(folder: Path) -> None:
    shutil.rmtree(folder / "adapter", ignore_errors=True)
    lv.fit(folder / "raw", folder / "labels.csv", folder / "adapter", tasks=["action"], progress=False)


def _motion(folder: Path) -> None:
    lv.fit(folder / "raw", folder / "labels.csv", tasks=["motion"], progress=False)


def _apply(folder: Path) -> None:
    shutil.rmtree(folder / "safe", ignore_errors=True)
    lv.apply(folder / "adapter", folder / "raw", folder / "safe", progress=False)


STAGES: dict[str, Callable[[Path], None]] = {
    "verify": _verify,
    "fit": _fit,
    "motion": _motion,
    "apply": _apply,
}


def main(stage: str, folder: str) -> None:
    warnings.simplefilter("ignore")
    began = time.perf_counter()
    STAGES[stage](Path(folder))
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {
        "seconds": time.perf_counter() - began,
        "core_seconds": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss * 1024 / 1e6,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
