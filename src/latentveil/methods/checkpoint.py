"""The folder of a training run: a checkpoint to go on from, and a log of every loss term."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import torch

from latentveil.errors import InputError


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
        return self.path / "checkpoint.pt"

    @property
    def log_file(self) -> Path:
        return self.path / "log.jsonl"

    def next_epoch(self) -> int:
        """The epoch to go on with, 0 without a checkpoint; one of other settings is refused."""
        return self._read()["epoch"] if self.checkpoint.exists() else 0

    def restore(self, players: Any) -> None:
        """Bring the players, the random numbers and the log to the last checkpoint; without one, empty the log."""
        if not self.checkpoint.exists():
            if players.ranks.first:
                self.log_file.unlink(missing_ok=True)
            return
        state = self._read()
        for name, part in players.states():
            part.load_state_dict(state["players"][name])
        torch.set_rng_state(state["random"])
        if not players.ranks.first:
            return
        lines = self.log_file.read_text().splitlines()[: state["epoch"]]
        self.log_file.write_text("".join(line + "\n" for line in lines))

    def save(self, players: Any, epoch: int, *, last: bool) -> None:
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
        temporary = self.checkpoint.with_suffix(".tmp")
        torch.save(state, temporary)
        os.replace(temporary, self.checkpoint)
        self._saved_at = time.monotonic()

    def log(self, epoch: int, terms: dict[str, float]) -> None:
        with open(self.log_file, "a") as file:
            file.write(json.dumps({"epoch": epoch, **terms}) + "\n")

    def _read(self) -> dict[str, Any]:
        try:
            state = torch.load(self.checkpoint, weights_only=True)
        except Exception as error:  # torch has many words for a damaged file
            raise self._unreadable(str(error).partition("\n")[0] or type(error).__name__) from error
        missing = {"settings", "data", "epoch", "players", "random"} - set(
            state if isinstance(state, dict) else ()
        )
        if missing:
            raise self._unreadable(f"no {min(missing)}")
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

    def _unreadable(self, reason: str) -> InputError:
        return InputError(
            f"{self.checkpoint} must be a checkpoint that can be read, got: {reason.rstrip('.')}. "
            "Delete it to start again."
        )
