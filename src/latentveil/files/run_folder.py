"""The folder of a training run: a checkpoint to go on from, and a log of every loss term."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol

import torch

from latentveil.errors import InputError
from latentveil.files.outputs import write_whole
from latentveil.files.place_files import remove_halves

CHECKPOINT = "checkpoint.pt"


class Learners(Protocol):
    """Everyone who learns in a run."""

    @property
    def writes(self) -> bool:
        """Whether this process writes the log and the checkpoints: of several, one does."""

    def states(self) -> Iterator[tuple[str, Any]]:
        """All that a checkpoint keeps, by name; each has ``state_dict`` and ``load_state_dict``."""


class RunFolder:
    """Keeps ``checkpoint.pt`` and ``log.jsonl`` in ``path``.

    ``settings`` and ``data`` (a fingerprint) must be those of the run it goes on with.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        settings: dict[str, Any],
        data: str,
        seconds_between_checkpoints: float = 60.0,
    ) -> None:
        self.path = Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self.settings = settings
        self.data = data
        self.seconds_between_checkpoints = seconds_between_checkpoints
        self._saved_at = time.monotonic()

    @property
    def checkpoint(self) -> Path:
        return self.path / CHECKPOINT

    @property
    def log_file(self) -> Path:
        return self.path / "log.jsonl"

    def next_epoch(self, *, begin: int = 0) -> int:
        """The epoch to go on with, ``begin`` without a checkpoint; one of other settings is refused."""
        return self._read()["epoch"] if self.checkpoint.exists() else begin

    def restore(self, players: Learners) -> None:
        """Bring the players, the random numbers and the log to the last checkpoint; without one, empty the log."""
        if not self.checkpoint.exists():
            if players.writes:
                remove_halves(self.path)
                self.log_file.unlink(missing_ok=True)
            return
        state = self._read()
        try:
            for name, part in players.states():
                part.load_state_dict(state["players"][name])
            torch.set_rng_state(state["random"])
        except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
            raise self._damaged(error) from error
        if not players.writes:
            return
        remove_halves(self.path)
        there = self.log_file.read_text().splitlines() if self.log_file.exists() else []
        lines = there[: max(0, state["epoch"])]
        write_whole(self.log_file, "".join(line + "\n" for line in lines))

    def save(self, players: Learners, epoch: int, *, last: bool) -> None:
        """Write a checkpoint if the last one is old enough, or if this is the ``last`` epoch; atomically."""
        if not last and time.monotonic() - self._saved_at < self.seconds_between_checkpoints:
            return
        state = {
            "settings": json.dumps(self.settings, sort_keys=True),
            "data": self.data,
            "epoch": epoch,
            "players": {name: part.state_dict() for name, part in players.states()},
            "random": torch.get_rng_state(),
        }
        content = BytesIO()
        torch.save(state, content)
        write_whole(self.checkpoint, content.getvalue())
        self._saved_at = time.monotonic()

    def log(self, epoch: int, terms: dict[str, float]) -> None:
        with open(self.log_file, "a") as file:
            file.write(json.dumps({"epoch": epoch, **terms}) + "\n")

    def _damaged(self, error: object) -> InputError:
        # What torch says of bytes that are no checkpoint is an advice to run code that may be in them.
        no_advice = "other content" if "weights_only" in str(error) else str(error)
        reason = no_advice.partition("\n")[0][:200] or "nothing in it"
        return InputError(
            f"{self.checkpoint} must be a whole checkpoint, got: {reason}. Delete it, and the same command begins anew."
        )

    def _read(self) -> dict[str, Any]:
        try:
            state = torch.load(self.checkpoint, weights_only=True)
        except Exception as error:  # torch has many words for a damaged file
            raise self._damaged(error) from error
        wanted = {"settings": str, "data": str, "epoch": int}
        if not isinstance(state, dict) or not all(isinstance(state.get(k), v) for k, v in wanted.items()):
            raise self._damaged("other content")
        if state["settings"] != json.dumps(self.settings, sort_keys=True):
            raise InputError(
                f"{self.path} must hold a run with these settings, got a checkpoint of other ones: "
                f"{state['settings']}. Choose another folder or delete {self.checkpoint}."
            )
        if state["data"] != self.data:
            raise InputError(
                f"{self.path} must hold a run on these features and labels, got a checkpoint of other ones. "
                f"Choose another folder or delete {self.checkpoint}."
            )
        return state


def first_epoch(run: RunFolder | None, epochs: int, *, begin: int = 0) -> int:
    """Where to begin: at the checkpoint, which must not lie beyond the last of ``epochs``, or else at ``begin``."""
    start = run.next_epoch(begin=begin) if run else begin
    if start > epochs:
        raise InputError(
            f"train.epochs must be at least the {start} of the checkpoint, got {epochs}. Choose another folder."
        )
    return start
