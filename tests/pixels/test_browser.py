"""Rewritten videos play in a browser; without one on the machine these tests are skipped."""

import re
import shutil
import subprocess

import pytest

from latentveil.pixels.apply import apply_pixels
from latentveil.pixels.fit import make_unlearned
from tests.pixels.square import write_square

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --autoplay-policy=no-user-gesture-required"
)
PAGE = """<html><body><video id="video" src="{source}" muted autoplay></video><pre id="told"></pre><script>
setTimeout(() => {{
    const video = document.getElementById("video")
    const {{videoWidth, videoHeight, duration, played, error}} = video
    const told = [videoWidth, videoHeight, duration, played.length, error && error.code]
    document.getElementById("told").textContent = "told: " + told.join(" ")
}}, 1500)
</script></body></html>"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine (Debian: chromium)")


def told_by_browser(video, folder):
    """Width, height, duration, number of stretches played and error of a video that a page has played."""
    page = folder / "page.html"
    page.write_text(PAGE.format(source=video.as_uri()))
    command = [CHROMIUM, *QUIET.split(), f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=5000", "--dump-dom", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    return re.search(r"told: (.*)</pre>", shown)[1].split(" ")


@pytest.mark.parametrize(("method", "preset"), [("blur", "strong"), ("downsample", "2x")])
def test_a_rewritten_video_plays(tmp_path, method, preset):
    write_square(tmp_path / "one.mp4", num_frames=25)
    apply_pixels(make_unlearned(method, preset), tmp_path / "one.mp4", tmp_path / "safe", progress=False)
    width, height, duration, played, error = told_by_browser(tmp_path / "safe" / "one.mp4", tmp_path)
    assert (width, height, played, error) == ("96", "64", "1", "")
    assert float(duration) == pytest.approx(1.0, abs=0.05)


def test_a_file_that_is_no_video_does_not_play(tmp_path):
    """What the test above sees when something is wrong."""
    (tmp_path / "broken.mp4").write_bytes(b"no video")
    *_, played, error = told_by_browser(tmp_path / "broken.mp4", tmp_path)
    assert (played, error) == ("0", "4")
