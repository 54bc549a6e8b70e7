"""Boxes and spans that are given for videos are for these videos."""

import pytest

from latentveil.errors import InputError, Notice
from latentveil.pixels.apply import RewriteOptions, apply_pixels
from latentveil.video.boxes import read_boxes
from latentveil.video.decode import open_video
from tests.pixels.square import cover, is_visible, write_square


def rewrite(video, output, **options):
    apply_pixels(cover(), video, output, options=RewriteOptions(**options), progress=False)


def options_for(what, folder, *keys):
    """Boxes or spans for videos of these keys."""
    if what == "spans":
        return {"spans": {key: [(0.0, 1.0)] for key in keys}}
    lines = [f"{key},0,1,1,5,5\n" for key in keys]
    (folder / "boxes.csv").write_text("video,frame,left,top,right,bottom\n" + "".join(lines))
    return {"boxes": folder / "boxes.csv"}


@pytest.mark.parametrize("what", ["boxes", "spans"])
def test_what_names_none_of_the_videos_is_refused_and_a_part_of_it_is_told(tmp_path, what):
    """Somebody corrects boxes under a wrong key: the detector must not take their place without a word."""
    video = write_square(tmp_path / "one.mp4", num_frames=4)
    with pytest.raises(InputError, match=f"{what} must name videos by their keys, such as 'one', got only"):
        rewrite(video, tmp_path / "safe", **options_for(what, tmp_path, "one.mp4"))
    assert not (tmp_path / "safe").exists()
    with pytest.warns(Notice, match=f"{what} of 1 videos that are not among those given"):
        rewrite(video, tmp_path / "safe", **options_for(what, tmp_path, "one", "two"))


def test_who_says_that_nobody_is_in_a_video_is_believed(tmp_path):
    """All that the detector found there was wrong: it is not asked again."""
    video = write_square(tmp_path / "one.mp4", num_frames=4)
    (tmp_path / "boxes.csv").write_text("video,frame,left,top,right,bottom\none,,,,,\n")
    rewrite(video, tmp_path / "safe", boxes=tmp_path / "boxes.csv", boxes_out=tmp_path / "out.csv")
    assert all(is_visible(frame.rgb) for frame in open_video(tmp_path / "safe" / "one.mp4").frames())
    assert {name: len(boxes) for name, boxes in read_boxes(tmp_path / "out.csv").items()} == {"one": 0}
