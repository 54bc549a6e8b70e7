"""docs/reliability.md, from what was measured and kept beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

HEAD = """<!-- written by `python -m benchmarks.soak`, do not edit -->
# Reliability

Written by `make soak` from `docs/measured/reliability.json`. Every row is of one run on one machine, but rows
may be of different days and states of the code, since a stopped soak goes on row by row. What was looked for is a
*finding*: a traceback, a crash, a hang, a refusal without a sentence, lost, doubled or differing bytes. What
the soak found before it came to this page is in the tests that fail without the mending.
"""
FORBIDDEN = (
    ("use more than `seconds` of processor and clock, `memory_megabytes`, 32 open files",
     "limits of the process, and the parent's clock", "Linux; macOS without the limit of memory"),
    ("let a file grow, dump core", "limits of the process", "Linux, macOS"),
    ("reach the network", "a network namespace of its own; TCP also by Landlock",
     "Linux where users may make namespaces, or from 6.7 on"),
    ("read or list other files than the video and Python's modules; create, delete or rename any; start a program",
     "Landlock", "Linux from 5.13 on"),
    ("send signals to other processes", "Landlock", "Linux from 6.12 on"),
    ("see passwords and keys in the environment", "it gets language and library paths only", "everywhere"),
    ("hand over anything but frames, numbers and sentences of bounded size", "a pipe of plain bytes, no objects",
     "everywhere"),
)  # fmt: skip
SANDBOX = """## The sandbox

`veil extract --sandbox`, `veil apply cover|blur|… VIDEOS --sandbox`, `lv.extract(..., sandbox=True)`: each file is
decoded in a process of its own, which ends with the file. Features are the same, byte by byte. A decoder that crashes,
hangs, or takes more than it may costs that file alone: it is listed as failed, with status 3 at the end.

{forbidden}
Where the system can give neither its own network nor Landlock, the command says so. **Not prevented**: a decoder that
was taken over can give wrong frames of its own video, use a core up to its limit, read Python's libraries, and make
system calls that touch neither files nor network (calls are not filtered); on a kernel without Landlock it can read,
create (empty) and delete whatever the user may. Sound is not copied (`--keep-sound` is refused). Tried on Linux 6.18
with and without privileges; macOS was not tried.

Limits hold without the sandbox, too: `--decoding pixels=…,frames=…,seconds=…`, by default 67 million pixels in a frame,
2 million frames, and 4 hours of decoding. Without it, a call into the decoder that never returns cannot be ended.
"""


def render(measured: dict[str, Any]) -> str:
    """The page; parts that were not measured are left out."""
    parts = [HEAD]
    for name, part in (("files", _files), ("bombs", _bombs), ("kills", _kills), ("faults", _faults)):
        if name in measured:
            parts.append(part(measured[name]))
    forbidden = _table(("what a decoder that was taken over cannot do", "how", "where"), FORBIDDEN)
    parts.append(SANDBOX.format(forbidden=forbidden))
    if "costs" in measured:
        parts.append(_costs(measured["costs"]))
    return "\n".join(parts)


def _files(found: dict[str, Any]) -> str:
    rows = [
        (name, *(kind[key] for key in ("cases", "refused", "listed as failed", "harmless", "slowest_seconds")),
         len(kind["findings"]))
        for name, kind in found.items()
    ]  # fmt: skip
    total = sum(kind["cases"] for kind in found.values())
    most = max(kind["megabytes"] for kind in found.values())
    return f"""## Hostile files

{total} damaged files, drawn at random: flipped bits, lost ends, huge numbers, odd text, other values in JSON. Before,
the sound file of each kind was taken. Cases run in forked children with 2 GB of memory; a case may take 20 s. No child
came to need more than {most} MB beyond what it began with. There is no HTTP interface yet, so no bodies of requests.

{_table(("files", "cases", "refused", "listed as failed", "harmless", "slowest, s", "findings"), rows)}
A damaged ONNX file in the cache is harmless: it is exported again. Damaged shards are refused by the checksums of their
row groups, damaged weights of an adapter by the checksum in its config.json. Damage to a video that its decoder
conceals, to a name in a list of videos or to a number in a label is another video, name or number: it cannot be told.
{_findings(kind["findings"] for kind in found.values())}"""


def _bombs(found: dict[str, dict[str, Any]]) -> str:
    rows = [
        (
            what,
            f"{one['bytes'] / 1000:.0f}",
            one["status"],
            one["seconds"],
            one["megabytes"],
            len(one["findings"]),
        )
        for what, one in found.items()
    ]
    return f"""## Bombs

Small files that promise much, with 1.5 GB of memory and 60 s at most. Status 2: refused. 3: listed as failed, the run
goes on. 0: taken, as it should be.

{_table(("file", "size, kB", "status", "seconds", "memory taken, MB", "findings"), rows)}
{_findings(one["findings"] for one in found.values())}"""


def _kills(found: dict[str, dict[str, Any]]) -> str:
    keys = ("kills", "at_work", "lost", "double", "differing")
    rows = [(name, *(one[key] for key in keys), len(one["findings"])) for name, one in found.items()]
    total = sum(one["kills"] for one in found.values())
    return f"""## Kills

{total} kills with SIGKILL at random moments, up to three in a row, then the command is run to its end. Its files must
be those of an undisturbed run, byte for byte (days and durations aside). Trainings wrote a checkpoint after each epoch.
`lost` and `double` count videos of stores, and files elsewhere.

{_table(("command", "kills", "hit it at work", "lost", "double", "differing", "findings"), rows)}
{_findings(one["findings"] for one in found.values())}"""


def _faults(found: dict[str, dict[str, Any]]) -> str:
    rows = [(name, one["tried"], one["what"], len(one["findings"])) for name, one in found.items()]
    return f"""## Faults of machines

{_table(("fault", "checks", "what must happen", "findings"), rows)}
Full and read-only disks are real, small file systems (tmpfs). The clock is the one that Python sees; the kernel's is
not touched. Locks that lie are made by replacing the call that takes one; `veil` finds them by opening its lock file a
second time, and shares that create one file twice by trying.
{_findings(one["findings"] for one in found.values())}"""


def _costs(found: dict[str, Any]) -> str:
    rows = [(what, one["processor"], one.get("clock", "")) for what, one in found.items()]
    return f"""## What it costs

Times of the same work without, the best of five turns each in one run; the sandbox with the start of its process, for
six videos of 64 frames.

{_table(("safety and work", "processor", "clock"), rows)}"""


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def _findings(found: Iterable[Sequence[str]]) -> str:
    """Findings in words, where there are any."""
    listed = [text.replace("\n", " ")[:300] for some in found for text in some]
    return "".join(f"\n- `{text}`" for text in listed) + ("\n" if listed else "")
