"""Shares of work that several runs divide among themselves: each share is done by one, and a dead one's by another.

A claim is a file that only one run can create: ``<share>.1``. Whoever finds its owner dead creates ``<share>.2``, which
again only one can; the highest number is the owner. ``<share>.done`` says that nothing is left to do. None of these
files is needed to read a store: what is done twice all the same, by a run that was thought dead and woke up, has the
same name and the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from latentveil.errors import InputError
from latentveil.files.place_files import create_file
from latentveil.store.presence import Presence

DONE = "done"


class Claims:
    """The shares of a plan, seen from one run."""

    def __init__(self, presence: Presence, shares: Sequence[str]) -> None:
        self.presence = presence
        self.folder = presence.folder / presence.plan
        self._untried = list(reversed(shares))
        self._open = set(shares)
        self._mine: dict[str, int] = {}
        self._refuse_other_plans()

    def take(self) -> tuple[str, bool] | None:
        """A share that nobody works on, and whether it was a dead run's; None where there is none just now."""
        while self._untried:
            share = self._untried.pop()
            if self._create(share, 1):
                return share, False
        for share, number in self._owners().items():
            owner = self._owner(share, number)
            if owner is not None and not self.presence.is_alive(owner) and self._create(share, number + 1):
                return share, True
        return None

    def owns(self, share: str) -> bool:
        """Whether a share is still ours: a run that slept too long has lost it to another one."""
        return self._owners().get(share) == self._mine.get(share)

    def finish(self, share: str, note: dict[str, Any]) -> None:
        """Say that nothing is left to do in a share of ours."""
        create_file(self.folder / f"{share}.{DONE}", json.dumps(note).encode())
        self._open.discard(share)

    def unfinished(self) -> set[str]:
        """The shares that are not done yet, by anybody."""
        self._open -= {place.name.removesuffix(f".{DONE}") for place in self.folder.glob(f"*.{DONE}")}
        return set(self._open)

    def notes(self) -> dict[str, dict[str, Any]]:
        """What was said about each share that is done."""
        found = {}
        for place in self.folder.glob(f"*.{DONE}"):
            try:
                found[place.name.removesuffix(f".{DONE}")] = json.loads(place.read_bytes())
            except ValueError:  # half written by a run that died: the share is done all the same
                continue
        return found

    def _owners(self) -> dict[str, int]:
        """{share: number of its latest claim} of all that are not done."""
        latest: dict[str, int] = {}
        done = set()
        for place in self.folder.glob("*.*"):
            share, _, number = place.name.rpartition(".")
            if number == DONE:
                done.add(share)
            elif number.isdecimal():
                latest[share] = max(latest.get(share, 0), int(number))
        return {share: number for share, number in latest.items() if share not in done}

    def _owner(self, share: str, number: int) -> str | None:
        """The run that made a claim; one whose claim is empty died while it made it, or is just making it."""
        try:
            return (self.folder / f"{share}.{number}").read_bytes().decode()
        except FileNotFoundError:
            return None

    def _create(self, share: str, number: int) -> bool:
        self.folder.mkdir(parents=True, exist_ok=True)
        claim = self.folder / f"{share}.{number}"
        if not create_file(claim, self.presence.me.encode()):
            return False
        if claim.read_bytes() != self.presence.me.encode():
            raise InputError(
                f"{claim} must hold the claim of the run that created it, got another one's. This share lies about "
                "who created a file: use one that several machines may write to."
            )
        self._mine[share] = number
        return True

    def _refuse_other_plans(self) -> None:
        """Runs with other videos or shards of other sizes would do some videos twice."""
        for run, plan in self.presence.others().items():
            if plan and plan != self.presence.plan:
                raise InputError(
                    f"runs on the store {self.presence.folder.parent} must be given the same videos and shard_videos, "
                    f"got others than those of {self.presence.holder(run)}. Wait for it, or start both alike."
                )
