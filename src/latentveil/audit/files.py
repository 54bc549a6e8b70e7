"""The files of an audit: written, read again, drawn again, and filled into an adapter's card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from latentveil.adapters.adapter import load_adapter
from latentveil.errors import InputError
from latentveil.report.card import privacy_card
from latentveil.report.page import Extras, render_html, render_markdown
from latentveil.report.words import attacker_in_words, inversion_in_words

AUDIT, EXTRAS, PAGE = "audit.json", "extras.json", "report.html"


def require_report_folder(folder: Path) -> None:
    """Refuse the folder of a store or of an adapter; an earlier audit in it is replaced."""
    for name, what in (("manifest.json", "a feature store"), ("config.json", "an adapter")):
        if (folder / name).exists():
            raise InputError(f"{folder} must be a folder for reports, got {what}. Choose another folder.")


def write_report(folder: Path, audit: dict[str, Any], extras: Extras) -> None:
    """Write audit.json, audit.md, report.html, and extras.json, which holds what the page shows beside the numbers."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / AUDIT).write_text(json.dumps(audit, indent=1) + "\n")
    (folder / EXTRAS).write_text(json.dumps(extras.to_dict()) + "\n")
    (folder / "audit.md").write_text(render_markdown(audit))
    (folder / PAGE).write_text(render_html(audit, extras))


def read_audit(path: str | Path) -> dict[str, Any]:
    """The content of an audit.json, given by its path or its folder."""
    path = _audit_file(path)
    try:
        audit = json.loads(path.read_text())
    except ValueError as error:
        raise InputError(f"{path} must be an audit.json, got: {error}.") from error
    if not isinstance(audit, dict) or not {"secrets", "tasks", "summary"} <= set(audit):
        raise InputError(f"{path} must be an audit.json with secrets, tasks and summary, got other content.")
    if audit.get("schema") != 1:
        raise InputError(
            f"{path} must be of schema 1, got {audit.get('schema')!r}. Audit again with this version."
        )
    return audit


def render_again(path: str | Path, output: str | Path | None = None) -> Path:
    """Draw the page of an audit.json (or of its folder) again, with what extras.json beside it holds."""
    audit, folder = read_audit(path), _audit_file(path).parent
    stored = folder / EXTRAS
    extras = Extras.from_dict(json.loads(stored.read_text())) if stored.is_file() else Extras()
    page = Path(output) if output is not None else folder / PAGE
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(render_html(audit, extras))
    return page


def fill_card(adapter: str | Path, audit: dict[str, Any]) -> Path:
    """Write what the audit found into the adapter's README; the audit must be of this very adapter."""
    settings = Path(adapter) / "config.json"
    if not settings.is_file():
        raise InputError(f"{adapter} must be an adapter folder with config.json, got none.")
    if audit["adapter"] is not None:
        require_audited_adapter(adapter, audit["adapter"]["sha256"])
    card = Path(adapter) / "README.md"
    notes = [attacker_in_words(audit), inversion_in_words(audit)]
    card.write_text(privacy_card(json.loads(settings.read_text()), audit=audit, notes=notes))
    return card


def require_audited_adapter(adapter: str | Path, sha256: str) -> None:
    """Refuse an adapter with other weights than those that made the anonymized features."""
    found = load_adapter(adapter).sha256()
    if found != sha256:
        raise InputError(
            f"adapter {adapter} must be the one that made the audited features (sha256 {sha256[:12]}…), "
            f"got {found[:12]}…. Apply it and audit what it makes."
        )


def _audit_file(path: str | Path) -> Path:
    path = Path(path)
    path = path / AUDIT if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"{path} must be an audit.json, got nothing there. Run `veil audit` first.")
    return path
