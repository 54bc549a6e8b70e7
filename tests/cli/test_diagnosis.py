import shutil
import sys
from collections import namedtuple
from importlib import metadata

import pytest

from latentveil.cli import diagnosis
from latentveil.cli.diagnosis import (
    GIGABYTE,
    check_cache,
    check_cores,
    check_disk,
    check_memory,
    check_package,
    check_python,
    check_torchvision,
    check_weights,
)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package with the given version and code where this interpreter and its children find it."""

    def put(name: str, version: str, code: str) -> None:
        (tmp_path / f"{name}.py").write_text(code)
        info = tmp_path / f"{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return put


def test_a_torchvision_that_does_not_fit_is_found_with_its_error_and_a_fix(install):
    install("torchvision", "0.1.0", "raise RuntimeError('operator torchvision::nms does not exist')")
    finding = check_torchvision()
    assert finding.state == "problem"
    assert "0.1.0 does not fit torch" in finding.detail
    assert "operator torchvision::nms does not exist" in finding.detail
    assert "pip uninstall torchvision" in finding.fix


def test_a_torchvision_that_works_is_fine(install):
    install("torchvision", "9.9.9", "")
    assert check_torchvision() == diagnosis.Finding("torchvision", "ok", "9.9.9")


def test_a_missing_package_is_a_problem_unless_it_is_optional(monkeypatch):
    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", nothing)
    assert check_package("torch").state == "problem"
    assert check_package("torch").fix == "pip install torch"
    assert check_package("onnxruntime").state == "ok"
    assert check_torchvision().state == "ok"


def test_a_package_that_cannot_be_imported_is_a_problem(install):
    install("av", "1.2.3", "import a_library_that_is_not_there")
    finding = check_package("av")
    assert finding.state == "problem"
    assert finding.detail.startswith("1.2.3, but cannot be imported: ModuleNotFoundError")


def test_an_old_python_is_a_problem():
    assert check_python((3, 10, 4)).state == "problem"
    assert check_python(sys.version_info[:3]).state == "ok"


@pytest.mark.parametrize(("free", "state"), [(20, "ok"), (2, "warning"), (0.1, "problem")])
def test_little_disk_is_a_warning_and_none_a_problem(tmp_path, monkeypatch, free, state):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, int(free * GIGABYTE)))
    finding = check_disk("disk", tmp_path / "not" / "made" / "yet")
    assert finding.state == state
    assert str(tmp_path) in finding.detail


def test_a_cache_that_cannot_be_written_is_a_problem(tmp_path, monkeypatch):
    assert check_cache(tmp_path / "new").state == "ok"

    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(diagnosis.tempfile, "TemporaryFile", refuse)
    finding = check_cache(tmp_path)
    assert finding.state == "problem"
    assert "not writable: Permission denied" in finding.detail
    assert "LATENTVEIL_CACHE" in finding.fix


def test_missing_weights_and_a_small_machine_are_warnings(tmp_path):
    path = tmp_path / "weights"
    assert (check_weights(path).state, check_weights(path).fix) == (
        "warning",
        "veil weights i3d (47 MB, once)",
    )
    path.touch()
    assert check_weights(path).state == "ok"
    assert (check_cores(1).state, check_cores(2).state) == ("warning", "ok")
    assert (check_memory(2 * GIGABYTE).state, check_memory(16 * GIGABYTE).state) == ("warning", "ok")
