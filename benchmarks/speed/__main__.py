"""Run the speed benchmarks and write what they found to docs/benchmarks.md.

Run: python -m benchmarks.speed [--only adapter ...] [--output docs/benchmarks.md]

What each benchmark found, and when, is kept in a JSON file beside the page: with --only, the other sections stay as
they were. `--only` without names draws the page again and runs nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.markdown import table

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
SOME_FAILED = 3


@dataclass(frozen=True)
class Benchmark:
    """A program of this folder that prints one JSON object, and what its page says about it."""

    name: str
    title: str
    about: str
    arguments: tuple[str, ...] = ("--json",)


BENCHMARKS = (
    Benchmark(
        "render",
        "Rendering the embedded data set",
        "Frames of `veil actors` per second of one core. Wanted: 300 at 112 px.",
    ),
    Benchmark(
        "encoder",
        "Encoding clips",
        "I3D at its own frame size, eager torch against ONNX Runtime, taking turns on the same threads.",
    ),
    Benchmark(
        "extraction",
        "Where the time of an extraction goes",
        "Decoding, preprocessing, encoding and storing, timed one after the other; then a real `veil extract`, which "
        "decodes while it encodes. `overhead_share` is all but encoding.",
    ),
    Benchmark(
        "store",
        "The feature store",
        "Against plain `np.save` and `np.load` of the same array. A video's random access is in milliseconds.",
        arguments=(),
    ),
    Benchmark(
        "adapter",
        "Training steps and `veil apply`",
        "As shares of the float32 matrix-multiply rate that the same run measures: one step of adapter and action head "
        "(512 videos), `anonymize` in memory, and the whole of `veil apply` with reading and writing. Wanted: 0.6. "
        "Memory of apply is what it takes beyond the adapter's weights, for stores of shards of several sizes (in "
        "megabytes): it must not grow with the shards.",
    ),
    Benchmark(
        "detection",
        "Temporal action detection",
        "Soft-NMS of 2,000 segments x 20 classes (wanted: 50 ms), mAP of 213 videos x 200 detections x 5 thresholds "
        "(wanted: 1 s), and one training step of TriDet at its longest input, 2 videos of 2,304 clips, with the share "
        "of its time in convolutions.",
    ),
    Benchmark(
        "anomaly",
        "Anomaly detection",
        "One training step, and scoring of the test videos, without and with the bootstrap interval.",
    ),
    Benchmark(
        "audit",
        "An audit with all attacks",
        "Attacks on three secrets, from clips and from stills, raw and anonymized, and the risks, of videos with three "
        "clips and three stills each; 1,024 dimensions. Wanted: 10 minutes for 2,000 videos. Ratios: the time of all "
        "cores over that of one eigendecomposition of the features, and the memory over that of the features.",
    ),
    Benchmark(
        "threads",
        "Threads beside other programs",
        "Small work and an extraction beside processes that do nothing but count, before and after: threads that sleep "
        "while they wait (`OMP_WAIT_POLICY=PASSIVE`), one thread for small work, extraction workers by cores. Seconds "
        "of the wall clock depend on what else the machine does; the ratios are taken in turns of one run. A work is "
        "stopped at the limit, and then the gain is larger than the ratio says.",
    ),
)


def run(benchmark: Benchmark) -> dict[str, Any]:
    """What the program printed, or the last line of its complaint under ``error``; with when and where it ran."""
    started = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "load": round(os.getloadavg()[0], 1),
        "machine": machine(),
    }
    command = [sys.executable, "-m", f"benchmarks.speed.{benchmark.name}", *benchmark.arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        return started | {"error": lines[-1]}
    return started | {"found": json.loads(done.stdout)}


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


def page(results: dict[str, dict[str, Any]]) -> str:
    """The page in Markdown: a section per benchmark, with when it was run."""
    machines = [results[benchmark.name]["machine"] for benchmark in BENCHMARKS if benchmark.name in results]
    usual = max(machines, key=machines.count) if machines else {}
    lines = ["# Speed", "", "Written by `make bench-speed`; do not edit.", ""]
    lines += named_table(["machine", ""], [[name, value] for name, value in usual.items()])
    for benchmark in BENCHMARKS:
        lines += ["", f"## {benchmark.title}", "", benchmark.about, ""]
        lines += section(benchmark, results.get(benchmark.name), usual)
    return "\n".join(lines) + "\n"


def section(benchmark: Benchmark, result: dict[str, Any] | None, usual: dict[str, str]) -> list[str]:
    """What one benchmark found, and when, on which machine if it was not the ``usual`` one."""
    if result is None:
        return [f"Not run yet: `python -m benchmarks.speed.{benchmark.name}`."]
    found = tables(result["found"]) if "found" in result else [f"It could not be run: {result['error']}"]
    other = {name: value for name, value in result["machine"].items() if value != usual[name]}
    elsewhere = "".join(f"; {name} {value}" for name, value in other.items())
    when = f"{result['when']}; load average before it: {result['load']:.1f}"
    return [*found, "", f"`python -m benchmarks.speed.{benchmark.name}`, {when}{elsewhere}."]


def tables(found: dict[str, Any]) -> list[str]:
    """One table of the plain values, and one for each group whose members share their columns."""
    groups = {name: value for name, value in found.items() if is_group(value)}
    rows = [[name, show(value)] for name, value in flatten(found).items()]
    lines = named_table(["", "value"], rows) if rows else []
    for name, group in groups.items():
        columns = list(next(iter(group.values())))
        rows = [[column, *(show(member.get(column)) for member in group.values())] for column in columns]
        lines += ["", *named_table([words(name), *group], rows)]
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


def named_table(header: list[str], rows: list[list[str]]) -> list[str]:
    """A table whose rows begin with a name of the results."""
    return table(header, [[words(name), *rest] for name, *rest in rows])


def words(name: str) -> str:
    return name.replace("_", " ")


def show(value: object) -> str:
    """A number with four digits that count, whole ones as they are."""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [benchmark.name for benchmark in BENCHMARKS]
    parser.add_argument("--only", nargs="*", choices=names, default=names, metavar="NAME")
    parser.add_argument("--output", "-o", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    kept = options.output.with_suffix(".json")
    results = json.loads(kept.read_text()) if kept.exists() else {}
    for benchmark in BENCHMARKS:
        if benchmark.name in options.only:
            print(f"{benchmark.name} …", file=sys.stderr, flush=True)
            results[benchmark.name] = run(benchmark)
            kept.write_text(json.dumps(results, indent=1) + "\n")
            options.output.write_text(page(results))
    options.output.write_text(page(results))
    failed = [name for name in options.only if "error" in results[name]]
    print(f"{options.output}{': failed ' + ', '.join(failed) if failed else ''}", file=sys.stderr)
    sys.exit(SOME_FAILED if failed else 0)


if __name__ == "__main__":
    main()
