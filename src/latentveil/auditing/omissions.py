"""What an audit must say of itself: which secrets it did not test, and what is odd about its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from latentveil.auditing.splits import Fold
from latentveil.labels import IDENTITY, SECRET_PREFIX, Labels
from latentveil.results.audit import Flag, NotTested

ONE_VALUE = "one value"
NOT_ASKED_FOR = "not asked for"
NO_NUMBER = "nan"  # what table programs write for an empty cell
SEVERAL = "|"  # between names, as between the classes of an action


def secrets_not_tested(labels: Labels, attacked: Sequence[str]) -> list[NotTested]:
    """The secrets of the labels, identity among them where people are known, that were not attacked, and why."""
    named = labels.secrets + ([IDENTITY] if labels.person is not None and (labels.person != "").any() else [])
    tried = {IDENTITY if secret == "person" else secret.removeprefix(SECRET_PREFIX) for secret in attacked}
    return [
        NotTested(secret, NOT_ASKED_FOR if len(set(labels.column(secret)) - {""}) > 1 else ONE_VALUE)
        for secret in named
        if secret not in tried
    ]


def blank_unknown(labels: Labels) -> tuple[Labels, list[Flag]]:
    """The labels with "nan" as an empty value in every column, person and recording included, and a flag for each.

    A cell that a table program left empty would become a class, a person, a place or an action of its own.
    """
    flags: list[Flag] = []
    columns = {name: _blanked(values, name, flags) for name, values in labels.columns.items()}
    person, recording = (
        None if values is None else _blanked(values, name, flags)
        for name, values in (("person", labels.person), ("recording", labels.recording))
    )
    return replace(labels, person=person, recording=recording, columns=columns), flags


def _blanked(values: np.ndarray, name: str, flags: list[Flag]) -> np.ndarray:
    empty = np.char.lower(values) == NO_NUMBER
    if not empty.any():
        return values
    flags.append(
        Flag(
            "nan_in_labels",
            f'{int(empty.sum())} of {len(values)} values of the column {name} are "nan" and count as not known.',
        )
    )
    return np.where(empty, "", values)


def label_flags(labels: Labels, folds: Mapping[str, Sequence[Fold]]) -> list[Flag]:
    """What is odd about what is named, and about the videos that attacks are graded on."""
    return flag_several_people(labels) + flag_spellings(labels) + grading_flags(labels, folds)


def flag_spellings(labels: Labels) -> list[Flag]:
    """A flag for each column with values that differ in blanks and capitals only, as "Anna " and "anna"."""
    known = {"person": labels.person, "recording": labels.recording, **labels.columns}
    flags = []
    for name, values in known.items():
        spellings: dict[str, list[str]] = {}
        for value in [] if values is None else np.unique(values).tolist():
            spellings.setdefault(" ".join(value.casefold().split()), []).append(value)
        twice = [found for found in spellings.values() if len(found) > 1]
        if twice:
            why = (  # which ones it does not say: a report names nobody
                f"{len(twice)} of the values of the column {name} are spelled in several ways, which differ in blanks "
                "and capitals only. Each way counts as a value of its own: if they mean the same, less may have been "
                "found than there is."
            )
            flags.append(Flag("several_spellings", why))
    return flags


def grading_flags(labels: Labels, folds: Mapping[str, Sequence[Fold]]) -> list[Flag]:
    """A flag for each secret that is graded on videos of the split train, which adapters are fitted on."""
    flags = []
    for secret, parts in folds.items():
        tested = sorted({video for fold in parts for video in fold.test})
        fitted = int((labels.lookup("split", tested) == "train").sum())
        if fitted:
            flags.append(
                Flag(
                    "graded_on_training_videos",
                    f"{fitted} of the {len(tested)} videos that attacks on {secret.replace('_', ' ')} are graded on "
                    "are in the split train, which adapters are fitted on: more may be hidden there than elsewhere.",
                )
            )
    return flags


def flag_several_people(labels: Labels) -> list[Flag]:
    """A flag where videos name several people who are also named otherwise: they are taken for somebody else there."""
    if labels.person is None:
        return []
    names = set(labels.person.tolist()) - {""}
    joined = {name: set(name.split(SEVERAL)) for name in names if SEVERAL in name}
    met = {
        name
        for name, people in joined.items()
        if any(people & joined.get(other, {other}) for other in names - {name})
    }
    if not met:
        return []
    number = int(np.isin(labels.person, sorted(met)).sum())
    why = (
        f"{number} of {len(labels.video)} videos name several people ({SEVERAL}) of whom there are other videos. Each "
        "such set counts as a person of its own: attacks may learn from somebody whom they are asked about, and who is "
        "linked rightly may count as wrong."
    )
    return [Flag("several_people_in_a_video", why)]
