"""What could be wrong with an installation, and how to put it right."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

OK, WARNING, PROBLEM = "ok", "warning", "problem"

REQUIRED = ("torch", "numpy", "av", "pyarrow", "transformers", "safetensors")
OPTIONAL = ("onnxruntime",)
MIN_PYTHON = (3, 11)
GIGABYTE = 1 << 30
# The largest download is the weights of an encoder (VideoMAE-B: 0.4 GB); a store takes 4 kB per clip of i3d.
LITTLE_DISK, NO_DISK = 5 * GIGABYTE, GIGABYTE // 2
LITTLE_MEMORY = 4 * GIGABYTE
FEW_CORES = 2
_IMPORT_SECONDS = 120


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: its state ("ok", "warning", "problem"), and what to do unless it is ok."""

    name: str
    state: str
    detail: str
    fix: str = ""

    def to_dict(self) -> dict[str, str]:
        return asdict(self)


def diagnose(*, workspace: Path) -> list[Finding]:
    """Look at everything; ``workspace`` is where stores will be written."""
    with ThreadPoolExecutor() as threads:
        packages = list(threads.map(check_package, REQUIRED + OPTIONAL))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return [
        check_python(),
        *packages,
        check_torchvision(),
        *_check_encoder_files(),
        check_disk("disk here", workspace),
        check_cores(cores),
        check_memory(_memory_bytes()),
    ]


def check_python(version: tuple[int, ...] = sys.version_info[:3]) -> Finding:
    text = ".".join(map(str, version))
    if version < MIN_PYTHON:
        return Finding("python", PROBLEM, text, f"Install Python {'.'.join(map(str, MIN_PYTHON))} or newer.")
    return Finding("python", OK, text)


def check_package(name: str) -> Finding:
    """Whether a package is there and can be imported, tried in a process of its own."""
    version = _version(name)
    if version is None:
        if name in OPTIONAL:
            return Finding(name, OK, "not installed (optional: pip install 'latentveil[onnx]')")
        return Finding(name, PROBLEM, "not installed", f"pip install {name}")
    error = _import_error(name)
    if error is None:
        return Finding(name, OK, version)
    state = WARNING if name in OPTIONAL else PROBLEM
    return Finding(
        name, state, f"{version}, but cannot be imported: {error}", f"pip install --force-reinstall {name}"
    )


def check_torchvision() -> Finding:
    """torchvision is not needed, but one built for another torch breaks the video models of transformers."""
    version = _version("torchvision")
    if version is None:
        return Finding("torchvision", OK, "not installed (not needed)")
    error = _import_error("torchvision")
    if error is None:
        return Finding("torchvision", OK, version)
    return Finding(
        "torchvision",
        PROBLEM,
        f"{version} does not fit torch {_version('torch')}: {error}",
        "pip uninstall torchvision (nothing here needs it), or install the version built for your torch.",
    )


def check_cache(cache: Path) -> Finding:
    """Whether the cache can be written to, tried with a file that vanishes."""
    place = _nearest_existing(cache)
    try:
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        fix = "Make it writable, or set LATENTVEIL_CACHE to a folder that is."
        return Finding("cache", PROBLEM, f"{cache} is not writable: {error.strerror}", fix)
    return Finding("cache", OK, str(cache))


def check_weights(weights: Path) -> Finding:
    if weights.is_file():
        return Finding("i3d weights", OK, str(weights))
    return Finding("i3d weights", WARNING, f"not at {weights} yet", "veil weights i3d (47 MB, once)")


def check_disk(name: str, folder: Path) -> Finding:
    place = _nearest_existing(folder)
    free = shutil.disk_usage(place).free
    detail = f"{free / GIGABYTE:.1f} GB free at {place}"
    if free >= LITTLE_DISK:
        return Finding(name, OK, detail)
    return Finding(
        name, PROBLEM if free < NO_DISK else WARNING, detail, "Free some space or use another disk."
    )


def check_cores(cores: int) -> Finding:
    if cores < FEW_CORES:
        return Finding("cores", WARNING, f"{cores}", "Extraction will be slow. Give it more cores.")
    return Finding("cores", OK, f"{cores}")


def check_memory(num_bytes: int | None) -> Finding:
    if num_bytes is None:
        return Finding("memory", OK, "unknown on this system")
    detail = f"{num_bytes / GIGABYTE:.1f} GB"
    if num_bytes < LITTLE_MEMORY:
        return Finding("memory", WARNING, detail, "Use --workers 1 and --batch-clips 1.")
    return Finding("memory", OK, detail)


def _check_encoder_files() -> list[Finding]:
    """The cache and what belongs into it; nothing where the encoders cannot be imported, which is a finding already."""
    try:
        from latentveil.encoders.cache import cache_folder
        from latentveil.encoders.i3d_weights import weights_path
    except (ImportError, OSError):
        return []
    cache = cache_folder()
    return [check_cache(cache), check_weights(weights_path()), check_disk("disk of the cache", cache)]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _import_error(package: str) -> str | None:
    """The last line of what importing a package prints when it fails, in a fresh interpreter."""
    try:
        run = subprocess.run(
            [sys.executable, "-c", f"import {package}"],
            capture_output=True, text=True, timeout=_IMPORT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no answer in {_IMPORT_SECONDS} s"
    if run.returncode == 0:
        return None
    return (run.stderr.strip().splitlines() or [f"exit status {run.returncode}"])[-1]


def _nearest_existing(folder: Path) -> Path:
    folder = folder.absolute()
    return next(place for place in (folder, *folder.parents) if place.exists())


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
