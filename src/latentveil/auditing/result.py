"""The audit as an object: shown, saved as files, and loaded again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from latentveil.auditing.schema import as_current_schema
from latentveil.errors import InputError
from latentveil.places import Place
from latentveil.report.page import Extras, render_html, render_markdown, render_notebook
from latentveil.report.short import in_short
from latentveil.results import AuditResults

AUDIT_FILE, EXTRAS_FILE, MARKDOWN_FILE, PAGE_FILE = "audit.json", "extras.json", "audit.md", "report.html"


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(AuditResults):
    """What an audit found, as ``AuditResults`` says, and ``extras``: what its page shows beside the numbers."""

    extras: Extras = field(default_factory=Extras, repr=False, compare=False)

    def save(self, folder: str | Path) -> Path:
        """Write audit.json, audit.md, report.html and extras.json; an earlier audit in the folder is replaced."""
        folder = Path(folder)
        require_report_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / AUDIT_FILE).write_text(json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
        (folder / EXTRAS_FILE).write_text(json.dumps(self.extras.to_dict()) + "\n")
        (folder / MARKDOWN_FILE).write_text(render_markdown(self))
        (folder / PAGE_FILE).write_text(render_html(self, self.extras))
        return folder

    def __str__(self) -> str:
        return in_short(self)

    __repr__ = __str__  # thousands of numbers would fill a prompt

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return render_notebook(self)


def load_audit(path: str | Path) -> Audit:
    """The audit in a folder or an audit.json, with what extras.json beside it holds; also one of schema 1."""
    path = audit_file(path)
    try:
        values = json.loads(path.read_text())
    except ValueError as error:
        raise InputError(f"{path} must be an audit.json, got: {error}.") from error
    try:
        audit = Audit.from_dict(as_current_schema(values))
    except InputError as error:
        raise InputError(f"{path} must be an audit.json: {error}") from error
    stored = path.parent / EXTRAS_FILE
    if not stored.is_file():
        return audit
    return replace(audit, extras=Extras.from_dict(json.loads(stored.read_text())))


def audit_file(path: str | Path) -> Path:
    """The audit.json that ``path`` is, or that is in the folder ``path``."""
    path = Path(path)
    path = path / AUDIT_FILE if path.is_dir() else path
    if not path.is_file():
        raise InputError(f"{path} must be an audit.json, got nothing there. Run `veil audit` first.")
    return path


def require_report_folder(folder: Place) -> None:
    """Refuse the folder of a store or of an adapter; an earlier audit in it is replaced."""
    for name, what in (("manifest.json", "a feature store"), ("config.json", "an adapter")):
        if (folder / name).exists():
            raise InputError(f"{folder} must be a folder for reports, got {what}. Choose another folder.")
