"""What machines do: full and read-only disks, vanished workers, rotten shards, clocks that jump, locks that lie."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from benchmarks.soak.children import Child, keep_every_epoch, run, start, wrong_with
from benchmarks.soak.commands import COMMANDS, files_of, words_of
from latentveil.store import FeatureStore

# Of the room that a command needs, so much is there.
ROOM = (0.0, 0.2, 0.4, 0.6, 0.8, 0.95)
WRITERS = tuple(name for name in COMMANDS if name != "extract --sandbox")


class Tally(dict[str, Any]):
    """How often a fault was tried, what came of it, and what went wrong."""

    def __init__(self, what: str) -> None:
        super().__init__(what=what, tried=0, findings=[])

    def add(self, wrong: str | None, *, where: str) -> None:
        self["tried"] += 1
        if wrong:
            self["findings"].append(f"{where}: {wrong}")


def soak_fault(name: str, *, place: Path, world: Path, seed: int, tries: int = 3) -> dict[str, Any]:
    """One fault, some times; where the system does not allow it, the reason."""
    try:
        return dict(FAULTS[name](place, world, draw=random.Random(f"{name} {seed}"), tries=tries))
    except PermissionError as error:
        return {"what": f"not tried: {error}", "tried": 0, "findings": []}


def full_disk(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """Each command with too little room, at several places; then with room enough."""
    tally = Tally("refused with a sentence; with room again, the same command ends with the bytes of one run")
    for name in WRITERS:
        _undisturbed(place / "usual", name, world)
        wanted = files_of(place / "usual")
        needed = sum(path.stat().st_blocks * 512 for path in (place / "usual").rglob("*") if path.is_file())
        with _own_disk(place / "disk", megabytes=64) as disk:
            for share in ROOM[: 2 * tries]:
                room = int(needed * share)
                left = shutil.disk_usage(disk).free - room
                (disk / "filler").write_bytes(bytes(max(0, left)))
                words = words_of(name, out=disk / "out", here=world)
                tally.add(_refused(run(words, prepare=_probe_little)), where=f"{name}, {room} bytes")
                (disk / "filler").unlink()
                ended = run(words, prepare=keep_every_epoch)
                same = files_of(disk / "out") == wanted
                wrong = None if same and ended.status in (0, 2) else wrong_with(ended, 0) or "other bytes"
                tally.add(wrong, where=f"{name}, again after {room} bytes")
                shutil.rmtree(disk / "out", ignore_errors=True)
        shutil.rmtree(place / "usual")
    return tally


def read_only(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    tally = Tally("refused with a sentence before the work")
    with _own_disk(place / "disk", megabytes=4, read_only=True) as disk:
        for name in WRITERS:
            ended = run(words_of(name, out=disk / "out", here=world))
            tally.add(_refused(ended), where=name)
    return tally


def vanished_worker(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """One of two worker processes is killed while it works; what it had is done by others."""
    tally = Tally("the run ends with the bytes of one that nobody disturbed")
    wanted = _undisturbed(place / "usual", "extract", world)
    for number in range(tries):
        out = place / str(number)
        words = [*words_of("extract", out=out, here=world), "--workers", "2"]
        child = start(words)
        killed = _kill_a_worker(child, after=draw.uniform(0, 4))
        ended = child.wait()
        wrong = wrong_with(ended, 0) or (None if files_of(out) == wanted else "other bytes")
        tally.add(wrong if killed else f"no worker to kill; {wrong}", where=f"try {number}")
    return tally


def _kill_a_worker(child: Child, *, after: float) -> bool:
    """Kill a process that the child started, so many seconds after it has; whether there was one."""
    children = Path(f"/proc/{child.process}/task/{child.process}/children")
    for _ in range(1000):
        started = children.read_text().split() if children.exists() else []
        if len(started) > 1:
            time.sleep(after)
            os.kill(int(started[-1]), signal.SIGKILL)
            return True
        time.sleep(0.02)
    return False


def rotten_shard(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """A bit of a shard flips: `verify` names it, `export` refuses it, `repair` makes just this one again.

    Parquet has some bytes that hold no value (names of programs, hints): a flip there changes nothing that is read.
    """
    tally = Tally(
        "`verify` names it, `export` refuses it, `repair` gives the very bytes back; or no value has changed"
    )
    wanted = _undisturbed(place / "usual", "extract", world)
    for number in range(2 * tries):
        store = place / str(number)
        shutil.copytree(place / "usual", store)
        shard = draw.choice(sorted(store.glob("shard-*")))
        content = bytearray(shard.read_bytes())
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        shard.write_bytes(content)
        verified = run(["verify", str(store)])
        if verified.status == 0:
            same = _values_of(store) == _values_of(place / "usual")
            tally.add(None if same else "other values, not noticed", where=f"verify, try {number}")
            continue
        named = shard.name in verified.said
        tally.add(wrong_with(verified, 2) or (None if named else "not named"), where=f"verify, try {number}")
        exported = run(["export", str(store), "--npz", str(place / f"{number}.npz")])
        tally.add(_refused(exported), where=f"export, try {number}")
        mended = run(["repair", str(store), "--from", str(world / "videos")])
        wrong = wrong_with(mended, 0) or (None if files_of(store) == wanted else "other bytes")
        tally.add(wrong, where=f"repair, try {number}")
    return tally


def _values_of(store: Path) -> list[bytes]:
    """Every column of a store."""
    found = FeatureStore(store).read()
    return [getattr(found, column.name).tobytes() for column in fields(found)]


def jumping_clock(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """Two runs share one store while the clock of each jumps by years and the times of their files do, too."""
    tally = Tally("two runs on one store, each with its own wild clock: the bytes of one run")
    wanted = _undisturbed(place / "usual", "extract", world)
    for number in range(tries):
        out = place / str(number)
        words = words_of("extract", out=out, here=world)
        runs = [start(words, prepare=_wild_clock(draw.random())) for _ in range(2)]
        for _ in range(20):
            for path in out.rglob("*") if out.exists() else ():
                if path.is_file():
                    os.utime(path, (draw.randrange(1 << 31),) * 2) if path.exists() else None
            time.sleep(0.02)
        for one in runs:
            tally.add(wrong_with(one.wait(), 0), where=f"try {number}")
        tally.add(None if files_of(out) == wanted else "other bytes", where=f"try {number}")
    return tally


def lying_lock(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """A file system that grants every lock to everybody."""
    tally = Tally("refused: two handles on one file both got the lock")

    def lie() -> None:
        import fcntl

        fcntl.flock = lambda *_: None  # type: ignore[assignment]

    for name in WRITERS:
        if name in ("extract", "export"):  # these need no lock
            continue
        ended = run(words_of(name, out=place / name.replace(" ", "_"), here=world), prepare=lie)
        wrong = _refused(ended) or (None if "grants the same lock twice" in ended.said else ended.said[-300:])
        tally.add(wrong, where=name)
    return tally


def lying_share(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """A share on which two can both create one file."""
    tally = Tally("refused: a file could be created twice")

    def lie() -> None:
        os.link = shutil.copyfile  # type: ignore[assignment]

    ended = run(words_of("extract", out=place / "out", here=world), prepare=lie)
    wrong = _refused(ended) or (None if "lies about it" in ended.said else ended.said[-300:])
    tally.add(wrong, where="extract")
    return tally


def two_runs(place: Path, world: Path, *, draw: random.Random, tries: int) -> Tally:
    """The same command twice in one folder: extractions divide the work, of others the second is refused."""
    tally = Tally("one ends well, the other is refused or has nothing left to do; the bytes of one run")
    for name in WRITERS:
        wanted = _undisturbed(place / "usual", name, world)
        words = words_of(name, out=place / "out", here=world)
        first, second = [start(words, prepare=keep_every_epoch) for _ in range(2)]
        ends = [first.wait(), second.wait()]
        for ended in ends:
            tally.add(wrong_with(ended, 0, 2), where=name)
        well = any(ended.status == 0 for ended in ends) and files_of(place / "out") == wanted
        tally.add(None if well else f"statuses {[ended.status for ended in ends]} or other bytes", where=name)
        for folder in ("usual", "out"):
            shutil.rmtree(place / folder)
    return tally


def _undisturbed(out: Path, name: str, world: Path) -> dict[str, str]:
    ended = run(words_of(name, out=out, here=world), prepare=keep_every_epoch)
    if wrong := wrong_with(ended, 0):
        raise RuntimeError(f"{name} must end well undisturbed, got {wrong}")
    return files_of(out)


def _refused(ended: Any) -> str | None:
    return wrong_with(ended, 2)


def _probe_little() -> None:
    """Have commands find a full disk when they write, not before they begin."""
    import latentveil.files.outputs

    latentveil.files.outputs.PROBE_BYTES = 0
    keep_every_epoch()


def _wild_clock(seed: float) -> Callable[[], None]:
    def prepare() -> None:
        wild = random.Random(seed)
        time.time = lambda: wild.uniform(0, 4e9)
        time.time_ns = lambda: wild.randrange(4 * 10**18)

    return prepare


@contextmanager
def _own_disk(place: Path, *, megabytes: int, read_only: bool = False) -> Iterator[Path]:
    """A small file system of its own; PermissionError where nothing may be mounted."""
    place.mkdir(exist_ok=True)
    options = f"size={megabytes}m" + (",ro" if read_only else "")
    command = ["mount", "-t", "tmpfs", "-o", options, "soak", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise PermissionError("this system has no mount") from error
    if done.returncode:
        raise PermissionError(
            f"a file system could not be mounted ({done.stderr.strip() or done.returncode})"
        )
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


FAULTS: dict[str, Callable[..., Tally]] = {
    "full disk": full_disk,
    "read-only folder": read_only,
    "vanished worker": vanished_worker,
    "rotten shard": rotten_shard,
    "jumping clock": jumping_clock,
    "lying lock": lying_lock,
    "lying share": lying_share,
    "two runs at once": two_runs,
}
