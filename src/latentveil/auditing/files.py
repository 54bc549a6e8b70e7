"""What is made of a saved audit: its page, drawn again, and the card of its adapter, filled in."""

from __future__ import annotations

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.forget import is_forgotten
from latentveil.auditing.result import PAGE_FILE, audit_file, load_audit, require_own_page
from latentveil.errors import InputError
from latentveil.files.outputs import require_output_folder, write_whole
from latentveil.files.places import Place, PlaceLike, as_place
from latentveil.report.card import privacy_card
from latentveil.report.page import render_html
from latentveil.report.words import attacker_in_words, inversion_in_words
from latentveil.results.audit import AuditResults


def render_again(path: PlaceLike, output: PlaceLike | None = None) -> Place:
    """Draw the page of an audit.json (or of its folder) again, with what extras.json beside it holds."""
    audit = load_audit(path)
    page = as_place(output) if output is not None else audit_file(path).parent / PAGE_FILE
    require_own_page(page)
    require_output_folder(page.parent)
    page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, render_html(audit, audit.extras))
    return page


def fill_card(folder: PlaceLike, audit: AuditResults, *, adapter: Adapter | None = None) -> Place:
    """Write what the audit found into the README of the adapter in ``folder``; it must be of this very adapter.

    ``adapter`` is the one in the folder, where it is loaded already.
    """
    place = as_place(folder)
    if not (place / "config.json").is_file():
        raise InputError(f"{place} must be an adapter folder with config.json, got none.")
    adapter = adapter or load_adapter(folder)
    if audit.adapter is not None:
        require_audited_adapter(adapter, sha256=audit.adapter.sha256)
    card = place / "README.md"
    notes = [attacker_in_words(audit), inversion_in_words(audit)]
    write_whole(card, privacy_card(adapter.config, audit=audit, notes=notes))
    return card


def require_audited_adapter(adapter: Adapter, *, sha256: str) -> None:
    """Refuse an adapter with other weights than those that made the anonymized features.

    What is left of that adapter once its key is destroyed is taken: it is what anybody can still get at.
    """
    found = adapter.sha256()
    if sha256 in (found, adapter.config.get("forgotten_from")):
        return
    what_to_do = "Apply it and audit what it makes."
    if is_forgotten(adapter):
        what_to_do = "Its key is destroyed: audit without it, or with the adapter that made them."
    raise InputError(
        f"adapter must be the one that made the audited features (sha256 {sha256[:12]}…), "
        f"got {found[:12]}…. {what_to_do}"
    )
