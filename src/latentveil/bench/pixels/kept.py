"""Answers about test videos, kept by all that they follow from: what one recipe has asked, another finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from latentveil.files.outputs import write_whole
from latentveil.labels import Labels

Right = dict[str, np.ndarray]  # for each question, whether the answer about each test video (N,) is right


@dataclass(frozen=True)
class KeptAnswers:
    """Answers in ``folder``."""

    folder: Path

    def find(self, asked: Sequence[object], answer: Callable[[], Right]) -> Right:
        """What is kept under ``asked``, which is all that ``answer`` reads; without that, what it answers."""
        path = self.folder / f"{content_hash(asked)}.json"
        if path.is_file():
            kept: dict[str, str] = json.loads(path.read_text())
            return {name: np.array([digit == "1" for digit in digits]) for name, digits in kept.items()}
        found = answer()
        self.folder.mkdir(parents=True, exist_ok=True)
        texts = {name: "".join(map(str, right.astype(int))) for name, right in found.items()}
        write_whole(path, json.dumps(texts))
        return found


def content_hash(parts: Sequence[object]) -> str:
    """A hash of numbers, texts, arrays and labels."""
    told = sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            told.update(f"{part.dtype} {part.shape}".encode() + np.ascontiguousarray(part).tobytes())
        elif isinstance(part, Labels):
            columns = {name: values.tolist() for name, values in sorted(part.columns.items())}
            told.update(json.dumps([part.video.tolist(), part.split.tolist(), columns]).encode())
        else:
            told.update(repr(part).encode())
        told.update(b"\0")
    return told.hexdigest()[:24]
