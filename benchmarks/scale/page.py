"""docs/scale.md, from docs/measured/scale alone."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "scale.md"


def write_page(output: Path) -> None:
    pass
