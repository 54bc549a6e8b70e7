"""Workers that die of some tasks, or tell where they are: a light file, since every process of a cluster imports it."""

import os
import time
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


class CardWork:
    """Says which process did a task, and on which graphics cards."""

    def __call__(self, task):
        import ray

        time.sleep(0.3)  # so that one worker cannot do them all
        return os.getpid(), tuple(ray.get_gpu_ids())
