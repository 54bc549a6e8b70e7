"""Whether an audit is there already: of the same features, labels and options, in the folder that it would write to."""

from __future__ import annotations

from pathlib import Path

from latentveil.attacks import load_attacks
from latentveil.auditing.finished import FOLDER, named_with_code
from latentveil.auditing.inputs import AuditInputs
from latentveil.auditing.kept_parts import files_seen
from latentveil.auditing.measure import AuditPlan
from latentveil.auditing.recipients import ALL
from latentveil.auditing.result import AUDIT_FILE, Audit, load_audit
from latentveil.checksums import short_checksum
from latentveil.errors import InputError
from latentveil.files.place_files import SAVING, local_folder, remove_tree
from latentveil.files.places import Place
from latentveil.files.requests import Request
from latentveil.notices import notify


def audit_request(
    inputs: AuditInputs, plan: AuditPlan, *, videos: str | Path | None, limit: float | None
) -> Request:
    """All that an audit depends on, in words that people can compare."""
    return Request(
        "an audit",
        AUDIT_FILE,
        {
            "raw": short_checksum(inputs.raw),
            "anonymized": short_checksum(inputs.anonymized),
            "labels": short_checksum(inputs.labels),
            "segments": short_checksum(plan.segments),
            "adapter": short_checksum(None if inputs.adapter is None else inputs.adapter.sha256()),
            "videos": short_checksum(None if videos is None else files_seen(videos)),
            "secrets": list(plan.secrets),
            "kinds": list(plan.kinds),
            **named_with_code(load_attacks(plan.attacks)),
            "tasks": None if plan.tasks is None else list(plan.tasks),
            "recipient": ALL if plan.others else None if plan.recipient is None else plan.recipient.name,
            "certify": plan.certify,
            "limit": limit,
            "floor": plan.floor,
            "name_people": plan.name_people,
            "seed": plan.seed,
            **({} if inputs.names is None else {"names": short_checksum(inputs.names)}),
        },
    )


def audited_before(request: Request, folder: Place) -> Audit | None:
    """The audit of this very request in ``folder``; None where there is none yet, and another one is refused."""
    if not (folder / AUDIT_FILE).exists():
        return None
    if request.is_done(folder):
        told = f"{folder} holds this very audit already: nothing is measured again."
        notify(told)
        remove_tree(folder / FOLDER)  # of a run that was killed at its very end
        with local_folder(folder) as here:
            return load_audit(here)
    if (folder / SAVING).exists() or (isinstance(folder, Path) and (folder / FOLDER).is_dir()):
        return None  # of a run that was stopped while it wrote
    raise InputError(
        f"{folder} must be a new folder, or hold {request.what} of the same inputs and settings, got another one. "
        "Choose another folder, or delete this one."
    )
