import wave

import av
import numpy as np
import pytest
from PIL import Image

from latentveil.errors import InputError
from latentveil.video.decode import VideoFile, open_video

CONTAINERS = [
    ("video.mp4", "libx264", "yuv420p"),
    ("video.mkv", "libx264", "yuv420p"),
    ("video.avi", "mpeg4", "yuv420p"),
    ("video.ts", "libx264", "yuv420p"),
    ("video.webm", "libvpx-vp9", "yuv420p"),
    ("video.mov", "mjpeg", "yuvj420p"),
]


@pytest.fixture(params=CONTAINERS, ids=lambda kind: kind[0])
def any_video(request, write_numbered):
    name, codec, pixel_format = request.param
    return VideoFile(write_numbered(name, codec=codec, pixel_format=pixel_format))


def test_all_frames_come_in_order_with_their_times(any_video, number_of):
    frames = list(any_video.frames())
    assert any_video.num_frames == 40
    assert [frame.index for frame in frames] == list(range(40))
    assert [number_of(frame.rgb) for frame in frames] == list(range(40))
    np.testing.assert_allclose([frame.time for frame in frames], np.arange(40) / 25, atol=1e-3)


def test_frames_at_gives_the_frames_of_a_full_reading(any_video):
    full = list(any_video.frames())
    wanted = [0, 1, 7, 8, 20, 21, 22, 39]
    for found in (list(any_video.frames_at(wanted)), list(any_video._seek_frames(wanted))):
        assert [frame.index for frame in found] == wanted
        for frame in found:
            np.testing.assert_array_equal(frame.rgb, full[frame.index].rgb)
            assert frame.time == full[frame.index].time


def test_a_few_frames_of_a_long_video_are_sought_and_most_frames_are_not(write_numbered, monkeypatch):
    video = VideoFile(write_numbered(num_frames=60, keyframe_interval=6))
    decoded = []
    original = VideoFile._decode_all
    monkeypatch.setattr(VideoFile, "_decode_all", lambda *args: decoded.append(1) or original(*args))
    assert [frame.index for frame in video.frames_at([0, 30, 59])] == [0, 30, 59]
    assert not decoded
    assert [frame.index for frame in video.frames_at(range(0, 60, 2))] == list(range(0, 60, 2))
    assert decoded


def test_a_jump_that_misses_falls_back_to_reading_from_the_start(write_numbered, number_of, monkeypatch):
    video = VideoFile(write_numbered(num_frames=60, keyframe_interval=6))
    late = video._index.seek_target(59)
    monkeypatch.setattr(type(video._index), "seek_target", lambda _, index: 0 if index < 30 else late)
    found = list(video.frames_at([0, 30, 59]))
    assert [number_of(frame.rgb) for frame in found] == [0, 30, 59]


def test_times_follow_a_variable_frame_rate(write_numbered):
    steps = np.where(np.arange(40) < 20, 40, 120)
    milliseconds = np.cumsum(steps) - 40
    path = write_numbered(milliseconds=milliseconds.tolist())
    frames = list(open_video(path).frames())
    np.testing.assert_allclose([frame.time for frame in frames], milliseconds / 1000, atol=2e-3)


def test_frames_that_an_edit_list_hides_are_not_counted(write_numbered, number_of, tmp_path):
    """A video cut without recoding keeps the frames from the last keyframe on, but says not to show them."""
    cut = tmp_path / "cut.mp4"
    with (
        av.open(str(write_numbered("whole.mp4"))) as whole,
        av.open(str(cut), "w", options={"avoid_negative_ts": "disabled"}) as container,
    ):
        stream = container.add_stream_from_template(whole.streams.video[0])
        for packet in whole.demux(video=0):
            if packet.dts is not None:
                skipped = round(10 / 25 / packet.time_base)
                packet.pts, packet.dts, packet.stream = packet.pts - skipped, packet.dts - skipped, stream
                container.mux(packet)
    video = VideoFile(cut)
    frames = list(video.frames())
    assert video.num_frames == 30
    assert [number_of(frame.rgb) for frame in frames] == list(range(10, 40))
    assert frames[-1].time == pytest.approx(29 / 25)
    assert [number_of(frame.rgb) for frame in video.frames_at([0, 29])] == [10, 39]


@pytest.mark.parametrize(
    ("rotation", "bright_corner", "shape"),
    [(90, (-1, 0), (64, 48, 3)), (-90, (0, -1), (64, 48, 3)), (180, (-1, -1), (48, 64, 3))],
)
def test_rotation_flags_turn_the_frames(write_numbered, rotation, bright_corner, shape):
    """The bright corner, stored top left, moves counterclockwise by the angle."""
    frame = next(open_video(write_numbered(rotation=rotation)).frames())
    assert frame.rgb.shape == shape
    assert frame.rgb[bright_corner].min() > 200
    assert frame.rgb[0, 0].max() < 50


def test_odd_and_tiny_sizes(write_numbered, number_of):
    path = write_numbered("odd.mkv", size=(31, 17), codec="ffv1", pixel_format="yuv444p")
    frames = list(open_video(path).frames())
    assert frames[0].rgb.shape == (31, 17, 3)
    assert number_of(frames[20].rgb) == 20


def test_a_full_range_video_keeps_its_levels(tmp_path):
    path = tmp_path / "full.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25, options={"crf": "1"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.color_range = 2
        planes = np.full((72, 64), 128, dtype=np.uint8)
        planes[:48] = 235
        for _ in range(3):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(planes, format="yuv420p")))
        container.mux(stream.encode())
    assert abs(int(next(open_video(path).frames()).rgb[20, 20, 0]) - 235) <= 2


def _refusal(path) -> str:
    with pytest.raises(InputError) as refusal:
        list(open_video(path).frames())
    assert str(path) in str(refusal.value)
    return str(refusal.value)


def test_a_missing_file_is_refused(tmp_path):
    assert "got nothing there" in _refusal(tmp_path / "missing.mp4")


@pytest.mark.parametrize("content", [b"", b"not a video " * 100], ids=["empty", "text"])
def test_a_file_that_is_no_video_is_refused(tmp_path, content):
    path = tmp_path / "video.mp4"
    path.write_bytes(content)
    assert "must be a video file" in _refusal(path)


def test_a_relative_path_with_a_colon_is_a_file(write_numbered, tmp_path, monkeypatch):
    write_numbered("2024-01-01T12:30:00.mp4", num_frames=3)
    monkeypatch.chdir(tmp_path)
    assert len(list(open_video("2024-01-01T12:30:00.mp4").frames())) == 3


def test_a_file_without_video_stream_is_refused(tmp_path):
    path = tmp_path / "sound.wav"
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(bytes(8000))
    assert "must be a video file" in _refusal(path)


def test_a_video_without_frames_is_refused(write_numbered):
    assert "must hold at least one frame" in _refusal(write_numbered("none.avi", num_frames=0, codec="mpeg4"))


@pytest.mark.parametrize(("name", "share"), [("video.mp4", 0.6), ("video.mkv", 0.6), ("video.webm", 0.6)])
def test_a_truncated_file_is_refused_however_it_is_read(write_numbered, name, share):
    codec = "libvpx-vp9" if name.endswith("webm") else "libx264"
    path = write_numbered(
        name, 60, codec=codec, muxer_options={"movflags": "faststart"} if "mp4" in name else {}
    )
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    refusal = _refusal(path)
    assert "truncated" in refusal or "undamaged" in refusal
    for wanted in ([0, 59], [0, 1]):
        with pytest.raises(InputError, match=r"truncated|undamaged"):
            list(open_video(path).frames_at(wanted))


def test_a_truncated_file_whose_index_is_lost_is_refused(write_numbered):
    path = write_numbered("video.mp4")
    path.write_bytes(path.read_bytes()[:-2000])
    assert "must be a video file" in _refusal(path)


def test_a_damaged_packet_costs_its_frames_only(write_numbered):
    path = write_numbered("video.mov", num_frames=40, codec="mjpeg", pixel_format="yuvj420p")
    with av.open(str(path)) as container:
        places = [packet.pos for packet in container.demux(video=0) if packet.pos is not None]
    content = bytearray(path.read_bytes())
    content[places[20] : places[21]] = bytes(places[21] - places[20])
    path.write_bytes(content)
    frames = list(open_video(path).frames())
    assert len(frames) == 39
    assert frames[-1].time == pytest.approx(39 / 25)


def test_numbers_past_the_last_decodable_frame_repeat_it(write_numbered, number_of):
    path = write_numbered("video.mkv", num_frames=40)
    frames = list(VideoFile(path)._scan_frames([38, 39, 40, 41]))
    assert [frame.index for frame in frames] == [38, 39, 40, 41]
    assert [number_of(frame.rgb) for frame in frames] == [38, 39, 39, 39]


def test_frames_come_out_before_the_file_is_read_to_its_end(write_numbered, monkeypatch):
    """Memory must not grow with the length of a video: only the decoder's own delay lies between file and frame."""
    video = VideoFile(write_numbered(num_frames=60))
    read = []
    packets = video._demux
    monkeypatch.setattr(
        video, "_demux", lambda *args: (read.append(packet) or packet for packet in packets(*args))
    )
    delays = [len(read) - frame.index for frame in video.frames()]
    assert len(delays) == 60
    assert max(delays) < 20


def test_an_image_is_one_upright_frame(tmp_path):
    picture = np.zeros((20, 30, 3), dtype=np.uint8)
    picture[0, 0] = (255, 128, 7)
    path = tmp_path / "picture.png"
    Image.fromarray(picture).save(path)
    source = open_video(path)
    (frame,) = source.frames()
    assert source.is_image
    np.testing.assert_array_equal(frame.rgb, picture)

    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: show it rotated by 90 degrees clockwise
    Image.fromarray(picture).save(path, exif=exif)
    (frame,) = open_video(path).frames()
    np.testing.assert_array_equal(frame.rgb, np.rot90(picture, -1))


@pytest.mark.parametrize("name", ["grey.png", "grey.tif"])
def test_16_bit_grey_is_scaled_to_8_bits(tmp_path, name):
    levels = np.linspace(0, 65535, 20 * 30).astype(np.uint16).reshape(20, 30)
    Image.fromarray(levels).save(tmp_path / name)
    (frame,) = open_video(tmp_path / name).frames()
    np.testing.assert_array_equal(frame.rgb, np.repeat(levels[..., None] // 256, 3, axis=2))


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_an_image_without_a_known_white_is_refused(tmp_path, dtype):
    Image.fromarray(np.ones((20, 30), dtype=dtype)).save(tmp_path / "depth.tif")
    assert "must have 8 or 16 bits per colour" in _refusal(tmp_path / "depth.tif")


def test_a_broken_image_is_refused(tmp_path):
    path = tmp_path / "picture.jpg"
    Image.fromarray(np.zeros((64, 64, 3), dtype=np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:300])
    assert "must be a readable image" in _refusal(path)
