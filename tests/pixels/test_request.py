"""Boxes and spans that are given for videos are for these videos."""

import pytest

from latentveil.errors import InputError, Notice, UsageError
from latentveil.pixels.apply import RewriteOptions, apply_pixels
from latentveil.pixels.request import VideoRequest
from latentveil.video.boxes import read_boxes
from latentveil.video.decode import open_video
from latentveil.video.frames import Frame
from tests.pixels.square import cover, frame_at, is_visible, write_square


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


@pytest.mark.parametrize(
    ("span", "hidden"),
    [((0.5, 0.55), [12, 13]), ((0.521, 0.522), [13]), ((0.52, 0.56), [13, 14]), ((0.480001, 0.51), [12])],
)
def test_whoever_is_on_the_screen_in_a_span_is_hidden(tmp_path, span, hidden):
    """A frame stays on the screen until the next one: those that began before the span were shown in it as they are."""
    video = write_square(tmp_path / "one.mp4", num_frames=26)
    rewrite(video, tmp_path / "safe", spans={"one": [span]})
    frames = open_video(tmp_path / "safe" / "one.mp4").frames()
    assert [frame.index for frame in frames if not is_visible(frame.rgb)] == hidden


@pytest.mark.parametrize("say_how_long", [False, True])
def test_spans_find_a_frame_that_is_shown_for_long(say_how_long):
    """Two frames a second long, as of a varying rate, of which the file says less or nothing."""
    source = ManyFrames([0.0, 1.0, 2.0], seconds=0.04 if say_how_long else 0.0)
    request = VideoRequest(spans=((1.5, 1.6),))
    assert [frame.index for frame in request.frames_of(source) if request.covers(frame)] == [1]


class ManyFrames:
    """Frames at these times."""

    def __init__(self, times, *, seconds):
        self.times, self.seconds = times, seconds

    def frames(self):
        for number, time in enumerate(self.times):
            yield Frame(number, time, frame_at(number), self.seconds)


def test_spans_after_the_end_are_told(tmp_path):
    video = write_square(tmp_path / "one.mp4", num_frames=26)
    with pytest.warns(Notice, match=r"1 begin after its last frame at 1\.00 s, such as one at 400 s"):
        rewrite(video, tmp_path / "safe", spans={"one": [(0.0, 0.1), (400, 800)]})


@pytest.mark.parametrize("stray", ["one,26,10,20,22,32", "one,3,96,20,108,32", "one,3,10,-9,22,0"])
def test_boxes_outside_of_the_video_are_told(tmp_path, stray):
    """Boxes that were found in a larger copy, or in one of twice the rate, left people visible without a word."""
    video = write_square(tmp_path / "one.mp4", num_frames=26)
    (tmp_path / "boxes.csv").write_text(f"video,frame,left,top,right,bottom\none,0,10,20,22,32\n{stray}\n")
    with pytest.warns(
        Notice, match=r"Of the 2 boxes of 'one', 1 lie outside of it, .* frames 0 to 25 of 96 x 64"
    ):
        rewrite(video, tmp_path / "safe", boxes=tmp_path / "boxes.csv")


def test_boxes_at_the_edge_are_not_told(tmp_path, recwarn):
    video = write_square(tmp_path / "one.mp4", num_frames=26)
    lines = "one,25,-9,-9,1,1\none,0,95,63,120,80\n"
    (tmp_path / "boxes.csv").write_text(f"video,frame,left,top,right,bottom\n{lines}")
    rewrite(video, tmp_path / "safe", boxes=tmp_path / "boxes.csv")
    assert not [told for told in recwarn if issubclass(told.category, Notice)]


def test_who_says_that_nobody_is_in_a_video_is_believed(tmp_path):
    """All that the detector found there was wrong: it is not asked again."""
    video = write_square(tmp_path / "one.mp4", num_frames=4)
    (tmp_path / "boxes.csv").write_text("video,frame,left,top,right,bottom\none,,,,,\n")
    rewrite(video, tmp_path / "safe", boxes=tmp_path / "boxes.csv", boxes_out=tmp_path / "out.csv")
    assert all(is_visible(frame.rgb) for frame in open_video(tmp_path / "safe" / "one.mp4").frames())
    assert {name: len(boxes) for name, boxes in read_boxes(tmp_path / "out.csv").items()} == {"one": 0}
