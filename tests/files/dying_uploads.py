"""A verb whose process is killed while it uploads. It is in a light file, because a new process imports it."""

import os
import signal
from itertools import count

import latentveil as lv
from latentveil.files.places import file_system


def run_until_upload(number, verb, *args, **options):
    """Run a verb of the Python API; its process is killed when it has sent ``number`` files and begins the next."""
    system = file_system("s3")
    sent, real = count(), system.put_file

    def put_file(*given, **named):
        if next(sent) == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)

    system.put_file = put_file
    getattr(lv, verb)(*args, **options)
