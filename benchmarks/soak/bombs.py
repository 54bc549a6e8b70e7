"""Files that are small and promise much: each must be refused with a sentence, soon, and in little memory."""

from __future__ import annotations

import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import h5py
import numpy as np

from benchmarks.soak.children import run, wrong_with

MOST_SECONDS = 60
MOST_MEGABYTES = 1500
_EXTRACT = ("extract", "{case}", "-o", "{out}", "--encoder", "tiny", "--workers", "1")
_IMPORT = ("import", "{case}", "-o", "{out}")
_FIT = ("fit", "{here}/raw", "-o", "{out}", "--method", "leace", "--labels", "{case}")
_GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Bomb:
    """What it is, the name of its file, what writes it, what is run on it, and how that may end."""

    what: str
    name: str
    write: Callable[[Path], None]
    run: tuple[str, ...]
    statuses: tuple[int, ...] = (2,)


def _huge_picture(path: Path) -> None:
    """144 million pixels that are all there, packed into a few hundred kilobytes."""
    side = 12_000
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    packer = zlib.compressobj(9)
    row = bytes(1 + 3 * side)
    pixels = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")
    )


def _huge_note(path: Path) -> None:
    """A picture of one pixel with a note of 200 MB."""
    note = b"Comment\0\0" + zlib.compress(bytes(200_000_000), 9)
    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixels = _chunk(b"IDAT", zlib.compress(bytes(4)))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"zTXt", note) + pixels + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def _huge_gif(path: Path) -> None:
    screen = struct.pack("<HHBBB", 65_535, 65_535, 0xF0, 0, 0) + bytes(6)
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 65_535, 65_535, 0) + b"\x02\x02\x4c\x01\x00"
    path.write_bytes(b"GIF89a" + screen + image + b"\x3b")


def _ten_hours(path: Path) -> None:
    """36,000 frames, one in a second."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=1)
        stream.height = stream.width = 16
        frame = av.VideoFrame.from_ndarray(np.zeros((16, 16, 3), np.uint8), format="rgb24")
        for number in range(36_000):
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _packed_zeros(path: Path) -> None:
    """4 GB of zeros in a few megabytes."""
    header = json.dumps({"descr": "<f4", "fortran_order": False, "shape": (1 << 20, 1024)})
    header = header.replace("false", "False").replace("[", "(").replace("]", ")").replace('"', "'")
    text = header.ljust(118) + "\n"
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with archive, archive.open("a.npy", "w", force_zip64=True) as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
        zeros = bytes(1 << 24)
        for _ in range(4 * _GIGABYTE // len(zeros)):
            file.write(zeros)


def _promised_array(path: Path) -> None:
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 16), }".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + bytes(64))


def _promised_table(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("a", shape=(10**9, 1024), dtype="f4", chunks=(1024, 1024), compression="gzip")


def _promised_header(path: Path) -> None:
    path.write_bytes(struct.pack("<Q", 1 << 60) + b"{}")


def _huge_cell(path: Path) -> None:
    """A cell of 1 GB; the file has a hole, and takes no room."""
    with open(path, "wb") as file:
        file.write(b"video,split,person,secret_gender\nv,train,p,")
        file.truncate(_GIGABYTE)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _silent_pipe(path: Path) -> None:
    os.mkfifo(path)


BOMBS = (
    Bomb("picture of 144 million pixels", "x.png", _huge_picture, _EXTRACT, (3,)),
    Bomb("picture of one pixel with a note of 200 MB", "x.png", _huge_note, _EXTRACT, (0, 3)),
    Bomb("GIF of 65,535 x 65,535 pixels", "x.gif", _huge_gif, _EXTRACT, (3,)),
    Bomb("GIF of 65,535 x 65,535 pixels, sandbox", "x.gif", _huge_gif, (*_EXTRACT, "--sandbox"), (3,)),
    Bomb("ten hours of video, 4 clips of it", "x.mp4", _ten_hours, (*_EXTRACT, "--clips", "4"), (0,)),
    Bomb("ten hours of video, 10,000 frames allowed", "x.mp4", _ten_hours,
         (*_EXTRACT, "--decoding", "frames=10000"), (3,)),
    Bomb("ten hours of video, 0.2 s allowed", "x.mp4", _ten_hours, (*_EXTRACT, "--decoding", "seconds=0.2"), (3,)),
    Bomb("ten hours of video, 0.2 s allowed, sandbox", "x.mp4", _ten_hours,
         (*_EXTRACT, "--decoding", "seconds=0.2", "--sandbox"), (3,)),
    Bomb("pipe that nobody writes to, as a video", "x.mp4", _silent_pipe, _EXTRACT, (2, 3)),
    Bomb("npz of 4 GB of zeros", "x.npz", _packed_zeros, _IMPORT),
    Bomb("npy that promises 64 TB", "x.npy", _promised_array, _IMPORT),
    Bomb("HDF5 that promises 4 TB", "x.h5", _promised_table, _IMPORT),
    Bomb("safetensors with a header of 2^60 bytes", "x.safetensors", _promised_header, _IMPORT),
    Bomb("labels with a cell of 1 GB", "x.csv", _huge_cell, _FIT),
    Bomb("labels from an endless device", "x.csv", _endless, _FIT),
)  # fmt: skip


def soak_bomb(what: str, *, place: Path, world: Path) -> dict[str, Any]:
    """The size of a bomb, how it ended, how long that took, and how many megabytes beyond an idle command.

    ``world`` is what `write_world` made; ``place`` is an empty folder to work in, as for the other parts of the soak.
    """
    (bomb,) = [bomb for bomb in BOMBS if bomb.what == what]
    idle = run(["--version"]).megabytes
    case = place / bomb.name
    bomb.write(case)
    size = case.stat().st_blocks * 512 if case.is_file() and not case.is_symlink() else 0
    words = [word.format(case=case, out=place / "out", here=world) for word in bomb.run]
    ended = run(words, most_seconds=MOST_SECONDS, most_megabytes=MOST_MEGABYTES)
    wrong = wrong_with(ended, *bomb.statuses)
    return {
        "bytes": size,
        "status": ended.status,
        "seconds": round(ended.seconds, 2),
        "megabytes": max(0, round(ended.megabytes - idle)),
        "findings": [wrong] if wrong else [],
    }
