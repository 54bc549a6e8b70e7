import numpy as np

from latentveil.video.decode import open_video
from latentveil.video.write import write_video


def test_written_frames_come_back(tmp_path):
    path = tmp_path / "video.mp4"
    frames = [np.full((32, 48, 3), 20 * number, dtype=np.uint8) for number in range(10)]
    write_video(path, iter(frames), fps=10)
    read = list(open_video(path).frames())
    assert len(read) == 10
    assert [frame.time for frame in read] == [number / 10 for number in range(10)]
    for written, frame in zip(frames, read):
        assert np.abs(frame.rgb.astype(int) - written).max() <= 4
