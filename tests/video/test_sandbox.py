"""The sandbox: the same frames as without; a decoder that crashes, hangs, swells or turns evil costs one file."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from latentveil.cli import main as command_line
from latentveil.errors import InputError, UsageError
from latentveil.video.confine import landlock_version
from latentveil.video.decode import open_video
from latentveil.video.decoder_process import DecoderProcess
from latentveil.video.decoding import Decoding
from latentveil.video.frames import Frame
from latentveil.video.wire import BrokenOffError, Listener, Teller, TooSlowError

SANDBOX = Decoding(sandbox=True)
# What a decoder does that somebody has taken over: the name of the file says what it tries.
EVIL = """
import os, signal, socket, subprocess, time
from pathlib import Path
from latentveil.errors import InputError
from latentveil.video import decode

HERE = Path(__file__).parent
LISTENING = int((HERE / "port").read_text())

def crash(): os.kill(os.getpid(), signal.SIGSEGV)
def hang(): time.sleep(1000)
def spin():
    while True: pass
def swell(): return [bytearray(1 << 24) for _ in range(1000)]
def vanish(): os._exit(7)
def garbage(): return os.write(3, b"?" * 100) and os._exit(0)
def read(): return (HERE / "private").read_text()
def listing(): return os.listdir(HERE)
def create(): return os.open(HERE / "planted", os.O_CREAT | os.O_WRONLY)
def delete(): return os.unlink(HERE / "private")
def grow(): return os.write(os.open(HERE / "private", os.O_WRONLY), b"x")
def connect(): return socket.create_connection(("127.0.0.1", LISTENING), 2)
def run(): return subprocess.run(["/bin/true"])
def strike(): return os.kill(int((HERE / "victim").read_text()), signal.SIGTERM)
def surroundings(): return [name for name in os.environ if "SECRET" in name] or None

usual = decode.VideoFile.frames
def frames(self):
    act = globals().get(self.path.stem)
    if act is None:
        yield from usual(self)
        return
    try:
        found = act()
    except OSError as error:
        raise InputError(f"forbidden: {error}")
    raise InputError(f"got through: {found}")
decode.VideoFile.frames = frames
"""


@pytest.fixture(scope="module")
def veil():
    """The command line in this process."""
    if not any(command.name == "extract" for command in command_line.app.registered_commands):
        command_line._add_subcommands()
    return command_line.run


@pytest.fixture
def fresh_decoders():
    DecoderProcess._end_all()
    yield
    DecoderProcess._end_all()


@pytest.fixture
def evil(write_numbered, tmp_path, monkeypatch, fresh_decoders):
    """Decoders that were taken over, and a folder with what they are after; gives what one act leads to."""
    folder = tmp_path / "evil"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        (folder / "port").write_text(str(server.getsockname()[1]))
        (folder / "private").write_text("a secret")
        (folder / "victim").write_text(str(os.getpid()))
        (folder / "sitecustomize.py").write_text(EVIL)
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("MY_SECRET", "token")

        def attempt(act: str, **limits: float) -> str:
            path = write_numbered(f"{act}.mp4", 4)
            with pytest.raises(InputError) as found:
                list(open_video(path, decoding=Decoding.of(limits, sandbox=True)).frames())
            return str(found.value)

        yield attempt
        assert (folder / "private").read_text() == "a secret"
        assert not (folder / "planted").exists()


def same(sandboxed: list[Frame], usual: list[Frame]) -> bool:
    return len(sandboxed) == len(usual) and all(
        (one.index, one.time, one.seconds) == (two.index, two.time, two.seconds)
        and np.array_equal(one.rgb, two.rgb)
        for one, two in zip(sandboxed, usual)
    )


@pytest.mark.parametrize(
    ("name", "codec", "rotation"), [("v.mp4", "libx264", 0), ("v.webm", "libvpx", 0), ("v.mov", "mpeg4", 90)]
)
def test_frames_and_facts_are_those_of_the_usual_decoder(write_numbered, name, codec, rotation):
    path = write_numbered(name, codec=codec, rotation=rotation)
    inside, outside = open_video(path, decoding=SANDBOX), open_video(path)
    assert same(list(inside.frames()), list(outside.frames()))
    assert same(list(inside.frames_at([3, 17, 39])), list(outside.frames_at([3, 17, 39])))
    for fact in ("num_frames", "clock", "pixel_aspect", "is_image"):
        assert getattr(inside, fact) == getattr(outside, fact), fact


@pytest.mark.parametrize("ending", ["png", "jpg", "tiff", "bmp", "webp"])
def test_pictures_of_every_kind_come_out_of_the_sandbox(tmp_path, ending):
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / f"x.{ending}")
    usual = list(open_video(tmp_path / f"x.{ending}").frames())
    assert same(list(open_video(tmp_path / f"x.{ending}", decoding=SANDBOX).frames()), usual)


def test_stores_are_the_same_byte_by_byte(veil, write_numbered, tmp_path):
    videos = [str(write_numbered(f"v{number}.mp4", 20 + number)) for number in range(3)]
    options = ["--encoder", "tiny", "--workers", "1", "--static", "2"]
    assert veil(["extract", *videos, "-o", str(tmp_path / "usual"), *options]) == 0
    assert veil(["extract", *videos, "-o", str(tmp_path / "safe"), *options, "--sandbox"]) == 0
    for path in sorted((tmp_path / "usual").rglob("*.*")):
        assert (tmp_path / "safe" / path.name).read_bytes() == path.read_bytes()


def test_what_a_file_is_refused_for_is_said_in_the_same_words(write_numbered, tmp_path):
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(write_numbered("v.mkv").read_bytes()[:1200])
    said = []
    for decoding in (Decoding(), SANDBOX):
        with pytest.raises(InputError) as found:
            list(open_video(cut, decoding=decoding).frames())
        said.append(str(found.value))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("crash", "SIGSEGV"),
        ("vanish", "exit status 7"),
        ("garbage", "must be a file that the decoder survives"),
    ],
)
def test_a_crash_is_a_sentence(evil, act, words):
    assert words in evil(act)


@pytest.mark.parametrize("act", ["hang", "spin"])
def test_a_hang_ends_with_a_sentence(evil, act, monkeypatch):
    monkeypatch.setattr("latentveil.video.sandbox.GRACE_SECONDS", 0.5)
    started = time.monotonic()
    assert "must be decoded within 1 s" in evil(act, seconds=1)
    assert time.monotonic() - started < 15


def test_a_bomb_ends_with_a_sentence(evil):
    assert "must be decoded within 200 MB" in evil("swell", memory_megabytes=200)


def test_decoders_see_no_passwords(evil):
    assert evil("surroundings") == "got through: None"


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
@pytest.mark.parametrize("act", ["read", "listing", "create", "delete", "grow", "run"])
def test_other_files_are_out_of_reach(evil, act):
    assert "forbidden" in evil(act)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can take the network away")
def test_the_network_is_out_of_reach(evil):
    probe = DecoderProcess.idle()
    held = probe.held
    probe.keep()
    if not held["network"] and landlock_version() < 4:
        pytest.skip("this system gives no process a network of its own")
    assert "forbidden" in evil("connect")


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel's Landlock knows no signals")
def test_other_processes_are_out_of_reach(evil):
    assert "forbidden" in evil("strike")


def test_a_run_goes_on_after_all_of_them(veil, evil, write_numbered, tmp_path, capsys):
    videos = [
        str(write_numbered(name, 20)) for name in ("a.mp4", "crash.mp4", "swell.mp4", "vanish.mp4", "z.mp4")
    ]
    options = ["--encoder", "tiny", "--workers", "1", "--sandbox", "--decoding", "memory_megabytes=200"]
    assert veil(["extract", *videos, "-o", str(tmp_path / "store"), *options]) == 3
    said = capsys.readouterr().err
    assert "2 videos, 2 clips" in said
    assert "3 failed" in said
    assert all(f"{name}.mp4 must be" in said for name in ("crash", "swell", "vanish"))


def test_videos_are_rewritten_from_a_sandbox(veil, write_numbered, tmp_path):
    write_numbered("v.mp4", 10)
    for name, options in (("usual", []), ("safe", ["--sandbox"])):
        arguments = ["apply", "downsample", str(tmp_path / "v.mp4"), "-o", str(tmp_path / name), *options]
        assert veil(arguments) == 0
    assert (tmp_path / "usual" / "v.mp4").read_bytes() == (tmp_path / "safe" / "v.mp4").read_bytes()
    arguments = ["apply", "downsample", str(tmp_path / "v.mp4"), "-o", str(tmp_path / "s"), "--sandbox"]
    assert veil([*arguments, "--keep-sound"]) == 1


def test_a_decoder_that_was_killed_while_it_waited_is_replaced(write_numbered, fresh_decoders):
    path = write_numbered("v.mp4", 4)
    assert len(list(open_video(path, decoding=SANDBOX).frames())) == 4
    (waiting,) = DecoderProcess._idle
    os.kill(waiting.process.pid, signal.SIGKILL)
    waiting.process.wait()
    assert len(list(open_video(path, decoding=SANDBOX).frames())) == 4


def test_who_wants_only_the_first_frame_leaves_nothing_running(write_numbered, fresh_decoders):
    frames = open_video(write_numbered("v.mp4", 60, size=(480, 640)), decoding=SANDBOX).frames()
    assert next(frames).index == 0
    frames.close()
    (waiting,) = DecoderProcess._idle
    children = Path(f"/proc/{waiting.process.pid}/task/{waiting.process.pid}/children")
    if children.exists():
        assert children.read_text() == ""


@given(st.binary(max_size=300))
def test_whatever_a_decoder_says_is_a_frame_a_number_a_sentence_or_refused(content):
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    listener = Listener(reading, seconds=5, max_pixels=64)
    try:
        for _ in range(400):
            answer = listener.next()
            assert not isinstance(answer, Frame) or answer.rgb.size <= 64 * 3
    except BrokenOffError:
        pass
    finally:
        os.close(reading)


def test_a_decoder_may_not_be_silent_for_long():
    reading, writing = os.pipe()
    Teller(writing).sentence("begun")
    listener = Listener(reading, seconds=0.05, max_pixels=64)
    assert listener.next() == "begun"
    with pytest.raises(TooSlowError):
        listener.next()
    os.close(reading)
    os.close(writing)


def test_limits_hold_without_a_sandbox_too(write_numbered):
    path = write_numbered("v.mp4", 40)
    for decoding, words in (
        (Decoding(frames=39), "must have at most 39 frames"),
        (Decoding(pixels=1000), "must have frames of at most 1000 pixels"),
        (Decoding(seconds=1e-9), "must be decoded within"),
    ):
        for act in (lambda source: list(source.frames()), lambda source: source.num_frames):
            with pytest.raises(InputError, match=words):
                act(open_video(path, decoding=decoding))


def test_limits_are_named_and_positive():
    with pytest.raises(UsageError, match="must be among pixels, frames, seconds, memory_megabytes"):
        Decoding.of({"second": 3}, sandbox=False)
    for value in (0, -1, float("inf"), float("nan"), True):
        with pytest.raises(InputError, match="must be a number above 0"):
            Decoding(frames=value)
