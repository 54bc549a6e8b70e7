"""Run the speed benchmarks and write what they found to docs/benchmarks.md.

Run: python benchmarks/write_docs.py [--only adapter_speed ...] [--output docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PAGE = FOLDER.parent / "docs" / "benchmarks.md"
SOME_FAILED = 3


@dataclass(frozen=True)
class Benchmark:
    """A script of this folder that prints one JSON object, and what its page says about it."""

    script: str
    title: str
    about: str
    arguments: tuple[str, ...] = ("--json",)


BENCHMARKS = (
    Benchmark(
        "render_speed",
        "Rendering the embedded data set",
        "Frames of `veil actors` per second of one core. Wanted: 300 at 112 px.",
    ),
    Benchmark(
        "encoder_speed",
        "Encoding clips",
        "I3D at its own frame size, eager torch against ONNX Runtime, taking turns on the same threads.",
    ),
    Benchmark(
        "extraction_split",
        "Where the time of an extraction goes",
        "Decoding, preprocessing, encoding and storing, timed one after the other; then a real `veil extract`, which "
        "decodes while it encodes. `overhead_share` is all but encoding.",
    ),
    Benchmark(
        "store_speed",
        "The feature store",
        "Against plain `np.save` and `np.load` of the same array. A video's random access is in milliseconds.",
        arguments=(),
    ),
    Benchmark(
        "adapter_speed",
        "Training steps and `veil apply`",
        "As shares of the float32 matrix-multiply rate that the same run measures: one step of adapter and action head "
        "(512 videos), `anonymize` in memory, and the whole of `veil apply` with reading and writing. Wanted: 0.6. "
        "Memory of apply must not grow with the number of shards.",
    ),
    Benchmark(
        "detection_speed",
        "Temporal action detection",
        "Soft-NMS, mAP and one training step of TriDet at its longest input.",
    ),
    Benchmark(
        "anomaly_speed",
        "Anomaly detection",
        "One training step, and scoring of the test videos, without and with the bootstrap interval.",
    ),
)


def run(benchmark: Benchmark) -> dict[str, Any]:
    """What the script printed, or the last line of its complaint under ``error``; with the load when it started."""
    load = os.getloadavg()[0]
    command = [sys.executable, str(FOLDER / f"{benchmark.script}.py"), *benchmark.arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return {"load": load, "error": lines[-1]}
    return {"load": load, "found": json.loads(done.stdout)}


def machine() -> dict[str, str]:
    """What the numbers depend on."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": version("torch"),
        "latentveil": version("latentveil"),
    }


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def page(results: list[tuple[Benchmark, dict[str, Any]]]) -> str:
    """The page in Markdown."""
    lines = ["# Speed", "", "Written by `make bench-speed`; do not edit.", ""]
    lines += table(["machine", ""], [[name, value] for name, value in machine().items()])
    for benchmark, result in results:
        lines += ["", f"## {benchmark.title}", "", benchmark.about, ""]
        lines += tables(result["found"]) if "found" in result else [f"It could not be run: {result['error']}"]
        lines += ["", f"`benchmarks/{benchmark.script}.py`; load average before it: {result['load']:.1f}."]
    return "\n".join(lines) + "\n"


def tables(found: dict[str, Any]) -> list[str]:
    """One table of the plain values, and one for each group whose members share their columns."""
    groups = {name: value for name, value in found.items() if is_group(value)}
    rows = [[name, show(value)] for name, value in flatten(found).items()]
    lines = table(["", "value"], rows) if rows else []
    for name, group in groups.items():
        columns = list(next(iter(group.values())))
        rows = [[column, *(show(member.get(column)) for member in group.values())] for column in columns]
        lines += ["", *table([words(name), *group], rows)]
    return lines


def is_group(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(member, dict) for member in value.values())


def flatten(found: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Plain values by their full names; groups are left out."""
    flat: dict[str, Any] = {}
    for name, value in found.items():
        if isinstance(value, dict):
            flat |= {} if is_group(value) else flatten(value, f"{prefix}{name}, ")
        else:
            flat[prefix + name] = value
    return flat


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *([words(name), *rest] for name, *rest in rows)]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def words(name: str) -> str:
    return name.replace("_", " ")


def show(value: object) -> str:
    """A number with four digits that count, whole ones as they are."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [benchmark.script for benchmark in BENCHMARKS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--output", type=Path, default=PAGE)
    options = parser.parse_args()
    results = []
    for benchmark in BENCHMARKS:
        if benchmark.script in options.only:
            print(f"{benchmark.script} …", file=sys.stderr, flush=True)
            results.append((benchmark, run(benchmark)))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(page(results))
    failed = [benchmark.script for benchmark, result in results if "error" in result]
    print(f"{options.output}{': failed ' + ', '.join(failed) if failed else ''}", file=sys.stderr)
    sys.exit(SOME_FAILED if failed else 0)


if __name__ == "__main__":
    main()
