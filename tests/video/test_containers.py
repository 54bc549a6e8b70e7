"""What is opened as a video: containers that hold frames, of a size that memory can take, with a clock."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from PIL import Image

from latentveil.errors import InputError
from latentveil.video.decode import open_video
from latentveil.video.decoding import USUAL, Decoding


def refusal(path, decoding=USUAL):
    with pytest.raises(InputError) as found:
        list(open_video(path, decoding=decoding).frames())
    return str(found.value)


@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile 'secret.mp4'\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nsecret.mp4\n#EXT-X-ENDLIST\n",
        "WEBVTT\n\n00:00.000 --> 00:01.000\nno video\n",
    ],
)
def test_a_text_cannot_make_the_decoder_open_another_file(write_numbered, tmp_path, text):
    write_numbered("secret.mp4")
    (tmp_path / "x.mp4").write_text(text)
    assert "must be a video file" in refusal(tmp_path / "x.mp4")


def test_a_picture_is_no_video(tmp_path):
    Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(tmp_path / "x.png")
    (tmp_path / "x.png").rename(tmp_path / "x.mp4")
    assert "must be a video file" in refusal(tmp_path / "x.mp4")


@pytest.mark.parametrize(
    ("name", "codec"),
    [("v.mp4", "libx264"), ("v.mkv", "libx264"), ("v.avi", "mpeg4"), ("v.mov", "mpeg4"), ("v.webm", "libvpx"),
     ("v.ts", "libx264"), ("v.mpg", "mpeg2video"), ("v.flv", "flv1"), ("v.wmv", "wmv2")],
)  # fmt: skip
def test_every_container_of_the_known_extensions_is_opened(write_numbered, name, codec):
    assert len(list(open_video(write_numbered(name, 10, codec=codec)).frames())) == 10


def test_frames_that_no_memory_holds_are_refused(write_numbered, tmp_path):
    decoding = Decoding(pixels=48 * 64 - 1)
    assert "must have frames of at most" in refusal(write_numbered("v.mp4", 4), decoding)
    Image.fromarray(np.zeros((48, 64, 3), np.uint8)).save(tmp_path / "x.png")
    assert "must have frames of at most" in refusal(tmp_path / "x.png", decoding)


def test_a_huge_picture_is_refused_before_it_is_unpacked(tmp_path):
    """A PNG of 90000 x 90000 pixels that are never there."""
    size = struct.pack(">IIBBBBB", 90_000, 90_000, 8, 2, 0, 0, 0)
    content = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + size + bytes(4)
    (tmp_path / "x.png").write_bytes(content + bytes(100))
    assert "must" in refusal(tmp_path / "x.png")


def test_a_clock_that_stands_still_is_refused(write_numbered):
    path = write_numbered("v.mp4")
    content = bytearray(path.read_bytes())
    place = content.index(b"mdhd") + 4 + 12
    assert struct.unpack_from(">I", content, place)[0] > 0
    content[place : place + 4] = bytes(4)
    path.write_bytes(content)
    assert "got a timescale of 0" in refusal(path)


def test_a_postscript_picture_starts_no_other_program(tmp_path):
    (tmp_path / "x.png").write_bytes(
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 8\n%%EndComments\nshowpage\n"
    )
    assert "must be a readable image" in refusal(tmp_path / "x.png")
