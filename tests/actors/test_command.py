"""`veil actors` on the command line."""

from __future__ import annotations

import subprocess
import sys

RUN = [sys.executable, "-c", "from latentveil.cli.main import main; main()", "actors"]


def veil_actors(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*RUN, *arguments], capture_output=True, text=True, check=False)


def test_writes_a_small_data_set(tmp_path):
    done = veil_actors(
        str(tmp_path / "d"), "--task", "images", "--videos", "3", "--size", "32", "--workers", "1"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "d")
    assert "contact_sheet.png" in done.stderr
    names = {path.name for path in (tmp_path / "d").iterdir()}
    assert names == {"images", "labels.csv", "boxes.csv", "contact_sheet.png", "actors.json"}


def test_wrong_use_is_one_sentence_and_status_1(tmp_path):
    done = veil_actors(str(tmp_path / "d"), "--task", "dance")
    assert done.returncode == 1
    assert done.stderr.startswith("veil: --task must be one of action")
    assert "Traceback" not in done.stderr
