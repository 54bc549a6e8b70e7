"""What an audit has finished so far, kept beside its report until that is written: a stopped audit goes on from there.

Every piece is filed under a checksum of all that went into it, so that one of other features, labels, settings or
versions is never taken for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from zipfile import BadZipFile

import numpy as np

from latentveil import __version__
from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, VideoAnswers
from latentveil.checksums import checksum, short_checksum
from latentveil.errors import InputError
from latentveil.files.outputs import write_whole
from latentveil.files.place_files import remove_tree
from latentveil.foreign_code import code_of
from latentveil.results.record import Record

FOLDER = ".unfinished"
# Other versions may give other numbers.
VERSIONS = (__version__, *(version(name) for name in ("numpy", "scipy", "scikit-learn", "torch")))

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Kept = TypeVar("Kept", bound=Record)


@dataclass(frozen=True, eq=False)
class FinishedWork:
    """Pieces of one audit below ``folder``; without one, nothing is kept. ``inputs`` is a checksum of what it is of."""

    folder: Path | None = None
    inputs: str = ""

    @classmethod
    def below(cls, output: Path, *inputs: object) -> FinishedWork:
        return cls(output / FOLDER, checksum(VERSIONS, *inputs))

    def keeping(
        self, name: str, kind: type[Kept], measure: Callable[Parameters, Kept]
    ) -> Callable[Parameters, Kept]:
        """``measure``, or what it gave in the audit that goes on; ``name`` tells it from others of the same audit."""

        def measured(*arguments: Parameters.args, **options: Parameters.kwargs) -> Kept:
            if self.folder is None:
                return measure(*arguments, **options)
            file = self.folder / f"{checksum(self.inputs, name)}.json"
            try:
                return kind.from_dict(json.loads(file.read_bytes()))
            except (OSError, ValueError, InputError):  # not there, or not whole
                found = measure(*arguments, **options)
            self._write(file, json.dumps(found.to_dict()).encode())
            return found

        return measured

    def attack(self, attack: Attack) -> Attack:
        """The attack, which does not answer again what it answered in the audit that goes on."""
        return attack if self.folder is None else KeptAttack(attack, self)

    def read_answers(self, name: str, videos: np.ndarray) -> VideoAnswers | None:
        """What was kept under ``name``, if it is of these very videos (V,)."""
        assert self.folder is not None
        try:
            content = BytesIO((self.folder / f"{name}.npz").read_bytes())
            with np.load(content, allow_pickle=False) as kept:
                setting = json.loads(str(kept["setting"]))
                score = tuple(kept["score"].tolist()) or None
                answers = VideoAnswers(kept["video"], kept["probabilities"], setting, score)
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None
        return answers if np.array_equal(answers.video, videos) else None

    def write_answers(self, name: str, answers: VideoAnswers) -> None:
        assert self.folder is not None
        content = BytesIO()
        setting = np.array(json.dumps(answers.setting))
        score = np.array(answers.validation_score or ())
        np.savez(
            content, setting=setting, video=answers.video, probabilities=answers.probabilities, score=score
        )
        self._write(self.folder / f"{name}.npz", content.getvalue())

    def discard(self) -> None:
        """Delete what is kept; the report is written."""
        if self.folder is not None:
            remove_tree(self.folder)

    def _write(self, file: Path, content: bytes) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, content)


class KeptAttack(Attack):
    """An attack whose answers are kept."""

    def __init__(self, attack: Attack, finished: FinishedWork) -> None:
        self.attack, self.finished, self.name = attack, finished, attack.name

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        return self.attack.fit(knowledge, seed=seed)

    def run(
        self, knowledge: AttackerKnowledge, feature: np.ndarray, video: np.ndarray, *, seed: int
    ) -> VideoAnswers:
        held = knowledge.once("checksum", lambda: _checksum_of(knowledge))
        name = checksum(self.finished.inputs, held, feature, video, seed, identity_of(self.attack))
        kept = self.finished.read_answers(name, np.unique(video))
        if kept is None:
            kept = self.attack.run(knowledge, feature, video, seed=seed)
            self.finished.write_answers(name, kept)
        return kept


def identity_of(attack: Attack) -> tuple[object, ...]:
    """What tells an attack from others: its name, its parameters, and the file that it is written in."""
    kind = type(attack)
    parameters = sorted((name, repr(value)) for name, value in vars(attack).items())
    return kind.__module__, kind.__qualname__, attack.name, parameters, code_of(kind.__module__)


def named_with_code(attacks: Sequence[Attack]) -> dict[str, Any]:
    """The names of attacks, and a checksum that changes with their parameters and their code, for a request."""
    code = short_checksum([identity_of(attack) for attack in attacks])
    return {"attacks": [attack.name for attack in attacks], "attacks_code": code}


def _checksum_of(knowledge: AttackerKnowledge) -> str:
    raw = (knowledge.raw_train, knowledge.raw_validation)
    redrawn = (knowledge.redrawn_train, knowledge.redrawn_validation)
    return checksum(knowledge.num_classes, knowledge.train, knowledge.validation, raw, redrawn)
