"""Who rewrites one long video hears how far it is."""

from latentveil.pixels.apply import apply_pixels
from tests.pixels.square import cover, write_square


def test_progress_is_told_within_a_long_video_in_both_passes(tmp_path):
    told = []
    write_square(tmp_path / "long.mp4", num_frames=205)
    apply_pixels(cover(), tmp_path / "long.mp4", tmp_path / "safe", progress=told.append)
    assert [(step.done, step.total, step.note) for step in told] == [
        (0, 1, "long"),
        *[(0, 1, f"long, frame {number}") for number in (100, 200)] * 2,
        (1, 1, ""),
    ]
