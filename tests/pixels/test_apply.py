"""Rewritten videos: the same frames at the same times, nothing else of the file, resumable, in constant memory."""

import multiprocessing
import os
import time
import tracemalloc
import warnings
from fractions import Fraction

import av
import numpy as np
import pytest
import typer
from PIL import Image

from latentveil.cli import apply as apply_cli
from latentveil.errors import InputError, Notice, UsageError
from latentveil.extraction.inputs import collect_videos
from latentveil.pixels.apply import RewriteOptions, apply_pixels
from latentveil.pixels.fit import make_unlearned
from latentveil.video.boxes import read_boxes
from latentveil.video.decode import open_video
from latentveil.video.frames import Frame
from latentveil.video.write import write_timed_video
from tests.pixels.square import cover, frame_at, is_visible, write_square


@pytest.fixture(scope="module")
def videos(tmp_path_factory):
    folder = tmp_path_factory.mktemp("videos")
    for name in ("one", "deep/two", "deep/three"):
        (folder / name).parent.mkdir(exist_ok=True)
        write_square(folder / f"{name}.mp4", num_frames=12)
    return folder


def times_of(path):
    return [frame.time for frame in open_video(path).frames()]


def blur():
    return make_unlearned("blur", "weak")


def quietly(anonymizer, places, output, **options):
    return apply_pixels(anonymizer, places, output, options=RewriteOptions(**options), progress=False)


def test_keys_rate_and_length_stay(videos, tmp_path):
    report = quietly(blur(), videos, tmp_path / "safe")
    assert (report.num_videos, report.num_frames, report.num_skipped, report.failures) == (3, 36, 0, ())
    assert [one.video for one in collect_videos([tmp_path / "safe"])] == ["deep/three", "deep/two", "one"]
    for one in collect_videos([tmp_path / "safe"]):
        assert times_of(one.path) == times_of(videos / f"{one.video}.mp4")
        with av.open(str(one.path)) as container:
            stream = container.streams.video[0]
            assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
            assert stream.average_rate == 25
            assert stream.duration * stream.time_base == Fraction(12, 25)


@pytest.fixture(scope="module")
def odd_video(tmp_path_factory):
    """A file with uneven times, sound, and metadata that says where it was taken."""
    path = tmp_path_factory.mktemp("odd") / "odd.mov"
    options = {"movflags": "use_metadata_tags"}
    with av.open(str(path), "w", options=options) as container:
        container.metadata.update({"title": "Ada's birthday", "location": "+52.5+013.4/", "artist": "Ada"})
        video = container.add_stream("libx264", rate=25)
        video.width, video.height, video.pix_fmt = 96, 64, "yuv420p"
        video.codec_context.time_base = Fraction(1, 1000)
        video.metadata["title"] = "Ada"
        sound = container.add_stream("aac", rate=16000)
        sound.metadata["title"] = "Ada sings"
        for number, milliseconds in enumerate((0, 40, 130, 180, 400, 440, 1000)):
            frame = av.VideoFrame.from_ndarray(frame_at(number), format="rgb24")
            frame.pts, frame.time_base = milliseconds, Fraction(1, 1000)
            container.mux(video.encode(frame))
        wave = np.sin(np.arange(16000) / 10).astype(np.float32)[None]
        tone = av.AudioFrame.from_ndarray(wave, format="fltp", layout="mono")
        tone.rate, tone.pts = 16000, 0
        container.mux(sound.encode(tone))
        container.mux(video.encode())
        container.mux(sound.encode())
    return path


def test_uneven_times_stay_and_metadata_goes(odd_video, tmp_path):
    quietly(blur(), odd_video, tmp_path / "safe")
    made = tmp_path / "safe" / "odd.mp4"
    assert times_of(made) == pytest.approx([0, 0.04, 0.13, 0.18, 0.4, 0.44, 1.0])
    assert b"Ada" in odd_video.read_bytes()
    assert b"+52.5" in odd_video.read_bytes()
    assert b"Ada" not in made.read_bytes()
    assert b"+52.5" not in made.read_bytes()
    with av.open(str(made)) as container:
        assert [stream.type for stream in container.streams] == ["video"]


def test_sound_is_kept_where_asked(odd_video, tmp_path):
    quietly(blur(), odd_video, tmp_path / "safe", keep_sound=True)
    made = tmp_path / "safe" / "odd.mp4"
    assert b"Ada" not in made.read_bytes()
    with av.open(str(odd_video)) as raw, av.open(str(made)) as safe:
        before, after = ([bytes(packet) for packet in c.demux(audio=0)] for c in (raw, safe))
    assert before == after
    assert times_of(made) == pytest.approx([0, 0.04, 0.13, 0.18, 0.4, 0.44, 1.0])


@pytest.mark.parametrize(
    ("ticks", "kept"), [((0, 40, 40, 80), [0, 0.04, 0.041, 0.08]), ((0, 80, 40, 120), [0, 0.08, 0.081, 0.12])]
)
def test_times_that_do_not_rise_are_moved(tmp_path, ticks, kept):
    """H.264 in AVI, which has no place for the order of its frames, says such times."""
    frames = [Frame(number, tick / 1000, frame_at(number), 0.04) for number, tick in enumerate(ticks)]
    write_timed_video(tmp_path / "one.mp4", frames, clock=Fraction(1, 1000))
    assert times_of(tmp_path / "one.mp4") == pytest.approx(kept)


def test_h264_in_avi_is_rewritten(tmp_path):
    with av.open(str(tmp_path / "one.avi"), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"bf": "3"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for number in range(30):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame_at(number), format="rgb24")))
        container.mux(stream.encode())
    assert times_of(tmp_path / "one.avi") != sorted(times_of(tmp_path / "one.avi"))
    assert quietly(blur(), tmp_path / "one.avi", tmp_path / "safe").num_frames == 30
    times = times_of(tmp_path / "safe" / "one.mp4")
    assert len(set(times)) == 30
    assert times[-1] == pytest.approx(29 / 25, abs=0.1)


def test_a_sound_that_nobody_knows_is_one_failed_file(odd_video, videos, tmp_path):
    with av.open(str(odd_video)) as source, av.open(str(tmp_path / "odd.mkv"), "w") as target:
        streams = {one.index: target.add_stream_from_template(one) for one in source.streams}
        for packet in source.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    content = (tmp_path / "odd.mkv").read_bytes()
    (tmp_path / "odd.mkv").write_bytes(content.replace(b"A_AAC", b"A_ODD"))
    places = [videos / "one.mp4", tmp_path / "odd.mkv"]
    report = quietly(blur(), places, tmp_path / "safe", keep_sound=True)
    assert [failed.video.video for failed in report.failures] == ["odd"]
    assert "to be copied into mp4, got an unknown one. Drop the sound" in report.failures[0].reason
    assert report.num_videos == 1
    assert quietly(blur(), tmp_path / "odd.mkv", tmp_path / "silent").failures == ()


def test_failures_are_listed_and_leave_no_file(videos, tmp_path):
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "bad.mp4").write_bytes(b"no video")
    whole = (videos / "one.mp4").read_bytes()
    (tmp_path / "raw" / "short.mp4").write_bytes(whole[: len(whole) // 2])
    report = quietly(blur(), [videos / "one.mp4", tmp_path / "raw"], tmp_path / "safe")
    assert sorted(failed.video.video for failed in report.failures) == ["bad", "short"]
    assert "must be a video file" in report.failures[0].reason
    assert sorted(path.name for path in (tmp_path / "safe").glob("[a-z]*")) == [
        "anonymized.json",
        "one.mp4",
        "videos.csv",
    ]


def test_an_image_stays_an_image(tmp_path):
    Image.fromarray(frame_at(0)).save(tmp_path / "still.png")
    quietly(cover(), tmp_path / "still.png", tmp_path / "safe")
    assert not is_visible(np.asarray(Image.open(tmp_path / "safe" / "still.png")))


def test_odd_sides_grow_by_a_pixel(tmp_path):
    frames = (Frame(number, number / 10, frame_at(0, height=65, width=97), 0.1) for number in range(3))
    assert write_timed_video(tmp_path / "odd.mp4", frames) == 3
    assert next(open_video(tmp_path / "odd.mp4").frames()).rgb.shape == (66, 98, 3)


def test_wide_pixels_stay_wide(tmp_path, videos):
    frames = open_video(videos / "one.mp4").frames()
    write_timed_video(tmp_path / "wide.mp4", frames, pixel_aspect=Fraction(4, 3))
    assert open_video(tmp_path / "wide.mp4").pixel_aspect == Fraction(4, 3)
    quietly(blur(), tmp_path / "wide.mp4", tmp_path / "safe")
    assert open_video(tmp_path / "safe" / "wide.mp4").pixel_aspect == Fraction(4, 3)


def test_another_anonymizer_or_folder_is_refused(videos, tmp_path):
    quietly(blur(), videos / "one.mp4", tmp_path / "safe")
    with pytest.raises(InputError, match="videos of one anonymizer"):
        quietly(make_unlearned("blur", "strong"), videos, tmp_path / "safe")
    with pytest.raises(InputError, match="must be a new folder"):
        quietly(blur(), videos, videos)
    with pytest.raises(UsageError, match="boxes_out must be left out for 'blur'"):
        quietly(blur(), videos, tmp_path / "other", boxes_out=tmp_path / "boxes.csv")


def test_an_output_among_the_videos_is_refused_where_all_there_is_searched(videos, tmp_path):
    """A second run took what the first had written for new videos."""
    for place in (videos, [videos / "one.mp4", videos / "deep" / ".."]):
        with pytest.raises(InputError, match=r"output must be outside of .* Choose a folder beside it\."):
            quietly(blur(), place, videos / "safe")
    assert not (videos / "safe").exists()
    write_square(tmp_path / "one.mp4", num_frames=3)
    (tmp_path / "labels.csv").write_text("video\none\n")
    for new in (1, 0):
        assert quietly(blur(), tmp_path, tmp_path / "safe").num_videos == new


def slowly(videos, output):
    anonymizer = blur()
    anonymizer.network.register_forward_hook(lambda *_: time.sleep(0.01))
    quietly(anonymizer, videos, output)


def test_a_killed_run_goes_on_and_every_file_is_whole(videos, tmp_path):
    safe = tmp_path / "safe"
    process = multiprocessing.get_context("fork").Process(target=slowly, args=(videos, safe))
    process.start()
    while not (safe / "deep" / "three.mp4").exists() and process.is_alive():
        time.sleep(0.002)
    process.kill()
    process.join()
    done = collect_videos([safe])[0] if (safe / "videos.csv").read_text().count("\n") > 1 else None
    with open(safe / "videos.csv", "a") as file:
        file.write("deep/tw")  # half a line, as a kill leaves it
    report = quietly(blur(), videos, safe)
    assert report.num_videos + report.num_skipped == 3
    assert report.num_skipped == (done is not None)
    for one in collect_videos([safe]):
        assert len(times_of(one.path)) == 12
    assert not list(safe.rglob("*.part"))
    assert quietly(blur(), videos, safe).num_skipped == 3


def peak_of(num_frames, path, output):
    write_square(path, num_frames=num_frames)
    tracemalloc.start()
    quietly(cover(), path, output)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_video(tmp_path):
    """Of a frame not even a hundredth stays: its boxes."""
    quietly(cover(), write_square(tmp_path / "first.mp4", num_frames=4), tmp_path / "warm")
    peaks = [peak_of(count, tmp_path / f"{count}.mp4", tmp_path / f"safe{count}") for count in (20, 80)]
    assert peaks[1] - peaks[0] < 60 * frame_at(0).nbytes / 10


def test_boxes_out_can_be_corrected_and_given_back(videos, tmp_path):
    out, page = tmp_path / "boxes.csv", tmp_path / "review.html"
    quietly(cover("margin=0"), videos / "one.mp4", tmp_path / "first", boxes_out=out, review=page)
    quietly(cover("margin=0"), videos, tmp_path / "first", boxes_out=out, review=page)  # goes on
    found = read_boxes(out)
    assert sorted(found) == ["deep/three", "deep/two", "one"]
    assert len(found["one"]) == 12
    lines = out.read_text().splitlines()
    out.write_text("\n".join(line for line in lines if not line.startswith("one,3,")) + "\n")
    quietly(cover("margin=0"), videos / "one.mp4", tmp_path / "second", boxes=out)
    seen = [
        frame.index for frame in open_video(tmp_path / "second" / "one.mp4").frames() if is_visible(frame.rgb)
    ]
    assert seen == [3]
    assert page.read_text().count("<figure") == 0


def test_half_a_line_of_boxes_does_not_keep_a_run_from_going_on(videos, tmp_path):
    out = tmp_path / "boxes.csv"
    quietly(cover(), videos / "one.mp4", tmp_path / "safe", boxes_out=out)
    with open(out, "a") as file:
        file.write('"deep/two",3,squ')  # as a kill leaves it
    quietly(cover(), videos, tmp_path / "safe", boxes_out=out)
    assert {video: len(boxes) for video, boxes in read_boxes(out).items()} == dict.fromkeys(
        ("one", "deep/two", "deep/three"), 12
    )
    assert not list(tmp_path.glob(".*"))


def test_corrected_boxes_are_not_written_over(videos, tmp_path, monkeypatch):
    """Who adds --boxes to the command that wrote them has them in both options."""
    boxes = tmp_path / "boxes.csv"
    boxes.write_text("video,frame,left,top,right,bottom\none,0,10,20,22,32\nother,0,1,2,3,4\n")
    before = boxes.read_text()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="boxes_out must be another file than boxes"):
        quietly(cover(), videos, tmp_path / "safe", boxes=boxes, boxes_out="boxes.csv")
    assert boxes.read_text() == before
    assert not (tmp_path / "safe").exists()


def test_boxes_of_all_videos_need_no_detector(videos, tmp_path):
    (tmp_path / "boxes.csv").write_text("video,frame,left,top,right,bottom\none,0,10,20,22,32\n")
    nobody = make_unlearned("cover", None, ["detector=onnx", "margin=0"])  # of no file: it cannot be loaded
    quietly(nobody, videos / "one.mp4", tmp_path / "safe", boxes=tmp_path / "boxes.csv")
    seen = [is_visible(frame.rgb) for frame in open_video(tmp_path / "safe" / "one.mp4").frames()]
    assert seen == [False, *[True] * 11]
    with pytest.raises(InputError, match="file of the detector onnx must be an ONNX file"):
        quietly(nobody, videos, tmp_path / "other", boxes=tmp_path / "boxes.csv")


def test_a_new_folder_leaves_the_boxes_of_another_run_alone(videos, tmp_path):
    """They were emptied: whoever had corrected them by hand lost that."""
    out = tmp_path / "boxes.csv"
    quietly(cover(), videos / "one.mp4", tmp_path / "first", boxes_out=out)
    before = out.read_bytes()
    with pytest.raises(InputError, match=r"boxes_out must be a new file where .*second begins"):
        quietly(cover(), videos / "one.mp4", tmp_path / "second", boxes_out=out)
    assert out.read_bytes() == before
    out.unlink()
    quietly(cover(), videos / "one.mp4", tmp_path / "second", boxes_out=out)
    assert out.read_bytes() == before


@pytest.mark.parametrize("content", [b"video,frame,left,top,right,bottom\none,0,1,1,9,9\n", b"\x00\xffmdat"])
def test_the_review_page_replaces_no_other_file(tmp_path, videos, content):
    """Boxes that were corrected by hand, or a video, were written over."""
    mine = tmp_path / "mine"
    mine.write_bytes(content)
    with pytest.raises(
        InputError, match=r"review must be a new file, or a page of an earlier run, got .*mine"
    ):
        quietly(cover(), videos / "one.mp4", tmp_path / "safe", review=mine)
    assert mine.read_bytes() == content


def test_a_place_where_no_review_page_can_be_is_named(tmp_path, videos):
    """The sentence named a file that nobody had asked for, `review.part`."""
    with pytest.raises(InputError, match=r"review\.html must be writable"):
        quietly(cover(), videos / "one.mp4", tmp_path / "safe", review=tmp_path / "nowhere" / "review.html")


@pytest.mark.parametrize("one", ["boxes", "boxes_out"])
def test_the_review_page_is_no_file_of_boxes(tmp_path, videos, one):
    file = tmp_path / "boxes.csv"
    if one == "boxes":
        file.write_text("video,frame,left,top,right,bottom\none,,,,,\n")
    with pytest.raises(UsageError, match=f"review must be another file than {one}, got .* for both"):
        quietly(cover(), videos / "one.mp4", tmp_path / "safe", **{one: file, "review": file})
    assert not (tmp_path / "safe").exists()


def test_the_review_page_shows_doubtful_frames_only_once_rewritten(tmp_path, videos):
    page = tmp_path / "review.html"
    anonymizer = cover(blind=[4, 5])
    quietly(anonymizer, videos / "deep", tmp_path / "safe", review=page)
    text = page.read_text()
    assert text.count("<figure data-video=") == 2
    assert "three, frame 4 (0.16 s): filled in between detections" in text
    assert "http" not in text
    os.remove(tmp_path / "safe" / "two.mp4")
    quietly(anonymizer, videos / "deep", tmp_path / "safe", review=page)
    assert page.read_text().count("<figure data-video=") == 2


def test_a_page_or_boxes_that_lack_videos_are_told(videos, tmp_path):
    """A page without a word of the videos that were there before looked as if nothing was doubtful in them."""
    out, page = tmp_path / "boxes.csv", tmp_path / "review.html"
    quietly(cover(blind=[4]), videos / "deep", tmp_path / "safe")
    with pytest.warns(Notice) as told:
        quietly(cover(blind=[4]), videos / "deep", tmp_path / "safe", boxes_out=out, review=page)
    assert [str(one.message).partition(" videos")[0] for one in told] == [
        f"{path} says nothing of 2" for path in (out, page)
    ]
    os.remove(tmp_path / "safe" / "two.mp4")
    with pytest.warns(Notice, match="says nothing of 1 videos that an earlier run rewrote, such as 'three'"):
        quietly(cover(blind=[4]), videos / "deep", tmp_path / "safe", boxes_out=out, review=page)
    with warnings.catch_warnings():
        warnings.simplefilter("error", Notice)
        for _ in range(2):
            quietly(cover(), videos, tmp_path / "other", boxes_out=tmp_path / "other.csv", review=page)
    assert page.read_text().count(": nothing to look at.</p>") == 3


def test_what_is_no_file_and_what_cannot_be_named_fail_by_their_paths(videos, tmp_path, capsys):
    folder = tmp_path / "mixed"
    folder.mkdir()
    os.link(videos / "one.mp4", folder / "one.mp4")
    os.link(videos / "one.mp4", folder / "bell\x07.mp4")
    (folder / "link.mp4").symlink_to(tmp_path / "nothing.mp4")
    os.mkfifo(folder / "pipe.mp4")
    with pytest.raises(typer.Exit) as ended:
        apply_cli.command("blur", [folder], output=tmp_path / "safe", preset="weak")
    assert ended.value.exit_code == 3
    said = capsys.readouterr().err
    assert all(line.isprintable() for line in said.splitlines())
    assert f"\n  {folder}/bell\\x07.mp4: video must be a name" in said
    assert f"\n  {folder}/link.mp4 must be a video or image file, got a link to nothing.\n" in said
    assert f"\n  {folder}/pipe.mp4 must be a video or image file, got a device or a pipe" in said
    assert [one.video for one in collect_videos([tmp_path / "safe"])] == ["one"]
