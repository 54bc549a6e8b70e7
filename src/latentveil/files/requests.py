"""What a folder of results was asked for: the same request again finds it done, and another one is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from latentveil import __version__
from latentveil.errors import InputError
from latentveil.files.differences import differences
from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole
from latentveil.files.place_files import SAVING
from latentveil.files.places import Place

REQUEST_FILE = "request.json"


@dataclass(frozen=True)
class Request:
    """What a verb is ``asked`` for, inputs by their checksums, to make ``what``; its file ``result`` is there then."""

    what: str
    result: str
    asked: Mapping[str, Any]

    def is_done(self, folder: Place) -> bool:
        """Whether ``folder`` holds what this request makes; what another request made is refused.

        False also where something is there of which no request is known: whoever made it did not leave one.
        """
        known = self._known(folder)
        if known is None:
            return False
        told = differences(known, self._plain())
        if told:
            raise InputError(
                f"{folder} must hold {self.what} of the same inputs and settings, got one of others: {told}. "
                "Choose another folder, or delete this one."
            )
        return True

    def keep(self, folder: Place) -> None:
        """Note in ``folder`` that this request is done; its result is there."""
        record = {"asked": self._plain(), "result": self.result, "sha256": self._checksum(folder)}
        write_whole(folder / REQUEST_FILE, json.dumps(record, indent=1) + "\n")

    def _known(self, folder: Place) -> dict[str, Any] | None:
        """What was asked for what is there now; None where nobody wrote it down, or where it was replaced since."""
        files = (folder / REQUEST_FILE, folder / self.result)
        if (folder / SAVING).exists() or not all(file.is_file() for file in files):
            return None
        found = read_json(folder / REQUEST_FILE, what="the request of a finished run")
        if not isinstance(found, dict) or found.get("sha256") != self._checksum(folder):
            return None
        return found["asked"] if isinstance(found.get("asked"), dict) else None

    def _checksum(self, folder: Place) -> str:
        return hashlib.sha256((folder / self.result).read_bytes()).hexdigest()

    def _plain(self) -> dict[str, Any]:
        """As JSON gives it back."""
        return dict(json.loads(json.dumps({"version": __version__, **self.asked})))
