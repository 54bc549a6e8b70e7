"""Singling out and linkability as one call, each where there are enough people and videos, else with the reason."""

from __future__ import annotations

from collections.abc import Sequence

from latentveil.auditing.recipients import Recipient
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.auditing.risks.singling_out import measure_singling_out
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.progress import OnProgress, silent
from latentveil.results.audit import Flag
from latentveil.results.risks import Linkability, Risks, SinglingOut
from latentveil.types import FeatureSet

NOBODY_NAMED = "the labels name nobody"
NO_NAMES_HELD = "this recipient knows nobody's name"


def measure_risks(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    *,
    recipient: Recipient,
    kind: str,
    remade: Sequence[FeatureSet] = (),
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> tuple[Risks, list[Flag]]:
    """The two risks that are about who somebody is, for clips of ``kind``; inference comes from the attacks on secrets.

    A risk that cannot be measured is None, and a flag says why. Singling out takes videos whose people are known by
    name, which a recipient of features alone does not have. ``remade`` are the raw features anonymized anew, draw by
    draw: those of other people for a recipient who holds the adapter, of everybody for one who holds raw videos, too.
    """
    if labels.person is None or not (labels.person != "").any():
        return Risks(), [_not_measured(risk, NOBODY_NAMED) for risk in ("singling out", "linkability")]
    singled_out: SinglingOut | None = None
    linked: Linkability | None = None
    flags = []
    if recipient.has_labels:
        try:
            singled_out = measure_singling_out(
                raw,
                anonymized,
                labels,
                kind=kind,
                remade=remade if recipient.has_raw else (),
                seed=seed,
                on_progress=on_progress,
            )
        except InputError as error:
            flags.append(_not_measured("singling out", str(error)))
    else:
        flags.append(_not_measured("singling out", NO_NAMES_HELD))
    try:
        linked = measure_linkability(
            raw,
            anonymized,
            labels,
            kind=kind,
            recipient=recipient,
            remade=remade,
            seed=seed,
            on_progress=on_progress,
        )
    except InputError as error:
        flags.append(_not_measured("linkability", str(error)))
    return Risks(singling_out=singled_out, linkability=linked), flags


def _not_measured(risk: str, why: str) -> Flag:
    return Flag(
        f"{risk.replace(' ', '_')}_not_measured", f"{risk.capitalize()} was not measured: {why.rstrip('.')}."
    )
