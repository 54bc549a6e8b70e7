"""Finished trials of a tuning, kept so that a run that was stopped does not do them again."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole
from latentveil.tuning.trial import Ruler, Trial

FOLDER = "trials"


class FinishedTrials:
    """The finished trials of a run in ``folder/trials``, for the same videos, labels, method, ruler and seed."""

    def __init__(self, folder: str | Path | None, fingerprint: str) -> None:
        self.folder = None if folder is None else Path(folder) / FOLDER
        self.fingerprint = fingerprint

    def recall(self, settings: dict[str, str]) -> Trial | None:
        file = self._file(settings)
        if file is None or not file.is_file():
            return None
        return Trial.from_dict(read_json(file, what="a finished trial"))

    def keep(self, trial: Trial) -> None:
        file = self._file(trial.settings)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(trial.to_dict()))

    def _file(self, settings: dict[str, str]) -> Path | None:
        if self.folder is None:
            return None
        key = sha256(json.dumps([self.fingerprint, settings], sort_keys=True).encode()).hexdigest()[:16]
        return self.folder / f"{key}.json"


def fingerprint(ruler: Ruler, others: list[Any]) -> str:
    """A hash of all that a trial depends on but its settings."""
    digest = sha256(ruler.raw.feature.tobytes())
    labels = ruler.labels
    table = {name: labels.column(name).tolist() for name in ("video", "split", *labels.columns)}
    people = None if labels.person is None else labels.person.tolist()
    segments = {v: [repr(s) for s in found] for v, found in (ruler.segments or {}).items()}
    said = [table, people, segments, sorted(map(str, ruler.on_raw)), list(ruler.attacks), ruler.seed, others]
    digest.update(json.dumps(said, sort_keys=True, default=str).encode())
    return digest.hexdigest()
