"""The checks are for authors of plug-ins, whatever framework they test with."""

import subprocess
import sys

from latentveil import testing


def test_no_test_framework_is_needed():
    program = "import sys, latentveil.testing; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_there_is_a_check_for_every_kind():
    assert {"check_attack", "check_backend", "check_encoder"} <= set(testing.__all__)
    assert all(hasattr(testing, name) for name in testing.__all__)
