"""A worker that dies of some tasks. It is in a light file, because every process of a cluster imports it."""

import os
from pathlib import Path

from latentveil.errors import InputError


class PoisonedWork:
    """Squares numbers; it dies of "once" the first time and of "always" each time, and "wrong" is an error."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, task):
        if task == "always":
            os._exit(9)
        if task == "once" and not (self.folder / "died").exists():
            (self.folder / "died").touch()
            os._exit(9)
        if task == "wrong":
            raise InputError("this task must be right, got a wrong one.")
        return task if isinstance(task, str) else task**2
