"""The audit as an object: shown, saved as files, and loaded again."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from latentveil.auditing.schema import AUDIT_KEYS, as_current_schema
from latentveil.errors import InputError
from latentveil.files.json_files import read_json
from latentveil.files.outputs import require_output_folder, require_own_results, write_whole
from latentveil.files.place_files import remove_halves
from latentveil.files.places import Place, PlaceLike, as_place
from latentveil.report.page import Extras, render_html, render_markdown, render_notebook
from latentveil.report.short import in_short
from latentveil.results.audit import AuditResults

AUDIT_FILE, EXTRAS_FILE, MARKDOWN_FILE, PAGE_FILE = "audit.json", "extras.json", "audit.md", "report.html"
# What the head of every report.html says.
PAGE_TITLE, PAGE_HEAD_BYTES = b"<title>Latentveil audit</title>", 4096


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(AuditResults):
    """What an audit found, as ``AuditResults`` says, and ``extras``: what its page shows beside the numbers."""

    extras: Extras = field(default_factory=Extras, repr=False, compare=False)

    def save(self, folder: str | Path) -> Path:
        """Write audit.json, audit.md, report.html and extras.json; an earlier audit in the folder is replaced."""
        folder = Path(folder)
        require_report_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        remove_halves(folder)
        write_whole(folder / AUDIT_FILE, json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n")
        write_whole(folder / EXTRAS_FILE, json.dumps(self.extras.to_dict()) + "\n")
        write_whole(folder / MARKDOWN_FILE, render_markdown(self))
        write_whole(folder / PAGE_FILE, render_html(self, self.extras))
        return folder

    def __str__(self) -> str:
        return in_short(self)

    __repr__ = __str__  # thousands of numbers would fill a prompt

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return render_notebook(self)


def load_audit(path: PlaceLike) -> Audit:
    """The audit in a folder or an audit.json, with what extras.json beside it holds; also one of schema 1."""
    file = audit_file(path)
    values = read_json(file, what="an audit.json")
    try:
        audit = Audit.from_dict(as_current_schema(values))
    except InputError as error:
        raise InputError(f"{file} must be an audit.json: {error}") from error
    stored = file.parent / EXTRAS_FILE
    if not stored.is_file():
        return audit
    extras = read_json(stored, what="what an audit's page shows beside its numbers")
    try:
        return replace(audit, extras=Extras.from_dict(extras))
    except InputError as error:
        raise InputError(f"{stored} must be of an audit: {error} Delete it to go without.") from error


def audit_file(path: PlaceLike) -> Place:
    """The audit.json that ``path`` is, or that is in the folder ``path``."""
    place = as_place(path)
    place = place / AUDIT_FILE if place.is_dir() else place
    if not place.is_file():
        raise InputError(f"{place} must be an audit.json, got nothing there. Run `veil audit` first.")
    return place


def require_report_folder(folder: Place) -> None:
    """Refuse, before anything is measured, a folder that cannot take a report, or that holds other files."""
    for name, what in (("manifest.json", "a feature store"), ("config.json", "an adapter")):
        if (folder / name).exists():
            raise InputError(f"{folder} must be a folder for reports, got {what}. Choose another folder.")
    others = (EXTRAS_FILE, MARKDOWN_FILE, PAGE_FILE)
    require_own_results(folder, AUDIT_FILE, keys=AUDIT_KEYS, others=others, what="an audit")
    require_own_page(folder / PAGE_FILE)
    require_output_folder(folder)


def require_own_page(page: Place) -> None:
    """Refuse to write over a page that is not the report of an audit."""
    if page.is_dir():
        raise InputError(f"{page} must be a file, got a folder.")
    if page.is_file():
        with page.open("rb") if isinstance(page, Path) else page.open() as file:
            if PAGE_TITLE not in file.read(PAGE_HEAD_BYTES):
                raise InputError(
                    f"{page} must be the report of an audit to be replaced, got another file. Choose another place."
                )
