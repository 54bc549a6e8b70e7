"""An audit in a few lines, for a terminal."""

from __future__ import annotations

from latentveil.report.certificate import certificate_in_words
from latentveil.report.headline import headline, reservations, verdict_in_words
from latentveil.report.risks import risks_in_words
from latentveil.report.words import (
    interval,
    number,
    percent,
    plain,
    removed_in_words,
    secret_in_words,
)
from latentveil.results.audit import AuditResults


def in_short(audit: AuditResults) -> str:
    """The headline, then a line for each reading, each task and each risk, and what not to trust."""
    readings = [
        f"  {secret_in_words(one)}: raw {interval(one.worst.raw)}, anonymized {interval(one.worst.anonymized)} "
        f"({one.worst.attack}), guessing {number(one.chance, digits=3)}, removed {removed_in_words(one)}"
        for one in audit.readings
    ]
    tasks = [
        f"  {plain(name)}: raw {interval(task.raw)}, anonymized {interval(task.anonymized)}, "
        f"guessing {number(task.chance, digits=3)}, kept {percent(task.kept)}"
        for name, task in audit.tasks.items()
    ]
    risks = [f"  {told}" for told in [*risks_in_words(audit), *certificate_in_words(audit)]]
    notes = [f"  {note}" for note in reservations(audit)]
    if notes:
        notes = ["When not to trust these numbers:", *notes]
    beyond = [f"  {told}" for told in verdict_in_words(audit)[1:]]
    return "\n".join([*headline(audit), *beyond, *readings, *tasks, *risks, *notes])
