"""One cache for all exports: each takes seconds."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def export_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def cache(export_folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LATENTVEIL_CACHE", str(export_folder))
        yield export_folder
