"""Boxes and spans that are given for videos are for these videos."""

import pytest

from latentveil.errors import InputError, Notice, UsageError
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


@pytest.mark.parametrize("span", [(0.8, 0.4), (-1.0, 0.4), (0.4, float("nan"))])
def test_spans_in_which_no_frame_can_lie_are_refused(tmp_path, span):
    """They left the video as it was, without a word."""
    video = write_square(tmp_path / "one.mp4", num_frames=4)
    with pytest.raises(UsageError, match=r"spans must have 0 <= from < to, got \(.*\) for 'one'\."):
        rewrite(video, tmp_path / "safe", spans={"one": [(0.0, 0.1), span]})
    assert not (tmp_path / "safe").exists()


def test_spans_after_the_end_are_told(tmp_path):
    video = write_square(tmp_path / "one.mp4", num_frames=26)
    with pytest.warns(Notice, match=r"1 begin after its last frame at 1\.00 s, such as one at 400 s"):
        rewrite(video, tmp_path / "safe", spans={"one": [(0.0, 0.1), (400, 800)]})


def test_who_says_that_nobody_is_in_a_video_is_believed(tmp_path):
    """All that the detector found there was wrong: it is not asked again."""
    video = write_square(tmp_path / "one.mp4", num_frames=4)
    (tmp_path / "boxes.csv").write_text("video,frame,left,top,right,bottom\none,,,,,\n")
    rewrite(video, tmp_path / "safe", boxes=tmp_path / "boxes.csv", boxes_out=tmp_path / "out.csv")
    assert all(is_visible(frame.rgb) for frame in open_video(tmp_path / "safe" / "one.mp4").frames())
    assert {name: len(boxes) for name, boxes in read_boxes(tmp_path / "out.csv").items()} == {"one": 0}
