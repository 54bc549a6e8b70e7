"""A process that may take so much more memory gets that, and no more."""

import subprocess
import sys

import pytest

TAKES = """
import sys
from latentveil.machine.memory import allow_more
allow_more(300)
taken = bytearray(int(sys.argv[1]) * 1_000_000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space of a process")
def test_what_is_allowed_is_given_and_more_is_not():
    def take(megabytes):
        return subprocess.run([sys.executable, "-c", TAKES, str(megabytes)], capture_output=True, text=True)

    assert take(200).returncode == 0
    assert "MemoryError" in take(400).stderr
