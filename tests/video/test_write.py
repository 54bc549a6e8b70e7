import os
import platform
import subprocess
import sys

import av
import numpy as np
import pytest

from latentveil.video.decode import open_video
from latentveil.video.frames import Frame
from latentveil.video.write import write_timed_video, write_video


def test_written_frames_come_back(tmp_path):
    path = tmp_path / "video.mp4"
    frames = [np.full((32, 48, 3), 20 * number, dtype=np.uint8) for number in range(10)]
    write_video(path, iter(frames), fps=10)
    read = list(open_video(path).frames())
    assert len(read) == 10
    assert [frame.time for frame in read] == [number / 10 for number in range(10)]
    for written, frame in zip(frames, read):
        assert np.abs(frame.rgb.astype(int) - written).max() <= 4


def test_a_relative_path_may_have_a_colon(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_video("10:30.mp4", [np.zeros((32, 48, 3), dtype=np.uint8)])
    assert [path.name for path in tmp_path.iterdir()] == ["10:30.mp4"]


def test_a_timed_video_says_what_its_colours_are(tmp_path):
    """Large videos that do not say so are played as BT.709, which our numbers are not."""
    colours = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [200, 120, 60]], dtype=np.uint8)
    pictures = [np.broadcast_to(colour, (32, 48, 3)) for colour in colours]
    write_timed_video(tmp_path / "a.mp4", (Frame(n, n / 25, rgb, 1 / 25) for n, rgb in enumerate(pictures)))
    with av.open(str(tmp_path / "a.mp4")) as container:
        context = container.streams.video[0].codec_context
        told = (context.color_range, context.colorspace, context.color_primaries, context.color_trc)
    assert told == (1, 6, 1, 1)
    for frame, rgb in zip(open_video(tmp_path / "a.mp4").frames(), pictures):
        assert np.abs(frame.rgb.astype(int) - rgb).max() <= 4


WRITES_A_MOVING_PICTURE = """
import sys
import numpy as np
from latentveil.video.frames import Frame
from latentveil.video.write import write_timed_video, write_video
width = int(sys.argv[2])
picture = np.random.default_rng(0).integers(0, 256, (6, width // 8, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
frames = [np.roll(picture, shift, axis=1) for shift in range(20)]
write_video(sys.argv[1] + "/plain.mp4", iter(frames))
write_timed_video(sys.argv[1] + "/timed.mp4", (Frame(n, n / 30, rgb, 1 / 30) for n, rgb in enumerate(frames)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can fill fresh memory with a byte")
@pytest.mark.parametrize("width", [48, 176])
def test_bytes_do_not_depend_on_what_was_in_memory_before(tmp_path, width):
    written = set()
    for poison in (1, 170, 255):
        folder = tmp_path / str(poison)
        folder.mkdir()
        subprocess.run(
            [sys.executable, "-c", WRITES_A_MOVING_PICTURE, str(folder), str(width)],
            env=os.environ | {"MALLOC_PERTURB_": str(poison)},
            check=True,
        )
        written.add(((folder / "plain.mp4").read_bytes(), (folder / "timed.mp4").read_bytes()))
    assert len(written) == 1
