"""A face must not slip through, not for a frame: covered regions under a detector that blinks."""

import numpy as np
import pytest
import torch

from latentveil.errors import InputError, PluginError
from latentveil.pixels.anonymizer import as_clip
from latentveil.pixels.apply import apply_pixels
from latentveil.pixels.fit import make_unlearned
from latentveil.pixels.request import VideoRequest
from latentveil.video.boxes import Boxes
from latentveil.video.decode import open_video
from tests.pixels.square import NUM_FRAMES, cover, frame_at, is_visible, write_square


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return open_video(write_square(tmp_path_factory.mktemp("square") / "square.mp4"))


def seen_in(anonymizer, source, request=None):
    return [frame.index for frame in anonymizer.stream(source, request) if is_visible(frame.rgb)]


def test_nothing_is_seen_where_the_detector_blinks(video):
    assert seen_in(cover(blind=[0, 1, 20, 21, 22, 40, 59], faint=[10, 30]), video) == []


def test_frame_by_frame_it_is_seen_at_every_blink(video):
    assert seen_in(cover("tracking=false", blind=[20, 21, 40], faint=[10]), video) == [10, 20, 21, 40]


def test_the_margin_covers_what_a_box_cuts_off(video):
    short = np.array(
        [[12, 22, 20, 30]], dtype=np.float32
    )  # the square is 12 to either side of 10..22, 20..32
    box = Boxes(*(np.array(column) for column in ([0], short, [0.9], [0], ["square"])))
    assert is_visible(cover("margin=0").network.paint(frame_at(0), box))
    assert not is_visible(cover("margin=0.3").network.paint(frame_at(0), box))


@pytest.mark.parametrize(("look", "darkest"), [("black", 0), ("weak", 20), ("strong", 20)])
def test_looks(look, darkest):
    frame = frame_at(0)
    anonymizer = cover(f"look={look}", "margin=0.5")
    (given,) = anonymizer.stream(open_image(frame))
    region = given.rgb[14:38, 4:28]
    assert region.min() >= darkest
    assert region.std() < frame[14:38, 4:28].std()
    assert np.array_equal(given.rgb[:, 40:], frame[:, 40:])


def test_a_strong_blur_leaves_less_than_a_weak_one():
    left = [
        next(cover(f"look={look}", "margin=0.5").stream(open_image(frame_at(0)))).rgb.std()
        for look in ("weak", "strong")
    ]
    assert left[1] < left[0]


@pytest.mark.parametrize("inner_first", [False, True])
def test_a_blurred_region_in_another_shows_no_more_than_that_one(inner_first):
    """A face in the box of a person got the weaker blur of its own small box in place of the person's."""
    checks = np.kron(np.indices((50, 50)).sum(axis=0) % 2, np.ones((4, 4), int))
    frame = np.repeat(checks[..., None] * 255, 3, axis=-1).astype(np.uint8)
    outer, inner = [20, 20, 180, 180], [80, 80, 110, 110]
    boxes = [
        (0, track, np.array(corners, dtype=np.float32), 0.9)
        for track, corners in enumerate((inner, outer) if inner_first else (outer, inner))
    ]
    painted = cover("look=strong", "margin=0").network.paint(frame, Boxes.of(boxes, label="square"))
    assert painted[80:110, 80:110].std() < 3


class open_image:
    """One frame as a source."""

    def __init__(self, rgb):
        self.rgb = rgb

    def frames(self):
        from latentveil.video.frames import Frame

        yield Frame(0, 0.0, self.rgb)


def test_clips_are_covered_as_videos_are():
    clip = as_clip(np.stack([frame_at(number) for number in range(8)]))
    given = cover(blind=[3, 4])(torch.stack([clip, clip]))
    assert float(given.max()) < 0.3
    assert torch.equal(given[0], given[1])
    away = clip[..., 60:]
    assert torch.equal(given[0][..., 60:], away)


def test_given_boxes_replace_the_detector(video):
    told = []
    blind = range(NUM_FRAMES)
    first = VideoRequest(on_boxes=told.append)
    assert seen_in(cover(), video, first) == []
    again = VideoRequest(boxes=told[0], on_boxes=told.append)
    assert seen_in(cover(blind=blind), video, again) == []
    assert len(told[1]) == len(told[0]) == NUM_FRAMES


def test_doubts_are_told_of_rewritten_frames(video):
    doubts = []
    request = VideoRequest(on_doubt=lambda frame, reason: doubts.append((frame, reason)))
    blinking = cover("tail_frames=5", blind=[*range(20, 23), *range(50, 60)], faint=[10])
    list(blinking.stream(video, request))
    assert [(frame.index, reason) for frame, reason in doubts] == [
        (10, "low confidence"),
        (20, "filled in between detections"),
        (50, "filled in between detections"),
        (55, "nothing found"),
    ]
    assert not any(is_visible(frame.rgb) for frame, _ in doubts[:3])


def test_doubt_begins_where_the_user_says(video):
    """Faint frames have a score of 0.2, below what the detector itself calls sure."""
    doubts = []
    request = VideoRequest(on_doubt=lambda frame, reason: doubts.append((frame.index, reason)))
    list(cover("sure=0.15", faint=[10]).stream(video, request))
    assert doubts == []
    list(cover(faint=[10]).stream(video, request))
    assert doubts == [(10, "low confidence")]


def test_time_spans_leave_the_rest(video):
    request = VideoRequest(spans=((0.4, 0.8),))
    seen = seen_in(cover(), video, request)
    assert seen == [number for number in range(NUM_FRAMES) if not 10 <= number <= 20]


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (np.array([[30, 20, 12, 12, 0.9]]), r"left, top, right, bottom and a score, got \[30\. +20\."),
        (np.array([[10, 20, np.nan, 32, 0.9]]), "finite, got NaN"),
        (np.array([[10, 20, 22, 32, np.nan]]), "finite, got NaN"),
        (np.array([[10, 20, 22, 32]]), r"an array \(K, 5\), got \(1, 4\)"),
        ([[10, 20, 22, 32, 0.9]], r"an array \(K, 5\), got list"),
    ],
)
def test_a_detector_whose_boxes_are_none_ends_the_run(tmp_path, answer, wrong):
    """Left, top, width and height, or NaN, covered nothing: the videos were written as if they were safe."""
    video = write_square(tmp_path / "one.mp4", num_frames=2)
    anonymizer = cover()
    anonymizer.network.find = lambda rgb, *, video, frame: answer
    with pytest.raises(PluginError, match=f"boxes of the detector .* must be {wrong}"):
        apply_pixels(anonymizer, video, tmp_path / "safe", progress=False)
    assert not (tmp_path / "safe" / "one.mp4").exists()


def test_a_detector_that_is_not_there_is_said():
    with pytest.raises(InputError, match="detector must be one of boxes, centerface, dlib, onnx"):
        make_unlearned("cover", None, ["detector=nobody"])
