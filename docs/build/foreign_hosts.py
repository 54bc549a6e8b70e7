"""The docs site must need no other host when it is read: this looks at every built page, style and drawing.

mkdocs calls ``on_post_build``; links that a reader may follow (``<a href>``) are no concern of it.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

FETCHED = {"src", "srcset", "data", "poster", "action"}
FETCHED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload"}
STYLE_FETCH = re.compile(r"""(?:url\(|@import)\s*["']?\s*(?:https?:)?//[^)"']+""", re.IGNORECASE)


class _Fetches(HTMLParser):
    """Collects what a browser would fetch from elsewhere while it shows a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        names = set(FETCHED)
        if tag == "link" and FETCHED_LINKS & set(values.get("rel", "").lower().split()):
            names.add("href")
        self.found += [values[name] for name in sorted(names & set(values)) if _is_foreign(values[name])]
        self.found += STYLE_FETCH.findall(values.get("style", ""))


def foreign_fetches(text: str, *, suffix: str) -> list[str]:
    """The addresses on other hosts that a page (``.html``) or a style (``.css``) would fetch."""
    if suffix == ".css":
        return STYLE_FETCH.findall(text)
    parser = _Fetches()
    parser.feed(text)
    inline = "".join(re.findall(r"<style[^>]*>(.*?)</style>", text, re.DOTALL))
    return parser.found + STYLE_FETCH.findall(inline)


def on_post_build(config: Any) -> None:
    """Stop the build where a page would fetch anything from elsewhere."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css"):
            found = foreign_fetches(path.read_text(encoding="utf-8"), suffix=path.suffix)
            if found:
                raise SystemExit(f"{path} must fetch nothing from other hosts, got {found[0]}.")


def _is_foreign(address: str) -> bool:
    return re.match(r"\s*(https?:)?//", address, re.IGNORECASE) is not None
